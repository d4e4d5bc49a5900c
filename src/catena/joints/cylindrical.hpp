// A rotation about and a translation along z: q = (angle, displacement).
#pragma once

#include "catena/joints/common.hpp"

namespace catena::kernel {

struct Cylindrical : UnitJoint<2, 5>, AddingCoordinates<2> {
  static constexpr JointKind kind = JointKind::cylindrical;
  static constexpr JointType type = JointType::cylindrical;
  static constexpr JointFacts facts = {.name = "cylindrical", .nq = 2, .nv = 2, .turning = 1};
  static constexpr bool has_angle = true, has_free_z = true;

  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S* q, const S& sine, const S& cosine) {
    const auto& T = body.placement;
    return {turn_z(T.R, sine, cosine), T.R.cz * q[1] + T.p};
  }
  template <class S, class LinkPose>
  static CATENA_INLINE void move_link(const TreeBody&, const S* q, const S& sine, const S& cosine, LinkPose& X) {
    turn_link(X, sine, cosine);
    X.d = q[1] + X.link->d;
  }
};

}  // namespace catena::kernel
