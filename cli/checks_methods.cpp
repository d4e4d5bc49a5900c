// What `catena verify` checks of the papers' other methods: natural orthogonal complement, Walker and Orin, Kalman, the
// textbooks' recursions, operational space, explained terms, curvature. Bounds as in checks.cpp.
#include <Eigen/Dense>
#include <algorithm>
#include <limits>

#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/storage.hpp"
#include "catena/linear/by_dual.hpp"
#include "catena/linear/curvature.hpp"
#include "catena/reference/coriolis_components.hpp"
#include "catena/reference/explain.hpp"
#include "catena/reference/methods.hpp"
#include "catena/reference/noc.hpp"
#include "catena/reference/operational_space.hpp"
#include "catena/reference/spatial_operators.hpp"
#include "catena/reference/textbook_kernel.hpp"
#include "cli/checks.hpp"

namespace catena::cli {
namespace {

Difference worse(const Difference& one, const Difference& other) {
  return one.error * other.bound > other.error * one.bound ? one : other;
}

// K T = 0; (7.57) gives the forces; what the constraints exert does no work and is K' lambda. Arms are differences of
// places in the world.
Difference natural_complement_law(Sample& s) {
  const NaturalComplement x = natural_complement(s.model, s.q, s.v);
  const double far = s.ground_root.cwiseQuotient(s.root).maxCoeff();
  Difference forces = force_outcome(s, inverse_dynamics_noc(s.model, s.q, s.v, s.a), s.tau);
  forces.bound *= far;
  const Vector w = x.constraint_wrenches(s.v, s.a);
  const Vector parts = x.M.cwiseAbs() * (x.T.cwiseAbs() * s.a.cwiseAbs() + x.T_dot.cwiseAbs() * s.v.cwiseAbs()) +
                       x.W.cwiseAbs() * (x.M.cwiseAbs() * x.t.cwiseAbs()) + x.w_G.cwiseAbs() + x.A.cwiseAbs() * s.scale;
  const double complement = largest(x.K * x.T) / std::max(largest(x.K.cwiseAbs() * x.T.cwiseAbs()), not_zero);
  const double work = largest(x.T.transpose() * w) / std::max(largest(x.T.cwiseAbs().transpose() * parts), not_zero);
  const double range = largest(x.K.transpose() * x.multipliers(s.v, s.a) - w) / std::max(largest(parts), not_zero);
  return worse(forces, {std::max({complement, work, range}), s.operations() * epsilon * double(s.v.size()) * far});
}

// Methods 1, 2 and 4 (the third is the mass matrix with Cholesky).
Difference walker_orin(Sample& s) {
  const Difference columns = acceleration_outcome(s, forward_dynamics_newton_columns(s.model, s.q, s.v, s.tau), s.a);
  const Difference symmetric =
      acceleration_outcome(s, forward_dynamics_newton_symmetric(s.model, s.q, s.v, s.tau), s.a);
  const Difference direct = worse(columns, symmetric);
  if (s.condition > 1e8) return direct;  // conjugate gradients need not converge
  Difference iterated = acceleration_outcome(s, forward_dynamics_conjugate_gradient(s.model, s.q, s.v, s.tau).a, s.a);
  iterated.bound *= std::sqrt(double(s.v.size()));  // stops at 16 n eps of the terms in the norm
  return worse(direct, iterated);
}

Difference kalman_inverse(Sample& s) {
  Difference out = force_outcome(s, inverse_dynamics_kalman(s.model, s.q, s.v, s.a), s.tau);
  out.bound *= s.condition;  // through D^-1 and back
  return out;
}

// Newton-Euler and articulated bodies as printed, in the frames of the user's bodies.
Difference textbook(Sample& s) {
  using namespace kernel;
  const Tree& tree = s.rigid.tree();
  Workspace workspace(s.rigid);
  Workspace::Storage& work = workspace.storage();
  load_positions(s.rigid, work, s.q);
  load_velocities(s.rigid, work, s.v);
  update_positions(tree, work.q.data(), work.positions);
  const Motion<double> still = Motion<double>::zero(), ground = base_acceleration(s.rigid, {});
  Vector a = Vector::Zero(tree.nv_full), tau = Vector::Zero(tree.nv_full), found = tau;
  a = s.a;
  NewtonEuler<double> newton_euler(tree);
  inverse_sweeps<double>(tree, work.positions.X, work.v.data(), a.data(), still, ground, nullptr, newton_euler,
                         tau.data());
  TextbookArticulated<double> articulated(tree);
  const Vector rigid = inverse_dynamics(s.rigid, s.q, s.v, s.a);
  forward_sweeps<double>(tree, work.positions.X, work.v.data(), rigid.data(), still, ground, nullptr, articulated,
                         found.data());
  if (articulated.singular_body != 0) return force_outcome(s, tau, rigid);  // held by rotors alone
  // what M of the bodies alone makes of the accelerations found: no solve with it, so that rotors do not matter
  const Vector back = inverse_dynamics(s.rigid, s.q, s.v, found);
  Difference solved = force_outcome(s, back, rigid);
  solved.bound *= s.condition * double(s.v.size());
  return worse(force_outcome(s, tau, rigid), solved);
}

// J M^-1 J' of the last frame without M.
Difference operational_space(Sample& s) {
  const int frame = s.model.tip_frame();
  const SpatialOperators o(s.model, s.q);
  const Matrix J = s.motion.jacobian(frame, Axes::body), scaled = J * s.root.cwiseInverse().asDiagonal();
  const Matrix difference = operational_space_mobility(o, {frame}) - J * s.M_inv * J.transpose();
  const double size = scaled.cwiseAbs().rowwise().sum().maxCoeff();
  // M^-1 is off by M^-1 dM M^-1
  return {largest(difference) / std::max(size * size, not_zero),
          s.operations() * epsilon * double(s.v.size()) * s.condition / std::max(s.smallest, epsilon)};
}

// The terms that the papers interpret add up to what the sweeps compute.
Difference explained(Sample& s) {
  const TorqueExplanation torque = explain_torque(s.model, s.q, s.v, s.a);
  const Vector sum = torque.acceleration.sum() + torque.coriolis + torque.weight.sum() + torque.joint_terms;
  const Vector size = torque.by_acceleration.cwiseAbs().rowwise().sum() +
                      torque.by_bias_acceleration.cwiseAbs().rowwise().sum() +
                      torque.by_bias_force.cwiseAbs().rowwise().sum() + torque.by_weight.cwiseAbs().rowwise().sum();
  const Difference forces = {(sum - s.tau).cwiseAbs().cwiseQuotient(s.scale + size).maxCoeff(),
                             s.operations() * epsilon};

  const DiagonalExplanation x = explain_diagonal(s.model, s.q, s.v, s.tau);
  const DiagonalTerms t = diagonal_terms(s.model, s.q, s.v, s.tau);
  const auto rest = [&](const Vector& one, const Vector& other, const Vector& terms) {
    return (one - other).cwiseQuotient(s.root).cwiseAbs().maxCoeff() /
           std::max(terms.cwiseQuotient(s.root).cwiseAbs().maxCoeff() + largest(s.scale.cwiseQuotient(s.root)),
                    not_zero);
  };
  const Vector C_size = x.C_xi.outboard.cwiseAbs() + x.C_xi.present.cwiseAbs() + x.C_xi.inboard.cwiseAbs();
  double error = std::max({rest(x.C_xi.sum(), t.C_xi, C_size), rest(x.kappa, t.kappa, t.kappa.cwiseAbs()),
                           rest(x.c_xi * t.xi + x.bias_xi, t.C_xi, x.c_xi.cwiseAbs() * t.xi.cwiseAbs() + C_size)});
  const double nu_size = t.nu.norm() * largest(x.c_nu) + x.bias_nu.norm() + t.C_nu.norm() + not_zero;
  error = std::max({error, (x.c_nu * t.nu + x.bias_nu - t.C_nu).norm() / nu_size,
                    (x.own_nu + x.carried_nu - t.nu).norm() / (x.own_nu.norm() + x.carried_nu.norm() + not_zero)});
  const Tree& tree = s.model.tree();
  const bool plain = std::all_of(tree.bodies.begin() + 1, tree.bodies.end(), [&](const TreeBody& body) {
    return body.multi < 0 && tree.terms[static_cast<std::size_t>(body.v)].armature == 0;
  });
  if (plain) {  // (48) itself
    const Matrix c = coriolis_components(s.model, s.q, s.v);
    error = std::max(error, largest(c - x.c_nu) / (largest(x.c_nu) + largest(s.v)));
  }
  return worse(forces, {error, s.operations() * epsilon * double(s.v.size()) * s.condition});
}

// Christoffel's symbols are the Coriolis forces, and Riemann's, in a plane of two velocities x and y, follow from how
// those change along the other, by dual numbers in Newton-Euler:
//   R(x, y, x, y) = (d/dx [yy, .] - d/dy [yx, .]) x + [xy, .] M^-1 [xy, .] - [yy, .] M^-1 [xx, .]
// Bound: that of the symbols themselves, and as much for the other way.
Difference curvature_law(Sample& s) {
  const Vector x = random_vector(s.model, 80), y = random_vector(s.model, 81), still = Vector::Zero(x.size());
  const auto gamma = [&](const Vector& v) { return coriolis_forces(s.model, s.q, v); };
  double terms = 0;  // what the sum below is made of: where it cancels, rounding does not
  const auto along = [&](const Vector& u, const Vector& v) {
    const Vector moving = inverse_dynamics_jvp_by_dual(s.model, s.q, v, still, u, still, still),
                 resting = inverse_dynamics_jvp_by_dual(s.model, s.q, still, still, u, still, still);
    terms += (moving.cwiseAbs() + resting.cwiseAbs()).dot(x.cwiseAbs());
    return Vector(moving - resting);
  };
  const auto product = [&](const Vector& a, const Vector& b) {
    terms += s.condition * a.cwiseAbs().dot(s.M_inv.cwiseAbs() * b.cwiseAbs());
    return a.dot(s.M_inv * b);
  };
  const auto mixed = [](const Vector& sum, const Vector& rest) { return Vector(0.25 * (sum - rest)); };
  const Vector xy = mixed(gamma(x + y), gamma(x - y)), y_of_xy = mixed(along(y, x + y), along(y, x - y));
  const double expected = (along(x, y) - y_of_xy).dot(x) + product(xy, xy) - product(gamma(y), gamma(x));

  const Curvature R = curvature(s.model, s.q);
  const int n = s.model.nv();
  double found = 0, bound = s.operations() * epsilon * terms;
  for (int h = 0; h < n; ++h) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) found += R.symbol(h, i, j, k) * x[h] * y[i] * x[j] * y[k];
      }
    }
  }
  const Vector z = x.cwiseAbs() + y.cwiseAbs();
  for (const RiemannSymbol& r : R.symbols) bound += 16 * r.bound * z[r.h] * z[r.i] * z[r.j] * z[r.k];
  const Difference riemann = {std::abs(found - expected) / std::max(bound, not_zero), 1};

  const ChristoffelSymbols symbols = christoffel_symbols(s.model, s.q);
  Vector forces(n), solved(n);
  for (int k = 0; k < n; ++k) {
    forces[k] = s.v.dot(symbols.first[static_cast<std::size_t>(k)] * s.v);
    solved[k] = s.v.dot(symbols.second[static_cast<std::size_t>(k)] * s.v);
  }
  const Difference first = force_outcome(s, forces, s.coriolis);
  const Vector size = s.M.cwiseAbs() * solved.cwiseAbs() + s.scale;
  const Difference second = {(s.M * solved - s.coriolis).cwiseAbs().cwiseQuotient(size).maxCoeff(),
                             s.operations() * epsilon * double(n) * s.condition};
  return worse(riemann, worse(first, second));
}

}  // namespace

const std::vector<Check>& method_checks() {
  static const std::vector<Check> table = {
      {"natural_complement", "Angeles: K T = 0, TᵀMT and (7.57) give the forces, constraints exert Kᵀλ",
       matrices | uncoupled | small, natural_complement_law},
      {"walker_orin", "Walker and Orin's methods 1, 2 and 4 give back the accelerations", matrices, walker_orin},
      {"kalman_inverse", "inverse dynamics by filtering and smoothing gives the same forces", matrices | uncoupled,
       kalman_inverse},
      {"textbook", "Newton–Euler and articulated bodies as printed, in the bodies' own frames", matrices | uncoupled,
       textbook},
      {"operational_space", "mobility of the last frame without M: Bᵀ Ψᵀ Hᵀ D⁻¹ H Ψ B = J M⁻¹ Jᵀ", matrices | uncoupled,
       operational_space},
      {"explained", "the terms that the papers interpret add up to tau, xi, kappa, C_xi and C_nu",
       matrices | uncoupled | small, explained},
      {"curvature", "Riemann's symbols in a plane = from derivatives of the Coriolis forces by dual numbers",
       matrices | adding, curvature_law},
  };
  return table;
}

}  // namespace catena::cli
