// theta and J by parallel transport from q0 (linear/parallel_transport.hpp), twice: joints together, and one after another.
#include "catena/linear/flat_coordinates.hpp"

#include <algorithm>
#include <cmath>

#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/parallel_transport.hpp"
#include "catena/model/formatted.hpp"

namespace catena {

using namespace kernel;

namespace {

// The joint that component i of v belongs to.
std::string joint_of(const Model& model, Eigen::Index i) { return model.velocity_names()[static_cast<std::size_t>(i)]; }

void require_flat(const Model& model, ConstVector q, ConstVector q0) {
  const Curvature at_q = curvature(model, q), at_q0 = curvature(model, q0);
  if (at_q.flat() && at_q0.flat() && flatness(model).flat) return;
  const PairCurvature found = pair_curvature(model, 8);
  const Vector range = (found.range.array() > 0).select(found.range, 1);  // joints that limits hold still count too
  Matrix largest = pair_curvature(at_q).cwiseMax(pair_curvature(at_q0));
  largest = found.largest.cwiseMax(largest.cwiseProduct(range * range.transpose()));
  Eigen::Index i = 0, j = 0;
  const double most = largest.maxCoeff(&i, &j);
  throw NumericalError(
      formatted(
          "{} is not flat, so no coordinates make its mass matrix constant: joints {} and {} have the largest "
          "curvature, {:.3g} rad over their range; pair_curvature() and `catena curvature` without --flat say how far "
          "from flat each pair is",
          model.name(), joint_of(model, std::min(i, j)), joint_of(model, std::max(i, j)), most),
      "");
}

}  // namespace

FlatCoordinates flat_coordinates(const Model& model, ConstVector q, ConstVector q0) {
  require_configuration(model, q);
  require_configuration(model, q0);
  require_flat(model, q, q0);
  const Eigen::Index n = model.nv();
  ParallelTransport way(model);
  const ParallelFrame start{DiagonalForm(model, q0).m().transpose(), Vector::Zero(n)};
  const ParallelFrame straight = way.along(start, q0, q);
  ParallelFrame corners = start;
  double length = 0;
  Vector corner = q0, next = q0;
  for (Eigen::Index i = 0; i < n; ++i) {
    next[i] = q[i];
    const Vector before = corners.theta;
    corners = way.along(corners, corner, next);
    length += (corners.theta - before).norm();
    corner = next;
  }

  FlatCoordinates out{straight.theta, straight.J, straight.J * DiagonalForm(model, q).l().transpose(), 0, 0};
  const Matrix M = mass_matrix(model, q);
  const Vector root = M.diagonal().cwiseSqrt();
  out.metric_error = ((out.J.transpose() * out.J - M).array().abs() / (root * root.transpose()).array()).maxCoeff();
  for (Eigen::Index j = 0; j < n; ++j)
    out.path_error = std::max(out.path_error, (corners.J - out.J).col(j).norm() / root[j]);
  if (length > 0) out.path_error = std::max(out.path_error, (corners.theta - out.theta).norm() / length);
  constexpr double acceptable = 1e-8;
  if (!(out.metric_error <= acceptable && out.path_error <= acceptable))
    throw NumericalError(
        formatted("theta of {} is lost between q0 and q: two ways there differ by {:.2g}; the mass matrix is nearly "
                  "singular on one of them, take a q0 on the same side of the singular pose",
                  model.name(), out.path_error),
        "");
  return out;
}

}  // namespace catena
