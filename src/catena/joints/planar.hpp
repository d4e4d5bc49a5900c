// A rotation about z and translations along x and y: q = (angle, x, y) in the parent's axes, v in those of the body.
#pragma once

#include <cmath>
#include <numbers>

#include "catena/joints/quaternion.hpp"

namespace catena::kernel {

struct Planar : UnitJoint<2, 3, 4>, TurningCoordinates {
  static constexpr JointKind kind = JointKind::planar;
  static constexpr JointType type = JointType::planar;
  static constexpr JointFacts facts = {.name = "planar", .nq = 3, .nv = 3, .turning = 1, .takes_rotor = false};
  static constexpr bool has_angle = true, displaces = true;
  static constexpr bool traces_spring = true;

  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S* q, const S& sine, const S& cosine) {
    const auto& T = body.placement;
    return {turn_z(T.R, sine, cosine), T.R.cx * q[1] + T.R.cy * q[2] + T.p};
  }
  template <class S, class LinkPose>
  static CATENA_INLINE void move_link(const TreeBody&, const S* q, const S& sine, const S& cosine, LinkPose& X) {
    X.moved->planar = true;
    X.moved->own = {cosine, sine};
    X.moved->t = {q[1], q[2], S(0)};
  }

  template <class S>
  static CATENA_INLINE void integrate(S* q, const S* v) {
    using spatial::sincos;
    const Vec3<S> p = FiniteTurn<S>({S(0), S(0), v[0]}).translation({v[1], v[2], S(0)});
    S sine, cosine;
    sincos(q[0], sine, cosine);
    q[1] += cosine * p.x - sine * p.y;
    q[2] += sine * p.x + cosine * p.y;
    q[0] += v[0];
  }
  static CATENA_INLINE void difference(const double* from, const double* to, double* v) {
    const double turn = std::remainder(to[0] - from[0], 2 * std::numbers::pi);
    const double sine = std::sin(from[0]), cosine = std::cos(from[0]);
    const double x = to[1] - from[1], y = to[2] - from[2];
    const Vec3<double> u = velocity_of_translation({0, 0, turn}, {cosine * x + sine * y, cosine * y - sine * x, 0});
    v[0] = turn, v[1] = u.x, v[2] = u.y;
  }
  template <class S>
  static CATENA_INLINE void rate(const S* q, const S* v, S* q_dot) {
    using spatial::sincos;
    S sine, cosine;
    sincos(q[0], sine, cosine);
    q_dot[0] = v[0];
    q_dot[1] = cosine * v[1] - sine * v[2];
    q_dot[2] = sine * v[1] + cosine * v[2];
  }
  template <class S, class C>
  static CATENA_INLINE void stretch(const S* q, const C&, S* x) {
    using spatial::sincos;
    S sine, cosine;
    sincos(q[0], sine, cosine);
    x[0] = q[0];
    x[1] = q[1] * cosine + q[2] * sine;
    x[2] = q[2] * cosine - q[1] * sine;
  }
  template <class S, class Add>
  static CATENA_INLINE void stretch_slope(const S* q, const Add& add) {
    S x[3];
    stretch(q, 0, x);
    add(0, 0, S(1));
    add(1, 0, x[2]);
    add(2, 0, S(-x[1]));
    add(1, 1, S(1));
    add(2, 2, S(1));
  }
};

}  // namespace catena::kernel
