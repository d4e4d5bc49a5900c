// A robot for KDL, segment by segment.
#include "kdl_model.hpp"

#include <set>

namespace catena::peers {
namespace {

KDL::Vector to_kdl(const Vector3& x) { return {x[0], x[1], x[2]}; }

KDL::Frame to_kdl(const Pose& X) {
  const Matrix3& R = X.R;
  return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)), to_kdl(X.p)};
}

KDL::Joint to_kdl(const Joint& joint) {
  const auto moving = [&](KDL::Joint::JointType type) {
    return KDL::Joint(joint.name, to_kdl(joint.placement.p), to_kdl(joint.placement.R * joint.axis), type);
  };
  switch (joint.type) {
    case JointType::fixed: return KDL::Joint(joint.name, KDL::Joint::None);
    case JointType::revolute:
    case JointType::continuous: return moving(KDL::Joint::RotAxis);
    case JointType::prismatic: return moving(KDL::Joint::TransAxis);
    default: throw std::invalid_argument("KDL has only joints of one degree");
  }
}

KDL::RigidBodyInertia inertia_of(const Body& body) {
  if (!body.inertial) return KDL::RigidBodyInertia::Zero();
  const Matrix3& I = body.inertial->inertia;
  return KDL::RigidBodyInertia(body.inertial->mass, to_kdl(body.inertial->com),
                               KDL::RotationalInertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)));
}

// Every joint lies on the way to this end, and so does every mass that moves.
bool is_tip(const KDL::Tree& tree, const Description& robot, const std::string& end) {
  KDL::Chain way;
  tree.getChain("the ground", end, way);
  if (way.getNrOfJoints() != tree.getNrOfJoints()) return false;
  std::set<std::string> on_the_way;
  for (const KDL::Segment& segment : way.segments) on_the_way.insert(segment.getName());
  for (const Joint& joint : robot.joints) {
    const auto& inertial = body_named(robot, joint.child).inertial;
    if (!on_the_way.contains(joint.child) && inertial && inertial->mass != 0) return false;
  }
  return true;
}

}  // namespace

KdlRobot::KdlRobot(const Robot& robot) : gravity(to_kdl(robot.description.gravity)) {
  // Depth first, because KDL's solvers copy the tree and number the copy's joints in that order.
  for (const Joint* joint : depth_first(robot.description)) {
    const std::string parent = joint->parent.empty() ? "the ground" : joint->parent;
    const KDL::Segment segment(joint->child, to_kdl(*joint), to_kdl(joint->placement * joint->body_in_joint),
                               inertia_of(body_named(robot.description, joint->child)));
    if (!tree.addSegment(segment, parent)) throw std::invalid_argument("KDL refuses " + joint->child);
  }
  order.resize(robot.nv);
  for (const Coordinate& c : robot.coordinates)
    order.indices()[c.v] = static_cast<int>(GetTreeElementQNr(tree.getSegment(joint_of(robot, c).child)->second));
  for (const Body& body : robot.description.bodies)
    if (is_tip(tree, robot.description, body.name)) tip = body.name;
}

KDL::Chain KdlRobot::chain() const {
  KDL::Chain result;
  tree.getChain("the ground", tip, result);
  return result;
}

}  // namespace catena::peers
