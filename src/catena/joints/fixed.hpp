// No motion: the body is lumped into its parent, and no kernel meets the joint.
#pragma once

#include "catena/joints/common.hpp"

namespace catena::kernel {

struct Fixed : AddingCoordinates<0> {
  static constexpr JointKind kind = JointKind::ground;
  static constexpr JointType type = JointType::fixed;
  static constexpr JointFacts facts = {.name = "fixed", .nq = 0, .nv = 0, .bodies = 0, .has_axis = false};

  template <class Joint>
  static std::array<Vec3<double>, 0> axes(const Joint&) {
    return {};
  }
  template <class Joint>
  static double longest_slide(const Joint&) {
    return 0;
  }
};

}  // namespace catena::kernel
