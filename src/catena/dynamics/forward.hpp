// Forward dynamics: the acceleration that joint forces tau cause.
#pragma once

#include "catena/dynamics/workspace.hpp"

#pragma GCC visibility push(default)
namespace catena {

// Articulated bodies (ABA), O(n), on the reduced tree (articulated_kernel.hpp): the mass matrix is never formed.
// Throws NumericalError naming the joint where the mass matrix is singular.
// Mimic joints preclude the articulated-body algorithm: such a model is solved by the composite-rigid-body algorithm
// (CRBA), the bias by Newton-Euler (RNEA) and a Cholesky factor.
Vector forward_dynamics(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                        const ExternalLoads& loads = {});
void forward_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, ConstVector tau,
                      VectorRef a, const ExternalLoads& loads = {});

// The same by composite bodies: M by CRBA, bias by RNEA, then a Cholesky solve.
Vector forward_dynamics_composite(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                  const ExternalLoads& loads = {});

}  // namespace catena
#pragma GCC visibility pop
