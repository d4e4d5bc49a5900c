// Linearized dynamics for `catena verify`. Derivatives of forces are compared number by number. Derivatives of
// accelerations are put back into the forces' equation, M da + A_D dv + B_D dq = dtau, about the acceleration that the
// algorithm itself found: what is left over there is rounding of the terms, however badly conditioned M is. In the
// accelerations themselves the same error is |M^-1| times as large, and twice that in B_C, which depends on a.
#include <Eigen/Dense>
#include <limits>

#include "catena/dynamics/factor_kernel.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/linear/by_dual.hpp"
#include "catena/linear/linearize.hpp"
#include "cli/sizes.hpp"

namespace catena::cli {
namespace {

constexpr double tiny = std::numeric_limits<double>::min();

// A direction in state space, the same for every algorithm.
struct Direction {
  explicit Direction(const Model& model)
      : dq(random_vector(model, 71)), dv(random_vector(model, 72)), da(random_vector(model, 73)) {}
  Vector dq, dv, da;  // da stands for dtau where that is what is given
};

// Forces that a change of the forces along d is summed from, but for M da.
Vector change_sizes(const ChangeSizes& sizes, const Direction& d) {
  return sizes.A * d.dv.cwiseAbs() + sizes.B * d.dq.cwiseAbs();
}

Difference inverse_outcome(const Sample& s, const InverseLinearization& x, const Direction& d, const Vector& other) {
  const Vector matrix = x.M * d.da + x.A_D * d.dv + x.B_D * d.dq;
  const Vector sizes = change_sizes(inverse_change_sizes(s), d) + product_sizes(s.world_root, d.da);
  return {(matrix - other).cwiseAbs().cwiseQuotient(sizes).maxCoeff(), s.operations() * epsilon};
}

Difference linear_directional(Sample& s) {
  const Direction d(s.model);
  return inverse_outcome(s, linearize_inverse(s.model, s.q, s.v, s.a), d,
                         inverse_dynamics_jvp(s.model, s.q, s.v, s.a, d.dq, d.dv, d.da));
}

Difference linear_vs_dual(Sample& s) {
  const Direction d(s.model);
  return inverse_outcome(s, linearize_inverse(s.model, s.q, s.v, s.a), d,
                         inverse_dynamics_jvp_by_dual(s.model, s.q, s.v, s.a, d.dq, d.dv, d.da));
}

// Algorithm 4 with a factor along the tree multiplies by M^-1; all others solve.
bool multiplies(const Model& model, LinearMethod method) {
  return method_for_matrices(model, method) == LinearMethod::algorithm_4 && !model.has_couplings() &&
         kernel::by_factor(model.tree());
}

// Forces that M da is summed from. A solve leaves roundings of |M| |da|, a product with M^-1 of |M| |M^-1| |b|, where
// b = dtau - A_D dv - B_D dq.
Vector solved_sizes(const Sample& s, const ForwardLinearization& x, const Direction& d, bool multiplied) {
  const Matrix M_inv = x.M_inv.cwiseAbs();
  Vector terms = M_inv * d.da.cwiseAbs() + x.A_C.cwiseAbs() * d.dv.cwiseAbs() + x.B_C.cwiseAbs() * d.dq.cwiseAbs();
  if (multiplied) {
    const InverseLinearization inverse = linearize_inverse(s.model, s.q, s.v, x.a);
    terms += M_inv * (inverse.A_D.cwiseAbs() * d.dv.cwiseAbs() + inverse.B_D.cwiseAbs() * d.dq.cwiseAbs());
  }
  return product_sizes(s.world_root, terms);
}

// Forces that do not balance, against their terms, in coordinates scaled by their inertia: algorithms in the axes of the
// ground mix them.
double imbalance(const Sample& s, const Vector& forces, const Vector& terms) {
  return largest(forces.cwiseQuotient(s.world_root)) / (largest(terms.cwiseQuotient(s.world_root)) + tiny);
}

Vector foreseen(const ForwardLinearization& x, const Direction& d) {
  return x.M_inv * d.da - x.A_C * d.dv - x.B_C * d.dq;
}

// The acceleration itself: M a + bias = tau.
double own_imbalance(const Sample& s, const Vector& a) {
  return imbalance(s, inverse_dynamics(s.model, s.q, s.v, a) - s.tau, s.world_scale + product_sizes(s.world_root, a));
}

Difference linear_forward_vs_inverse(Sample& s) {
  const ForwardLinearization forward = linearize_forward(s.model, s.q, s.v, s.tau);
  const InverseLinearization inverse = linearize_inverse(s.model, s.q, s.v, forward.a);
  const ChangeSizes sizes = inverse_change_sizes(s);
  const bool multiplied = multiplies(s.model, LinearMethod::automatic);
  const Matrix response = forward.M_inv.cwiseAbs();
  double error = own_imbalance(s, forward.a);
  const auto compare = [&](const Matrix& C, const Matrix& D, const Matrix& size) {
    for (Eigen::Index j = 0; j < C.cols(); ++j) {
      const Vector terms = multiplied ? Vector(response * D.col(j).cwiseAbs()) : Vector(C.col(j).cwiseAbs());
      error = std::max(error, imbalance(s, s.M * C.col(j) - D.col(j),
                                        size.col(j) + product_sizes(s.world_root, C.col(j).cwiseAbs() + terms)));
    }
  };
  compare(forward.A_C, inverse.A_D, sizes.A);
  compare(forward.B_C, inverse.B_D, sizes.B);
  return {error, s.operations() * epsilon};
}

// Two accelerations along d, about accelerations a and b that rounding tells apart: M (da - db) + (B_D(a) - B_D(b)) dq = 0.
Vector balance(const Sample& s, const Direction& d, const Vector& da, const Vector& a, const Vector& db,
               const Vector& b) {
  const Vector none = Vector::Zero(d.dq.size());
  return s.M * (da - db) + inverse_dynamics_jvp_by_dual(s.model, s.q, s.v, a, d.dq, none, none) -
         inverse_dynamics_jvp_by_dual(s.model, s.q, s.v, b, d.dq, none, none);
}

Difference linear_directional_forward(Sample& s) {
  const Direction d(s.model);
  const ForwardLinearization x = linearize_forward(s.model, s.q, s.v, s.tau);
  const Vector one_pass = forward_dynamics_jvp(s.model, s.q, s.v, s.tau, d.dq, d.dv, d.da);
  const Vector a = forward_dynamics(s.model, s.q, s.v, s.tau);  // about which one_pass is
  const Vector terms =
      change_sizes(inverse_change_sizes(s), d) + solved_sizes(s, x, d, multiplies(s.model, LinearMethod::automatic));
  return {imbalance(s, balance(s, d, foreseen(x, d), x.a, one_pass, a), terms), s.operations() * epsilon};
}

// What an algorithm foresees, put into inverse dynamics as dual numbers, gives back the change of the forces, without a
// formula for a derivative.
template <LinearMethod method>
Difference linear_by(Sample& s) {
  const Direction d(s.model);
  const ForwardLinearization x = linearize_forward(s.model, s.q, s.v, s.tau, {}, method);
  const Vector dtau = inverse_dynamics_jvp_by_dual(s.model, s.q, s.v, x.a, d.dq, d.dv, foreseen(x, d));
  const Vector terms = change_sizes(inverse_change_sizes(s), d) + solved_sizes(s, x, d, multiplies(s.model, method));
  return {std::max(imbalance(s, dtau - d.da, terms), own_imbalance(s, x.a)), s.operations() * epsilon};
}

// With a wrench that keeps its direction in the world, on the last body of the robot and at a point beside its origin.
// What it adds to the forces is M times what it adds to the acceleration.
template <LinearMethod method>
Difference linear_with_wrench_by(Sample& s) {
  const Direction d(s.model);
  ExternalLoads loads;
  const double size = largest(s.tau) + 1;
  loads.wrenches.push_back({s.model.tip_frame(), Vector3(0.5, -0.3, 0.4) * size, Vector3(0.2, 0.6, -0.1) * size,
                            Vector3(0.1, -0.05, 0.2), Axes::aligned});
  const Vector a = forward_dynamics(s.model, s.q, s.v, s.tau, loads);
  const ForwardLinearization x = linearize_forward(s.model, s.q, s.v, s.tau, loads, method);
  const Vector one_pass = forward_dynamics_jvp(s.model, s.q, s.v, s.tau, d.dq, d.dv, d.da, loads);
  const Vector terms = change_sizes(inverse_change_sizes(s), d) + solved_sizes(s, x, d, multiplies(s.model, method)) +
                       product_sizes(s.world_root, a - s.a) * d.dq.cwiseAbs().sum();
  return {imbalance(s, balance(s, d, foreseen(x, d), x.a, one_pass, a), terms), s.operations() * epsilon};
}

}  // namespace

const std::vector<Check>& linear_checks() {
  static const std::vector<Check> table = {
      {"linear_vs_dual", "A_D, B_D of Algorithm 2 = derivative of Newton–Euler by dual numbers", matrices,
       linear_vs_dual},
      {"linear_one_pass", "Algorithm 1 (one direction) = Algorithm 2 (matrices)", matrices, linear_directional},
      {"linear_forward", "linearized forward dynamics, as chosen for the robot: M A_C = A_D, M B_C = B_D", matrices,
       linear_forward_vs_inverse},
      {"linear_forward_one_pass", "one direction (Algorithm 5; 3 with mimic joints) = the matrices", matrices,
       linear_directional_forward},
      {"linear_3", "Algorithm 3 (solve, one direction) inverts Newton–Euler by dual numbers", matrices,
       linear_by<LinearMethod::algorithm_3>},
      {"linear_4", "Algorithm 4 (M⁻¹A_D, M⁻¹B_D) inverts Newton–Euler by dual numbers", matrices,
       linear_by<LinearMethod::algorithm_4>},
      {"linear_5", "Algorithm 5 (articulated bodies, one direction) inverts Newton–Euler by dual numbers",
       matrices | uncoupled, linear_by<LinearMethod::algorithm_5>},
      {"linear_6", "Algorithm 6 (as published, chains) inverts Newton–Euler by dual numbers",
       matrices | chain_of_single_joints, linear_by<LinearMethod::algorithm_6>},
      {"linear_6T", "Algorithm 6T (articulated bodies, trees) inverts Newton–Euler by dual numbers",
       matrices | uncoupled, linear_by<LinearMethod::algorithm_6t>},
      {"linear_wrench_4", "with a wrench fixed in the world: Algorithm 4 = one direction (3 or 5)", matrices,
       linear_with_wrench_by<LinearMethod::algorithm_4>},
      {"linear_wrench_6", "with a wrench fixed in the world: Algorithm 6 = Algorithm 5",
       matrices | chain_of_single_joints, linear_with_wrench_by<LinearMethod::algorithm_6>},
      {"linear_wrench_6T", "with a wrench fixed in the world: Algorithm 6T = Algorithm 5", matrices | uncoupled,
       linear_with_wrench_by<LinearMethod::algorithm_6t>},
  };
  return table;
}

}  // namespace catena::cli
