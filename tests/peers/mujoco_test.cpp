// MuJoCo: trees with every joint but helical and planar, joint terms included. The robot goes over as an MJCF text.
// Its free joint has the velocity of the origin in world axes, then the angular velocity in body axes: v_theirs = T(q) v.
// Its quaternions begin with w. Inertias that break physics it refuses, so both sides get them mended.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <cstring>

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

class Robot {
 public:
  explicit Robot(const Model& model)
      : ours_(model),
        model_(mujoco_model(model.description()), mj_deleteModel),
        data_(mj_makeData(model_.get()), mj_deleteData) {
    if (model_->nv != model.nv()) throw std::runtime_error("MuJoCo counts other degrees of freedom");
  }

  Answer answer(const State& state) {
    set_positions(state.q);
    const Matrix T = velocity_map(state.q);
    const Vector turning = turning_of(state);
    Answer answer;
    answer.gravity = T.transpose() * bias(Vector::Zero(T.rows()));
    Eigen::Map<Vector>(data_->qvel, T.rows()) = T * state.v;
    Eigen::Map<Vector>(data_->qacc, T.rows()) = T * state.a + turning;
    mj_inverse(model_.get(), data_.get());
    answer.inverse = T.transpose() * Eigen::Map<Vector>(data_->qfrc_inverse, T.rows());

    RowMajor M(T.rows(), T.rows());
    mj_fullM(model_.get(), M.data(), data_->qM);
    answer.mass_matrix = T.transpose() * M * T;

    Eigen::Map<Vector>(data_->qfrc_applied, T.rows()) = T * state.tau;  // T' T = 1
    mj_forward(model_.get(), data_.get());
    answer.forward = T.transpose() * (Eigen::Map<Vector>(data_->qacc, T.rows()) - turning);
    add_kinematics(T, answer);
    return answer;
  }

 private:
  const Joint& joint_of(const Coordinate& c) const {
    return ours_.description().joints[static_cast<std::size_t>(c.index)];
  }
  int joint_number(const Coordinate& c, int component = 0) const {
    return mj_name2id(model_.get(), mjOBJ_JOINT, fmt::format("j{}.{}", c.index, component).c_str());
  }

  // A ball turns the child's axes: those of our joint turned by body_in_joint. A free joint must have none.
  void set_positions(const Vector& q) {
    for (const Coordinate& c : ours_.coordinates()) {
      double* theirs = data_->qpos + model_->jnt_qposadr[joint_number(c)];
      if (c.type == JointType::spherical) {
        const Matrix3& B = joint_of(c).body_in_joint.R;
        const Eigen::Quaterniond rotation(q.segment<4>(c.q)), b(B), turned = b.conjugate() * rotation * b;
        theirs[0] = turned.w(), theirs[1] = turned.x(), theirs[2] = turned.y(), theirs[3] = turned.z();
      } else if (c.type == JointType::free) {
        const Joint& joint = joint_of(c);
        const Pose moved = joint.placement * joint.body_in_joint;
        if (!moved.R.isIdentity(0) || !moved.p.isZero(0)) throw std::runtime_error("free joint away from the origin");
        Eigen::Map<Vector3>(theirs, 3) = q.segment<3>(c.q);
        theirs[3] = q[c.q + 6], theirs[4] = q[c.q + 3], theirs[5] = q[c.q + 4], theirs[6] = q[c.q + 5];
      } else {
        for (int k = 0; k < c.nq; ++k) data_->qpos[model_->jnt_qposadr[joint_number(c, k)]] = q[c.q + k];
      }
    }
  }

  static Matrix3 rotation_of(const Vector& q, const Coordinate& c) {
    return Eigen::Quaterniond(q.segment<4>(c.q + 3)).toRotationMatrix();
  }

  Matrix velocity_map(const Vector& q) const {
    Matrix T = Matrix::Zero(ours_.nv(), ours_.nv());
    for (const Coordinate& c : ours_.coordinates()) {
      const int row = model_->jnt_dofadr[joint_number(c)];
      if (c.type == JointType::free) {
        T.block<3, 3>(row, c.v + 3) = rotation_of(q, c);
        T.block<3, 3>(row + 3, c.v).setIdentity();
      } else if (c.type == JointType::spherical) {
        T.block<3, 3>(row, c.v) = joint_of(c).body_in_joint.R.transpose();
      } else {
        for (int k = 0; k < c.nv; ++k) T(model_->jnt_dofadr[joint_number(c, k)], c.v + k) = 1;
      }
    }
    return T;
  }

  // T_dot v: the origin's velocity turns with the body.
  Vector turning_of(const State& state) const {
    Vector turning = Vector::Zero(ours_.nv());
    for (const Coordinate& c : ours_.coordinates()) {
      if (c.type != JointType::free) continue;
      const Vector3 w = state.v.segment<3>(c.v), v = state.v.segment<3>(c.v + 3);
      turning.segment<3>(model_->jnt_dofadr[joint_number(c)]) = rotation_of(state.q, c) * w.cross(v);
    }
    return turning;
  }

  Vector bias(const Vector& qvel) {
    Eigen::Map<Vector>(data_->qvel, qvel.size()) = qvel;
    mj_fwdPosition(model_.get(), data_.get());
    mj_fwdVelocity(model_.get(), data_.get());
    Vector forces(qvel.size());
    mj_rne(model_.get(), data_.get(), 0, forces.data());
    return forces;
  }

  void add_kinematics(const Matrix& T, Answer& answer) const {
    for (std::size_t b = 0; b < ours_.description().bodies.size(); ++b) {
      const int body = mj_name2id(model_.get(), mjOBJ_BODY, fmt::format("b{}", b).c_str());
      answer.poses.push_back({Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data_->xmat + 9 * body),
                              Eigen::Map<const Vector3>(data_->xpos + 3 * body)});
      RowMajor linear(3, T.rows()), angular(3, T.rows());
      mj_jacBody(model_.get(), data_.get(), linear.data(), angular.data(), body);
      Matrix J(6, T.rows());
      J << angular, linear;
      answer.jacobians.push_back(J * T);
    }
  }

  Model ours_;
  std::unique_ptr<mjModel, void (*)(mjModel*)> model_;
  std::unique_ptr<mjData, void (*)(mjData*)> data_;
};

Ask peer(const Model& model) {
  return [robot = std::make_shared<Robot>(model)](const State& state) { return robot->answer(state); };
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
