// Results of the five papers for `catena verify`: diagonalized dynamics, DeNOC, the operators, Lagrange.
// Linearized dynamics: checks_linear.cpp.
// Each compares two algorithms that share as little as possible; bounds as in checks.cpp.
#include <Eigen/Dense>
#include <limits>

#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/regressor.hpp"
#include "catena/reference/denoc.hpp"
#include "catena/reference/lagrange.hpp"
#include "catena/reference/spatial_operators.hpp"
#include "cli/checks.hpp"

namespace catena::cli {
namespace {

constexpr double tiny = std::numeric_limits<double>::min();

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

// v_dot = U^-T (xi_dot - U_dot' v): D^-1 stands in both terms, so each is known to the amplification of a solve, and they
// may be much larger than their difference.
Difference diagonal_forward(Sample& s) {
  const Vector a = forward_dynamics_diagonal(s.model, s.q, s.v, s.tau);
  if (s.model.has_couplings()) return acceleration_outcome(s, a, s.a);  // by dense factors, without U_dot
  const DiagonalForm form(s.model, s.q);
  const Matrix U = form.U();
  const Vector xi_dot = forward_dynamics_xi(s.model, s.q, form.xi(s.v), s.tau).rate,
               turned = xi_dot - U.transpose() * s.a;
  const Matrix back = U.transpose().inverse();
  return acceleration_outcome(s, a, s.a, back.cwiseAbs() * (xi_dot.cwiseAbs() + turned.cwiseAbs()));
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

// The methods of forward dynamics that solve with M, put into Newton-Euler: M a + bias = tau but for roundings of the terms, whatever the
// condition of M. In a itself the same error is amplified by M^-1.
Difference forward_residual(Sample& s) {
  double error = 0;
  const auto put_back = [&](const Vector& a, const Vector& root) {
    const Vector missing = inverse_dynamics(s.model, s.q, s.v, a) - s.tau;
    const Vector terms = s.scale + root * root.dot(a.cwiseAbs());
    error = std::max(error, missing.cwiseAbs().cwiseQuotient(terms).maxCoeff());
  };
  put_back(forward_dynamics(s.model, s.q, s.v, s.tau), s.root);
  put_back(forward_dynamics_composite(s.model, s.q, s.v, s.tau), s.root);
  if (!s.model.has_couplings()) put_back(forward_dynamics_denoc(s.model, s.q, s.v, s.tau), s.ground_root);
  return {error, s.operations() * epsilon};
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
      {"denoc_inverse", "Saha's recursion at the mass centres gives the same forces", nothing, denoc_inverse},
      {"denoc_forward", "Saha's U D Uᵀ elimination gives back the accelerations", matrices, denoc_forward},
      {"forward_residual", "articulated, composite and Saha's accelerations, put into Newton–Euler, give the forces",
       matrices, forward_residual},
      {"denoc_matrices", "Saha's I and C element by element: I = M, C + Cᵀ = Ṁ", matrices, denoc_matrices},
      {"operators", "H Φ M Φᵀ Hᵀ = (1 + HΦK) D (1 + HΦK)ᵀ = M, the operators as in the papers", matrices | uncoupled,
       operators},
      {"regressor", "forces are linear in the bodies' inertial parameters: Y π = tau", nothing, regressor},
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
