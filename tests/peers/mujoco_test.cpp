// MuJoCo: trees with every joint but helical and planar, joint terms included. The robot goes over as an MJCF text.
// Inertias that break physics it refuses, so both sides get them mended.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "compare.hpp"
#include "mujoco_model.hpp"

namespace catena::peers {
namespace {

const Abilities abilities = {
    .types = {JointType::fixed, JointType::revolute, JointType::continuous, JointType::prismatic,
              JointType::cylindrical, JointType::universal, JointType::spherical, JointType::free},
    .joint_terms = true,
    .any_inertia = false,
    .moving_root = true};

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Vector bias(const MujocoRobot& robot, const Vector& qvel) {
  Eigen::Map<Vector>(robot.data()->qvel, qvel.size()) = qvel;
  mj_fwdPosition(robot.model(), robot.data());
  mj_fwdVelocity(robot.model(), robot.data());
  Vector forces(qvel.size());
  mj_rne(robot.model(), robot.data(), 0, forces.data());
  return forces;
}

void add_kinematics(const MujocoRobot& robot, const Matrix& T, Answer& answer) {
  const mjData* data = robot.data();
  for (std::size_t b = 0; b < robot.ours().description.bodies.size(); ++b) {
    const int body = mj_name2id(robot.model(), mjOBJ_BODY, fmt::format("b{}", b).c_str());
    answer.poses.push_back({Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data->xmat + 9 * body),
                            Eigen::Map<const Vector3>(data->xpos + 3 * body)});
    RowMajor linear(3, T.rows()), angular(3, T.rows());
    mj_jacBody(robot.model(), data, linear.data(), angular.data(), body);
    Matrix J(6, T.rows());
    J << angular, linear;
    answer.jacobians.push_back(J * T);
  }
}

Answer answer_of(const MujocoRobot& robot, const State& state) {
  mjModel* model = robot.model();
  mjData* data = robot.data();
  const Matrix T = robot.velocity_map(state.q);
  const Vector turning = robot.turning(state.q, state.v);
  Eigen::Map<Vector>(data->qpos, model->nq) = robot.positions(state.q);
  Answer answer;
  answer.gravity = T.transpose() * bias(robot, Vector::Zero(T.rows()));
  Eigen::Map<Vector>(data->qvel, T.rows()) = T * state.v;
  Eigen::Map<Vector>(data->qacc, T.rows()) = T * state.a + turning;
  mj_inverse(model, data);
  answer.inverse = T.transpose() * Eigen::Map<Vector>(data->qfrc_inverse, T.rows());

  RowMajor M(T.rows(), T.rows());
  mj_fullM(model, M.data(), data->qM);
  answer.mass_matrix = T.transpose() * M * T;

  Eigen::Map<Vector>(data->qfrc_applied, T.rows()) = T * state.tau;  // T' T = 1
  mj_forward(model, data);
  answer.forward = T.transpose() * (Eigen::Map<Vector>(data->qacc, T.rows()) - turning);
  add_kinematics(robot, T, answer);
  return answer;
}

Ask peer(const Model& model) {
  return
      [robot = std::make_shared<MujocoRobot>(robot_of(model))](const State& state) { return answer_of(*robot, state); };
}

TEST(MuJoCo, AgreesOnTheBuiltInRobots) {
  std::vector<std::string> robots = builtin_robots();
  std::erase(robots, "planar_3r");  // its rods have no inertia about their own axis, which MuJoCo refuses
  expect_agreement("MuJoCo", robots, abilities, peer);
}
TEST(MuJoCo, AgreesOnTheRobotsGiven) {
  if (given_robots().empty()) GTEST_SKIP() << "no robots in CATENA_PEER_ROBOTS";
  expect_agreement("MuJoCo", given_robots(), abilities, peer);
}
TEST(MuJoCo, AgreesOnRandomTrees) { expect_agreement_on_random_trees("MuJoCo", abilities, peer); }

}  // namespace
}  // namespace catena::peers
