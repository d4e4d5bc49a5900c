// Simbody. Its free and ball mobilizers move with velocities in the axes of the frame they stand on: T turns with q.
// Gravity is a force element, asked before the operators that take body forces.

// C++20 finds Simbody's comparison of two indices ambiguous; this one fits better.
namespace SimTK {
template <class Index>
requires requires(Index i) { i.isValidExtended(); }
bool operator==(const Index& a, const Index& b) { return static_cast<int>(a) == static_cast<int>(b); }
}  // namespace SimTK

#include <Simbody.h>

#include "bench/peers/adapter.hpp"

namespace catena::peers {
namespace {

struct SimbodyState : PeerState {
  SimTK::Vector their_q, their_v, their_a, their_tau;
};

SimTK::Vec3 to_simbody(const Vector3& x) { return {x[0], x[1], x[2]}; }

SimTK::Transform to_simbody(const Pose& X) {
  SimTK::Mat33 R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = X.R(i, j);
  return {SimTK::Rotation(R, true), to_simbody(X.p)};
}

SimTK::Vector to_simbody(const Eigen::VectorXd& x) {
  SimTK::Vector theirs(static_cast<int>(x.size()));
  for (int i = 0; i < theirs.size(); ++i) theirs[i] = x[i];
  return theirs;
}

Eigen::MatrixXd from_simbody(const SimTK::Vector& x) {
  Eigen::VectorXd ours(x.size());
  for (int i = 0; i < x.size(); ++i) ours[i] = x[i];
  return ours;
}

Eigen::MatrixXd from_simbody(const SimTK::Matrix& M) {
  Eigen::MatrixXd ours(M.nrow(), M.ncol());
  for (int j = 0; j < M.ncol(); ++j)
    for (int i = 0; i < M.nrow(); ++i) ours(i, j) = M(i, j);
  return ours;
}

class Simbody : public Adapter<Simbody, SimbodyState> {
 public:
  explicit Simbody(const Robot& robot)
      : Adapter(robot),
        matter_(system_),
        forces_(system_),
        gravity_(forces_, matter_, to_simbody(robot.description.gravity)) {
    for (const Joint* joint : depth_first(robot.description)) add(*joint);
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
    if (state_.getNU() != robot.nv) throw std::invalid_argument("other degrees of freedom");
    none_.resize(state_.getNU());
    none_ = 0;
  }

  bool has(Function function) const override {
    return function == Function::inverse || function == Function::mass_matrix || function == Function::forward ||
           function == Function::mass_matrix_inverse;
  }

  void place(const Eigen::VectorXd& q, const Eigen::VectorXd& v, SimbodyState& state) const {
    state.q = Eigen::VectorXd::Zero(state_.getNQ());
    state.T = Eigen::MatrixXd::Zero(robot_.nv, robot_.nv);
    for (const Coordinate& c : robot_.coordinates) {
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(indices_.at(joint_of(robot_, c).child));
      const int first_q = body.getFirstQIndex(state_), first_u = body.getFirstUIndex(state_);
      const bool is_free = c.type == JointType::free;
      if (!is_free && c.type != JointType::spherical) {
        state.q[first_q] = q[c.q];
        state.T(first_u, c.v) = 1;
        continue;
      }
      const Eigen::Vector4d turn = q.segment<4>(is_free ? c.q + 3 : c.q);
      state.q.segment<4>(first_q) << turn[3], turn.head<3>();
      const Matrix3 R = Eigen::Quaterniond(turn).toRotationMatrix();
      state.T.block<3, 3>(first_u, c.v) = R;
      if (!is_free) continue;
      state.q.segment<3>(first_q + 4) = q.segment<3>(c.q);
      state.T.block<3, 3>(first_u + 3, c.v + 3) = R;
      const Vector3 angular = v.segment<3>(c.v), linear = v.segment<3>(c.v + 3);
      state.turning.segment<3>(first_u + 3) = R * angular.cross(linear);
    }
  }
  void finish(SimbodyState& state) const {
    state.their_q = to_simbody(state.q), state.their_v = to_simbody(state.v);
    state.their_a = to_simbody(state.a), state.their_tau = to_simbody(state.tau);
  }

  void run(Function function, const SimbodyState& s) {
    state_.updQ() = s.their_q;
    switch (function) {
      case Function::inverse:
        state_.updU() = s.their_v;
        system_.realize(state_, SimTK::Stage::Velocity);
        matter_.calcResidualForceIgnoringConstraints(state_, none_, gravity_.getBodyForces(state_), s.their_a, x_);
        break;
      case Function::mass_matrix:
        system_.realize(state_, SimTK::Stage::Position);
        matter_.calcM(state_, M_);
        break;
      case Function::forward:
        state_.updU() = s.their_v;
        system_.realize(state_, SimTK::Stage::Dynamics);
        matter_.calcAccelerationIgnoringConstraints(state_, s.their_tau, gravity_.getBodyForces(state_), x_, A_);
        break;
      default: system_.realize(state_, SimTK::Stage::Position); matter_.calcMInv(state_, M_);
    }
  }

  std::vector<Eigen::MatrixXd> blocks(Function function) const {
    if (function == Function::inverse || function == Function::forward) return {from_simbody(x_)};
    return {from_simbody(M_)};
  }

 private:
  void add(const Joint& joint) {
    const Inertial inertial = body_named(robot_.description, joint.child).inertial.value_or(Inertial{});
    const Matrix3& I = inertial.inertia;
    const SimTK::Inertia about_com(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
    const SimTK::Vec3 com = to_simbody(inertial.com);
    const SimTK::Body::Rigid body(
        SimTK::MassProperties(inertial.mass, com, about_com.shiftFromMassCenter(com, inertial.mass)));
    SimTK::MobilizedBody& parent =
        joint.parent.empty() ? matter_.updGround() : matter_.updMobilizedBody(indices_.at(joint.parent));
    indices_[joint.child] = mobilized(joint, parent, body);
  }

  static SimTK::MobilizedBodyIndex mobilized(const Joint& joint, SimTK::MobilizedBody& parent,
                                             const SimTK::Body& body) {
    const SimTK::Transform at = to_simbody(joint.placement), here;
    // Slides along x: turned so that x is our z.
    const SimTK::Transform turn(SimTK::Rotation(-SimTK::Pi / 2, SimTK::YAxis));
    switch (joint.type) {
      case JointType::revolute: return SimTK::MobilizedBody::Pin(parent, at, body, here).getMobilizedBodyIndex();
      case JointType::prismatic:
        return SimTK::MobilizedBody::Slider(parent, at * turn, body, turn).getMobilizedBodyIndex();
      case JointType::spherical: return SimTK::MobilizedBody::Ball(parent, at, body, here).getMobilizedBodyIndex();
      case JointType::free: return SimTK::MobilizedBody::Free(parent, at, body, here).getMobilizedBodyIndex();
      default: throw std::invalid_argument("its adapter has no such joint");
    }
  }

  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::Gravity gravity_;
  std::map<std::string, SimTK::MobilizedBodyIndex> indices_;
  SimTK::State state_;
  SimTK::Vector none_, x_;
  SimTK::Vector_<SimTK::SpatialVec> A_;
  SimTK::Matrix M_;
};

std::string version() {
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

}  // namespace
}  // namespace catena::peers

CATENA_PEER {
  entry = catena::peers::entry_of<catena::peers::Simbody>("Simbody", catena::peers::version(), "as installed");
}
