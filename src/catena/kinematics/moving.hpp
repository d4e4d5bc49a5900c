// A configuration that moves: q as a function of time with joint velocity v, for scalars that carry derivatives.
#pragma once

#include "catena/kinematics/sweeps.hpp"

namespace catena::kernel {

// dq/dt for joint velocities v, number by number: quaternions by q_dot = q (w, 0) / 2, positions of free and planar
// joints turned into their parent's axes. Full coordinates (couplings not expanded). T: the scalar of q and v.
template <class T>
void position_rates(const Tree& tree, const T* q_full, const T* v_full, T* rates) {
  const auto quaternion_rate = [](const T* q, const T* w, T* rate) {
    rate[0] = (q[3] * w[0] + q[1] * w[2] - q[2] * w[1]) * 0.5;
    rate[1] = (q[3] * w[1] + q[2] * w[0] - q[0] * w[2]) * 0.5;
    rate[2] = (q[3] * w[2] + q[0] * w[1] - q[1] * w[0]) * 0.5;
    rate[3] = (q[0] * w[0] + q[1] * w[1] + q[2] * w[2]) * -0.5;
  };
  for (const TreeBody& body : tree.bodies) {
    const T *q = q_full + body.q, *v = v_full + body.v;
    T* rate = rates + body.q;
    switch (body.kind) {
      case JointKind::ground: break;
      case JointKind::revolute:
      case JointKind::prismatic:
      case JointKind::helical: rate[0] = v[0]; break;
      case JointKind::cylindrical: rate[0] = v[0], rate[1] = v[1]; break;
      case JointKind::planar: {
        using spatial::sincos;
        T sine, cosine;
        sincos(q[0], sine, cosine);
        rate[0] = v[0];
        rate[1] = cosine * v[1] - sine * v[2];
        rate[2] = sine * v[1] + cosine * v[2];
        break;
      }
      case JointKind::spherical: quaternion_rate(q, v, rate); break;
      case JointKind::free: {
        const Vec3<T> p = rotation(q + 3) * Vec3<T>{v[3], v[4], v[5]};
        rate[0] = p.x, rate[1] = p.y, rate[2] = p.z;
        quaternion_rate(q + 3, v, rate + 3);
        break;
      }
    }
  }
}

}  // namespace catena::kernel
