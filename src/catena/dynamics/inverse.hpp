// Inverse dynamics: the joint forces tau that make the robot move with acceleration a.
// Recursive Newton-Euler (RNEA) on the reduced tree, O(n): formula sheet 1.5, with the model's joint terms.
#pragma once

#include "catena/dynamics/workspace.hpp"

#pragma GCC visibility push(default)
namespace catena {

Vector inverse_dynamics(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                        const ExternalLoads& loads = {});
void inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, ConstVector a,
                      VectorRef tau, const ExternalLoads& loads = {});

// Parts of tau = M a + bias, bias = coriolis + gravity + joint forces.
Vector gravity_forces(const Model& model, ConstVector q);
Vector coriolis_forces(const Model& model, ConstVector q, ConstVector v);
Vector joint_forces(const Model& model, ConstVector q, ConstVector v);  // damping, friction, springs
Vector bias_forces(const Model& model, ConstVector q, ConstVector v, const ExternalLoads& loads = {});
void gravity_forces(const Model& model, Workspace& workspace, ConstVector q, VectorRef tau);
void coriolis_forces(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, VectorRef tau);
void bias_forces(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, VectorRef tau,
                 const ExternalLoads& loads = {});

}  // namespace catena
#pragma GCC visibility pop
