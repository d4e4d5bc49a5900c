// A robot for DART, joint by joint.
#include "dart_model.hpp"

#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/ScrewJoint.hpp>
#include <dart/dynamics/UniversalJoint.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <iostream>

namespace catena::peers {
namespace {

namespace dd = dart::dynamics;

Eigen::Isometry3d to_dart(const Pose& X) {
  Eigen::Isometry3d isometry = Eigen::Isometry3d::Identity();
  isometry.linear() = X.R;
  isometry.translation() = X.p;
  return isometry;
}

template <class Kind>
Kind* make(dd::Skeleton& skeleton, const Joint& joint) {
  dd::BodyNode* parent = joint.parent.empty() ? nullptr : skeleton.getBodyNode(joint.parent);
  const auto [made, node] = skeleton.createJointAndBodyNodePair<Kind>(parent);
  made->setName(joint.name);
  node->setName(joint.child);
  made->setTransformFromParentBodyNode(to_dart(joint.placement));
  made->setTransformFromChildBodyNode(to_dart(joint.body_in_joint.inverse()));
  return made;
}

void add(dd::Skeleton& skeleton, const Joint& joint) {
  switch (joint.type) {
    case JointType::fixed: make<dd::WeldJoint>(skeleton, joint); return;
    case JointType::revolute:
    case JointType::continuous: make<dd::RevoluteJoint>(skeleton, joint)->setAxis(joint.axis); return;
    case JointType::prismatic: make<dd::PrismaticJoint>(skeleton, joint)->setAxis(joint.axis); return;
    case JointType::helical: {
      auto* screw = make<dd::ScrewJoint>(skeleton, joint);
      screw->setAxis(joint.axis);
      screw->setPitch(2 * M_PI * joint.pitch);  // per turn
      return;
    }
    case JointType::universal: {
      auto* cross = make<dd::UniversalJoint>(skeleton, joint);
      cross->setAxis1(joint.axis);
      cross->setAxis2(joint.second_axis.normalized());
      return;
    }
    case JointType::spherical: make<dd::BallJoint>(skeleton, joint); return;
    case JointType::free: make<dd::FreeJoint>(skeleton, joint); return;
    default: throw std::invalid_argument("DART has no such joint");
  }
}

}  // namespace

DartRobot::DartRobot(const Robot& robot) : ours(robot), skeleton(dd::Skeleton::create("robot")) {
  skeleton->setGravity(robot.description.gravity);
  for (const Joint* joint : depth_first(robot.description)) add(*skeleton, *joint);
  // It warns of every massless body on std::cerr; those are meant, and it computes with them.
  std::streambuf* const output = std::cerr.rdbuf(nullptr);
  for (const Body& body : robot.description.bodies) {
    const Inertial inertial = body.inertial.value_or(Inertial{});
    skeleton->getBodyNode(body.name)->setInertia(dd::Inertia(inertial.mass, inertial.com, inertial.inertia));
  }
  std::cerr.rdbuf(output);
  if (static_cast<int>(skeleton->getNumDofs()) != robot.nv)
    throw std::invalid_argument("DART counts other degrees of freedom");
  order.resize(robot.nv);
  for (const Coordinate& c : robot.coordinates) {
    const dd::Joint* joint = skeleton->getJoint(c.joint);
    for (int k = 0; k < c.nv; ++k)
      order.indices()[c.v + k] = static_cast<int>(joint->getIndexInSkeleton(static_cast<std::size_t>(k)));
  }
}

Eigen::VectorXd DartRobot::positions(const Eigen::VectorXd& q) const {
  Eigen::VectorXd tangent(ours.nv);  // as many numbers as velocities: rotations as vectors
  for (const Coordinate& c : ours.coordinates) {
    if (c.type == JointType::spherical)
      tangent.segment<3>(c.v) =
          dd::BallJoint::convertToPositions(Eigen::Quaterniond(q.segment<4>(c.q)).toRotationMatrix());
    else if (c.type == JointType::free)
      tangent.segment<6>(c.v) = dd::FreeJoint::convertToPositions(
          to_dart({Eigen::Quaterniond(q.segment<4>(c.q + 3)).toRotationMatrix(), q.segment<3>(c.q)}));
    else
      tangent.segment(c.v, c.nv) = q.segment(c.q, c.nq);
  }
  return order * tangent;
}

}  // namespace catena::peers
