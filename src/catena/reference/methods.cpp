#include "catena/reference/methods.hpp"

#include <algorithm>
#include <limits>

#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/joint_terms.hpp"
#include "catena/dynamics/storage.hpp"
#include "catena/reference/methods_kernel.hpp"

namespace catena {

using namespace kernel;

namespace {

// y = M x in the model's own coordinates.
class OwnProduct {
 public:
  OwnProduct(const Tree& tree, const std::vector<Transform<double>>& X)
      : tree_(tree), X_(X), product_(tree), x_(tree.nv_full), y_(tree.nv_full) {}

  void operator()(const double* x, double* y) {
    std::copy_n(x, tree_.nv, x_.begin());
    expand_velocities(tree_, x_.data());
    mass_product(tree_, X_, x_.data(), 1, product_, y_.data());
    reduce_forces(tree_, y_.data());
    std::copy_n(y_.begin(), tree_.nv, y);
  }

 private:
  const Tree& tree_;
  const std::vector<Transform<double>>& X_;
  MassProduct<double> product_;
  std::vector<double> x_, y_;
};

Vector solve(const Model& model, const Matrix& M, Vector missing) {
  MassFactor(model, M).solve_in_place(missing.data());
  require_finite(model, missing.data());
  return missing;
}

// tau - bias; leaves the positions in the workspace.
Vector driving_forces(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, ConstVector tau,
                      const ExternalLoads& loads) {
  require_velocity(model, tau, "tau");
  Vector bias(model.nv());
  inverse_dynamics(model, workspace, q, v, Vector::Zero(model.nv()), bias, loads);
  update_positions(model.tree(), workspace.storage().q.data(), workspace.storage().positions);
  return tau - bias;
}

}  // namespace

Vector forward_dynamics_newton_columns(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                       const ExternalLoads& loads) {
  Workspace workspace(model);
  const Vector missing = driving_forces(model, workspace, q, v, tau, loads);
  const int n = model.nv();
  OwnProduct product(model.tree(), workspace.storage().positions.X);
  Matrix M(n, n);
  for (int j = 0; j < n; ++j) product(Vector(Vector::Unit(n, j)).data(), M.col(j).data());
  return solve(model, M, missing);
}

Vector forward_dynamics_newton_symmetric(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                         const ExternalLoads& loads) {
  Workspace workspace(model);
  const Vector missing = driving_forces(model, workspace, q, v, tau, loads);
  const Tree& tree = model.tree();
  const int n = tree.nv_full;
  const std::vector<Transform<double>>& X = workspace.storage().positions.X;
  MassProduct<double> product(tree);
  Matrix full = Matrix::Zero(n, n);
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    for (int c = body.v; c < body.v + velocity_count(body); ++c) {
      Vector column = Vector::Zero(n);
      mass_product(tree, X, Vector(Vector::Unit(n, c)).data(), k, product, column.data());
      for (int i = 0; i < n; ++i) {
        if (column[i] != 0) full(i, c) = full(c, i) = column[i];
      }
    }
  }
  Matrix M(model.nv(), model.nv());
  reduce_matrix(tree, full.data(), n, M);
  return solve(model, M, missing);
}

ConjugateGradientResult forward_dynamics_conjugate_gradient(const Model& model, ConstVector q, ConstVector v,
                                                            ConstVector tau, const ExternalLoads& loads) {
  Workspace workspace(model);
  const Vector b = driving_forces(model, workspace, q, v, tau, loads);
  const Tree& tree = model.tree();
  const int n = model.nv();
  Workspace::Storage& work = workspace.storage();
  OwnProduct product(tree, work.positions.X);

  ConjugateGradient<double> solver(n);
  mass_diagonal(tree, work.positions.X, work.composite, work.tau.data());
  for (const Coupling& c : tree.couplings) work.tau[c.master_v] += c.ratio * c.ratio * work.tau[c.v];
  for (int i = 0; i < n; ++i) {
    if (!(work.tau[i] > 0)) {
      throw NumericalError("the mass matrix of " + model.name() + " has no positive diagonal entry for " +
                               model.velocity_names()[static_cast<std::size_t>(i)],
                           "");
    }
    solver.scale[i] = 1 / work.tau[i];
  }
  const Eigen::Map<const Vector> x(solver.x.data(), n), scale(solver.scale.data(), n);
  Eigen::Map<Vector> r(solver.r.data(), n);
  const Vector root = scale.cwiseSqrt();
  const auto force_norm = [&](const Vector& f) { return f.cwiseProduct(root).norm(); };  // |S f|, S = diag(M)^-1/2

  ConjugateGradientResult out;
  const double rounding = 16 * n * std::numeric_limits<double>::epsilon(), b_norm = force_norm(b);
  const int limit = 40 * n + 100;
  double M_norm = 0;  // largest Rayleigh quotient of S M S seen: never above its norm
  Vector image(n);
  while (n > 0) {
    product(x.data(), image.data());
    r = b - image;
    out.residual = force_norm(r);
    out.bound = rounding * (M_norm * x.cwiseQuotient(root).norm() + b_norm);
    if (!(out.residual > out.bound)) break;
    // The recursion's own residual drifts from the true one, so a run ends early and the loop looks again.
    solver.start();
    const double aim = std::max(0.5 * out.bound, 1e-10 * out.residual);
    do {
      if (out.iterations == limit) {
        throw NumericalError("conjugate gradients have not converged in " + std::to_string(limit) +
                                 " steps: the mass matrix of " + model.name() + " is nearly singular in this pose",
                             "");
      }
      ++out.iterations;
      const double size = Eigen::Map<const Vector>(solver.p.data(), n).cwiseQuotient(root).squaredNorm();
      solver.step(product);
      M_norm = std::max(M_norm, solver.curvature / size);
    } while (std::sqrt(solver.rz) > aim);
  }
  out.a = x;
  return out;
}

Vector inverse_dynamics_kalman(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                               const ExternalLoads& loads) {
  Workspace workspace(model);
  Workspace::Storage& work = workspace.storage();
  const Tree& tree = model.tree();
  load_positions(model, work, q);
  load_velocities(model, work, v);
  require_velocity(model, a, "a");
  std::copy(a.begin(), a.end(), work.a.begin());
  expand_velocities(tree, work.a.data());
  TextbookArticulated<double> articulated(tree);
  std::vector<Force<double>> P_plus_s(tree.count(), Force<double>::zero());
  kalman_inverse_sweeps(tree, work.positions.X, work.v.data(), work.a.data(), base_velocity(loads),
                        base_acceleration(model, loads), collect_wrenches(model, loads, work), articulated, P_plus_s,
                        work.tau.data());
  if (articulated.singular_body != 0) throw_singular(model, articulated.singular_body);
  if (tree.has_terms) add_joint_forces(tree, work.q.data(), work.v.data(), work.tau.data());
  reduce_forces(tree, work.tau.data());
  return Eigen::Map<Vector>(work.tau.data(), model.nv());
}

}  // namespace catena
