// Any motion: q = (position in the parent's axes, unit quaternion), v = (angular, linear velocity) in body axes.
#pragma once

#include "catena/joints/quaternion.hpp"

namespace catena::kernel {

struct Free : UnitJoint<0, 1, 2, 3, 4, 5>, TurningCoordinates {
  static constexpr JointKind kind = JointKind::free;
  static constexpr JointType type = JointType::free;
  static constexpr JointFacts facts = {
      .name = "free", .nq = 7, .nv = 6, .turning = 3, .quaternion = 3, .has_axis = false, .takes_rotor = false};
  static constexpr bool displaces = true;

  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S* q, const S&, const S&) {
    const auto& T = body.placement;
    return {T.R * rotation(q + 3), T.R * Vec3<S>{q[0], q[1], q[2]} + T.p};
  }
  template <class S, class LinkPose>
  static CATENA_INLINE void move_link(const TreeBody&, const S* q, const S&, const S&, LinkPose& X) {
    X.moved->R = rotation(q + 3);
    X.moved->t = {q[0], q[1], q[2]};
  }

  template <class S>
  static CATENA_INLINE void integrate(S* q, const S* v) {
    const FiniteTurn<S> turn({v[0], v[1], v[2]});
    const Vec3<S> p = rotation(q + 3) * turn.translation({v[3], v[4], v[5]});
    q[0] += p.x, q[1] += p.y, q[2] += p.z;
    turn.turn(q + 3);
  }
  static CATENA_INLINE void difference(const double* from, const double* to, double* v) {
    const Vec3<double> w = rotation_between(from + 3, to + 3);
    const Vec3<double> p =
        transposed_times(rotation(from + 3), Vec3<double>{to[0] - from[0], to[1] - from[1], to[2] - from[2]});
    const Vec3<double> u = velocity_of_translation(w, p);
    v[0] = w.x, v[1] = w.y, v[2] = w.z, v[3] = u.x, v[4] = u.y, v[5] = u.z;
  }
  template <class S>
  static CATENA_INLINE void rate(const S* q, const S* v, S* q_dot) {
    const Vec3<S> p = rotation(q + 3) * Vec3<S>{v[3], v[4], v[5]};
    q_dot[0] = p.x, q_dot[1] = p.y, q_dot[2] = p.z;
    quaternion_rate(q + 3, v, q_dot + 3);
  }
  template <class S, class C>
  static CATENA_INLINE void stretch(const S* q, const C&, S* x) {
    const Vec3<S> turn = rotation_vector(q + 3), p = in_body_axes(q);
    x[0] = turn.x, x[1] = turn.y, x[2] = turn.z, x[3] = p.x, x[4] = p.y, x[5] = p.z;
  }
  template <class S, class Add>
  static CATENA_INLINE void stretch_slope(const S* q, const Add& add) {
    add_block(0, 0, inverse_right_jacobian(rotation_vector(q + 3)), add);
    add_block(3, 0, cross(in_body_axes(q), Mat3<S>::identity()), add);
    add_block(3, 3, Mat3<S>::identity(), add);
  }
  template <class S>
  static CATENA_INLINE Vec3<S> in_body_axes(const S* q) {
    return transposed_times(rotation(q + 3), Vec3<S>{q[0], q[1], q[2]});
  }

  template <class Joint>
  static std::array<Vec3<double>, 1> axes(const Joint&) {
    return {{{0, 0, 1}}};
  }
};

}  // namespace catena::kernel
