// A rotation about z: q is the angle. `continuous` is the same without limits.
#pragma once

#include "catena/joints/common.hpp"

namespace catena::kernel {

struct Revolute : UnitJoint<2>, AddingCoordinates<1> {
  static constexpr JointKind kind = JointKind::revolute;
  static constexpr JointType type = JointType::revolute;
  static constexpr JointFacts facts = {.name = "revolute", .turning = 1};
  static constexpr bool has_angle = true, has_free_z = true, places_tip = true;

  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S*, const S& sine, const S& cosine) {
    const auto& T = body.placement;
    return {turn_z(T.R, sine, cosine), {S(T.p.x), S(T.p.y), S(T.p.z)}};
  }
  template <class S, class LinkPose>
  static CATENA_INLINE void move_link(const TreeBody&, const S*, const S& sine, const S& cosine, LinkPose& X) {
    turn_link(X, sine, cosine);
  }
  template <class S>
  static CATENA_INLINE Motion<S> cross_velocity(const TreeBody&, const Motion<S>& V, const S* v) {
    return {{V.w.y * v[0], -(V.w.x * v[0]), S(0)}, {V.v.y * v[0], -(V.v.x * v[0]), S(0)}};
  }
  template <class S>
  static CATENA_INLINE void add_velocity_products(const TreeBody&, Vec3<S>& w, Motion<S>& alpha, const S* v) {
    alpha.w.x += w.y * v[0], alpha.w.y -= w.x * v[0];
    w.z += v[0];
  }
  template <class S>
  static CATENA_INLINE Motion<S> outer_unit(const TreeBody&, const Transform<S>& X, int) {
    return {X.R.cz, cross(X.p, X.R.cz)};
  }

  // A line of mass on the axis: m, h_z and the second moment along z.
  template <class C>
  static CATENA_INLINE Inertia<C> unfelt(const Inertia<C>& M) {
    Inertia<C> line = Inertia<C>::zero();
    line.m = M.m;
    line.h.z = M.h.z;
    line.J.xx = line.J.yy = (M.J.xx + M.J.yy - M.J.zz) * 0.5;
    return line;
  }
  template <class C>
  static CATENA_INLINE void clear_unfelt(Sym3<C>& second) {
    second.zz = C(0);
  }
  template <class S>
  static CATENA_INLINE void clear_taken(ArticulatedInertia<S>& P_plus) {
    const S o = S(0);
    P_plus.J.xz = P_plus.J.yz = P_plus.J.zz = o;
    P_plus.H.cx.z = P_plus.H.cy.z = P_plus.H.cz.z = o;
  }
};

struct Continuous : Revolute {
  static constexpr JointType type = JointType::continuous;
  static constexpr JointFacts facts = {.name = "continuous", .turning = 1};
};

}  // namespace catena::kernel
