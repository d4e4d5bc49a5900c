// MuJoCo: of its pipeline only the stages that a function needs, without contacts, constraints, sensors and actuators.
#include <algorithm>

#include "bench/peers/adapter.hpp"
#include "tests/peers/mujoco_model.hpp"

namespace catena::peers {
namespace {

class Mujoco : public Adapter<Mujoco> {
 public:
  explicit Mujoco(const Robot& robot)
      : Adapter(robot),
        theirs_(robot),
        m_(theirs_.model()),
        d_(theirs_.data()),
        x_(robot.nv),
        M_(robot.nv, robot.nv),
        unit_(Eigen::MatrixXd::Identity(robot.nv, robot.nv)) {}

  bool has(Function function) const override {
    return function == Function::inverse || function == Function::mass_matrix || function == Function::forward ||
           function == Function::mass_matrix_inverse;
  }

  void place(const Eigen::VectorXd& q, const Eigen::VectorXd& v, PeerState& state) const {
    state.q = theirs_.positions(q);
    state.T = theirs_.velocity_map(q);
    state.turning = theirs_.turning(q, v);
  }

  void run(Function function, const PeerState& s) {
    std::copy_n(s.q.data(), m_->nq, d_->qpos);
    mj_kinematics(m_, d_);
    mj_comPos(m_, d_);
    switch (function) {
      case Function::inverse:
        set_velocities(s);
        std::copy_n(s.a.data(), m_->nv, d_->qacc);
        mj_rne(m_, d_, 1, x_.data());
        break;
      case Function::mass_matrix:
        mj_crb(m_, d_);
        mj_fullM(m_, M_.data(), d_->qM);
        break;
      case Function::forward:
        mj_crb(m_, d_);
        mj_factorM(m_, d_);
        set_velocities(s);
        mj_rne(m_, d_, 0, d_->qfrc_bias);
        for (int i = 0; i < m_->nv; ++i) d_->qfrc_smooth[i] = s.tau[i] - d_->qfrc_bias[i];
        mj_solveM(m_, d_, x_.data(), d_->qfrc_smooth, 1);
        break;
      default:
        mj_crb(m_, d_);
        mj_factorM(m_, d_);
        mj_solveM(m_, d_, M_.data(), unit_.data(), m_->nv);
    }
  }

  std::vector<Eigen::MatrixXd> blocks(Function function) const {
    if (function == Function::inverse || function == Function::forward) return {x_};
    return {M_};  // symmetric, so row by row is column by column
  }

 private:
  void set_velocities(const PeerState& s) {
    std::copy_n(s.v.data(), m_->nv, d_->qvel);
    mj_comVel(m_, d_);
  }

  MujocoRobot theirs_;
  mjModel* m_;
  mjData* d_;
  Eigen::VectorXd x_;
  Eigen::MatrixXd M_, unit_;
};

}  // namespace
}  // namespace catena::peers

CATENA_PEER { entry = catena::peers::entry_of<catena::peers::Mujoco>("MuJoCo", mj_versionString(), "as installed"); }
