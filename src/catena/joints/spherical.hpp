// A rotation about a point: q is a unit quaternion (x, y, z, w), v the angular velocity in body axes.
#pragma once

#include "catena/joints/quaternion.hpp"

namespace catena::kernel {

struct Spherical : UnitJoint<0, 1, 2>, TurningCoordinates {
  static constexpr JointKind kind = JointKind::spherical;
  static constexpr JointType type = JointType::spherical;
  static constexpr JointFacts facts = {
      .name = "spherical", .nq = 4, .nv = 3, .turning = 3, .quaternion = 0, .has_axis = false};
  static constexpr bool displaces = true;

  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S* q, const S&, const S&) {
    const auto& T = body.placement;
    return {T.R * rotation(q), {S(T.p.x), S(T.p.y), S(T.p.z)}};
  }
  template <class S, class LinkPose>
  static CATENA_INLINE void move_link(const TreeBody&, const S* q, const S&, const S&, LinkPose& X) {
    X.moved->R = rotation(q);
  }

  // A point of mass at the centre.
  template <class C>
  static CATENA_INLINE Inertia<C> unfelt(const Inertia<C>& M) {
    Inertia<C> point = Inertia<C>::zero();
    point.m = M.m;
    return point;
  }

  template <class S>
  static CATENA_INLINE void integrate(S* q, const S* v) {
    FiniteTurn<S>({v[0], v[1], v[2]}).turn(q);
  }
  static CATENA_INLINE void difference(const double* from, const double* to, double* v) {
    const Vec3<double> w = rotation_between(from, to);
    v[0] = w.x, v[1] = w.y, v[2] = w.z;
  }
  template <class S>
  static CATENA_INLINE void rate(const S* q, const S* v, S* q_dot) {
    quaternion_rate(q, v, q_dot);
  }
  template <class S, class C>
  static CATENA_INLINE void stretch(const S* q, const C&, S* x) {
    const Vec3<S> turn = rotation_vector(q);
    x[0] = turn.x, x[1] = turn.y, x[2] = turn.z;
  }
  template <class S, class Add>
  static CATENA_INLINE void stretch_slope(const S* q, const Add& add) {
    add_block(0, 0, inverse_right_jacobian(rotation_vector(q)), add);
  }

  template <class Joint>
  static std::array<Vec3<double>, 1> axes(const Joint&) {
    return {{{0, 0, 1}}};
  }
};

}  // namespace catena::kernel
