// KDL (Orocos): trees of one-degree joints on a fixed base; for serial arms its chain solvers too.
// KDL puts the linear part first and numbers joints in its own order.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>

#include "compare.hpp"
#include "kdl_model.hpp"

namespace catena::peers {
namespace {

const Abilities abilities = {
    .types = {JointType::fixed, JointType::revolute, JointType::continuous, JointType::prismatic}};

Pose from_kdl(const KDL::Frame& X) {
  Pose pose;
  for (int i = 0; i < 3; ++i) {
    pose.p[i] = X.p[i];
    for (int j = 0; j < 3; ++j) pose.R(i, j) = X.M(i, j);
  }
  return pose;
}

struct Solvers {
  const KdlRobot& robot;
  KDL::JntArray q, v, a, tau;

  Solvers(const KdlRobot& r, const State& state) : robot(r), q(size()), v(size()), a(size()), tau(size()) {
    q.data = r.order * state.q, v.data = r.order * state.v, a.data = r.order * state.a, tau.data = r.order * state.tau;
  }
  unsigned size() const { return robot.tree.getNrOfJoints(); }
  Vector ours(const KDL::JntArray& x) const { return robot.order.transpose() * x.data; }
  Matrix ours(const Matrix& M) const { return robot.order.transpose() * M * robot.order; }

  void kinematics(const Description& description, Answer& answer) {
    KDL::TreeFkSolverPos_recursive positions(robot.tree);
    KDL::TreeJntToJacSolver jacobians(robot.tree);
    for (const Body& body : description.bodies) {
      KDL::Frame frame;
      if (positions.JntToCart(q, frame, body.name) < 0) throw std::runtime_error("KDL: no pose of " + body.name);
      answer.poses.push_back(from_kdl(frame));
      KDL::Jacobian J(size());
      if (jacobians.JntToJac(q, J, body.name) < 0) throw std::runtime_error("KDL: no Jacobian of " + body.name);
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
  return [model, robot = std::make_shared<KdlRobot>(robot_of(model))](const State& state) {
    Answer answer;
    Solvers solvers(*robot, state);
    solvers.kinematics(model.description(), answer);
    solvers.tree_dynamics(answer);
    return answer;
  };
}

// The chain solvers where the robot is a chain, the tree solver where it is not.
Ask chain_peer(const Model& model) {
  auto robot = std::make_shared<KdlRobot>(robot_of(model));
  if (robot->tip.empty()) return tree_peer(model);
  return [model, robot](const State& state) {
    Answer answer;
    Solvers solvers(*robot, state);
    solvers.kinematics(model.description(), answer);
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
