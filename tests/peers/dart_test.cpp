// DART: trees with every joint but cylindrical and planar, inertias as written. The skeleton is made through its API.
// Its free and ball joints have velocities in the axes of the moving joint, angular part first, as ours.
#include <gtest/gtest.h>

#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/ScrewJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/UniversalJoint.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <iostream>

#include "compare.hpp"

namespace catena::peers {
namespace {

namespace dd = dart::dynamics;

const Abilities abilities = {
    .types = {JointType::fixed, JointType::revolute, JointType::continuous, JointType::prismatic, JointType::helical,
              JointType::universal, JointType::spherical, JointType::free},
    .moving_root = true};

Eigen::Isometry3d to_dart(const Pose& X) {
  Eigen::Isometry3d isometry = Eigen::Isometry3d::Identity();
  isometry.linear() = X.R;
  isometry.translation() = X.p;
  return isometry;
}

class Robot {
 public:
  explicit Robot(const Model& model) : ours_(model), skeleton_(dd::Skeleton::create("robot")) {
    const Description& robot = model.description();
    skeleton_->setGravity(model.gravity());
    for (const Joint* joint : depth_first(robot)) {
      dd::BodyNode* parent = joint->parent.empty() ? nullptr : skeleton_->getBodyNode(joint->parent);
      add(*joint, parent);
    }
    // It warns of every massless body on std::cerr; those are meant, and it computes with them.
    std::streambuf* const output = std::cerr.rdbuf(nullptr);
    for (const Body& body : robot.bodies) {
      const Inertial inertial = body.inertial.value_or(Inertial{});
      skeleton_->getBodyNode(body.name)->setInertia(dd::Inertia(inertial.mass, inertial.com, inertial.inertia));
    }
    std::cerr.rdbuf(output);
    if (static_cast<int>(skeleton_->getNumDofs()) != model.nv()) {
      throw std::runtime_error("DART counts other degrees of freedom");
    }
    order_.resize(model.nv());
    for (const Coordinate& c : model.coordinates()) {
      for (int k = 0; k < c.nv; ++k) {
        order_.indices()[c.v + k] = static_cast<int>(joint(c)->getIndexInSkeleton(static_cast<std::size_t>(k)));
      }
    }
  }

  Answer answer(const State& state) {
    set_positions(state.q);
    skeleton_->setVelocities(order_ * state.v);
    Answer answer;
    answer.gravity = order_.transpose() * skeleton_->getGravityForces();
    answer.mass_matrix = order_.transpose() * skeleton_->getMassMatrix() * order_;
    for (const Body& body : ours_.description().bodies) {
      const dd::BodyNode* node = skeleton_->getBodyNode(body.name);
      answer.poses.push_back({node->getWorldTransform().linear(), node->getWorldTransform().translation()});
      answer.jacobians.push_back(skeleton_->getJacobian(node, dd::Frame::World()) * order_);
    }
    skeleton_->setAccelerations(order_ * state.a);
    skeleton_->computeInverseDynamics();
    answer.inverse = order_.transpose() * skeleton_->getForces();
    skeleton_->setForces(order_ * state.tau);
    skeleton_->computeForwardDynamics();
    answer.forward = order_.transpose() * skeleton_->getAccelerations();
    return answer;
  }

 private:
  template <class Kind>
  Kind* make(const Joint& joint, dd::BodyNode* parent) {
    const auto [made, node] = skeleton_->createJointAndBodyNodePair<Kind>(parent);
    made->setName(joint.name);
    node->setName(joint.child);
    made->setTransformFromParentBodyNode(to_dart(joint.placement));
    made->setTransformFromChildBodyNode(to_dart(joint.body_in_joint.inverse()));
    return made;
  }

  void add(const Joint& joint, dd::BodyNode* parent) {
    switch (joint.type) {
      case JointType::fixed: make<dd::WeldJoint>(joint, parent); return;
      case JointType::revolute:
      case JointType::continuous: make<dd::RevoluteJoint>(joint, parent)->setAxis(joint.axis); return;
      case JointType::prismatic: make<dd::PrismaticJoint>(joint, parent)->setAxis(joint.axis); return;
      case JointType::helical: {
        auto* screw = make<dd::ScrewJoint>(joint, parent);
        screw->setAxis(joint.axis);
        screw->setPitch(2 * M_PI * joint.pitch);  // per turn
        return;
      }
      case JointType::universal: {
        auto* cross = make<dd::UniversalJoint>(joint, parent);
        cross->setAxis1(joint.axis);
        cross->setAxis2(joint.second_axis.normalized());
        return;
      }
      case JointType::spherical: make<dd::BallJoint>(joint, parent); return;
      case JointType::free: make<dd::FreeJoint>(joint, parent); return;
      default: throw std::invalid_argument("DART has no such joint");
    }
  }

  dd::Joint* joint(const Coordinate& c) const { return skeleton_->getJoint(c.joint); }

  void set_positions(const Vector& q) {
    for (const Coordinate& c : ours_.coordinates()) {
      Vector positions = q.segment(c.q, c.nq);
      if (c.type == JointType::spherical) {
        positions = dd::BallJoint::convertToPositions(Eigen::Quaterniond(q.segment<4>(c.q)).toRotationMatrix());
      } else if (c.type == JointType::free) {
        positions = dd::FreeJoint::convertToPositions(
            to_dart({Eigen::Quaterniond(q.segment<4>(c.q + 3)).toRotationMatrix(), q.segment<3>(c.q)}));
      }
      joint(c)->setPositions(positions);
    }
  }

  Model ours_;
  dd::SkeletonPtr skeleton_;
  Eigen::PermutationMatrix<Eigen::Dynamic> order_;  // theirs = order * ours
};

Ask peer(const Model& model) {
  return [robot = std::make_shared<Robot>(model)](const State& state) { return robot->answer(state); };
}

TEST(Dart, AgreesOnTheBuiltInRobots) { expect_agreement("DART", builtin_robots(), abilities, peer); }
TEST(Dart, AgreesOnTheRobotsGiven) {
  if (given_robots().empty()) GTEST_SKIP() << "no robots in CATENA_PEER_ROBOTS";
  expect_agreement("DART", given_robots(), abilities, peer);
}
TEST(Dart, AgreesOnRandomTrees) { expect_agreement_on_random_trees("DART", abilities, peer); }

}  // namespace
}  // namespace catena::peers
