#include "catena/diagonal/control.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "catena/dynamics/inverse.hpp"
#include "catena/model/formatted.hpp"

namespace catena {
namespace {

// tau_wanted = m epsilon; then the limits, and what remains of L_dot = nu' (epsilon_real - G_nu - ...) - e' W J v.
DiagonalControl finish(const Model& model, const DiagonalForm& form, ConstVector q, const Vector& nu,
                       const Vector& pull, double potential, ConstVector v, const DiagonalControlOptions& options) {
  const Vector braking = options.c.cwiseProduct(nu);
  const Vector gravity = gravity_forces(model, q);
  DiagonalControl out;
  out.tau_wanted = form.force_from_epsilon(Vector(-braking)) + pull;
  if (options.compensate_gravity) out.tau_wanted += gravity;
  out.tau = out.tau_wanted;
  if (options.limit_effort) {
    for (const Coordinate& c : model.coordinates()) {
      const double effort = model.description().joints[c.index].limits.effort;
      for (int i = c.v; i < c.v + c.nv; ++i) {
        out.tau[i] = std::clamp(out.tau[i], -effort, effort);
        if (out.tau[i] != out.tau_wanted[i]) out.saturated.push_back(i);
      }
    }
  }
  out.lyapunov = 0.5 * nu.squaredNorm() + potential;
  // d(nu' nu / 2)/dt = v' (tau - gravity - joint forces); d(e' W e / 2)/dt = -v' pull
  const auto rate = [&](const Vector& tau) { return v.dot(tau - gravity - joint_forces(model, q, v) - pull); };
  out.rate_wanted = rate(out.tau_wanted);
  out.rate = rate(out.tau);
  return out;
}

void require_gains(const Model& model, const DiagonalControlOptions& options) {
  require_velocity(model, options.c, "c");
  if (!(options.c.array() > 0).all()) throw std::invalid_argument("every gain in c must be positive");
}

constexpr int outputs = 12;  // a point and three axes
using Outputs = Eigen::Matrix<double, outputs, 1, Eigen::DontAlign>;

std::string entry(Eigen::Index row, Eigen::Index column, double value) {
  return formatted("W({}, {}) = {:g}", row + 1, column + 1, value);
}

// What a component of e is the error of.
std::string part_of_error(Eigen::Index i) {
  static constexpr const char* parts[] = {"the point", "the x axis", "the y axis", "the z axis"};
  static constexpr const char* components[] = {"x", "y", "z"};
  return formatted("the {} component of {}", components[i % 3], parts[i / 3]);
}

// Positive beyond rounding: the smallest eigenvalue, not a pivot, decides.
[[noreturn]] void refuse_indefinite(const Matrix& W) {
  for (Eigen::Index i = 0; i < outputs; ++i)
    if (!(W(i, i) > 0))
      throw std::invalid_argument("the weight W is not positive definite: " + entry(i, i, W(i, i)) +
                                  " on its diagonal weighs " + part_of_error(i) + "; make it positive");
  const Eigen::SelfAdjointEigenSolver<Matrix> modes(W);
  const double least = modes.eigenvalues()[0];
  Eigen::Index most = 0;
  modes.eigenvectors().col(0).cwiseAbs().maxCoeff(&most);
  throw std::invalid_argument(
      formatted("the weight W is not positive definite: its smallest eigenvalue is {:g}, most of it in {} (row {}); "
                "add more than {:g} to its diagonal, or make its other entries smaller",
                least, part_of_error(most), most + 1, std::max(-least, 0.0)));
}

// f = W e. Without a matrix: one number for the point, one for the axes.
Outputs weighed(const PoseGoal& goal, const Outputs& e) {
  if (goal.W.size() > 0) return goal.W * e;
  Outputs f;
  f << goal.position_weight * e.head<3>(), goal.orientation_weight * e.tail<9>();
  return f;
}

}  // namespace

void require_weight(const PoseGoal& goal) {
  if (!(goal.position_weight >= 0) || !(goal.orientation_weight >= 0) || !std::isfinite(goal.position_weight) ||
      !std::isfinite(goal.orientation_weight))
    throw std::invalid_argument("the weights of the goal must be finite and not negative");
  const Matrix& W = goal.W;
  if (W.size() == 0) return;
  if (W.rows() != outputs || W.cols() != outputs)
    throw std::invalid_argument(
        formatted("the weight W is {} x {}: make it 12 x 12, in the order of e = (point, x axis, y axis, z axis)",
                  W.rows(), W.cols()));
  const double size = W.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < outputs; ++i) {
    for (Eigen::Index k = 0; k < outputs; ++k) {
      if (!std::isfinite(W(i, k))) throw std::invalid_argument(entry(i, k, W(i, k)) + " must be finite");
      if (std::abs(W(i, k) - W(k, i)) > 1e-12 * size)
        throw std::invalid_argument("the weight W is not symmetric: " + entry(i, k, W(i, k)) + " but " +
                                    entry(k, i, W(k, i)) + "; take (W + W') / 2, which pulls the same way");
    }
  }
  const Matrix lowered = W - 1e-13 * size * Matrix::Identity(outputs, outputs);
  if (lowered.llt().info() != Eigen::Success) refuse_indefinite(W);
}

DiagonalControl brake(const Model& model, ConstVector q, ConstVector v, const DiagonalControlOptions& options) {
  require_gains(model, options);
  require_velocity(model, v, "v");
  const DiagonalForm form(model, q);
  return finish(model, form, q, form.nu(v), Vector::Zero(model.nv()), 0, v, options);
}

DiagonalControl reach(const Model& model, ConstVector q, ConstVector v, const PoseGoal& goal,
                      const DiagonalControlOptions& options) {
  require_gains(model, options);
  require_weight(goal);
  const DiagonalForm form(model, q);
  const Kinematics kinematics(model, q, v);
  const Pose pose = kinematics.pose(goal.frame);
  Outputs e;
  e.head<3>() = goal.goal.p - pose.p;
  for (int axis = 0; axis < 3; ++axis) e.segment<3>(3 + 3 * axis) = goal.goal.R.col(axis) - pose.R.col(axis);
  // B W e in world axes at the frame's origin: force (W e)_0, moment sum of axis x (W e)_axis (sheet 4.10 with l = 0).
  const Outputs f = weighed(goal, e);
  Vector6 wrench = Vector6::Zero();
  for (int axis = 0; axis < 3; ++axis)
    wrench.head<3>() += Vector3(pose.R.col(axis)).cross(Vector3(f.segment<3>(3 + 3 * axis)));
  wrench.tail<3>() = f.head<3>();
  const Vector pull = kinematics.jacobian(goal.frame, Axes::aligned).transpose() * wrench;
  const double potential = 0.5 * e.dot(f);
  return finish(model, form, q, form.nu(v), pull, potential, v, options);
}

}  // namespace catena
