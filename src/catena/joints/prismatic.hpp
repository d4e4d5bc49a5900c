// A translation along z: q is the displacement.
#pragma once

#include <algorithm>
#include <cmath>

#include "catena/joints/common.hpp"

namespace catena::kernel {

struct Prismatic : UnitJoint<5>, AddingCoordinates<1> {
  static constexpr JointKind kind = JointKind::prismatic;
  static constexpr JointType type = JointType::prismatic;
  static constexpr JointFacts facts = {.name = "prismatic"};
  static constexpr bool has_free_z = true;

  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S* q, const S&, const S&) {
    const auto& T = body.placement;
    const auto constant = [](const Vec3<double>& c) { return Vec3<S>{S(c.x), S(c.y), S(c.z)}; };
    return {{constant(T.R.cx), constant(T.R.cy), constant(T.R.cz)}, T.R.cz * q[0] + T.p};
  }
  template <class S, class LinkPose>
  static CATENA_INLINE void move_link(const TreeBody&, const S* q, const S&, const S&, LinkPose& X) {
    X.d = q[0] + X.link->d;
  }
  template <class S>
  static CATENA_INLINE Motion<S> cross_velocity(const TreeBody&, const Motion<S>& V, const S* v) {
    return {Vec3<S>::zero(), {V.w.y * v[0], -(V.w.x * v[0]), S(0)}};
  }
  template <class S>
  static CATENA_INLINE void add_velocity_products(const TreeBody&, Vec3<S>& w, Motion<S>& alpha, const S* v) {
    const S twice = v[0] + v[0];
    alpha.v.x += w.y * twice, alpha.v.y -= w.x * twice;
  }

  // It never rotates its body.
  template <class C>
  static CATENA_INLINE Inertia<C> unfelt(const Inertia<C>& M) {
    Inertia<C> out = Inertia<C>::zero();
    out.J = M.J;
    return out;
  }
  template <class S>
  static CATENA_INLINE void clear_taken(ArticulatedInertia<S>& P_plus) {
    const S o = S(0);
    P_plus.H.cz = Vec3<S>::zero();
    P_plus.M.xz = P_plus.M.yz = P_plus.M.zz = o;
  }
  template <class Joint>
  static double longest_slide(const Joint& joint) {
    const auto& l = joint.limits;
    const double reach = std::max(std::abs(l.lower), std::abs(l.upper));
    return l.lower <= l.upper && reach < 1000 ? reach : usual_slide;
  }
};

}  // namespace catena::kernel
