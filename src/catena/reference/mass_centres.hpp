// Bodies as Angeles and Saha see them: world components, twists and wrenches at the mass centres.
// Source: formula sheet 1.6 and 2.1. Bodies are those of the tree (fixed joints lumped), numbered base -> tip; [0] is
// the ground, its point the world's origin. A massless body has no mass centre; its frame's origin takes the place.
#pragma once

#include <Eigen/Geometry>

#include "catena/dynamics/workspace.hpp"
#include "catena/reference/operator.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct CentredBody {
  int parent = -1;
  int v = 0;                        // first velocity number
  Matrix3 R = Matrix3::Identity();  // its axes in the world
  Vector3 o = Vector3::Zero();      // a point of the body on its joint's axis: the frame's origin
  Vector3 c = Vector3::Zero();      // mass centre
  double mass = 0;
  Matrix3 inertia = Matrix3::Zero();  // about the mass centre
  Matrix p;                           // joint map, 6 x d: t = p v + B t_parent
  Vector6 t = Vector6::Zero();        // twist [w; c_dot]
  Vector6 w = Vector6::Zero();        // external wrench on the body, weight not included: [moment about c; force]

  Vector3 omega() const { return t.head<3>(); }
  Vector3 c_dot() const { return t.tail<3>(); }
  Vector3 o_dot() const { return c_dot() + omega().cross(o - c); }
  Matrix6 M() const;  // diag(inertia, mass 1)
  Matrix6 W() const;  // diag([w]x, 0)
  Vector6 weight(const Vector3& gravity) const;
};

// A mimic joint has a number in v of its own, behind those of the model (tree.hpp).
std::vector<CentredBody> centred_bodies(const Model& model, ConstVector q, ConstVector v,
                                        const ExternalLoads& loads = {});

}  // namespace catena
#pragma GCC visibility pop
