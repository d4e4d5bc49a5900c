// A screw about z: q is the angle, the translation is pitch q. H = [z; pitch z]: the one map that is not made of unit
// vectors.
#pragma once

#include <cmath>

#include "catena/joints/common.hpp"

namespace catena::kernel {

struct Helical : UnitJoint<2>, AddingCoordinates<1> {
  static constexpr JointKind kind = JointKind::helical;
  static constexpr JointType type = JointType::helical;
  static constexpr JointFacts facts = {.name = "helical", .turning = 1};
  static constexpr bool has_angle = true, has_free_z = true;

  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S* q, const S& sine, const S& cosine) {
    const auto& T = body.placement;
    return {turn_z(T.R, sine, cosine), T.R.cz * (q[0] * body.pitch) + T.p};
  }
  template <class S, class LinkPose>
  static CATENA_INLINE void move_link(const TreeBody& body, const S* q, const S& sine, const S& cosine, LinkPose& X) {
    turn_link(X, sine, cosine);
    X.d = q[0] * body.pitch + X.link->d;
  }
  template <class S>
  static CATENA_INLINE void add(const TreeBody& body, Motion<S>& V, const S* v) {
    V.w.z += v[0];
    V.v.z += v[0] * body.pitch;
  }
  template <class S>
  static CATENA_INLINE S project(const TreeBody& body, const Force<S>& f, int) {
    return f.n.z + f.f.z * body.pitch;
  }
  template <class Matrix>
  static CATENA_INLINE auto times_column(const TreeBody& body, const Matrix& M, int) {
    return column(M, 2) + column(M, 5) * body.pitch;
  }
  template <class S>
  static CATENA_INLINE void add_velocity_products(const TreeBody& body, Vec3<S>& w, Motion<S>& alpha, const S* v) {
    Motion<S> VJ = Motion<S>::zero();
    add(body, VJ, v);
    kernel::add_velocity_products(VJ, w, alpha);
  }
  template <class S>
  static CATENA_INLINE Motion<S> unit(const TreeBody& body, int) {
    return {{S(0), S(0), S(1)}, {S(0), S(0), S(body.pitch)}};
  }
  template <class S>
  static CATENA_INLINE Motion<S> outer_unit(const TreeBody& body, const Transform<S>& X, int) {
    return {X.R.cz, cross(X.p, X.R.cz) + X.R.cz * body.pitch};
  }
  template <class S>
  static CATENA_INLINE Motion<S> cross_velocity(const TreeBody& body, const Motion<S>& V, const S* v) {
    Motion<S> VJ = Motion<S>::zero();
    add(body, VJ, v);
    return cross(V, VJ);
  }
  template <class Joint>
  static double longest_slide(const Joint& joint) {
    return std::abs(joint.pitch) * usual_slide;
  }
};

}  // namespace catena::kernel
