// The change of inverse dynamics in one direction by dual numbers through the Newton-Euler recursion itself: no formula
// for a derivative is involved, so it checks all of them. Joint terms and couplings included.
#pragma once

#include "catena/dynamics/workspace.hpp"

namespace catena {

Vector change_of_forces_by_dual(const Model& model, ConstVector q, ConstVector v, ConstVector a, ConstVector dq,
                                ConstVector dv, ConstVector da);

}  // namespace catena
