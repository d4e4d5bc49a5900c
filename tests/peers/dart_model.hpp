// A robot for DART, made through its API: every joint but cylindrical and planar, inertias as written.
// Its free and ball joints have velocities in the axes of the moving joint, angular part first, as ours.
#pragma once

#include <dart/dynamics/Skeleton.hpp>

#include "robot.hpp"

namespace catena::peers {

struct DartRobot {
  Robot ours;
  dart::dynamics::SkeletonPtr skeleton;
  Eigen::PermutationMatrix<Eigen::Dynamic> order;  // theirs = order * ours, for velocities

  explicit DartRobot(const Robot& robot);  // throws std::invalid_argument for what DART does not have
  Eigen::VectorXd positions(const Eigen::VectorXd& q) const;
};

}  // namespace catena::peers
