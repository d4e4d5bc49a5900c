// The kernels read with other scalars: dual numbers for exact derivatives, long double for more digits.
#pragma once

#include "catena/linear/by_dual.hpp"
#include "support.hpp"

namespace catena::test {

// d M(q + t v) / dt at t = 0.
inline Matrix mass_matrix_derivative(const Model& model, const Vector& q, const Vector& v) {
  return change_of_mass_matrix_by_dual(model, q, v);
}

// Inverse dynamics through the kernels in long double, rounded at the end.
Vector extended_inverse_dynamics(const Model& model, const Vector& q, const Vector& v, const Vector& a);

// v of the robot with its couplings taken off = E v; and its q.
Matrix coupling_matrix(const Model& coupled, const Model& uncoupled);
Vector uncoupled_configuration(const Model& coupled, const Model& uncoupled, const Vector& q);

// J' b: joint forces that hold against b = crf(V) M V on every body, accelerations left out.
Vector body_bias_forces(const Model& model, const Vector& q, const Vector& v);

}  // namespace catena::test
