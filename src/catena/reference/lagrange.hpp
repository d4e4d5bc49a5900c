// Inverse dynamics from energies alone: d/dt dK/dv - ad' dK/dv - dK/dq + dU/dq = tau (Lagrange; for joints with several
// degrees of freedom Euler-Poincare). Derivatives by dual numbers through the sum of the bodies' energies: it shares
// the poses with the recursions, but no force, no acceleration and no inward sweep. O(n^2); for checking.
#pragma once

#include "catena/dynamics/workspace.hpp"

#pragma GCC visibility push(default)
namespace catena {

// Without damping and friction; armature and springs are part of the energies. The ground is at rest.
Vector lagrange_forces(const Model& model, ConstVector q, ConstVector v, ConstVector a);

}  // namespace catena
#pragma GCC visibility pop
