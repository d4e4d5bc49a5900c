// The forces joints add by themselves: tau += damping v + friction tanh(v / scale) + springs. Full coordinates.
#pragma once

#include <cmath>

#include "catena/kinematics/spring.hpp"

namespace catena::kernel {

template <class S>
void add_joint_forces(const Tree& tree, const S* q, const S* v, S* tau) {
  using std::tanh;
  for (int i = 0; i < tree.nv_full; ++i) tau[i] += v[i] * tree.terms[i].damping;
  if (tree.has_friction) {
    for (int i = 0; i < tree.nv_full; ++i) {
      const ComponentTerms& t = tree.terms[i];
      if (t.friction != 0) tau[i] += tanh(v[i] * t.inverse_friction_scale) * t.friction;
    }
  }
  for (const Spring& spring : tree.springs) add_spring_force(tree, spring, q, tau);
}

}  // namespace catena::kernel
