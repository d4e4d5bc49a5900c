// Kinematic sweeps over a scalar: joint poses X from q; velocities and accelerations outward.
// Source: formula sheet 1.5. Every quantity of body k is in frame k; body 0 is the ground.
#pragma once

#include <vector>

#include "catena/joints/joints.hpp"
#include "catena/model/tree.hpp"
#include "catena/spatial/elementary.hpp"

namespace catena::kernel {

// Sines and cosines by angle of the tree, with room up to a whole vector.
template <class S>
struct Angles {
  std::vector<S> angle, sine, cosine;

  explicit Angles(const Topology& tree)
      : angle((tree.angles.size() + 7) / 8 * 8, S(0)), sine(angle), cosine(angle.size(), S(1)) {}
};

// Of q itself: what a joint has turned already when q = 0 must not be added to it, or digits of a large q are lost. For
// double all angles at once, which the compiler turns into vectors; far angles one by one.
template <class S>
CATENA_INLINE void update_angles(const Topology& tree, const S* q, Angles<S>& out) {
  using spatial::sincos;
  const int count = static_cast<int>(tree.angles.size());
  S *const angle = out.angle.data(), *const sine = out.sine.data(), *const cosine = out.cosine.data();
  for (int i = 0; i < count; ++i) angle[i] = q[tree.angles[i]];
  if constexpr (std::is_same_v<S, double>) {
    const int padded = (count + 3) / 4 * 4;
    bool near = true;
    for (int i = 0; i < padded; ++i) near &= std::abs(angle[i]) < spatial::largest_reduced_angle;
    if (near) {
      for (int i = 0; i < padded; ++i) spatial::sincos_near(angle[i], sine[i], cosine[i]);
      return;
    }
  } else if constexpr (spatial::is_number<S> && !std::is_floating_point_v<S>) {  // lanes
    S sum = S(0);
    for (int i = 0; i < count; ++i) sum += absolute(angle[i]);
    if (all_greater(S(spatial::largest_reduced_angle), sum)) [[likely]] {
      for (int i = 0; i < count; ++i) spatial::sincos_near(angle[i], sine[i], cosine[i]);
      return;
    }
  }
  for (int i = 0; i < count; ++i) sincos(angle[i], sine[i], cosine[i]);
}

// Pose of each body in its parent.
template <class S>
struct Positions : Angles<S> {
  std::vector<Transform<S>> X;

  explicit Positions(const Topology& tree) : Angles<S>(tree), X(tree.count(), Transform<S>::identity()) {}
};

// X = placement J(q). q: full coordinates.
template <class S>
CATENA_INLINE void update_positions(const Topology& tree, const S* q, Positions<S>& out) {
  update_angles(tree, q, out);
  const int count = tree.count();
  const S none = S(0);
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      if constexpr (decltype(joint)::has_angle) {
        out.X[k] = joint.pose(body, q + body.q, out.sine[body.angle], out.cosine[body.angle]);
      } else {
        out.X[k] = joint.pose(body, q + body.q, none, none);
      }
    });
  }
}

// The kernels for double are compiled once, for two instruction sets (scalar.hpp): here and in the kernels' headers,
// declared behind their templates.
void update_positions(const Topology& tree, const double* q, Positions<double>& out);

// V = X V_parent + H v        s = crm(V) H v (velocity-product acceleration)
template <class Pose, class S>
CATENA_INLINE void velocity_step(const TreeBody& body, const Pose& X, const Motion<S>& V_parent, const S* v,
                                 Motion<S>& V, Motion<S>& s) {
  V = apply(X, V_parent);
  visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
    joint.add(body, V, v);
    s = joint.cross_velocity(body, V, v);
  });
}

// q_full, v_full, ... = [x; ratio x[master] (+ offset)]
template <class S>
CATENA_INLINE void expand_positions(const Topology& tree, S* full) {
  for (const Coupling& c : tree.couplings) full[c.q] = full[c.master_q] * c.ratio + c.offset;
}
template <class S>
CATENA_INLINE void expand_velocities(const Topology& tree, S* full) {
  for (const Coupling& c : tree.couplings) full[c.v] = full[c.master_v] * c.ratio;
}
// tau[master] += ratio tau_full[coupled]
template <class S>
CATENA_INLINE void reduce_forces(const Topology& tree, S* full) {
  for (const Coupling& c : tree.couplings) full[c.master_v] += full[c.v] * c.ratio;
}

// Spatial velocity and acceleration of the ground from ordinary derivatives (formula sheet 0.2).
Motion<double> ground_velocity(const Vector3& angular, const Vector3& linear);
Motion<double> ground_acceleration(const Vector3& angular_velocity, const Vector3& velocity, const Vector3& angular,
                                   const Vector3& linear);

}  // namespace catena::kernel
