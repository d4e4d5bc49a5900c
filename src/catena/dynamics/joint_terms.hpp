// The forces joints add by themselves: tau += damping v + friction tanh(v / scale) + springs. Full coordinates.
#pragma once

#include <cmath>

#include "catena/kinematics/spring.hpp"
#include "catena/spatial/elementary.hpp"

namespace catena::kernel {

template <class S, class C>
CATENA_INLINE void add_joint_forces(const BasicTree<C>& tree, const S* q, const S* v, S* tau) {
  using std::tanh;
  for (int i = 0; i < tree.nv_full; ++i) tau[i] += v[i] * tree.terms[i].damping;
  if (tree.has_friction) {
    for (int i = 0; i < tree.nv_full; ++i) {
      const BasicTerms<C>& t = tree.terms[i];
      if constexpr (std::is_same_v<S, double>) {  // without a branch, for vectors
        tau[i] += spatial::tanh_smooth(v[i] * t.inverse_friction_scale) * t.friction;
      } else {
        if (!vanishes(t.friction)) tau[i] += tanh(v[i] * t.inverse_friction_scale) * t.friction;
      }
    }
  }
  for (const BasicSpring<C>& spring : tree.springs) add_spring_force(tree, spring, q, tau);
}

void add_joint_forces(const Tree& tree, const double* q, const double* v, double* tau);

}  // namespace catena::kernel
