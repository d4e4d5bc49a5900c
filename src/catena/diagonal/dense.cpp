// The same diagonalized equations from dense matrices: needed where mimic joints tie joints together, and an
// independent check everywhere else. M = U D U' gives U_dot and D_dot from M_dot: U^-1 M_dot U^-T = W D + D_dot + D W',
// W = U^-1 U_dot strictly upper triangular.
#include "catena/diagonal/storage.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"

namespace catena {

namespace kernel {

void factor_dense(const Model& model, const Matrix& M, Matrix& U, Vector& pivot) {
  const int n = static_cast<int>(M.rows());
  Matrix rest = M;
  U = Matrix::Identity(n, n);
  pivot.resize(n);
  for (int k = n - 1; k >= 0; --k) {
    pivot[k] = rest(k, k);
    if (!(pivot[k] > model.tree().pivot_floor[k])) throw_singular_component(model, k);
    U.col(k).head(k) = rest.col(k).head(k) / pivot[k];
    rest.topLeftCorner(k, k) -= U.col(k).head(k) * rest.col(k).head(k).transpose();
  }
}

DiagonalTerms diagonal_terms_dense(const DiagonalForm& form, ConstVector q, ConstVector v, ConstVector tau,
                                   const ExternalLoads& loads) {
  const Model& model = form.storage().model;
  if (loads.base.angular_velocity.norm() + loads.base.velocity.norm() > 0) {
    throw std::invalid_argument(
        "diagonalized dynamics of joints that follow others is not available on a moving base: leave the base at rest");
  }
  const Matrix U = form.U();
  const Vector pivot = form.D().diagonal(), root = pivot.cwiseSqrt();
  const auto upper = U.triangularView<Eigen::UnitUpper>();
  const Matrix half = upper.solve(mass_matrix_dot(model, q, v));
  const Matrix N = upper.solve(Matrix(half.transpose()));
  const Vector D_dot = N.diagonal();
  const Matrix W = Matrix(N.triangularView<Eigen::StrictlyUpper>()) * pivot.cwiseInverse().asDiagonal();

  DiagonalTerms out;
  out.xi = U.transpose() * v;
  out.nu = root.cwiseProduct(out.xi);
  out.kappa = upper.solve(tau);
  out.epsilon = out.kappa.cwiseQuotient(root);
  out.C_xi = upper.solve(coriolis_forces(model, q, v)) - pivot.cwiseProduct(W.transpose() * out.xi);
  out.G_xi = upper.solve(gravity_forces(model, q));
  const Vector zero = Vector::Zero(model.nv());
  ExternalLoads wrenches;
  wrenches.wrenches = loads.wrenches;
  const Vector pushed = inverse_dynamics(model, q, zero, zero, wrenches) - inverse_dynamics(model, q, zero, zero);
  out.F_xi = upper.solve(Vector(joint_forces(model, q, v) + pushed));
  out.C_nu = out.C_xi.cwiseQuotient(root) - 0.5 * D_dot.cwiseQuotient(root).cwiseProduct(out.xi);
  out.G_nu = out.G_xi.cwiseQuotient(root);
  out.F_nu = out.F_xi.cwiseQuotient(root);
  out.nu_dot = out.epsilon - out.C_nu - out.G_nu - out.F_nu;
  out.xi_dot = (out.kappa - out.C_xi - out.G_xi - out.F_xi).cwiseQuotient(pivot);
  return out;
}

}  // namespace kernel

}  // namespace catena
