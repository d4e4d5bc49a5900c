// The ranges that random configurations are drawn from: the joints' limits, and what stands for them where there are none.
#pragma once

#include "catena/kinematics/configuration.hpp"

namespace catena::kernel {

// nq numbers each; those of a quaternion say nothing.
struct Ranges {
  Vector lower, upper;
};
Ranges drawn_ranges(const Model& model);

}  // namespace catena::kernel
