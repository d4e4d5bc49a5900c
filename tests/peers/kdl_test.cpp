// KDL (Orocos): trees of one-degree joints on a fixed base; for serial arms its chain solvers too.
// KDL puts the linear part first and numbers joints in its own order; a segment's frame sits at its tip, which is our
// body's frame.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>
#include <set>

#include "compare.hpp"

namespace catena::peers {
namespace {

const Abilities abilities = {
    .types = {JointType::fixed, JointType::revolute, JointType::continuous, JointType::prismatic}};

KDL::Vector to_kdl(const Vector3& x) { return {x[0], x[1], x[2]}; }

KDL::Frame to_kdl(const Pose& X) {
  const Matrix3& R = X.R;
  return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)), to_kdl(X.p)};
}

Pose from_kdl(const KDL::Frame& X) {
  Pose pose;
  for (int i = 0; i < 3; ++i) {
    pose.p[i] = X.p[i];
    for (int j = 0; j < 3; ++j) pose.R(i, j) = X.M(i, j);
  }
  return pose;
}

KDL::Joint joint_of(const Joint& joint) {
  if (joint.type == JointType::fixed) return KDL::Joint(joint.name, KDL::Joint::None);
  const auto type = joint.type == JointType::prismatic ? KDL::Joint::TransAxis : KDL::Joint::RotAxis;
  return {joint.name, to_kdl(joint.placement.p), to_kdl(joint.placement.R * joint.axis), type};
}

KDL::RigidBodyInertia inertia_of(const Body& body) {
  if (!body.inertial) return KDL::RigidBodyInertia::Zero();
  const Matrix3& I = body.inertial->inertia;
  return KDL::RigidBodyInertia(body.inertial->mass, to_kdl(body.inertial->com),
                               KDL::RotationalInertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)));
}

const Body& body_named(const Description& robot, const std::string& name) {
  for (const Body& body : robot.bodies) {
    if (body.name == name) return body;
  }
  throw std::invalid_argument("no body " + name);
}

// The robot in KDL, and which of its joints is which of ours.
struct Robot {
  KDL::Tree tree{"the ground"};
  Eigen::PermutationMatrix<Eigen::Dynamic> order;  // theirs = order * ours
  KDL::Vector gravity;
  std::vector<std::string> bodies;
  std::string tip;  // of the only branch that moves mass; empty: there are several

  explicit Robot(const Model& model) : gravity(to_kdl(model.gravity())) {
    const Description& robot = model.description();
    // Depth first, because KDL's solvers copy the tree and number the copy's joints in that order.
    for (const Joint* joint : depth_first(robot)) {
      const std::string parent = joint->parent.empty() ? "the ground" : joint->parent;
      const KDL::Segment segment(joint->child, joint_of(*joint), to_kdl(joint->placement * joint->body_in_joint),
                                 inertia_of(body_named(robot, joint->child)));
      if (!tree.addSegment(segment, parent)) throw std::invalid_argument("KDL refuses " + joint->child);
    }
    order.resize(model.nv());
    for (const Coordinate& c : model.coordinates()) {
      const std::string& child = robot.joints[static_cast<std::size_t>(c.index)].child;
      order.indices()[c.v] = static_cast<int>(GetTreeElementQNr(tree.getSegment(child)->second));
    }
    for (const Body& body : robot.bodies) bodies.push_back(body.name);
    for (const std::string& end : bodies) {
      if (is_tip(robot, end)) tip = end;
    }
  }

  KDL::Chain chain() const {
    KDL::Chain result;
    tree.getChain("the ground", tip, result);
    return result;
  }

 private:
  // Every joint lies on the way to this end, and so does every mass that moves.
  bool is_tip(const Description& robot, const std::string& end) const {
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
};

struct Solvers {
  const Robot& robot;
  KDL::JntArray q, v, a, tau;

  Solvers(const Robot& r, const State& state) : robot(r), q(size()), v(size()), a(size()), tau(size()) {
    q.data = r.order * state.q, v.data = r.order * state.v, a.data = r.order * state.a, tau.data = r.order * state.tau;
  }
  unsigned size() const { return robot.tree.getNrOfJoints(); }
  Vector ours(const KDL::JntArray& x) const { return robot.order.transpose() * x.data; }
  Matrix ours(const Matrix& M) const { return robot.order.transpose() * M * robot.order; }

  void kinematics(Answer& answer) {
    KDL::TreeFkSolverPos_recursive positions(robot.tree);
    KDL::TreeJntToJacSolver jacobians(robot.tree);
    for (const std::string& body : robot.bodies) {
      KDL::Frame frame;
      if (positions.JntToCart(q, frame, body) < 0) throw std::runtime_error("KDL: no pose of " + body);
      answer.poses.push_back(from_kdl(frame));
      KDL::Jacobian J(size());
      if (jacobians.JntToJac(q, J, body) < 0) throw std::runtime_error("KDL: no Jacobian of " + body);
      Matrix swapped(6, size());
      swapped << J.data.bottomRows(3), J.data.topRows(3);
      answer.jacobians.push_back(swapped * robot.order);
    }
  }

  Vector tree_forces(const KDL::Vector& gravity, const Vector& rate, const Vector& acceleration) {
    KDL::TreeIdSolver_RNE solver(robot.tree, gravity);
    KDL::JntArray qd(size()), qdd(size()), forces(size());
    qd.data = rate, qdd.data = acceleration;
    if (solver.CartToJnt(q, qd, qdd, {}, forces) < 0) throw std::runtime_error("KDL: inverse dynamics failed");
    return forces.data;
  }

  // KDL has only inverse dynamics for trees: the rest column by column.
  void tree_dynamics(Answer& answer) {
    const Vector zero = Vector::Zero(size());
    Matrix M(size(), size());
    for (Eigen::Index k = 0; k < M.cols(); ++k) {
      M.col(k) = tree_forces(KDL::Vector::Zero(), zero, Vector::Unit(M.cols(), k));
    }
    const Eigen::PermutationMatrix<Eigen::Dynamic> back = robot.order.transpose();
    answer.inverse = back * tree_forces(robot.gravity, v.data, a.data);
    answer.gravity = back * tree_forces(robot.gravity, zero, zero);
    answer.mass_matrix = ours(M);
    answer.forward = back * M.ldlt().solve(tau.data - tree_forces(robot.gravity, v.data, zero));
  }

  void chain_dynamics(Answer& answer) {
    const KDL::Chain chain = robot.chain();
    const KDL::Wrenches none(chain.getNrOfSegments(), KDL::Wrench::Zero());
    KDL::JntArray forces(size()), gravity(size()), qdd(size());
    KDL::JntSpaceInertiaMatrix M(size());
    KDL::ChainDynParam parameters(chain, robot.gravity);
    KDL::ChainIdSolver_RNE inverse(chain, robot.gravity);
    KDL::ChainFdSolver_RNE forward(chain, robot.gravity);
    if (inverse.CartToJnt(q, v, a, none, forces) < 0 || parameters.JntToGravity(q, gravity) < 0 ||
        parameters.JntToMass(q, M) < 0 || forward.CartToJnt(q, v, tau, none, qdd) < 0) {
      throw std::runtime_error("KDL: a chain solver failed");
    }
    answer.inverse = ours(forces);
    answer.gravity = ours(gravity);
    answer.mass_matrix = ours(M.data);
    answer.forward = ours(qdd);
  }
};

Ask tree_peer(const Model& model) {
  return [robot = std::make_shared<Robot>(model)](const State& state) {
    Answer answer;
    Solvers solvers(*robot, state);
    solvers.kinematics(answer);
    solvers.tree_dynamics(answer);
    return answer;
  };
}

// The chain solvers where the robot is a chain, the tree solver where it is not.
Ask chain_peer(const Model& model) {
  auto robot = std::make_shared<Robot>(model);
  if (robot->tip.empty()) return tree_peer(model);
  return [robot](const State& state) {
    Answer answer;
    Solvers solvers(*robot, state);
    solvers.kinematics(answer);
    solvers.chain_dynamics(answer);
    return answer;
  };
}

TEST(Kdl, AgreesOnTheBuiltInRobots) {
  expect_agreement("KDL", builtin_robots(), abilities, chain_peer);
  expect_agreement("KDL tree", builtin_robots(), abilities, tree_peer);
}

TEST(Kdl, AgreesOnTheRobotsGiven) {
  if (given_robots().empty()) GTEST_SKIP() << "no robots in CATENA_PEER_ROBOTS";
  expect_agreement("KDL", given_robots(), abilities, chain_peer);
  expect_agreement("KDL tree", given_robots(), abilities, tree_peer);
}

TEST(Kdl, AgreesOnRandomTrees) { expect_agreement_on_random_trees("KDL tree", abilities, tree_peer); }

}  // namespace
}  // namespace catena::peers
