// The robot prepared for few operations: body frames rotated about and moved along their joint axes so that a link is
// two planar rotations and two translations, and the inertia that has no effect on its own joint moved to the parent
// (base parameters).
// Joint forces and accelerations stay the same to rounding; frames and inertias of single bodies do not.
// Source: frames as in Denavit and Hartenberg (formula sheet 6); regrouping after Gautier and Khalil.
#pragma once

#include <vector>

#include "catena/model/tree.hpp"

namespace catena {

struct Turn {
  double c = 1, s = 0;
};

// Pose of a body in its parent for q = 0: shift(p) Rz(beta) Rx(alpha) Rz(gamma) shift(0, 0, d).
struct Link {
  Turn beta, alpha;
  spatial::Vec3<double> p{0, 0, 0};
  Turn gamma;         // added to the joint's own angle: behind sine and cosine of q, which so keep all digits of q
  double d = 0;       // added to the joint's own displacement
  bool plain = true;  // beta = 0 and p along x, and the joint moves about and along z only
};

struct ReducedTree {
  Tree tree;                // placements, inertias and the poses of the user's frames in the new frames
  std::vector<Link> links;  // by body
  // by body
  std::vector<spatial::Transform<double>> frames;  // pose of its new frame in its old one
  std::vector<spatial::Inertia<double>> moved;     // what its parent has of it now, in its new frame
};

ReducedTree make_reduced_tree(const Tree& tree);

// What is left of an inertia.
template <class C>
spatial::Inertia<C> without(const spatial::Inertia<C>& M, const spatial::Inertia<C>& moved) {
  const auto &J = M.J, &K = moved.J;
  return {M.m - moved.m, M.h - moved.h, {J.xx - K.xx, J.yy - K.yy, J.zz - K.zz, J.xy - K.xy, J.xz - K.xz, J.yz - K.yz}};
}

}  // namespace catena
