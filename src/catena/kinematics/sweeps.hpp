// Kinematic sweeps over a scalar: joint poses X from q; velocities and accelerations outward.
// Source: formula sheet 1.5. Every quantity of body k is in frame k; body 0 is the ground.
#pragma once

#include <vector>

#include "catena/kinematics/joints.hpp"

namespace catena::kernel {

// Pose of each body in its parent.
template <class S>
struct Positions {
  std::vector<Transform<S>> X;
  std::vector<S> sine, cosine;

  explicit Positions(const Tree& tree)
      : X(tree.count(), Transform<S>::identity()), sine(tree.count(), S(0)), cosine(tree.count(), S(1)) {}
};

// X = placement J(q). q: full coordinates.
template <class S>
void update_positions(const Tree& tree, const S* q, Positions<S>& out) {
  using spatial::sincos;
  const int count = tree.count();
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) {
      if constexpr (decltype(joint)::has_angle) sincos(q[body.q], out.sine[k], out.cosine[k]);
    });
  }
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) { out.X[k] = joint.pose(body, q + body.q, out.sine[k], out.cosine[k]); });
  }
}

// V = X V_parent + H v        s = crm(V) H v (velocity-product acceleration)
template <class S>
CATENA_INLINE void velocity_step(const TreeBody& body, const Transform<S>& X, const Motion<S>& V_parent, const S* v,
                                 Motion<S>& V, Motion<S>& s) {
  V = apply(X, V_parent);
  visit(body, [&](auto joint) {
    joint.add(body, V, v);
    s = joint.cross_velocity(body, V, v);
  });
}

// q_full, v_full, ... = [x; ratio x[master] (+ offset)]
template <class S>
CATENA_INLINE void expand_positions(const Tree& tree, S* full) {
  for (const Coupling& c : tree.couplings) full[c.q] = full[c.master_q] * c.ratio + c.offset;
}
template <class S>
CATENA_INLINE void expand_velocities(const Tree& tree, S* full) {
  for (const Coupling& c : tree.couplings) full[c.v] = full[c.master_v] * c.ratio;
}
// tau[master] += ratio tau_full[coupled]
template <class S>
CATENA_INLINE void reduce_forces(const Tree& tree, S* full) {
  for (const Coupling& c : tree.couplings) full[c.master_v] += full[c.v] * c.ratio;
}

// Spatial velocity and acceleration of the ground from ordinary derivatives (formula sheet 0.2).
Motion<double> ground_velocity(const Vector3& angular, const Vector3& linear);
Motion<double> ground_acceleration(const Vector3& angular_velocity, const Vector3& velocity, const Vector3& angular,
                                   const Vector3& linear);

}  // namespace catena::kernel
