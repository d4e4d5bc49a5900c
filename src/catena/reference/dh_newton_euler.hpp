// Angeles' recursive Newton-Euler algorithm in Denavit-Hartenberg frames, a second inverse dynamics that shares no code
// with the first. Serial chains of revolute and prismatic joints. Source: Angeles, Algorithms 7.4.1 and 7.4.2,
// corrected as in formula sheet 1.1-1.3. Quantities with index i are in F_{i+1}, joint wrenches in F_i.
#pragma once

#include "catena/dynamics/workspace.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct DhLink {
  bool prismatic = false;
  double a = 0, b = 0, alpha = 0, theta = 0;  // revolute: theta is the offset of q; prismatic: b is
  double mass = 0;
  Vector3 rho = Vector3::Zero();  // A_i -> C_i in F_{i+1}; A_i on the joint axis: O_i, or O_i + b_i e_i if prismatic
  Matrix3 inertia = Matrix3::Zero();  // about C_i in F_{i+1}

  Vector3 delta() const;  // C_i -> O_{i+1} in F_{i+1}
};

// Motion of the base point C_0 and gravity, in F_1.
struct DhBase {
  Vector3 delta = Vector3::Zero();  // C_0 -> O_1
  Vector3 angular_velocity = Vector3::Zero(), angular_acceleration = Vector3::Zero();
  Vector3 velocity = Vector3::Zero(), acceleration = Vector3::Zero();
  Vector3 gravity = {0, 0, -9.81};
};

struct DhResult {
  Vector tau;
  std::vector<Vector3> force, moment;                    // f_i^P, n_i^P about A_i, in F_i
  std::vector<Vector3> omega, omega_dot, c_dot, c_ddot;  // in F_{i+1}; c_ddot with gravity subtracted
};

// tip_force at C_n, tip_moment: applied by the environment on the last link, in F_{n+1}.
DhResult dh_newton_euler(const std::vector<DhLink>& links, const DhBase& base, ConstVector q, ConstVector v,
                         ConstVector a, const Vector3& tip_force = Vector3::Zero(),
                         const Vector3& tip_moment = Vector3::Zero());

struct DhChain {
  std::vector<DhLink> links;
  DhBase base;
  Pose first;  // F_1 in the ground, which the table cannot say: its z axis along the first joint
  struct Tool {
    int frame;  // model.frame_name(frame), of the last link
    Pose pose;  // in the last frame of the table, F_{n+1}; the same in both conventions
  };
  std::vector<Tool> tools;
};

// F_{n+1} in the ground: first and the table's links one after the other, standard Rz(theta) Tz(b) Tx(a) Rx(alpha). A frame
// of the last link is at dh_tip(chain, q) * tool.pose.
Pose dh_tip(const DhChain& chain, ConstVector q);

// DH parameters of a model that is one serial chain of revolute, continuous and prismatic joints, none a mimic;
// nothing for any other. The recursion then gives the model's tau without joint terms.
std::optional<DhChain> dh_chain(const Model& model);

}  // namespace catena
#pragma GCC visibility pop
