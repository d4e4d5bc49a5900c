// RBDL. Its floating base is a joint of three translations in world axes and a quaternion, the angular velocity in body
// axes: T turns with q. Matrices it adds to must be zero before.
#include <rbdl/rbdl.h>

#include "bench/peers/adapter.hpp"

namespace catena::peers {
namespace {

namespace rb = RigidBodyDynamics;

struct RbdlState : PeerState {
  rb::Math::VectorNd their_q, their_v, their_a, their_tau;
};

class Rbdl : public Adapter<Rbdl, RbdlState> {
 public:
  explicit Rbdl(const Robot& robot) : Adapter(robot), x_(robot.nv), M_(robot.nv, robot.nv) {
    model_.gravity = robot.description.gravity;
    for (const Joint* joint : depth_first(robot.description)) {
      const Inertial inertial = body_named(robot.description, joint->child).inertial.value_or(Inertial{});
      const rb::Body body(inertial.mass, rb::Math::Vector3d(inertial.com), rb::Math::Matrix3d(inertial.inertia));
      const rb::Math::SpatialTransform at(joint->placement.R.transpose(), joint->placement.p);
      const unsigned parent = joint->parent.empty() ? 0 : bodies_.at(joint->parent);
      bodies_[joint->child] = model_.AddBody(parent, at, joint_of_type(joint->type), body, joint->child);
    }
    if (static_cast<int>(model_.qdot_size) != robot.nv) throw std::invalid_argument("other degrees of freedom");
  }

  bool has(Function function) const override {
    return function == Function::inverse || function == Function::mass_matrix || function == Function::forward;
  }

  void place(const Eigen::VectorXd& q, const Eigen::VectorXd& v, RbdlState& state) const {
    rb::Math::VectorNd& their_q = state.their_q = Eigen::VectorXd::Zero(model_.q_size);
    state.T = Eigen::MatrixXd::Zero(robot_.nv, robot_.nv);
    for (const Coordinate& c : robot_.coordinates) {
      const unsigned body = bodies_.at(joint_of(robot_, c).child);
      const int first = static_cast<int>(model_.mJoints[body].q_index);
      if (c.type == JointType::spherical) {
        model_.SetQuaternion(body, rb::Math::Quaternion(q[c.q], q[c.q + 1], q[c.q + 2], q[c.q + 3]), their_q);
        state.T.block<3, 3>(first, c.v).setIdentity();
      } else if (c.type == JointType::free) {  // the translation's joint comes before the quaternion's
        their_q.segment<3>(first - 3) = q.segment<3>(c.q);
        model_.SetQuaternion(body, rb::Math::Quaternion(q[c.q + 3], q[c.q + 4], q[c.q + 5], q[c.q + 6]), their_q);
        const Matrix3 R = Eigen::Quaterniond(q.segment<4>(c.q + 3)).toRotationMatrix();
        state.T.block<3, 3>(first - 3, c.v + 3) = R;
        state.T.block<3, 3>(first, c.v).setIdentity();
        const Vector3 angular = v.segment<3>(c.v), linear = v.segment<3>(c.v + 3);
        state.turning.segment<3>(first - 3) = R * angular.cross(linear);
      } else {
        their_q[first] = q[c.q];
        state.T(first, c.v) = 1;
      }
    }
  }

  void finish(RbdlState& state) const { state.their_v = state.v, state.their_a = state.a, state.their_tau = state.tau; }

  void run(Function function, const RbdlState& s) {
    switch (function) {
      case Function::inverse: rb::InverseDynamics(model_, s.their_q, s.their_v, s.their_a, x_); break;
      case Function::forward: rb::ForwardDynamics(model_, s.their_q, s.their_v, s.their_tau, x_); break;
      default: M_.setZero(); rb::CompositeRigidBodyAlgorithm(model_, s.their_q, M_);
    }
  }

  std::vector<Eigen::MatrixXd> blocks(Function function) const {
    if (function == Function::mass_matrix) return std::vector<Eigen::MatrixXd>(1, M_);
    return std::vector<Eigen::MatrixXd>(1, x_);
  }

 private:
  static rb::Joint joint_of_type(JointType type) {
    switch (type) {
      case JointType::revolute: return {rb::JointTypeRevoluteZ};
      case JointType::prismatic: return {rb::JointTypePrismatic, rb::Math::Vector3d(0, 0, 1)};
      case JointType::spherical: return {rb::JointTypeSpherical};
      case JointType::free: return {rb::JointTypeFloatingBase};
      default: throw std::invalid_argument("its adapter has no such joint");
    }
  }

  rb::Model model_;
  std::map<std::string, unsigned> bodies_;
  rb::Math::VectorNd x_;
  rb::Math::MatrixNd M_;
};

std::string version() {
  const int number = rbdl_get_api_version();
  return std::to_string(number >> 16) + "." + std::to_string(number >> 8 & 255) + "." + std::to_string(number & 255);
}

}  // namespace
}  // namespace catena::peers

CATENA_PEER { entry = catena::peers::entry_of<catena::peers::Rbdl>("RBDL", catena::peers::version(), "as installed"); }
