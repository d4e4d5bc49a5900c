// The joint types a robot can be described with, and what readers, writers and tables ask about each. A type says it
// itself, in its own file of this folder; facts_of() in joints.hpp looks it up.
#pragma once

namespace catena {

enum class JointType {
  fixed,
  revolute,
  continuous,
  prismatic,
  helical,
  cylindrical,
  planar,
  universal,
  gimbal,
  spherical,
  free
};
inline constexpr JointType joint_types[] = {JointType::fixed,     JointType::revolute,  JointType::continuous,
                                            JointType::prismatic, JointType::helical,   JointType::cylindrical,
                                            JointType::planar,    JointType::universal, JointType::gimbal,
                                            JointType::spherical, JointType::free};

struct JointFacts {
  const char* name;
  int nq = 1, nv = 1;
  int turning = 0;       // so many of its velocities, the first, are angular; the others linear
  int quaternion = -1;   // where in q its unit quaternion (x, y, z, w) stands, behind positions; -1: none, q is like v
  int bodies = 1;        // how many bodies of the tree it becomes
  bool has_axis = true;  // an axis is given with it
  bool takes_rotor = true;  // its velocities are about or along axes that a motor could drive

  // "rad", "m", or "" for a number of a quaternion
  constexpr const char* velocity_unit(int component) const { return component < turning ? "rad" : "m"; }
  constexpr const char* position_unit(int component) const {
    if (quaternion < 0) return velocity_unit(component);
    return component < quaternion ? "m" : "";
  }
};

}  // namespace catena
