// Gragg's modified midpoint rule with 2, 4, ... substeps, extrapolated in the square of the substep; the step is as long as
// the last two columns of the table allow.
#include "catena/linear/parallel_transport.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "catena/dynamics/mass_matrix.hpp"
#include "catena/model/formatted.hpp"

namespace catena::kernel {

namespace {

constexpr int levels = 6;            // order 12
constexpr double accuracy = 1e-13;   // of a step, relative
constexpr double least_step = 1e-5;  // of the way
constexpr int most_steps = 20000;    // a thousand turns and more

}  // namespace

ParallelTransport::ParallelTransport(const Model& model)
    : model_(model), workspace_(model), factor_(model.tree()), M_(model.nv(), model.nv()), C_(M_) {}

// x = [J, theta] over s in [0, 1], q = q0 + s (q1 - q0)
ParallelFrame ParallelTransport::along(const ParallelFrame& start, ConstVector q0, ConstVector q1) {
  const Eigen::Index n = q0.size();
  q0_ = q0, dq_ = q1 - q0;
  Matrix x(n, n + 1);
  x << start.J, start.theta;
  if (dq_.isZero(0)) return start;
  double s = 0, h = 0.25;
  for (int count = 0; s < 1; ++count) {
    h = std::min(h, 1 - s);
    Matrix next(n, n + 1);
    const double error = step(s, h, x, next);
    if (error <= 1) {
      s = h < 1 - s ? s + h : 1;
      x = next;
    }
    if ((error > 1 && h < least_step) || count == most_steps) {
      throw NumericalError(
          formatted(
              "the way from q0 to q is too long for {}, or its mass matrix is singular after {:.3g} of it: take a "
              "q0 that is nearer, on the same side of the singular pose",
              model_.name(), s),
          "");
    }
    h *= error > 0 ? std::clamp(0.8 * std::pow(error, -1.0 / (2 * levels - 1)), 0.2, 3.0) : 3.0;
  }
  return {x.leftCols(n), x.col(n)};
}

Matrix ParallelTransport::rate(double s, const Matrix& x) {
  const Eigen::Index n = q0_.size();
  const Vector q = q0_ + s * dq_;
  mass_matrix(model_, workspace_, q, M_);
  coriolis_matrix(model_, workspace_, q, dq_, C_);
  factor_.compute(model_, M_);
  factor_.solve_in_place(C_);
  Matrix out(n, n + 1);
  out.leftCols(n).noalias() = x.leftCols(n) * C_;
  out.col(n).noalias() = x.leftCols(n) * dq_;
  return out;
}

// Largest error by columns, in units of the accuracy; infinite where a substep meets a singular M.
double ParallelTransport::step(double s, double h, const Matrix& x, Matrix& out) {
  std::array<Matrix, levels> table;
  Matrix difference;
  try {
    const Matrix first = rate(s, x);
    for (int j = 0; j < levels; ++j) {
      const int count = 2 * (j + 1);
      const double part = h / count;
      Matrix before = x, now = x + part * first;
      for (int k = 1; k < count; ++k) {
        Matrix next = before + 2 * part * rate(s + k * part, now);
        before = std::move(now);
        now = std::move(next);
      }
      table[j] = (now + before + part * rate(s + h, now)) / 2;
      for (int k = j - 1; k >= 0; --k) {
        const double ratio = static_cast<double>(count) / (2 * (k + 1));
        difference = (table[k + 1] - table[k]) / (ratio * ratio - 1);
        table[k] = table[k + 1] + difference;
      }
    }
  } catch (const NumericalError&) {
    return std::numeric_limits<double>::infinity();
  }
  out = table[0];
  const Eigen::Index n = q0_.size();
  double worst = difference.col(n).norm() / (x.leftCols(n) * dq_).norm();
  for (Eigen::Index j = 0; j < n; ++j) worst = std::max(worst, difference.col(j).norm() / x.col(j).norm());
  return std::isfinite(worst) ? worst / accuracy : std::numeric_limits<double>::infinity();
}

}  // namespace catena::kernel
