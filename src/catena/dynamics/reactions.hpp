// Reactions: what the bodies exert on one another through their joints, and the ground on the robot, in a given motion.
#pragma once

#include "catena/dynamics/workspace.hpp"

#pragma GCC visibility push(default)
namespace catena {

// Wrenches are [moment; force].
struct Reactions {
  Vector tau;  // joint forces, as inverse_dynamics gives them
  // 6 x joints, a column for each of description().joints, fixed and mimic joints included (model.joint("wrist")): the
  // wrench of the parent on the child body, constraint and drive together, in the axes and at the origin of the child's frame.
  Matrix joints;
  Vector6 base = Vector6::Zero();  // of the ground on the robot, in base axes at the base's origin
};

Reactions reactions(const Model& model, ConstVector q, ConstVector v, ConstVector a, const ExternalLoads& loads = {});
// The same without allocation, once `out` has its size.
void reactions(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, ConstVector a, Reactions& out,
               const ExternalLoads& loads = {});

}  // namespace catena
#pragma GCC visibility pop
