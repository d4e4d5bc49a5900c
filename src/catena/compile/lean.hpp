// The robot prepared for programs with few operations: body frames turned about and moved along their joint axes so
// that a link is two planar turns and two shifts, and the inertia a joint cannot feel moved to the parent (base
// parameters).
// Joint forces and accelerations stay the same to rounding; frames and inertias of single bodies do not.
// Source: frames as in Denavit and Hartenberg (formula sheet 6); regrouping after Gautier and Khalil.
#pragma once

#include <vector>

#include "catena/model/tree.hpp"

namespace catena::compile {

struct Turn {
  double c = 1, s = 0;
};

// Pose of a body in its parent for q = 0: Rz(beta) shift(p) Rx(alpha) Rz(gamma) shift(0, 0, d).
// gamma joins the joint's own angle, d its own slide.
struct Link {
  Turn beta, alpha;
  spatial::Vec3<double> p{0, 0, 0};
  int quarters = 0;  // gamma = quarters * 90 degrees + rest
  double rest = 0;
  double d = 0;
};

struct Lean {
  Tree tree;                            // placements, inertias and the poses of the user's frames in the new frames
  std::vector<Link> links;              // by body
  spatial::Transform<double> ground{};  // pose of the new frame of the ground in the world
};

Lean make_lean(const Tree& tree);

// The constants of a placement; z_joint: the joint turns about or slides along its z, so that d may be its own.
Link split_placement(const spatial::Transform<double>& X, bool z_joint, double length_scale);

}  // namespace catena::compile
