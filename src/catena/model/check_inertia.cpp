// Mass and inertia of each body, and their proportion to the rest of the robot.
// A mass distribution with second moments S = ∫ x xᵀ dm about the centre of mass has I = tr(S) 1 - S; S is positive
// semidefinite exactly if the principal moments of I obey the triangle inequality (and are then not negative either).

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "catena/model/checks.hpp"
#include "catena/model/doctor.hpp"
#include "catena/model/formatted.hpp"

namespace catena::doctor {
namespace {

std::string six_numbers(const Matrix3& I) {
  return formatted("ixx {:.6g}, ixy {:.6g}, ixz {:.6g}, iyy {:.6g}, iyz {:.6g}, izz {:.6g}", I(0, 0), I(0, 1), I(0, 2),
                   I(1, 1), I(1, 2), I(2, 2));
}

std::string triple(const Vector3& x) { return formatted("({:.4g}, {:.4g}, {:.4g})", x[0], x[1], x[2]); }

void check_inertia(const Body& body, Findings& findings) {
  const Inertial& in = *body.inertial;
  const auto add = [&](Severity severity, const char* code, std::string message, std::string remedy) {
    findings.push_back({severity, code, place(body), body.name, std::move(message), std::move(remedy)});
  };
  if (in.mass < 0)
    add(Severity::error, "mass-negative", formatted("mass {:g} kg is negative", in.mass), "write a positive mass");
  if (is_asymmetric(in.inertia)) {
    add(Severity::warning, "inertia-asymmetric",
        formatted("the inertia matrix differs from its transpose by {:.3g} kg m²; its symmetric part is used",
                  (in.inertia - in.inertia.transpose()).cwiseAbs().maxCoeff()),
        "write each product of inertia once, with the same sign on both sides of the diagonal");
  }
  const Vector3 moments = principal_moments(in.inertia);
  const double largest = moments.cwiseAbs().maxCoeff();
  if (is_point_mass(in)) {
    if (in.mass > 0) {
      add(Severity::note, "inertia-zero",
          formatted("mass {:g} kg with {} inertia: the body is a point mass", in.mass,
                    largest == 0 ? "zero" : "vanishing"),
          "give its inertia if the body has a size");
    }
    return;
  }
  if (in.mass == 0) {
    add(Severity::warning, "inertia-without-mass",
        formatted("principal moments {} kg m² but no mass: no distribution of mass has this inertia", triple(moments)),
        "give the mass, or move a motor's inertia to the joint as rotor inertia");
  }
  if (!breaks_physics(in)) return;
  const std::string nearest = "nearest valid inertia: " + six_numbers(nearest_valid_inertia(in.inertia)) + " kg m²";
  if (moments[0] < -inertia_slack * largest) {
    add(Severity::warning, "inertia-indefinite",
        formatted("principal moments {} kg m²: one is negative, so turning about its axis would yield energy",
                  triple(moments)),
        nearest);
  } else {
    add(Severity::warning, "inertia-triangle",
        formatted("principal moments {} kg m²: the largest exceeds the sum of the others by {:.3g}, so no distribution "
                  "of mass has this inertia",
                  triple(moments), moments[2] - moments[0] - moments[1]),
        nearest);
  }
}

// What moves as one piece: a body on a moving joint with everything fixed to it. -1: fixed to the ground.
struct Pieces {
  std::vector<int> of;        // body -> the piece's first body
  std::vector<double> mass;   // by first body
  std::vector<char> inertia;  // by first body: has any moment of inertia
  std::vector<char> carries;  // by first body: another piece hangs on it
  double total = 0;           // mass that can move
};

Pieces collect_pieces(const Description& d, const Topology& t) {
  const std::size_t n = d.bodies.size();
  Pieces p{std::vector<int>(n, -1), std::vector<double>(n, 0), std::vector<char>(n, 0), std::vector<char>(n, 0)};
  for (const int b : t.order) {
    const int above = t.parent[b] < 0 ? -1 : p.of[t.parent[b]];
    const bool moves = t.joint_of[b] >= 0 && d.joints[t.joint_of[b]].type != JointType::fixed;
    p.of[b] = moves ? b : above;
    if (moves && above >= 0) p.carries[above] = 1;
    if (p.of[b] < 0 || !d.bodies[b].inertial) continue;
    p.mass[p.of[b]] += d.bodies[b].inertial->mass;
    p.total += d.bodies[b].inertial->mass;
    if (!d.bodies[b].inertial->inertia.isZero(0)) p.inertia[p.of[b]] = 1;
  }
  return p;
}

// Largest distance from the first joint to any joint or centre of mass, all joints at zero.
double extent(const Description& d, const Topology& t) {
  std::vector<Pose> pose(d.bodies.size());
  double reach = 0;
  for (const int b : t.order) {
    const Pose above = t.parent[b] < 0 ? Pose{} : pose[t.parent[b]];
    pose[b] =
        t.joint_of[b] < 0 ? above : above * d.joints[t.joint_of[b]].placement * d.joints[t.joint_of[b]].body_in_joint;
    reach = std::max(reach, (pose[b].p - pose[t.order[0]].p).norm());
    if (d.bodies[b].inertial)
      reach = std::max(reach, (pose[b] * d.bodies[b].inertial->com - pose[t.order[0]].p).norm());
  }
  return reach;
}

// Of all bodies of one density with given mass and second moments a ball fills the largest volume: its density is the
// least that matter in this shape can have.
double least_density(double mass, double mean_square_radius) {
  const double radius = std::sqrt(mean_square_radius / 0.6);
  return mass / (4. / 3 * std::numbers::pi * radius * radius * radius);
}

void check_size(const Body& body, double robot_size, double total_mass, Findings& findings) {
  const Inertial& in = *body.inertial;
  const double trace = in.inertia.trace();
  // Placeholders of a millionth of the robot distort nothing.
  if (in.mass <= 1e-4 * total_mass && trace <= 1e-4 * total_mass * robot_size * robot_size) return;
  if (!(in.mass > 0) || trace <= 2e-12 * in.mass) return;
  const double gyration = std::sqrt(0.5 * trace / in.mass);
  const double density = least_density(in.mass, gyration * gyration);
  if (density > 1e6) {
    findings.push_back({Severity::warning, "units-inertia", place(body), body.name,
                        formatted("{:g} kg within a gyration radius of {:.3g} m needs matter {:.2g} times denser than "
                                  "lead: wrong units or an invented inertia suspected",
                                  in.mass, gyration, density / 11340),
                        "mass is in kg (not g), inertia in kg m²"});
  } else if (density < 1e-3 && gyration > 3 * robot_size) {
    findings.push_back(
        {Severity::warning, "units-inertia", place(body), body.name,
         formatted("{:g} kg with a gyration radius of {:.3g} m, on a robot that spans {:.3g} m: wrong units "
                   "or an invented inertia suspected",
                   in.mass, gyration, robot_size),
         "inertia is in kg m² (1 kg m² = 1e6 kg mm² = 1e7 g cm² = 1e9 g mm²)"});
  }
}

void check_lengths(const Description& d, Findings& findings) {
  constexpr double longest = 30;  // m: longer than the arms of cranes and space stations
  double length = 0;
  Source source;
  std::string name;
  std::size_t count = 0;
  const auto look = [&](double x, const Source& at, const std::string& of) {
    if (x <= longest) return;
    ++count;
    if (x <= length) return;
    length = x, source = at, name = of;
  };
  for (const Joint& j : d.joints) look(std::max(j.placement.p.norm(), j.body_in_joint.p.norm()), j.source, j.name);
  for (const Body& b : d.bodies) {
    if (b.inertial) look(b.inertial->com.norm(), place(b), b.name);
  }
  if (count == 0) return;
  findings.push_back({Severity::warning, "units-length", source, name,
                      formatted("an offset of {:g} m{}: millimetres suspected", length,
                                count > 1 ? formatted(", the largest of {} beyond {:g} m", count, longest) : ""),
                      "lengths are in metres"});
}

}  // namespace

Source place(const Body& body) {
  return body.inertial && body.inertial->source.line > 0 ? body.inertial->source : body.source;
}

Vector3 principal_moments(const Matrix3& inertia) {
  const Matrix3 symmetric = 0.5 * (inertia + inertia.transpose());
  return Eigen::SelfAdjointEigenSolver<Matrix3>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

bool is_asymmetric(const Matrix3& inertia) {
  return (inertia - inertia.transpose()).cwiseAbs().maxCoeff() > symmetry_slack * inertia.cwiseAbs().maxCoeff();
}

// A gyration radius below a micrometre is no size.
bool is_point_mass(const Inertial& inertial) {
  return principal_moments(inertial.inertia).cwiseAbs().maxCoeff() <= inertial.mass * 1e-12;
}

bool breaks_physics(const Inertial& inertial) {
  return !is_point_mass(inertial) && validity(inertial.inertia) < -inertia_slack;
}

double validity(const Matrix3& inertia) {
  const Vector3 moments = principal_moments(inertia);
  const double largest = moments.cwiseAbs().maxCoeff();
  if (largest == 0) return 0;
  return std::min(moments[0], 0.5 * (moments[0] + moments[1] - moments[2])) / largest;
}

void check_inertias(const Description& d, Findings& findings) {
  for (const Body& body : d.bodies) {
    if (body.inertial && std::isfinite(body.inertial->mass) && is_finite(body.inertial->inertia)) {
      check_inertia(body, findings);
    }
  }
}

void check_proportions(const Description& d, const Topology& t, Findings& findings) {
  const Pieces pieces = collect_pieces(d, t);
  const double robot_size = extent(d, t);
  for (std::size_t b = 0; b < d.bodies.size(); ++b) {
    const Body& body = d.bodies[b];
    const int piece = pieces.of[b];
    if (piece < 0) continue;
    if (body.inertial) check_size(body, robot_size, pieces.total, findings);
    if (piece != static_cast<int>(b)) continue;
    const double mass = pieces.mass[b];
    if (mass == 0 && !pieces.inertia[b]) {
      const bool leaf = !pieces.carries[b];
      findings.push_back({leaf ? Severity::warning : Severity::note, body.inertial ? "mass-zero" : "inertial-missing",
                          place(body), body.name,
                          formatted("this body moves on joint '{}' but has no mass{}", d.joints[t.joint_of[b]].name,
                                    leaf ? ", and nothing hangs on it" : "; only the bodies beyond it have"),
                          "give its mass, centre of mass and inertia"});
    }
    if (mass > 1e5) {
      findings.push_back({Severity::warning, "mass-large", place(body), body.name,
                          formatted("{:g} kg move with this body: grams suspected", mass), "masses are in kg"});
    }
    const int above = t.parent[b] < 0 ? -1 : pieces.of[t.parent[b]];
    const double other = above < 0 ? 0 : pieces.mass[above];
    if (mass > 0 && other > 0 && std::max(mass / other, other / mass) > 1e6) {
      findings.push_back(
          {Severity::warning, "mass-ratio", place(body), body.name,
           formatted("it weighs {:g} kg and its neighbour '{}' {:g} kg: such a ratio costs digits in forward "
                     "dynamics",
                     mass, d.bodies[above].name, other),
           "check both masses and their units"});
    }
  }
  check_lengths(d, findings);
}

}  // namespace catena::doctor
