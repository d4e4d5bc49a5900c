// DART: trees with every joint but cylindrical and planar, inertias as written.
#include <gtest/gtest.h>

#include <dart/dynamics/BodyNode.hpp>

#include "compare.hpp"
#include "dart_model.hpp"

namespace catena::peers {
namespace {

namespace dd = dart::dynamics;

const Abilities abilities = {
    .types = {JointType::fixed, JointType::revolute, JointType::continuous, JointType::prismatic, JointType::helical,
              JointType::universal, JointType::spherical, JointType::free},
    .moving_root = true};

Answer answer_of(const DartRobot& robot, const State& state) {
  const auto& order = robot.order;
  dd::Skeleton& skeleton = *robot.skeleton;
  skeleton.setPositions(robot.positions(state.q));
  skeleton.setVelocities(order * state.v);
  Answer answer;
  answer.gravity = order.transpose() * skeleton.getGravityForces();
  answer.mass_matrix = order.transpose() * skeleton.getMassMatrix() * order;
  for (const Body& body : robot.ours.description.bodies) {
    const dd::BodyNode* node = skeleton.getBodyNode(body.name);
    answer.poses.push_back({node->getWorldTransform().linear(), node->getWorldTransform().translation()});
    answer.jacobians.push_back(skeleton.getJacobian(node, dd::Frame::World()) * order);
  }
  skeleton.setAccelerations(order * state.a);
  skeleton.computeInverseDynamics();
  answer.inverse = order.transpose() * skeleton.getForces();
  skeleton.setForces(order * state.tau);
  skeleton.computeForwardDynamics();
  answer.forward = order.transpose() * skeleton.getAccelerations();
  return answer;
}

Ask peer(const Model& model) {
  return
      [robot = std::make_shared<DartRobot>(robot_of(model))](const State& state) { return answer_of(*robot, state); };
}

TEST(Dart, AgreesOnTheBuiltInRobots) { expect_agreement("DART", builtin_robots(), abilities, peer); }
TEST(Dart, AgreesOnTheRobotsGiven) {
  if (given_robots().empty()) GTEST_SKIP() << "no robots in CATENA_PEER_ROBOTS";
  expect_agreement("DART", given_robots(), abilities, peer);
}
TEST(Dart, AgreesOnRandomTrees) { expect_agreement_on_random_trees("DART", abilities, peer); }

}  // namespace
}  // namespace catena::peers
