// A configuration that moves: q as a function of time with joint velocity v, for scalars that carry derivatives.
#pragma once

#include "catena/kinematics/sweeps.hpp"

namespace catena::kernel {

// dq/dt for joint velocities v, number by number: quaternions by q_dot = q (w, 0) / 2, positions of free and planar
// joints rotated into their parent's axes. Full coordinates (mimic joints not expanded). T: the scalar of q and v.
template <class T>
void position_rates(const Tree& tree, const T* q, const T* v, T* q_dot) {
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) { joint.rate(q + body.q, v + body.v, q_dot + body.q); });
  }
}

}  // namespace catena::kernel
