// A robot for Pinocchio 3, made joint by joint, depth first, as it requires, and states of it. Linear part first.
#pragma once

#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include "bench/peers/adapter.hpp"

namespace catena::peers {

namespace pin = pinocchio;

inline pin::JointModel joint_of_type(JointType type) {
  switch (type) {
    case JointType::revolute: return pin::JointModelRZ();
    case JointType::prismatic: return pin::JointModelPZ();
    case JointType::spherical: return pin::JointModelSpherical();
    case JointType::free: return pin::JointModelFreeFlyer();
    default: throw std::invalid_argument("its adapter has no such joint");
  }
}

inline pin::Model model_of(const Robot& robot) {
  pin::Model model;
  model.gravity.linear() = robot.description.gravity;
  std::vector<std::pair<std::string, pin::JointIndex>> carried_by = {{"", 0}};
  for (const Joint* joint : depth_first(robot.description)) {
    const auto parent = std::find_if(carried_by.begin(), carried_by.end(),
                                     [&](const auto& body) { return body.first == joint->parent; });
    const pin::SE3 placement(joint->placement.R, joint->placement.p);
    const pin::JointIndex index = model.addJoint(parent->second, joint_of_type(joint->type), placement, joint->name);
    const Inertial inertial = body_named(robot.description, joint->child).inertial.value_or(Inertial{});
    model.appendBodyToJoint(index, pin::Inertia(inertial.mass, inertial.com, inertial.inertia), pin::SE3::Identity());
    carried_by.emplace_back(joint->child, index);
  }
  return model;
}

// Sets q and T.
inline void place_state(const pin::Model& model, const Robot& robot, const Eigen::VectorXd& q, PeerState& state) {
  state.q.resize(model.nq);
  state.T = Eigen::MatrixXd::Zero(model.nv, model.nv);
  for (const Coordinate& c : robot.coordinates) {
    const pin::JointModel& joint = model.joints[model.getJointId(c.joint)];
    state.q.segment(joint.idx_q(), c.nq) = q.segment(c.q, c.nq);
    auto T = state.T.block(joint.idx_v(), c.v, c.nv, c.nv);
    T.setIdentity();
    if (c.type == JointType::free) T.topRows(3).swap(T.bottomRows(3));
  }
}

// Of a symmetric matrix it fills the upper triangle; the lower one is copied outside the timed calls.
template <class Upper>
Eigen::MatrixXd whole(const Upper& upper) {
  return Eigen::MatrixXd(upper).template selfadjointView<Eigen::Upper>();
}

}  // namespace catena::peers
