#include "catena/reference/operational_space.hpp"

#include <Eigen/QR>

namespace catena {
namespace {

// S^-1 H Psi B, n x 6m: the mobility is its square.
Matrix root_of_mobility(const SpatialOperators& o, const std::vector<int>& frames) {
  return (inverse(o.S) * o.H * o.Psi * o.at(frames)).matrix();
}

}  // namespace

Matrix operational_space_mobility(const SpatialOperators& operators, const std::vector<int>& frames) {
  const Matrix A = root_of_mobility(operators, frames);
  return A.transpose() * A;
}

// A = Q R with scaled columns: Lambda = (A' A)^-1 keeps twice the digits of an inverse of the mobility.
Matrix operational_space_inertia(const SpatialOperators& operators, const std::vector<int>& frames) {
  Matrix A = root_of_mobility(operators, frames);
  const Vector length = A.colwise().norm();
  Eigen::ColPivHouseholderQR<Matrix> qr(A.rows(), A.cols());
  if (A.cols() > 0 && length.minCoeff() > 0 && A.rows() >= A.cols()) {
    A *= length.cwiseInverse().asDiagonal();
    qr.setThreshold(1e-9);
    qr.compute(A);
  }
  if (!(length.size() > 0 && length.minCoeff() > 0) || A.rows() < A.cols() || qr.rank() < A.cols()) {
    throw NumericalError("the " + std::to_string(frames.size()) +
                             " frames cannot be accelerated in all directions independently in this pose: their "
                             "operational-space inertia is infinite (operational_space_mobility still exists)",
                         "");
  }
  const Matrix R_inv =
      qr.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>().solve(Matrix::Identity(A.cols(), A.cols()));
  const Matrix unit_inverse = qr.colsPermutation() * (R_inv * R_inv.transpose()) * qr.colsPermutation().transpose();
  return length.cwiseInverse().asDiagonal() * unit_inverse * length.cwiseInverse().asDiagonal();
}

}  // namespace catena
