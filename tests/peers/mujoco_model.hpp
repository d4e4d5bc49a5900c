// A robot for MuJoCo: without contacts and constraints, joint terms included. Helical and planar joints it does not have.
// Its free joint has the velocity of the origin in world axes, then the angular velocity in body axes: v_theirs = T(q) v
// with T' T = 1. Its quaternions begin with w.
#pragma once

#include <mujoco/mujoco.h>

#include <Eigen/Core>

#include "robot.hpp"

namespace catena::peers {

class MujocoRobot {
 public:
  explicit MujocoRobot(const Robot& robot);  // throws std::runtime_error for what MuJoCo does not take

  mjModel* model() const { return model_.get(); }
  mjData* data() const { return data_.get(); }
  const Robot& ours() const { return ours_; }

  Eigen::VectorXd positions(const Eigen::VectorXd& q) const;
  Eigen::MatrixXd velocity_map(const Eigen::VectorXd& q) const;                       // T
  Eigen::VectorXd turning(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;  // T_dot v

 private:
  int joint_number(const Coordinate& c, int component = 0) const;

  Robot ours_;
  std::unique_ptr<mjModel, void (*)(mjModel*)> model_;
  std::unique_ptr<mjData, void (*)(mjData*)> data_;
};

}  // namespace catena::peers
