// A factor of the model's own mass matrix, given as a matrix: where mimic joints tie joints together across the tree,
// and wherever M is at hand. Tips first and judged by the same pivots as the factor along the tree.
#pragma once

#include "catena/dynamics/workspace.hpp"
#include "catena/model/tree.hpp"

namespace catena::kernel {

class MassFactor {
 public:
  MassFactor() = default;
  explicit MassFactor(const Tree& tree);  // memory for a robot of this size
  // Throws NumericalError naming the joint where M is singular.
  MassFactor(const Model& model, const Matrix& M);

  void compute(const Model& model, const Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>& M);
  void solve_in_place(double* x) const;    // nv numbers
  void solve_in_place(MatrixRef x) const;  // each column
  template <class Derived>
  typename Derived::PlainObject solve(const Eigen::MatrixBase<Derived>& b) const {
    typename Derived::PlainObject x = b;
    for (Eigen::Index j = 0; j < x.cols(); ++j) solve_in_place(x.col(j).data());
    return x;
  }

 private:
  std::vector<int> order_;
  Matrix factor_;
  mutable Vector permuted_;
};

}  // namespace catena::kernel
