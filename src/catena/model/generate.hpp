// Robots made by rule: chains of any length for measuring, random trees for tests.
// Same arguments, same robot, on every platform (numbers to rounding). Every robot passes the doctor and has a
// regular mass matrix.
#pragma once

#include <cstdint>

#include "catena/model/description.hpp"

#pragma GCC visibility push(default)
namespace catena {

enum class ChainShape {
  general,        // random but fixed placements
  perpendicular,  // each axis at right angles to the last, links along x
  planar,         // parallel axes, links along x, gravity along -y
};

struct ChainOptions {
  ChainShape shape = ChainShape::general;
  std::uint64_t seed = 1;  // general only
  double length = 0.1;     // of a link, m
  double mass = 0.1;       // of a link, kg
};

// count revolute joints in a row, axes z, on the ground. Throws std::invalid_argument unless count is positive.
Description chain(int count, const ChainOptions& options = {});

std::vector<JointType> every_joint_type();
std::vector<JointType> one_degree_joint_types();

struct TreeOptions {
  int min_bodies = 1, max_bodies = 12;
  std::vector<JointType> types = every_joint_type();
  bool serial = false;        // each body on the one before
  bool several_roots = true;  // more than one body may sit on the ground; there may be a body without a joint
  bool couplings = true;      // joints that mimic another
  bool terms = true;          // damping, friction, rotors, springs
  bool massless = true;       // some bodies without mass, where the mass matrix stays regular
  bool frames = true;         // named frames
  bool body_in_joint = true;  // some child frames away from their joint, as standard DH has them
  bool shuffled = true;       // bodies and joints listed in random order, not parents first
};

// Placements, axes, inertias (all physically valid), gravity and structure drawn from the seed.
// At least one joint moves if the types allow it.
Description random_tree(std::uint64_t seed, const TreeOptions& options = {});

}  // namespace catena
#pragma GCC visibility pop
