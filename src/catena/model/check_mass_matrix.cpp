// Is the mass matrix positive definite? One articulated sweep per seeded random pose, O(n), apart from the kernels.
// Source: formula sheet 4.1 and 8 (D_i singular <=> M singular). Everything of a body is in the body's own frame.

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "catena/joints/joints.hpp"
#include "catena/model/checks.hpp"
#include "catena/model/formatted.hpp"

namespace catena::doctor {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Map = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;

constexpr int poses = 3;
constexpr double singular = 64 * std::numeric_limits<double>::epsilon();  // of D scaled to 1, formula sheet 8
constexpr double negative = -1e-10;  // below: not rounding, but an indefinite inertia

Matrix3 cross_matrix(const Vector3& a) {
  Matrix3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

// Motion vectors of the outer frame -> of the inner frame, whose pose in the outer one is given.
Matrix6 motion_transform(const Pose& pose) {
  Matrix6 X = Matrix6::Zero();
  X.topLeftCorner<3, 3>() = X.bottomRightCorner<3, 3>() = pose.R.transpose();
  X.bottomLeftCorner<3, 3>() = -pose.R.transpose() * cross_matrix(pose.p);
  return X;
}

Matrix6 spatial_inertia(const Inertial& in) {
  const Matrix3 c = cross_matrix(in.com);
  Matrix6 M;
  M.topLeftCorner<3, 3>() = 0.5 * (in.inertia + in.inertia.transpose()) + in.mass * c * c.transpose();
  M.topRightCorner<3, 3>() = in.mass * c;
  M.bottomLeftCorner<3, 3>() = in.mass * c.transpose();
  M.bottomRightCorner<3, 3>() = in.mass * Matrix3::Identity();
  return M;
}

class Draw {
 public:
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  double angle() { return between(-std::numbers::pi, std::numbers::pi); }
  Vector3 vector() { return {between(-0.5, 0.5), between(-0.5, 0.5), between(-0.5, 0.5)}; }
  Matrix3 rotation() { return rotation_from_rpy(angle(), angle(), angle()); }

 private:
  std::mt19937_64 engine_{20240229};
};

// Pose of the joint's moving frame and its motion subspace there. q is the first coordinate; further ones are drawn.
struct Move {
  Pose pose;
  Map H;
};

Move move(const Joint& joint, double first, Draw& draw) {
  const JointFacts& facts = facts_of(joint.type);
  double q[7] = {first};
  for (int i = facts.quaternion < 0 ? 1 : 0; i < facts.nq; ++i) {
    if (i == facts.quaternion) {
      Eigen::Map<Eigen::Vector4d>(q + i) = Eigen::Quaterniond(draw.rotation()).coeffs();
      break;
    }
    q[i] = facts.quaternion < 0 && i < facts.turning ? draw.angle() : draw.between(-0.5, 0.5);
  }
  Move m{{}, Map::Zero(6, facts.nv)};
  int done = 0;
  for (const Vector3& axis : axes_of(joint)) {
    Pose to_z;
    to_z.R = rotation_from_z_to(axis);
    TreeBody body;
    body.kind = kernel::visit(joint.type, [](auto type) { return type.kind; });
    body.placement = spatial::Transform<double>::identity();
    body.pitch = joint.pitch;
    kernel::visit(body, [&](auto type) {
      const auto vector = [](const spatial::Vec3<double>& x) { return Vector3(x.x, x.y, x.z); };
      const auto X = type.pose(body, q + done, std::sin(q[done]), std::cos(q[done]));
      Pose moved{{}, vector(X.p)};
      moved.R << vector(X.R.cx), vector(X.R.cy), vector(X.R.cz);
      moved = to_z * moved * to_z.inverse();
      m.pose = m.pose * moved;
      m.H.leftCols(done) = (motion_transform(moved) * m.H.leftCols(done)).eval();
      for (int k = 0; k < type.d; ++k) {
        const auto h = type.template unit<double>(body, k);
        m.H.col(done + k) << to_z.R * vector(h.w), to_z.R * vector(h.v);
      }
      done += type.d;
    });
  }
  return m;
}

// First coordinates of all joints, those of mimic joints from their masters'.
std::vector<double> draw_coordinates(const Description& d, const Topology& t, Draw& draw) {
  std::vector<double> q(d.joints.size());
  for (std::size_t j = 0; j < q.size(); ++j) {
    const Joint& joint = d.joints[j];
    const Limits& l = joint.limits;
    const bool bounded = l.lower < l.upper && l.upper - l.lower <= 200;  // metres: beyond, limits say nothing
    q[j] = joint.type != JointType::prismatic ? draw.angle()
           : bounded                          ? draw.between(l.lower, l.upper)
                                              : draw.between(-0.5, 0.5);
  }
  std::vector<char> done(q.size(), 0);
  std::vector<int> chain;
  for (int start = 0; start < static_cast<int>(q.size()); ++start) {
    for (int j = start; t.master[j] >= 0 && !done[j]; j = t.master[j]) chain.push_back(j);
    for (; !chain.empty(); chain.pop_back()) {
      const int j = chain.back();
      q[j] = d.joints[j].mimic->ratio * q[t.master[j]] + d.joints[j].mimic->offset;
      done[j] = 1;
    }
  }
  return q;
}

struct Link {
  Matrix6 X, P;
  Map H, G;
  double angular = 0, linear = 0;  // size of what was summed into P: traces of its blocks before any cancellation
};

// A direction of a joint without inertia: M v = 0 for the v that follows from xi by U' v = xi.
struct Idle {
  int body;
  SmallVector xi;
  bool massless;  // nothing beyond the joint has any inertia at all
};

struct Verdict {
  std::vector<Idle> idle;
  std::vector<int> negative;  // bodies whose joint has D below zero
  bool finite = true;
};

class Sweep {
 public:
  Sweep(const Description& d, const Topology& t) : d_(d), t_(t), links_(d.bodies.size()) {}

  Verdict run(Draw& draw) {
    place(draw);
    Verdict verdict;
    for (auto it = t_.order.rbegin(); it != t_.order.rend(); ++it) reduce(*it, verdict);
    return verdict;
  }

  // Without mimic joints every idle direction makes M singular. A mimic joint takes away motion: what stays singular
  // are the combinations of null vectors that satisfy all mimic constraints.
  std::vector<Idle> free_of_couplings(const std::vector<Idle>& idle) const {
    std::vector<int> slaves;
    for (int b = 0; b < static_cast<int>(links_.size()); ++b) {
      if (t_.joint_of[b] >= 0 && t_.master[t_.joint_of[b]] >= 0) slaves.push_back(b);
    }
    if (slaves.empty() || idle.empty()) return idle;
    std::vector<int> body_of(d_.joints.size(), -1);
    for (int b = 0; b < static_cast<int>(links_.size()); ++b) {
      if (t_.joint_of[b] >= 0) body_of[t_.joint_of[b]] = b;
    }
    std::vector<Idle> certain, open;
    std::vector<Eigen::VectorXd> columns;
    for (const Idle& one : idle) {
      const std::vector<SmallVector> v = null_vector(one);
      double size = 0;
      for (const SmallVector& part : v) size = std::max(size, part.size() ? part.cwiseAbs().maxCoeff() : 0);
      Eigen::VectorXd broken(slaves.size());
      for (std::size_t s = 0; s < slaves.size(); ++s) {
        const int j = t_.joint_of[slaves[s]];
        broken[s] = (v[slaves[s]][0] - d_.joints[j].mimic->ratio * v[body_of[t_.master[j]]][0]) / size;
      }
      const bool obeys = broken.cwiseAbs().maxCoeff() < 1e-9;
      (obeys ? certain : open).push_back(one);
      if (!obeys) columns.push_back(broken);
    }
    if (open.empty()) return certain;
    bool dependent = open.size() > slaves.size();
    if (!dependent) {
      Eigen::MatrixXd C(slaves.size(), open.size());
      for (std::size_t k = 0; k < open.size(); ++k) C.col(k) = columns[k].normalized();
      Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(C);
      qr.setThreshold(1e-9);
      dependent = qr.rank() < C.cols();
    }
    if (dependent) certain.insert(certain.end(), open.begin(), open.end());
    return certain;
  }

 private:
  void place(Draw& draw) {
    const std::vector<double> q = draw_coordinates(d_, t_, draw);
    for (const int b : t_.order) {
      Link& link = links_[b];
      const Body& body = d_.bodies[b];
      link.P = body.inertial ? spatial_inertia(*body.inertial) : Matrix6::Zero();
      link.angular = link.P.topLeftCorner<3, 3>().trace();
      link.linear = link.P.bottomRightCorner<3, 3>().trace();
      const int j = t_.joint_of[b];
      if (j < 0) {
        link.X.setIdentity();
        link.H.resize(6, 0);
        continue;
      }
      const Move m = move(d_.joints[j], q[j], draw);
      link.X = motion_transform(d_.joints[j].placement * m.pose * d_.joints[j].body_in_joint);
      link.H = motion_transform(d_.joints[j].body_in_joint) * m.H;
    }
  }

  // D = H' P H + armature, scaled to unit size; P+ = P - G (P H)' without the directions that have no D.
  void reduce(int b, Verdict& verdict) {
    Link& link = links_[b];
    const Matrix6 P = link.P;
    Matrix6 P_plus = P;
    const auto dof = link.H.cols();
    if (dof > 0) {
      const double armature = d_.joints[t_.joint_of[b]].terms.armature();
      const Map PH = P * link.H;
      Small D = link.H.transpose() * PH;
      SmallVector root(dof);  // of the scale
      for (Eigen::Index c = 0; c < dof; ++c) {
        D(c, c) += armature;
        const double scale = std::abs(link.angular) * link.H.col(c).head<3>().squaredNorm() +
                             std::abs(link.linear) * link.H.col(c).tail<3>().squaredNorm() + armature;
        root[c] = scale > 0 ? std::sqrt(scale) : 1;
      }
      const SmallVector shrink = root.cwiseInverse();
      D = shrink.asDiagonal() * D * shrink.asDiagonal();
      if (!D.allFinite()) {
        verdict.finite = false;
        D.setIdentity();
      }
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(D);
      SmallVector inverse = SmallVector::Zero(dof);
      bool below = false;
      for (Eigen::Index c = 0; c < dof; ++c) {
        const double lambda = eigen.eigenvalues()[c];
        if (lambda < negative) below = true;
        if (lambda < negative || lambda > singular)
          inverse[c] = 1 / lambda;
        else
          verdict.idle.push_back({b, shrink.asDiagonal() * eigen.eigenvectors().col(c), P.isZero(0)});
      }
      if (below) verdict.negative.push_back(b);
      const Map W = PH * (shrink.asDiagonal() * eigen.eigenvectors());
      link.G = W * inverse.asDiagonal() * eigen.eigenvectors().transpose() * shrink.asDiagonal();
      P_plus.noalias() -= W * inverse.asDiagonal() * W.transpose();
    }
    const int above = t_.parent[b];
    if (above < 0) return;
    Link& parent = links_[above];
    parent.P.noalias() += link.X.transpose() * P_plus * link.X;
    const Matrix6 summed = link.X.transpose() * P * link.X;
    parent.angular += std::abs(summed.topLeftCorner<3, 3>().trace());
    parent.linear += std::abs(summed.bottomRightCorner<3, 3>().trace());
  }

  // U' v = xi, outward: v_k = xi_k - G' V+, V = V+ + H v. By body.
  std::vector<SmallVector> null_vector(const Idle& idle) const {
    std::vector<SmallVector> v(links_.size());
    std::vector<Eigen::Matrix<double, 6, 1>> V(links_.size());
    for (const int b : t_.order) {
      const Link& link = links_[b];
      V[b].setZero();
      if (t_.parent[b] >= 0) V[b] = link.X * V[t_.parent[b]];
      if (link.H.cols() == 0) continue;
      v[b] = -link.G.transpose() * V[b];
      if (b == idle.body) v[b] += idle.xi;
      V[b] += link.H * v[b];
    }
    return v;
  }

  const Description& d_;
  const Topology& t_;
  std::vector<Link> links_;
};

}  // namespace

void check_mass_matrix(const Description& d, const Topology& t, Findings& findings) {
  const bool all_valid = std::all_of(d.bodies.begin(), d.bodies.end(),
                                     [](const Body& b) { return !b.inertial || !breaks_physics(*b.inertial); });
  const bool coupled = std::any_of(t.master.begin(), t.master.end(), [](int m) { return m >= 0; });
  Draw draw;
  Sweep sweep(d, t);
  std::vector<int> idle_poses(d.bodies.size(), 0), negative_poses(d.bodies.size(), 0);
  std::vector<char> massless(d.bodies.size(), 0);
  int negative_in_all = 0;
  for (int pose = 0; pose < poses; ++pose) {
    const Verdict verdict = sweep.run(draw);
    if (!verdict.finite) {
      findings.push_back({Severity::error, "number-too-large", d.source, "",
                          "the mass matrix overflows: masses, lengths or inertias are too large",
                          "check the numbers and their units"});
      return;
    }
    int last = -1;
    for (const Idle& idle : sweep.free_of_couplings(verdict.idle)) {
      if (idle.body != last) ++idle_poses[idle.body];
      last = idle.body;
      massless[idle.body] = idle.massless;
    }
    for (const int b : verdict.negative) ++negative_poses[b];
    if (!verdict.negative.empty()) ++negative_in_all;
    if (pose == 0 && all_valid && verdict.idle.empty() && verdict.negative.empty()) return;
  }
  for (std::size_t b = 0; b < d.bodies.size(); ++b) {
    if (idle_poses[b] < poses) continue;
    const Joint& joint = d.joints[t.joint_of[b]];
    findings.push_back(
        {Severity::error, "mass-matrix-singular", joint.source, joint.name,
         formatted("{}, so nothing resists this {} joint in any pose: the mass matrix is singular",
                   massless[b] ? formatted("'{}' and all that hangs on it have no mass", joint.child)
                               : "what it carries has no inertia that this joint alone could move",
                   name_of(joint.type)),
         formatted("give '{}' mass and inertia, give the joint rotor inertia, or make it fixed", joint.child)});
  }
  if (negative_in_all == 0) return;
  // A mimic joint may restrain the offending motion: where there are any, the verdict is no more than a warning.
  const bool always = negative_in_all == poses && !coupled;
  for (std::size_t b = 0; b < d.bodies.size(); ++b) {
    if (negative_poses[b] == 0) continue;
    const Joint& joint = d.joints[t.joint_of[b]];
    findings.push_back(
        {always ? Severity::error : Severity::warning, "mass-matrix-indefinite", joint.source, joint.name,
         formatted("the mass matrix is not positive definite in {} of {} poses tried: moving this joint would "
                   "yield energy",
                   negative_poses[b], poses),
         "mend the inertias reported for this joint's bodies"});
  }
}

}  // namespace catena::doctor
