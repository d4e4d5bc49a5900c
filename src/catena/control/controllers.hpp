// Controllers that come with Catena; equations and a comparison: docs/control.md. They ask for forces without limits:
// torque limits, sample period and delay are put around them by Actuation (control/actuation.hpp).
// Errors e are taken on the configuration manifold, from where the robot is to where it should be, in its own axes:
//   e = difference(q, q_d),   u = Ad(e) v_d - v   (for one-degree joints q_d - q and v_d - v).
#pragma once

#include <memory>

#include "catena/control/controller.hpp"
#include "catena/control/riccati.hpp"
#include "catena/diagonal/control.hpp"
#include "catena/trajectory/trajectory.hpp"

#pragma GCC visibility push(default)
namespace catena {

// What to follow: any motion; standstill(model, q) for a fixed pose.
using Target = std::shared_ptr<const Trajectory>;

// nv numbers each, not negative.
struct JointGains {
  Vector stiffness, damping;
};
JointGains uniform_gains(const Model& model, double stiffness, double damping);

// All throw std::invalid_argument for wrong sizes, NaN, negative gains and a missing target.

// tau = K e + D u. Under gravity it sags.
std::unique_ptr<Controller> pd(const Model& model, Target target, const JointGains& gains);

// tau = K e + D u + what holds the robot still where it is (gravity and joint springs).
std::unique_ptr<Controller> pd_gravity(const Model& model, Target target, const JointGains& gains);

// tau = inverse_dynamics(q, v, a_d + D u + K e), K in 1/s^2, D in 1/s: for a perfect model every joint's error obeys
// e_ddot + D e_dot + K e = 0 on its own, and a push is answered through the mass matrix.
std::unique_ptr<Controller> computed_torque(const Model& model, Target target, const JointGains& gains);

// tau = inverse_dynamics(q_d, v_d, a_d) + K e + D u, K in N m/rad, D in N m s/rad: the model only predicts; a push is
// answered by the springs K alone, whatever the pose, and errors of the joints stay coupled through M.
std::unique_ptr<Controller> joint_impedance(const Model& model, Target target, const JointGains& gains);

// A spring and a damper between a frame and a pose in the world, by plain J' F plus what holds the robot still:
//   F = [K_turn theta - D_turn w; K_shift (p_goal - p) - D_shift p_dot],  tau = J' F + hold(q) - joint_damping v
// theta: the rotation vector that leads to the goal, world axes. No inverse of the operational-space inertia: the
// controller stays defined and passive at singular poses, and the frame keeps the inertia that it has. joint_damping
// quiets what the frame does not see (redundant robots). Passive if the three rotational stiffnesses are equal.
struct FrameImpedance {
  int frame = 0;
  Pose goal;                            // of the frame, in the world
  Vector6 stiffness = Vector6::Zero();  // world axes: N m/rad (3), N/m (3)
  Vector6 damping = Vector6::Zero();    // N m s/rad (3), N s/m (3)
  double joint_damping = 0;             // N m s/rad or N s/m, every component of v
};
std::unique_ptr<Controller> operational_impedance(const Model& model, const FrameImpedance& spring);

// Control 8.1 and Control 8.2 of Jain and Rodriguez (diagonal/control.hpp), without their own torque limits.
std::unique_ptr<Controller> diagonal_brake(const Model& model, ConstVector c, bool compensate_gravity = true);
std::unique_ptr<Controller> diagonal_reach(const Model& model, const PoseGoal& goal, ConstVector c,
                                           bool compensate_gravity = true);

// Weights of the cost integral of x' Q x + dtau' R dtau, x = (dq, dv).
struct LqrWeights {
  Matrix Q;  // 2 nv x 2 nv, symmetric, not negative
  Matrix R;  // nv x nv, symmetric, positive
};
// The same number for every joint: position, velocity, force.
LqrWeights uniform_weights(const Model& model, double position, double velocity, double force);

// The regulator about standing still at q: tau = hold(q) - K x. P: cost to go x' P x.
struct Lqr {
  Vector q, tau;
  RegulatorProblem problem;
  Matrix P, K;
};
Lqr lqr_about(const Model& model, ConstVector q, const LqrWeights& weights);  // throws NumericalError: riccati.hpp
std::unique_ptr<Controller> lqr(const Model& model, ConstVector q, const LqrWeights& weights);

// Time-varying regulator along a motion: tau = inverse_dynamics(q_d, v_d, a_d) - K(t) x. K from the Riccati
// differential equation, backward from lqr_about the end, at intervals + 1 instants and linear between them; after the
// end it regulates there.
std::unique_ptr<Controller> tracking_lqr(const Model& model, Target target, const LqrWeights& weights,
                                         int intervals = 200);

}  // namespace catena
#pragma GCC visibility pop
