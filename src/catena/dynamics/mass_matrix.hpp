// The mass matrix M(q) by composite bodies (CRBA), its inverse by a factor along the tree or articulated bodies (ABA),
// its derivative, and the Coriolis matrix.
// Armature is part of M. All are nv x nv in the order of v.
#pragma once

#include "catena/dynamics/workspace.hpp"

#pragma GCC visibility push(default)
namespace catena {

Matrix mass_matrix(const Model& model, ConstVector q);
void mass_matrix(const Model& model, Workspace& workspace, ConstVector q, MatrixRef M);

// Throws NumericalError naming the joint where M is singular.
Matrix mass_matrix_inverse(const Model& model, ConstVector q);
void mass_matrix_inverse(const Model& model, Workspace& workspace, ConstVector q, MatrixRef M_inv);

// C with C v = coriolis_forces and M_dot - 2 C skew (for one-degree joints: the Christoffel symbols' C).
Matrix coriolis_matrix(const Model& model, ConstVector q, ConstVector v);
void coriolis_matrix(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, MatrixRef C);

// dM/dt along v.
Matrix mass_matrix_dot(const Model& model, ConstVector q, ConstVector v);

}  // namespace catena
#pragma GCC visibility pop
