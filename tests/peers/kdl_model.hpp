// A robot for KDL: trees of one-degree joints on a fixed base. A segment's frame sits at its tip, which is our body's
// frame.
#pragma once

#include <Eigen/Core>
#include <kdl/tree.hpp>

#include "robot.hpp"

namespace catena::peers {

struct KdlRobot {
  KDL::Tree tree{"the ground"};
  Eigen::PermutationMatrix<Eigen::Dynamic> order;  // theirs = order * ours
  KDL::Vector gravity;
  std::string tip;  // of the only branch that moves mass; empty: there are several

  explicit KdlRobot(const Robot& robot);  // throws std::invalid_argument for what KDL does not have
  KDL::Chain chain() const;               // to the tip
};

}  // namespace catena::peers
