// Rotations about several axes, one after the other: to the kernels revolute joints with massless bodies between them,
// so that only the expansion is said here. q: the angles, v: their rates. J = Rot(axis, q0) Rot(second_axis, q1).
#pragma once

#include "catena/joints/revolute.hpp"

namespace catena::kernel {

template <int n>
struct TurnsInSequence : AddingCoordinates<n> {
  static constexpr JointKind kind = Revolute::kind;
  template <class Joint>
  static double longest_slide(const Joint&) {
    return 0;
  }
};

struct Universal : TurnsInSequence<2> {
  static constexpr JointType type = JointType::universal;
  static constexpr JointFacts facts = {.name = "universal", .nq = 2, .nv = 2, .turning = 2, .bodies = 2};

  template <class Joint>
  static std::array<Vec3<double>, 2> axes(const Joint& joint) {
    const auto &a = joint.axis, &b = joint.second_axis;
    return {{{a[0], a[1], a[2]}, {b[0], b[1], b[2]}}};
  }
};

}  // namespace catena::kernel
