// Joint springs: energy stiffness/2 |q - rest|^2; a joint with several degrees of freedom rests at its neutral pose.
#pragma once

#include "catena/kinematics/joints.hpp"

namespace catena::kernel {

// Rotation vector of a unit quaternion (x, y, z, w), at most half a turn.
template <class S>
Vec3<S> rotation_vector(const S* q) {
  using std::atan2, std::sqrt;
  const S sign = q[3] < S(0) ? S(-1) : S(1);
  const S sine = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]), cosine = q[3] * sign;
  const S k = sine < S(1e-8) ? S(2) / cosine : S(2) * atan2(sine, cosine) / sine;
  return Vec3<S>{q[0], q[1], q[2]} * (sign * k);
}

// tau += dE/dq in the directions of v. q, tau: full coordinates.
template <class S, class C>
void add_spring_force(const Topology& tree, const BasicSpring<C>& spring, const S* q_full, S* tau_full) {
  const TreeBody& body = tree.bodies[spring.body];
  const S* q = q_full + body.q;
  S* tau = tau_full + body.v;
  const C& k = spring.stiffness;
  const auto add = [&](int first, const Vec3<S>& x) {
    tau[first] += x.x * k, tau[first + 1] += x.y * k, tau[first + 2] += x.z * k;
  };
  switch (body.kind) {
    case JointKind::ground: break;
    case JointKind::revolute:
    case JointKind::prismatic:
    case JointKind::helical: tau[0] += (q[0] - spring.rest) * k; break;
    case JointKind::cylindrical: tau[0] += q[0] * k, tau[1] += q[1] * k; break;
    case JointKind::planar: {
      S sine, cosine;
      using spatial::sincos;
      sincos(q[0], sine, cosine);
      tau[0] += q[0] * k;
      tau[1] += (q[1] * cosine + q[2] * sine) * k;
      tau[2] += (q[2] * cosine - q[1] * sine) * k;
      break;
    }
    case JointKind::spherical: add(0, rotation_vector(q)); break;
    case JointKind::free:
      add(0, rotation_vector(q + 3));
      add(3, transposed_times(rotation(q + 3), Vec3<S>{q[0], q[1], q[2]}));
      break;
  }
}

template <class S>
S spring_energy(const Topology& tree, const Spring& spring, const S* q_full) {
  const TreeBody& body = tree.bodies[spring.body];
  const S* q = q_full + body.q;
  S square = S(0);
  switch (body.kind) {
    case JointKind::ground: break;
    case JointKind::revolute:
    case JointKind::prismatic:
    case JointKind::helical: square = (q[0] - spring.rest) * (q[0] - spring.rest); break;
    case JointKind::cylindrical: square = q[0] * q[0] + q[1] * q[1]; break;
    case JointKind::planar: square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2]; break;
    case JointKind::spherical: square = dot(rotation_vector(q), rotation_vector(q)); break;
    case JointKind::free: {
      const Vec3<S> turn = rotation_vector(q + 3);
      square = dot(turn, turn) + q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
      break;
    }
  }
  return square * (0.5 * spring.stiffness);
}

}  // namespace catena::kernel
