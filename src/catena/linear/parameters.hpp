// How the dynamics changes with the robot itself: derivatives of joint forces (q, v, a held) and of accelerations
// (q, v, tau held) by the parameters of the description. With tau = f(q, v, a, p):  d tau = f_p dp,  da = -M^-1 f_p dp.
// Source: formula sheet 3.8; a placement changes like the q of a free joint at rest put in front of the joint.
#pragma once

#include "catena/linear/regressor.hpp"
#include "catena/model/parameter.hpp"

#pragma GCC visibility push(default)
namespace catena {

enum class ParameterKind {
  inertia,         // ten per body: m, m c, J about the body frame's origin (catena/linear/regressor.hpp)
  placement,       // six per joint, fixed too: placement <- placement exp(x), x = [rotation; translation] in its frame
  body_pose,       // six per joint: body_in_joint <- body_in_joint exp(x), x in the child body's frame
  armature,        // one per joint that moves, mimics too: rotor_inertia gear_ratio^2
  damping,         // likewise
  friction,        // likewise
  friction_scale,  // likewise
  stiffness,       // likewise
  rest,            // likewise; zero columns for joints whose springs rest at the neutral pose
  gravity,         // three, in world axes
};

// "inertia", "placement", ... with what they mean, in this order.
const std::vector<std::pair<const char*, ParameterKind>>& parameter_kinds();

// Column c: the derivative by the parameter names[c]; nv rows.
struct Sensitivity {
  std::vector<std::string>
      names;  // "forearm.m", "elbow.rx" ... "elbow.z", "elbow.body.rx", "elbow.damping", "gravity.z"
  Matrix derivative;
};

// d tau / d p at (q, v, a).
Sensitivity inverse_sensitivity(const Model& model, ParameterKind kind, ConstVector q, ConstVector v, ConstVector a,
                                const ExternalLoads& loads = {});
// da / dp at (q, v, tau). Throws NumericalError where the mass matrix is singular.
Sensitivity forward_sensitivity(const Model& model, ParameterKind kind, ConstVector q, ConstVector v, ConstVector tau,
                                const ExternalLoads& loads = {});

// The same by parameters with the names of catena/model/parameter.hpp: "forearm.com.x", "flange.payload.mass" ... Unlike
// "forearm.m" above, a mass changes with the centre of mass and the inertia about it held.
Sensitivity inverse_sensitivity(const Model& model, const std::vector<Parameter>& parameters, ConstVector q,
                                ConstVector v, ConstVector a, const ExternalLoads& loads = {});
Sensitivity forward_sensitivity(const Model& model, const std::vector<Parameter>& parameters, ConstVector q,
                                ConstVector v, ConstVector tau, const ExternalLoads& loads = {});

// The same by the ten inertial parameters of a body rigidly attached to a frame, in the frame's axes.
Sensitivity inverse_payload_sensitivity(const Model& model, int frame, ConstVector q, ConstVector v, ConstVector a,
                                        const ExternalLoads& loads = {});
Sensitivity forward_payload_sensitivity(const Model& model, int frame, ConstVector q, ConstVector v, ConstVector tau,
                                        const ExternalLoads& loads = {});

// Denavit-Hartenberg parameters: standard is Rz(theta) Tz(b) Tx(a) Rx(alpha), modified Rx(alpha) Tx(a) Rz(theta) Tz(b).
// Four columns (a, b, alpha, theta) per joint that moves; theta and b of the joint's own variable are offsets of q.
// A link's inertia and what it carries stay fixed in the link's frame, which moves.
enum class DhConvention { standard, modified };

// base: pose of the table's first frame in the ground or in the body that carries it (modified only: standard tables do
// not need it). Throws std::invalid_argument naming the joint that does not have the convention's form.
Sensitivity inverse_dh_sensitivity(const Model& model, DhConvention convention, ConstVector q, ConstVector v,
                                   ConstVector a, const ExternalLoads& loads = {}, const Pose& base = {});
Sensitivity forward_dh_sensitivity(const Model& model, DhConvention convention, ConstVector q, ConstVector v,
                                   ConstVector tau, const ExternalLoads& loads = {}, const Pose& base = {});

}  // namespace catena
#pragma GCC visibility pop
