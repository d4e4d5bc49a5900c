// Algorithm 2, and Algorithm 4 by the factor along the tree, for one state in double with a body, then a component, in
// each lane (dynamics/wide.hpp). The equations are those of world_kernel.hpp and algorithm2.hpp.
#pragma once

#include "catena/dynamics/wide.hpp"
#include "catena/linear/algorithm4.hpp"

namespace catena::kernel {

// The functions for one width. Matrices in full coordinates, column-major.
struct WideLinear {
  // M with armature, A_D and B_D, as linearize_inverse
  void (*inverse)(const Tree& tree, const WideState& state, const double* a, Wide& wide, double* M, double* A_D,
                  double* B_D, int stride);
  // after begin_forward: A_D and B_D about the acceleration a
  void (*forward)(const Tree& tree, const WideState& state, const double* a, Wide& wide, double* A_D, double* B_D);
};
const WideLinear& wide_linear();  // for this processor
const WideLinear& wide_linear_2();
const WideLinear& wide_linear_4();

}  // namespace catena::kernel
