// Inside of DiagonalForm: the articulated sweep, or dense factors where mimic joints preclude it.
#pragma once

#include "catena/diagonal/diagonal.hpp"
#include "catena/diagonal/kernel.hpp"
#include "catena/dynamics/storage.hpp"

namespace catena {

struct DiagonalForm::Storage {
  explicit Storage(const Model& model_in);

  Model model;
  Workspace workspace;
  kernel::Diagonal<double> diagonal;
  Matrix U;      // dense factors only
  Vector pivot;  // dense factors only: the diagonal of D

  bool dense() const { return model.has_couplings(); }
  Workspace::Storage& work() { return workspace.storage(); }
  const Tree& tree() const { return model.reduced().tree; }  // the reduced one, in whose frames all is kept
};

namespace kernel {

// M = U D U' by reverse Gaussian elimination (sheet 2.4), and how U and D change with M.
void factor_dense(const Model& model, const Matrix& M, Matrix& U, Vector& pivot);
DiagonalTerms diagonal_terms_dense(const DiagonalForm& form, ConstVector q, ConstVector v, ConstVector tau,
                                   const ExternalLoads& loads);

}  // namespace kernel
}  // namespace catena
