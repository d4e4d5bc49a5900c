// A body of the tree with its joint, as kernels and joints see it.
#pragma once

#include "catena/spatial/inertia.hpp"

namespace catena {

enum class JointKind : unsigned char { ground, revolute, prismatic, helical, cylindrical, planar, spherical, free };

struct TreeBody {
  JointKind kind = JointKind::ground;
  int parent = -1;
  int q = 0, v = 0;                        // first full position and velocity number
  spatial::Transform<double> placement{};  // of the joint frame in the parent's frame
  double pitch = 0;                        // helical
  int multi = -1;                          // running number among the joints with several degrees of freedom
  int angle = -1;                          // running number among the joints that rotate by an angle
};

}  // namespace catena
