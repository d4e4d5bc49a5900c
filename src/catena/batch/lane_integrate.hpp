// Steps on the configuration space in lanes: integrate() and normalize() of kinematics/configuration.hpp without
// branches. q and v: the model's own coordinates at the front of full ones.
#pragma once

#include "catena/kinematics/joints.hpp"
#include "catena/spatial/lanes.hpp"

namespace catena::batch {

template <class S>
CATENA_INLINE void normalize_quaternion(S* q) {
  const S k = S(1) / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; ++i) q[i] *= k;
}

template <class S>
CATENA_INLINE void normalize_in_place(const Tree& tree, S* q) {
  if (tree.nq == tree.nv) return;
  for (const TreeBody& body : tree.bodies) {
    if (body.kind == JointKind::spherical) normalize_quaternion(q + body.q);
    if (body.kind == JointKind::free) normalize_quaternion(q + body.q + 3);
  }
}

// What a turn by the rotation vector w needs: sine and cosine of half the angle, and series where the angle is small.
template <class S>
struct Turn {
  spatial::Vec3<S> w;
  S cosine_half, sine_half_by_angle;  // of the quaternion
  S a, b;                             // of the translation: (1 - cos) / angle^2, (angle - sin) / angle^3

  explicit CATENA_INLINE Turn(const spatial::Vec3<S>& rotation_vector) : w(rotation_vector) {
    const S square = dot(w, w), angle = sqrt(square);
    S sine;
    sincos(angle * 0.5, sine, cosine_half);
    const S exact = sine / angle;
    sine_half_by_angle = where_less(angle, S(1e-4), S(0.5) - square * (1.0 / 48), exact);
    a = where_less(angle, S(1e-3), S(0.5) - square * (1.0 / 24), exact * exact * 2.0);
    b = where_less(angle, S(1e-3), S(1.0 / 6) - square * (1.0 / 120),
                   (angle - sine * cosine_half * 2.0) / (square * angle));
  }
  // q <- q exp(w), of unit length
  CATENA_INLINE void turn(S* q) const {
    normalize_quaternion(q);
    const spatial::Vec3<S> u = {q[0], q[1], q[2]}, step = w * sine_half_by_angle;
    const spatial::Vec3<S> out = step * q[3] + u * cosine_half + cross(u, step);
    q[3] = q[3] * cosine_half - dot(u, step);
    q[0] = out.x, q[1] = out.y, q[2] = out.z;
    normalize_quaternion(q);
  }
  // Integral of exp(w s) v over s in [0, 1]
  CATENA_INLINE spatial::Vec3<S> translation(const spatial::Vec3<S>& v) const {
    return v + cross(w, v) * a + cross(w, cross(w, v)) * b;
  }
};

// q <- q moved for unit time with v. Coupled coordinates are not touched.
template <class S>
CATENA_INLINE void integrate_in_place(const Tree& tree, S* q_full, const S* v_full) {
  using spatial::Vec3;
  for (const TreeBody& body : tree.bodies) {
    S* const q = q_full + body.q;
    const S* const v = v_full + body.v;
    switch (body.kind) {
      case JointKind::ground: break;
      case JointKind::spherical: Turn<S>({v[0], v[1], v[2]}).turn(q); break;
      case JointKind::free: {
        const Turn<S> turn({v[0], v[1], v[2]});
        normalize_quaternion(q + 3);
        const Vec3<S> p = kernel::rotation(q + 3) * turn.translation({v[3], v[4], v[5]});
        q[0] += p.x, q[1] += p.y, q[2] += p.z;
        turn.turn(q + 3);
        break;
      }
      case JointKind::planar: {
        const Vec3<S> p = Turn<S>({S(0), S(0), v[0]}).translation({v[1], v[2], S(0)});
        S sine, cosine;
        sincos(q[0], sine, cosine);
        q[1] += cosine * p.x - sine * p.y;
        q[2] += sine * p.x + cosine * p.y;
        q[0] += v[0];
        break;
      }
      case JointKind::cylindrical: q[1] += v[1]; [[fallthrough]];
      case JointKind::revolute:
      case JointKind::prismatic:
      case JointKind::helical:
        if (body.q < tree.nq) q[0] += v[0];
        break;
    }
  }
}

}  // namespace catena::batch
