// Rotations about any axis, for the joints that have them: unit quaternions (x, y, z, w), rotation vectors, finite
// steps.
// Source: formula sheet 0.3, last column, carried to finite steps.
#pragma once

#include <cmath>

#include "catena/joints/common.hpp"

namespace catena::kernel {

// Rotation of a quaternion, divided by its squared length so that rounding in q does not stretch bodies.
template <class S>
CATENA_INLINE Mat3<S> rotation(const S* q) {
  const S x = q[0], y = q[1], z = q[2], w = q[3];
  const S k = S(2) / (x * x + y * y + z * z + w * w);
  const S one = S(1);
  return {{one - (y * y + z * z) * k, (x * y + z * w) * k, (x * z - y * w) * k},
          {(x * y - z * w) * k, one - (x * x + z * z) * k, (y * z + x * w) * k},
          {(x * z + y * w) * k, (y * z - x * w) * k, one - (x * x + y * y) * k}};
}

template <class S>
CATENA_INLINE void normalize_quaternion(S* q) {
  using std::sqrt;
  const S length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if constexpr (std::is_floating_point_v<S>) {  // rounded once: a second time changes nothing
    for (int i = 0; i < 4; ++i) q[i] /= length;
  } else {
    const S k = S(1) / length;
    for (int i = 0; i < 4; ++i) q[i] *= k;
  }
}

// q_dot = q (w, 0) / 2
template <class S>
CATENA_INLINE void quaternion_rate(const S* q, const S* w, S* q_dot) {
  q_dot[0] = (q[3] * w[0] + q[1] * w[2] - q[2] * w[1]) * 0.5;
  q_dot[1] = (q[3] * w[1] + q[2] * w[0] - q[0] * w[2]) * 0.5;
  q_dot[2] = (q[3] * w[2] + q[0] * w[1] - q[1] * w[0]) * 0.5;
  q_dot[3] = (q[0] * w[0] + q[1] * w[1] + q[2] * w[2]) * -0.5;
}

// Rotation vector of a unit quaternion, at most half a turn.
template <class S>
CATENA_INLINE Vec3<S> rotation_vector(const S* q) {
  using std::atan2, std::sqrt;
  const S sign = q[3] < S(0) ? S(-1) : S(1);
  const S sine = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]), cosine = q[3] * sign;
  const S k = sine < S(1e-8) ? S(2) / cosine : S(2) * atan2(sine, cosine) / sine;
  return Vec3<S>{q[0], q[1], q[2]} * (sign * k);
}

// log(R exp(d)) = log R + J^-1 d: inverse right Jacobian of the rotation vector r, times x.
CATENA_INLINE Vec3<double> inverse_right_jacobian(const Vec3<double>& r, const Vec3<double>& x) {
  const double square = dot(r, r), angle = std::sqrt(square);
  const double c = angle < 1e-3 ? 1.0 / 12 + square / 720 : 1 / square - 0.5 / (angle * std::tan(0.5 * angle));
  return x + cross(r, x) * 0.5 + cross(r, cross(r, x)) * c;
}
CATENA_INLINE Mat3<double> inverse_right_jacobian(const Vec3<double>& r) {
  return {inverse_right_jacobian(r, {1, 0, 0}), inverse_right_jacobian(r, {0, 1, 0}),
          inverse_right_jacobian(r, {0, 0, 1})};
}

// Rotation vector from the orientation of one quaternion to another's, in the axes of the first: log(from^-1 to).
CATENA_INLINE Vec3<double> rotation_between(const double* from, const double* to) {
  double a[4], b[4];
  for (int i = 0; i < 4; ++i) a[i] = from[i], b[i] = to[i];
  normalize_quaternion(a), normalize_quaternion(b);
  const Vec3<double> u = {-a[0], -a[1], -a[2]}, v = {b[0], b[1], b[2]};
  const Vec3<double> w = v * a[3] + u * b[3] + cross(u, v);
  const double between[] = {w.x, w.y, w.z, a[3] * b[3] - dot(u, v)};
  return rotation_vector(between);
}

// What a rotation by the rotation vector w needs: sine and cosine of half the angle, and series where the angle is
// small.
template <class S>
struct FiniteTurn {
  Vec3<S> w;
  S cosine_half, sine_half_by_angle;  // of the quaternion
  S a, b;                             // of the translation: (1 - cos) / angle^2, (angle - sin) / angle^3

  explicit CATENA_INLINE FiniteTurn(const Vec3<S>& rotation_vector) : w(rotation_vector) {
    using spatial::sincos, spatial::where_less, std::sqrt;
    const S square = dot(w, w), angle = sqrt(square);
    S sine;
    sincos(S(angle * 0.5), sine, cosine_half);
    const S exact = sine / angle;
    sine_half_by_angle = where_less(angle, S(1e-4), S(S(0.5) - square * (1.0 / 48)), exact);
    a = where_less(angle, S(1e-3), S(S(0.5) - square * (1.0 / 24)), S(exact * exact * 2.0));
    b = where_less(angle, S(1e-3), S(S(1.0 / 6) - square * (1.0 / 120)),
                   S((angle - sine * cosine_half * 2.0) / (square * angle)));
  }
  // q <- q exp(w), of unit length
  CATENA_INLINE void turn(S* q) const {
    normalize_quaternion(q);
    const Vec3<S> u = {q[0], q[1], q[2]}, step = w * sine_half_by_angle;
    const Vec3<S> out = step * q[3] + u * cosine_half + cross(u, step);
    q[3] = q[3] * cosine_half - dot(u, step);
    q[0] = out.x, q[1] = out.y, q[2] = out.z;
    normalize_quaternion(q);
  }
  // Integral of exp(w s) v over s in [0, 1]
  CATENA_INLINE Vec3<S> translation(const Vec3<S>& v) const { return v + cross(w, v) * a + cross(w, cross(w, v)) * b; }
};
// The v whose translation that is.
CATENA_INLINE Vec3<double> velocity_of_translation(const Vec3<double>& w, const Vec3<double>& p) {
  return inverse_right_jacobian(-w, p);
}

// Coordinates that do not add, and whose springs rest at the neutral pose.
struct TurningCoordinates {
  static constexpr bool adds = false;
  static constexpr bool traces_spring = false, traces_spring_slope = false;  // rotation_vector() decides
};

// The 3x3 block of a spring's derivative.
template <class S, class Add>
CATENA_INLINE void add_block(int row, int column, const Mat3<S>& m, const Add& add) {
  const Vec3<S> columns[3] = {m.cx, m.cy, m.cz};
  for (int c = 0; c < 3; ++c) {
    add(row, column + c, columns[c].x);
    add(row + 1, column + c, columns[c].y);
    add(row + 2, column + c, columns[c].z);
  }
}

}  // namespace catena::kernel
