// Derivatives in one direction by dual numbers through the recursions themselves: no formula for a derivative is
// involved, so they check all of them. Mimic joints included.
#pragma once

#include "catena/dynamics/workspace.hpp"

namespace catena {

// Of inverse dynamics, joint terms included.
Vector inverse_dynamics_jvp_by_dual(const Model& model, ConstVector q, ConstVector v, ConstVector a, ConstVector dq,
                                    ConstVector dv, ConstVector da);

// d M(q (+) t dq) / dt at t = 0, by the composite bodies. With dq = v: the time derivative of M.
Matrix change_of_mass_matrix_by_dual(const Model& model, ConstVector q, ConstVector dq);

}  // namespace catena
