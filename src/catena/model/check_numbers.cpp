// Numbers that are no numbers, and joints whose numbers mean nothing: axes, rotations, limits, joint terms.
// Limits may be infinite (none); everything that enters the dynamics must be finite and within 1e50 in size.

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "catena/model/checks.hpp"
#include "catena/model/formatted.hpp"

#include "catena/joints/joints.hpp"

namespace catena::doctor {
namespace {

// Products such as mass times length squared, and their squares, must stay below the largest double (1.8e308).
constexpr double largest = 1e50;

// Collects the names of the bad numbers of one part, for one finding.
class Numbers {
 public:
  void add(const char* name, double x) {
    if (std::abs(x) <= largest) return;
    (std::isfinite(x) ? huge_ : broken_) +=
        formatted("{}{} = {:g}", broken_.empty() && huge_.empty() ? "" : ", ", name, x);
  }
  template <class Derived>
  void add(const char* name, const Eigen::DenseBase<Derived>& m) {
    for (const double x : m.reshaped()) {
      if (std::abs(x) <= largest) continue;
      add(name, x);
      return;
    }
  }
  void add(const char* name, const Pose& pose) {
    add(name, pose.R);
    add(name, pose.p);
  }
  void report(const Source& source, const std::string& body, Findings& findings) const {
    if (!broken_.empty()) {
      findings.push_back({Severity::error, "number-not-finite", source, body, broken_ + huge_ + ": not a finite number",
                          "write a finite number"});
    } else if (!huge_.empty()) {
      findings.push_back({Severity::error, "number-too-large", source, body,
                          formatted("{}: beyond {:g}, where products overflow", huge_, largest),
                          "check the number and its unit"});
    }
  }

 private:
  std::string broken_, huge_;
};

void check_limits(const Joint& j, Findings& findings) {
  const Limits& l = j.limits;
  const auto add = [&](Severity severity, const char* code, std::string message, std::string remedy) {
    findings.push_back({severity, code, j.source, j.name, std::move(message), std::move(remedy)});
  };
  if (std::isnan(l.lower) || std::isnan(l.upper) || std::isnan(l.velocity) || std::isnan(l.effort)) {
    add(Severity::error, "number-not-finite", "a limit is not a number", "write a number, or leave the limit out");
    return;
  }
  if (j.type == JointType::fixed || j.type == JointType::continuous) return;
  const bool turns = j.type == JointType::revolute;
  if (l.lower > l.upper) {
    add(Severity::warning, "limits-reversed",
        formatted("the lower limit {:g} lies above the upper limit {:g}, so no position is allowed", l.lower, l.upper),
        formatted("swap them: lower {:g}, upper {:g}", l.upper, l.lower));
  } else if (l.lower == l.upper) {
    add(Severity::note, "limits-equal", formatted("both limits are {:g}: the joint has no room to move", l.lower),
        "make the joint fixed if it never moves");
  }
  if (l.velocity < 0 || l.effort < 0) {
    add(Severity::warning, "limits-negative",
        formatted("a negative limit (velocity {:g}, effort {:g}) allows nothing", l.velocity, l.effort),
        "write the limit as a positive magnitude");
  }
  // Whole numbers beyond five turns are hardly radians: 45, 90, 180, 360.
  const double reach = std::max(std::abs(l.lower), std::abs(l.upper));
  if (turns && reach > 10 * std::numbers::pi && reach <= 720 && l.lower == std::round(l.lower) &&
      l.upper == std::round(l.upper)) {
    add(Severity::warning, "units-angle",
        formatted("limits {:g} to {:g} rad are {:.0f} turns: degrees suspected", l.lower, l.upper,
                  (l.upper - l.lower) / (2 * std::numbers::pi)),
        formatted("in radians they would be {:.6g} to {:.6g}", l.lower * std::numbers::pi / 180,
                  l.upper * std::numbers::pi / 180));
  }
}

void check_terms(const Joint& j, Findings& findings) {
  const JointTerms& t = j.terms;
  const auto add = [&](Severity severity, const char* code, std::string message, std::string remedy) {
    findings.push_back({severity, code, j.source, j.name, std::move(message), std::move(remedy)});
  };
  if (t.damping < 0) {
    add(Severity::warning, "damping-negative",
        formatted("damping {:g} drives the joint instead of braking it", t.damping),
        "write damping as a positive number or 0");
  }
  if (t.friction < 0) {
    add(Severity::warning, "friction-negative",
        formatted("friction {:g} drives the joint instead of braking it", t.friction),
        "write friction as a positive number or 0");
  }
  if (t.friction != 0 && t.friction_scale < least_friction_scale) {
    add(Severity::error, "friction-scale",
        formatted("the velocity scale of friction is {:g}; friction tanh(v / scale) needs a positive one",
                  t.friction_scale),
        "choose the velocity at which friction is nearly full, for example 0.01");
  }
  if (t.stiffness < 0) {
    add(Severity::warning, "stiffness-negative",
        formatted("stiffness {:g} pushes the joint away from its rest position", t.stiffness),
        "write stiffness as a positive number or 0");
  }
  if (t.rotor_inertia < 0) {
    add(Severity::error, "rotor-inertia-negative", formatted("rotor inertia {:g} kg m² is negative", t.rotor_inertia),
        "write the rotor's inertia about its own axis, a positive number or 0");
  }
  if (t.rotor_inertia > 0 && !facts_of(j.type).takes_rotor) {
    // Turning axes and sliding along them do not commute: added inertia would need Coriolis forces of its own.
    add(Severity::error, "rotor-without-axis",
        formatted("a {} joint has no axis that a motor could drive, so rotor inertia has no meaning there",
                  name_of(j.type)),
        "give the body this mass or inertia instead");
  }
  if (t.rotor_inertia > 0 && t.gear_ratio == 0) {
    add(Severity::warning, "gear-ratio-zero", "with gear ratio 0 the rotor never turns and its inertia has no effect",
        "write motor turns per joint turn, 1 for a direct drive");
  }
}

void check_axes(const Joint& j, Findings& findings) {
  if (j.type == JointType::gimbal) {
    if (const char* const fault = kernel::Gimbal::fault(j.sequence)) {
      findings.push_back({Severity::error, "sequence-invalid", j.source, j.name,
                          formatted("the sequence '{}' of this gimbal joint {}", j.sequence, fault),
                          kernel::Gimbal::remedy});
    }
  }
  if (!needs_axis(j.type)) return;
  const auto check_one = [&](const Vector3& axis, const char* which) {
    if (!axis.allFinite()) return false;  // reported among the numbers
    const double length = axis.stableNorm();
    if (!(length >= shortest_axis)) {
      findings.push_back({Severity::error, "axis-zero", j.source, j.name,
                          formatted("the {} ({:g}, {:g}, {:g}) of this {} joint has no direction", which, axis.x(),
                                    axis.y(), axis.z(), name_of(j.type)),
                          "write the unit vector of the axis, for example 0 0 1"});
      return false;
    }
    if (std::abs(length - 1) > axis_slack) {
      const Vector3 unit = axis / length;
      findings.push_back({Severity::warning, "axis-not-unit", j.source, j.name,
                          formatted("the {} ({:g}, {:g}, {:g}) has length {:.6g}; its direction alone is used", which,
                                    axis.x(), axis.y(), axis.z(), length),
                          formatted("write ({:.9g}, {:.9g}, {:.9g})", unit.x(), unit.y(), unit.z())});
    }
    return true;
  };
  const bool usable = check_one(j.axis, "axis");
  if (j.type != JointType::universal) return;
  if (check_one(j.second_axis, "second axis") && usable &&
      j.axis.stableNormalized().cross(j.second_axis.stableNormalized()).norm() < 1e-6) {
    findings.push_back(
        {Severity::error, "axes-parallel", j.source, j.name,
         "both axes of this universal joint have the same direction, so one turn does what the other does",
         "choose axes at a right angle, or use a revolute joint"});
  }
}

void check_rotation(const Pose& pose, const char* what, const Source& source, const std::string& name,
                    Findings& findings) {
  if (!is_finite(pose.R) || is_rotation(pose.R)) return;
  const double off = (pose.R.transpose() * pose.R - Matrix3::Identity()).cwiseAbs().maxCoeff();
  findings.push_back(
      {Severity::error, "rotation-invalid", source, name,
       off > rotation_slack
           ? formatted("the rotation matrix of its {} is not orthonormal: RᵀR differs from 1 by {:.3g}", what, off)
           : formatted("the rotation matrix of its {} is a reflection (determinant -1)", what),
       "write a rotation matrix with all its digits, or angles"});
}

}  // namespace

bool needs_axis(JointType type) { return facts_of(type).has_axis; }

bool is_finite(const Matrix3& m) { return m.allFinite(); }

bool is_rotation(const Matrix3& R) {
  return (R.transpose() * R - Matrix3::Identity()).cwiseAbs().maxCoeff() <= rotation_slack && R.determinant() > 0;
}

void check_numbers(const Description& d, Findings& findings) {
  Numbers world;
  world.add("gravity", d.gravity);
  world.report(d.source, "", findings);
  for (const Body& body : d.bodies) {
    if (!body.inertial) continue;
    Numbers numbers;
    numbers.add("mass", body.inertial->mass);
    numbers.add("centre of mass", body.inertial->com);
    numbers.add("inertia", body.inertial->inertia);
    numbers.report(place(body), body.name, findings);
  }
  for (const Joint& j : d.joints) {
    Numbers numbers;
    numbers.add("placement", j.placement);
    numbers.add("body in joint", j.body_in_joint);
    if (needs_axis(j.type)) numbers.add("axis", j.axis);
    if (j.type == JointType::universal) numbers.add("second axis", j.second_axis);
    if (j.type == JointType::helical) numbers.add("pitch", j.pitch);
    numbers.add("damping", j.terms.damping);
    numbers.add("friction", j.terms.friction);
    numbers.add("friction scale", j.terms.friction_scale);
    numbers.add("rotor inertia", j.terms.rotor_inertia);
    numbers.add("gear ratio", j.terms.gear_ratio);
    numbers.add("stiffness", j.terms.stiffness);
    numbers.add("rest", j.terms.rest);
    if (j.mimic) {
      numbers.add("mimic ratio", j.mimic->ratio);
      numbers.add("mimic offset", j.mimic->offset);
    }
    numbers.report(j.source, j.name, findings);
  }
  for (const Frame& frame : d.frames) {
    Numbers numbers;
    numbers.add("pose", frame.pose);
    numbers.report(frame.source, frame.name, findings);
  }
}

void check_joints(const Description& d, Findings& findings) {
  std::size_t unlimited = 0;
  std::string names;
  for (const Joint& j : d.joints) {
    check_rotation(j.placement, "placement", j.source, j.name, findings);
    check_rotation(j.body_in_joint, "child's pose", j.source, j.name, findings);
    check_axes(j, findings);
    check_limits(j, findings);
    check_terms(j, findings);
    if (j.type == JointType::helical && j.pitch == 0) {
      findings.push_back({Severity::note, "pitch-zero", j.source, j.name,
                          "a helical joint with pitch 0 m/rad is a revolute joint",
                          "use revolute, or write the pitch"});
    }
    const bool limited = std::isfinite(j.limits.lower) || std::isfinite(j.limits.upper);
    if ((j.type == JointType::revolute || j.type == JointType::prismatic) && !limited && !j.mimic) {
      if (++unlimited <= 4) names += formatted("{}'{}'", unlimited == 1 ? "" : ", ", j.name);
    }
  }
  // One note for all: a robot written without limits is no list of defects.
  if (unlimited > 0) {
    findings.push_back({Severity::note, "limits-missing", d.source, "",
                        formatted("{} revolute or prismatic joint{} no position limits: {}{}", unlimited,
                                  unlimited == 1 ? " has" : "s have", names, unlimited > 4 ? ", ..." : ""),
                        "add limits if the mechanism has stops"});
  }
  for (const Frame& frame : d.frames) check_rotation(frame.pose, "pose", frame.source, frame.name, findings);
  if (d.gravity.norm() > 30) {
    findings.push_back(
        {Severity::warning, "units-gravity", d.source, "",
         formatted("gravity of {:g} m/s² is more than on any planet of the solar system", d.gravity.norm()),
         "write it in m/s², for example 9.81"});
  }
}

}  // namespace catena::doctor
