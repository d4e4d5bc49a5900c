// Steps on the configuration space in lanes: integrate() and normalize() of kinematics/configuration.hpp without
// branches. q and v: the model's own coordinates at the front of full ones.
#pragma once

#include "catena/joints/joints.hpp"
#include "catena/model/tree.hpp"
#include "catena/spatial/lanes.hpp"

namespace catena::batch {

template <class S>
CATENA_INLINE void normalize_in_place(const Tree& tree, S* q) {
  if (tree.nq == tree.nv) return;
  for (const Coordinate& c : tree.coordinates) {
    const int quaternion = facts_of(c.type).quaternion;
    if (quaternion >= 0) kernel::normalize_quaternion(q + c.q + quaternion);
  }
}

// q <- q moved for unit time with v. Coupled coordinates are not touched.
template <class S>
CATENA_INLINE void integrate_in_place(const Tree& tree, S* q, const S* v) {
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    if (body.q >= tree.nq) continue;
    kernel::visit(body, [&](auto joint) CATENA_INLINE_LAMBDA { joint.integrate(q + body.q, v + body.v); });
  }
}

}  // namespace catena::batch
