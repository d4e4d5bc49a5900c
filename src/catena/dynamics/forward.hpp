// Forward dynamics: the acceleration that joint forces tau cause.
#pragma once

#include "catena/dynamics/workspace.hpp"

namespace catena {

// By whatever takes least: where paths from the ground to the tips are short, the mass matrix by composite bodies and
// its factor along the tree; otherwise articulated bodies.
// Throws NumericalError naming the joint where the mass matrix is singular.
// A model with couplings (mimic joints) is solved by composite bodies and a Cholesky factor instead.
Vector forward_dynamics(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                        const Conditions& conditions = {});
void forward_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, ConstVector tau,
                      VectorRef a, const Conditions& conditions = {});

// Articulated bodies, O(n): formula sheet 4.1, 4.9. Leaves P, D and G in the workspace.
Vector forward_dynamics_articulated(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                    const Conditions& conditions = {});
void forward_dynamics_articulated(const Model& model, Workspace& workspace, ConstVector q, ConstVector v,
                                  ConstVector tau, VectorRef a, const Conditions& conditions = {});

// The same by composite bodies: M by composite inertias, bias by Newton-Euler, then a Cholesky solve.
Vector forward_dynamics_composite(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                  const Conditions& conditions = {});

}  // namespace catena
