#include "catena/diagonal/control.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "catena/dynamics/inverse.hpp"

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

}  // namespace

DiagonalControl brake(const Model& model, ConstVector q, ConstVector v, const DiagonalControlOptions& options) {
  require_gains(model, options);
  require_velocity(model, v, "v");
  const DiagonalForm form(model, q);
  return finish(model, form, q, form.nu(v), Vector::Zero(model.nv()), 0, v, options);
}

DiagonalControl reach(const Model& model, ConstVector q, ConstVector v, const PoseGoal& goal,
                      const DiagonalControlOptions& options) {
  require_gains(model, options);
  if (!(goal.position_weight >= 0) || !(goal.orientation_weight >= 0)) {
    throw std::invalid_argument("the weights of the goal must not be negative");
  }
  const DiagonalForm form(model, q);
  const Kinematics kinematics(model, q, v);
  const Pose pose = kinematics.pose(goal.frame);
  // B W e in world axes at the frame's origin: force W e_0, moment sum of axis x W e (sheet 4.10 with l = 0).
  const Vector3 offset = goal.goal.p - pose.p;
  Vector6 wrench = Vector6::Zero();
  double square = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3 here = pose.R.col(axis), there = goal.goal.R.col(axis);
    wrench.head<3>() += goal.orientation_weight * here.cross(there);
    square += (there - here).squaredNorm();
  }
  wrench.tail<3>() = goal.position_weight * offset;
  const Vector pull = kinematics.jacobian(goal.frame, Axes::aligned).transpose() * wrench;
  const double potential = 0.5 * (goal.position_weight * offset.squaredNorm() + goal.orientation_weight * square);
  return finish(model, form, q, form.nu(v), pull, potential, v, options);
}

}  // namespace catena
