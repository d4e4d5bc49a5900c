// Poses and Jacobians of frames over a scalar, from the poses of the bodies in the world.
// Source: formula sheet 1.5. 6-vectors in world axes at the frame's origin (Axes::aligned); full coordinates.
#pragma once

#include "catena/joints/joints.hpp"
#include "catena/model/tree.hpp"

namespace catena::kernel {

template <class S>
CATENA_INLINE Transform<S> frame_pose(const TreeFrame& frame, const std::vector<Transform<S>>& world) {
  return world[frame.body] * frame.pose;
}
// The same for the origin alone.
template <class S>
CATENA_INLINE Vec3<S> frame_origin(const TreeFrame& frame, const std::vector<Transform<S>>& world) {
  return world[frame.body].R * frame.pose.p + world[frame.body].p;
}

// [R p], 3 x 4
template <class S>
CATENA_INLINE void write_pose(const Transform<S>& pose, S* out) {
  for (const Vec3<S>* column : {&pose.R.cx, &pose.R.cy, &pose.R.cz, &pose.p}) {
    *out++ = column->x, *out++ = column->y, *out++ = column->z;
  }
}

// Column of joint k: H_k rotated into world axes, at the frame's origin. Mimic joints add to their master's column.
// world: of the bodies between the frame and the ground. J: 6 x nv_full; the model's own columns come first.
template <class S>
CATENA_INLINE void frame_jacobian(const Topology& tree, const std::vector<Transform<S>>& world, const TreeFrame& frame,
                                  S* J) {
  const Vec3<S> origin = frame_origin(frame, world);
  for (int i = 0; i < 6 * tree.nv_full; ++i) J[i] = S(0);
  for (int k = frame.body; k > 0; k = tree.bodies[k].parent) {
    const TreeBody& body = tree.bodies[k];
    const Transform<S> seen = {world[k].R, world[k].p - origin};
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      for (int i = 0; i < joint.d; ++i) {
        const Motion<S> h = joint.outer_unit(body, seen, i);
        S* const column = J + 6 * (body.v + i);
        column[0] = h.w.x, column[1] = h.w.y, column[2] = h.w.z;
        column[3] = h.v.x, column[4] = h.v.y, column[5] = h.v.z;
      }
    });
  }
  for (const Coupling& c : tree.couplings) {
    for (int i = 0; i < 6; ++i) J[6 * c.master_v + i] += J[6 * c.v + i] * c.ratio;
  }
}

}  // namespace catena::kernel
