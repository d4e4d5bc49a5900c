// Control in quasi-velocities (Jain and Rodriguez, section 8; formula sheet 4.10, errors of the paper corrected).
// Control 8.1 brakes every nu on its own:        epsilon = -c nu + G_nu
// Control 8.2 leads a frame to a pose as well:   epsilon = -c nu + l J' W e + G_nu
// Torque limits: tau is clipped joint by joint; the result says what the Lyapunov function then really does.
#pragma once

#include "catena/diagonal/diagonal.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct DiagonalControl {
  Vector tau;                  // what the motors get, within the limits
  Vector tau_wanted;           // before clipping
  std::vector<int> saturated;  // velocity components that were clipped
  double lyapunov = 0;         // L = nu' nu / 2 (+ e' W e / 2)
  double rate_wanted = 0;      // L_dot = -nu' c nu without limits (gravity compensated, no friction)
  double rate = 0;             // L_dot with the clipped tau; may be positive: then the control no longer brakes
};

struct DiagonalControlOptions {
  Vector c;  // positive, nv numbers: 1/s
  bool compensate_gravity = true;
  bool limit_effort = true;  // the joints' effort limits
};

// Control 8.1. One number in all of c: |nu| decays as exp(-c t) exactly. Throws std::invalid_argument for c not
// positive.
DiagonalControl brake(const Model& model, ConstVector q, ConstVector v, const DiagonalControlOptions& options);

// Control 8.2: e stacks the errors of a point and of three axes of the frame, in world components:
// e = (p_goal - p, x_goal - x, y_goal - y, z_goal - z), 12 numbers. Converges to e = 0 if the goal can be reached and no
// other pose with J' W e = 0 lies on the path (a stretched arm, a rotation by 180 degrees).
struct PoseGoal {
  int frame = 0;
  Pose goal;                      // of the frame, in the world
  double position_weight = 1;     // N/m
  double orientation_weight = 1;  // N m
  Matrix W;                       // 12 x 12, symmetric positive definite; empty: diag(position, orientation)
};
// Throws std::invalid_argument that names the entry or the eigenvalue at fault, and a remedy.
void require_weight(const PoseGoal& goal);
DiagonalControl reach(const Model& model, ConstVector q, ConstVector v, const PoseGoal& goal,
                      const DiagonalControlOptions& options);

}  // namespace catena
#pragma GCC visibility pop
