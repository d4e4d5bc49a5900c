// Results of the five papers for `catena verify`: linearized and diagonalized dynamics, DeNOC, the operators, Lagrange.
// Each compares two algorithms that share as little as possible; bounds as in checks.cpp.
#include <Eigen/Dense>
#include <limits>

#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/by_dual.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/linear/regressor.hpp"
#include "catena/reference/denoc.hpp"
#include "catena/reference/lagrange.hpp"
#include "catena/reference/spatial_operators.hpp"
#include "cli/checks.hpp"

namespace catena::cli {
namespace {

constexpr double tiny = std::numeric_limits<double>::min();

// Matrices whose rows are forces and whose columns belong to coordinates: r^-1 X r^-1.
Matrix scaled(const Vector& r, const Matrix& X) {
  return r.cwiseInverse().asDiagonal() * X * r.cwiseInverse().asDiagonal();
}
// Matrices that take coordinates to accelerations: r X r^-1.
Matrix scaled_acceleration(const Vector& r, const Matrix& X) {
  return r.asDiagonal() * X * r.cwiseInverse().asDiagonal();
}

// A direction in state space, the same for every algorithm.
struct Direction {
  explicit Direction(const Model& model)
      : dq(random_vector(model, 71)), dv(random_vector(model, 72)), da(random_vector(model, 73)) {}
  Vector dq, dv, da;
};

// Size of the terms that a derivative of the forces is summed from.
Vector change_scale(const Sample& s, const InverseLinearization& x, const Direction& d) {
  return s.scale * (largest(d.dq) + largest(d.dv) + largest(d.da)) + x.M.cwiseAbs() * d.da.cwiseAbs() +
         x.A_D.cwiseAbs() * d.dv.cwiseAbs() + x.B_D.cwiseAbs() * d.dq.cwiseAbs();
}

Difference linear_directional(Sample& s) {
  const Direction d(s.model);
  const InverseLinearization x = linearize_inverse(s.model, s.q, s.v, s.a);
  const Vector matrix = x.M * d.da + x.A_D * d.dv + x.B_D * d.dq;
  const Vector one_pass = inverse_dynamics_jvp(s.model, s.q, s.v, s.a, d.dq, d.dv, d.da);
  return {(matrix - one_pass).cwiseAbs().cwiseQuotient(change_scale(s, x, d)).maxCoeff(), s.operations() * epsilon};
}

Difference linear_vs_dual(Sample& s) {
  const Direction d(s.model);
  const InverseLinearization x = linearize_inverse(s.model, s.q, s.v, s.a);
  const Vector matrix = x.M * d.da + x.A_D * d.dv + x.B_D * d.dq;
  const Vector exact = inverse_dynamics_jvp_by_dual(s.model, s.q, s.v, s.a, d.dq, d.dv, d.da);
  return {(matrix - exact).cwiseAbs().cwiseQuotient(change_scale(s, x, d)).maxCoeff(), s.operations() * epsilon};
}

Difference linear_forward_vs_inverse(Sample& s) {
  const InverseLinearization inverse = linearize_inverse(s.model, s.q, s.v, s.a);
  const ForwardLinearization forward = linearize_forward(s.model, s.q, s.v, s.tau);
  // M A_C = A_D and M B_C = B_D, residuals against the products' terms; A_C carries the error of a times cond.
  const Matrix M = scaled(s.world_root, s.M);
  const Matrix A_C = scaled_acceleration(s.world_root, forward.A_C),
               B_C = scaled_acceleration(s.world_root, forward.B_C);
  const double size = largest(M.cwiseAbs() * A_C.cwiseAbs()) + largest(M.cwiseAbs() * B_C.cwiseAbs()) +
                      largest(s.scale.cwiseQuotient(s.world_root)) + tiny;
  const double error = std::max(largest(M * A_C - scaled(s.world_root, inverse.A_D)),
                                largest(M * B_C - scaled(s.world_root, inverse.B_D)));
  return {error / size, s.operations() * epsilon * double(s.v.size()) * s.world_condition};
}

// Size of the terms of delta a = M^-1 delta tau - A_C delta v - B_C delta q, in coordinates scaled by their inertia, with
// what a is known to.
double acceleration_change_scale(const Sample& s, const ForwardLinearization& x, const Direction& d) {
  const auto part = [&](const Matrix& matrix, const Vector& change) {
    return largest(s.world_root.cwiseProduct(matrix.cwiseAbs() * change.cwiseAbs()));
  };
  return part(x.M_inv, d.da) + part(x.A_C, d.dv) + part(x.B_C, d.dq) + largest(s.scale.cwiseQuotient(s.world_root)) +
         tiny;
}
double linear_bound(const Sample& s) { return s.operations() * epsilon * double(s.v.size()) * s.world_condition; }

Difference linear_directional_forward(Sample& s) {
  const Direction d(s.model);
  const ForwardLinearization x = linearize_forward(s.model, s.q, s.v, s.tau);
  const Vector matrix = x.M_inv * d.da - x.A_C * d.dv - x.B_C * d.dq;
  const Vector one_pass = forward_dynamics_jvp(s.model, s.q, s.v, s.tau, d.dq, d.dv, d.da);
  return {largest(s.world_root.cwiseProduct(matrix - one_pass)) / acceleration_change_scale(s, x, d), linear_bound(s)};
}

// The acceleration that an algorithm foresees, put into inverse dynamics as dual numbers, gives back the change of the
// forces: M delta a - delta tau + A_D delta v + B_D delta q = 0, without a formula for a derivative.
template <LinearMethod method>
Difference linear_by(Sample& s) {
  const Direction d(s.model);
  const ForwardLinearization x = linearize_forward(s.model, s.q, s.v, s.tau, {}, method);
  const Vector da = x.M_inv * d.da - x.A_C * d.dv - x.B_C * d.dq;
  const Vector dtau = inverse_dynamics_jvp_by_dual(s.model, s.q, s.v, s.a, d.dq, d.dv, da);
  const Vector terms =
      x.M_inv.cwiseAbs() * d.da.cwiseAbs() + x.A_C.cwiseAbs() * d.dv.cwiseAbs() + x.B_C.cwiseAbs() * d.dq.cwiseAbs();
  const Vector forces = s.M.cwiseAbs() * terms + s.scale;
  return {largest((dtau - d.da).cwiseQuotient(s.world_root)) / (largest(forces.cwiseQuotient(s.world_root)) + tiny),
          linear_bound(s)};
}

// With a wrench that keeps its direction in the world, on the last body of the robot and at a point beside its origin.
template <LinearMethod method>
Difference linear_with_wrench_by(Sample& s) {
  const Direction d(s.model);
  ExternalLoads loads;
  const double size = largest(s.tau) + 1;
  loads.wrenches.push_back({s.model.tip_frame(), Vector3(0.5, -0.3, 0.4) * size, Vector3(0.2, 0.6, -0.1) * size,
                            Vector3(0.1, -0.05, 0.2), Axes::aligned});
  const Vector a = forward_dynamics(s.model, s.q, s.v, s.tau, loads);
  const ForwardLinearization x = linearize_forward(s.model, s.q, s.v, s.tau, loads, method);
  const Vector da = x.M_inv * d.da - x.A_C * d.dv - x.B_C * d.dq;
  const Vector one_pass = forward_dynamics_jvp(s.model, s.q, s.v, s.tau, d.dq, d.dv, d.da, loads);
  const double scale = acceleration_change_scale(s, x, d) + largest(s.world_root.cwiseProduct(a));
  return {largest(s.world_root.cwiseProduct(da - one_pass)) / scale, linear_bound(s)};
}

Difference factors(Sample& s) {
  const DiagonalForm form(s.model, s.q);
  const Matrix U = form.U(), m = form.m();
  return {std::max(inertia_error(s.root, U * form.D() * U.transpose() - s.M),
                   inertia_error(s.root, m * m.transpose() - s.M)),
          s.operations() * epsilon};
}

Difference quasi_energy(Sample& s) {
  const DiagonalForm form(s.model, s.q);
  const double energy = s.motion.kinetic_energy(), power = s.v.dot(s.tau);
  const Vector nu = form.nu(s.v), eps = form.epsilon(s.tau), xi = form.xi(s.v), kappa = form.kappa(s.tau);
  const double energy_error = std::abs(0.5 * nu.squaredNorm() - energy) / std::max(energy, tiny);
  const double size = nu.norm() * eps.norm() + xi.cwiseAbs().dot(kappa.cwiseAbs()) + tiny;
  const double power_error = std::max(std::abs(nu.dot(eps) - power), std::abs(xi.dot(kappa) - power)) / size;
  return {std::max(energy_error, power_error), s.operations() * epsilon * s.condition};
}

Difference coriolis_does_no_work(Sample& s) {
  const DiagonalTerms t = diagonal_terms(s.model, s.q, s.v, s.tau);
  // C_nu is a difference of terms of the size of D_dot xi: the rates of the links times nu.
  const double size = t.nu.norm() * (t.C_nu.norm() + t.nu.norm() * (1 + largest(s.v)));
  return {std::abs(t.nu.dot(t.C_nu)) / std::max(size, tiny), s.operations() * epsilon * s.condition};
}

Difference diagonal_forward(Sample& s) {
  return acceleration_outcome(s, forward_dynamics_diagonal(s.model, s.q, s.v, s.tau), s.a);
}

Difference diagonal_sweeps_vs_matrices(Sample& s) {
  const DiagonalTerms t = diagonal_terms(s.model, s.q, s.v, s.tau);
  const QuasiAcceleration quasi = forward_dynamics_xi(s.model, s.q, t.xi, s.tau);
  const double size = largest(t.xi_dot) + tiny;
  const double amplification = largest(s.scale.cwiseQuotient(s.root)) / std::max(s.smallest, epsilon);
  const double unit = s.root.minCoeff();
  return {largest(quasi.rate - t.xi_dot) / size,
          s.operations() * epsilon * std::sqrt(double(s.q.size())) * (1 + amplification / (unit * size))};
}

// d/dt (dK/dv) - dK/dq + dU/dq = tau, with K and U summed over the bodies and differentiated by dual numbers.
Difference lagrange(Sample& s) {
  return force_outcome(s, lagrange_forces(s.conservative, s.q, s.v, s.a),
                       inverse_dynamics(s.conservative, s.q, s.v, s.a));
}

Difference denoc_inverse(Sample& s) { return force_outcome(s, inverse_dynamics_denoc(s.model, s.q, s.v, s.a), s.tau); }

Difference denoc_forward(Sample& s) {
  return acceleration_outcome(s, forward_dynamics_denoc(s.model, s.q, s.v, s.tau), s.a);
}

Difference denoc_matrices(Sample& s) {
  const Denoc denoc(s.model, s.q, s.v);
  const Matrix C = denoc.convective_inertia();
  return {std::max(inertia_error(s.ground_root, denoc.generalized_inertia() - s.M),
                   rate_error(s, s.ground_root, C + C.transpose() - s.M_dot)),
          s.operations() * epsilon};
}

// The operators written as in the papers, applied without being formed.
Difference operators(Sample& s) {
  const SpatialOperators o(s.model, s.q);
  const Vector x = random_vector(s.model, 74);
  const Operator rigid = o.H * o.Phi * o.M * transpose(o.Phi) * transpose(o.H) + o.J;
  const Operator factored = o.U() * o.D * transpose(o.U());
  const Vector expected = s.M * x, size = s.root * s.root.dot(x.cwiseAbs());
  const double error = std::max(((rigid * x) - expected).cwiseAbs().cwiseQuotient(size).maxCoeff(),
                                ((factored * x) - expected).cwiseAbs().cwiseQuotient(size).maxCoeff());
  return {error, s.operations() * epsilon};
}

// tau is linear in the inertial parameters of the bodies.
Difference regressor(Sample& s) {
  const Vector tau = joint_torque_regressor(s.rigid, s.q, s.v, s.a) * inertial_parameters(s.rigid);
  return force_outcome(s, tau, inverse_dynamics(s.rigid, s.q, s.v, s.a));
}

Difference coriolis_is_quadratic(Sample& s) {
  const Vector doubled = coriolis_forces(s.model, s.q, 2 * s.v);
  return force_outcome(s, 0.25 * doubled, s.coriolis);
}

}  // namespace

const std::vector<Check>& paper_checks() {
  static const std::vector<Check> table = {
      {"lagrange", "d/dt ∂K/∂v − ∂K/∂q + ∂U/∂q of the energies, by dual numbers, = Newton–Euler forces", matrices,
       lagrange},
      {"coriolis_quadratic", "Coriolis forces grow with the square of v", nothing, coriolis_is_quadratic},
      {"denoc_inverse", "Saha's recursion at the mass centres gives the same forces", uncoupled, denoc_inverse},
      {"denoc_forward", "Saha's U D Uᵀ elimination gives back the accelerations", matrices | uncoupled, denoc_forward},
      {"denoc_matrices", "Saha's I and C element by element: I = M, C + Cᵀ = Ṁ", matrices | uncoupled, denoc_matrices},
      {"operators", "H Φ M Φᵀ Hᵀ = (1 + HΦK) D (1 + HΦK)ᵀ = M, the operators as in the papers", matrices | uncoupled,
       operators},
      {"regressor", "forces are linear in the bodies' inertial parameters: Y π = tau", nothing, regressor},
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
      {"factors", "M = U D Uᵀ = m mᵀ", matrices, factors},
      {"quasi_energy", "½ nuᵀnu = kinetic energy; nuᵀepsilon = xiᵀkappa = power", matrices, quasi_energy},
      {"quasi_coriolis", "nuᵀ C(q, nu) = 0: Coriolis forces do no work", matrices, coriolis_does_no_work},
      {"diagonal_forward", "forward dynamics through quasi-velocities gives back the accelerations", matrices,
       diagonal_forward},
      {"diagonal_three_sweeps", "xi_dot by three sweeps = by its terms", matrices, diagonal_sweeps_vs_matrices},
  };
  return table;
}

}  // namespace catena::cli
