#include "catena/dynamics/mass_factor.hpp"

#include "catena/dynamics/ldl_kernel.hpp"
#include "catena/dynamics/storage.hpp"

namespace catena::kernel {

MassFactor::MassFactor(const Tree& tree) : order_(tree.tips_first), factor_(tree.nv, tree.nv), permuted_(tree.nv) {}

MassFactor::MassFactor(const Model& model, const Matrix& M) : MassFactor(model.tree()) { compute(model, M); }

void MassFactor::compute(const Model& model, const Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>& M) {
  const int n = static_cast<int>(order_.size());
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) factor_(i, j) = M(order_[i], order_[j]);
  }
  const std::vector<double>& floor = model.tree().pivot_floor;
  const int bad = ldl_factor(n, factor_.data(), n, [&](int j) { return floor[order_[j]]; });
  if (bad >= 0) throw_singular_component(model, order_[bad]);
}

void MassFactor::solve_in_place(double* x) const {
  const int n = static_cast<int>(order_.size());
  for (int i = 0; i < n; ++i) permuted_[i] = x[order_[i]];
  ldl_solve(n, factor_.data(), n, permuted_.data());
  for (int i = 0; i < n; ++i) x[order_[i]] = permuted_[i];
}

void MassFactor::solve_in_place(MatrixRef x) const {
  for (Eigen::Index j = 0; j < x.cols(); ++j) solve_in_place(x.col(j).data());
}

}  // namespace catena::kernel
