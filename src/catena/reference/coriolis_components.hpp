// Component form of the Coriolis term without the bias forces b (Kozlowski (48), sign corrected): C(q, nu) = c nu with
// c skew. One-degree joints without mimic joints or armature. Formula sheet 4.8.
#pragma once

#include "catena/kinematics/configuration.hpp"

#pragma GCC visibility push(default)
namespace catena {

Matrix coriolis_components(const Model& model, ConstVector q, ConstVector v);

}  // namespace catena
#pragma GCC visibility pop
