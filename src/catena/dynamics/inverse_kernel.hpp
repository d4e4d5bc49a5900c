// Inverse dynamics by recursive Newton-Euler (RNEA), with ordinary accelerations, on the reduced tree: planar
// rotations and translations, and base parameters. Source: formula sheet 1.5; Luh, Walker, Paul; Khalil.
// Every quantity of body k is in its reduced frame; body 0 is the ground. The parameters of the tree are double or,
// where they are inputs, of the scalar's type.
#pragma once

#include "catena/kinematics/link_pose.hpp"

namespace catena::kernel {

// How the points of a body accelerate: a + U r, gravity subtracted, with U = [dw]x + [w]x[w]x.
template <class S>
struct BodyAcceleration {
  Vec3<S> w, dw, a;
  Mat3<S> U;
};

template <class S>
struct NewtonEuler {
  std::vector<BodyAcceleration<S>> acceleration;
  std::vector<Force<S>> f;          // wrench of the parent on the body, but for the inertia that moved to the parent
  std::vector<Motion<S>> V, alpha;  // by motion_sweep only

  explicit NewtonEuler(const Topology& tree)
      : acceleration(tree.count(),
                     BodyAcceleration<S>{Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero(), Mat3<S>::zero()}),
        f(tree.count(), Force<S>::zero()),
        V(tree.count(), Motion<S>::zero()),
        alpha(V) {}
};

// The ground at rest.
template <class S, class C>
CATENA_INLINE BodyAcceleration<S> resting_ground(const BasicTree<C>& reduced) {
  const Vec3<C>& g = reduced.gravity;
  return {Vec3<S>::zero(), Vec3<S>::zero(), {S(-g.x), S(-g.y), S(-g.z)}, Mat3<S>::zero()};
}
// The ground's motion, given in the world, gravity subtracted from alpha_0.
template <class S>
CATENA_INLINE BodyAcceleration<S> moving_ground(const ReducedTree& reduced, const Motion<S>& V_0,
                                                const Motion<S>& alpha_0) {
  const auto& [R, p] = reduced.frames[0];
  const Vec3<S> w = transposed_times(R, V_0.w), dw = transposed_times(R, alpha_0.w);
  const Vec3<S> a = alpha_0.v + cross(V_0.w, V_0.v) + spatial::acceleration_matrix(V_0.w, alpha_0.w) * p;
  return {w, dw, transposed_times(R, a), spatial::acceleration_matrix(w, dw)};
}

// The base parameters of a revolute joint's body: no mass, no first and no second moment along z.
template <class S, class C>
CATENA_INLINE Force<S> inertial_wrench(Revolute, const BodyInertia<C>& body, const Vec3<S>& a, const Mat3<S>& U) {
  const Vec3<C>& h = body.M.h;
  const Sym3<C>& second = body.second;
  const Vec3<S>&cx = U.cx, &cy = U.cy, &cz = U.cz;
  const Vec3<S> n = {cx.z * second.xy - cx.y * second.xz + (cz.z - cy.y) * second.yz + cy.z * second.yy + a.z * h.y,
                     (cx.x - cz.z) * second.xz + cy.x * second.yz - cx.z * second.xx - cy.z * second.xy - a.z * h.x,
                     cx.y * second.xx + (cy.y - cx.x) * second.xy + cz.y * second.xz - cy.x * second.yy -
                         cz.x * second.yz + a.y * h.x - a.x * h.y};
  return {n, cx * h.x + cy * h.y};
}
template <class Joint, class S, class C>
CATENA_INLINE Force<S> inertial_wrench(Joint, const BodyInertia<C>& body, const Vec3<S>& a, const Mat3<S>& U) {
  return spatial::inertial_wrench(body.M.m, body.M.h, body.second, a, U);
}

// The wrench on each body that its motion takes, not yet summed over the bodies further out. v, dv: full coordinates;
// dv may be null for zero.
template <class S, class C>
CATENA_INLINE void body_wrenches(const BasicTree<C>& reduced, const std::vector<LinkPose<S>>& poses, const S* v,
                                 const S* dv, const BodyAcceleration<S>& ground, NewtonEuler<S>& out) {
  const int count = reduced.count();
  const TreeBody* const bodies = reduced.bodies.data();
  const BodyInertia<C>* const inertias = reduced.inertias.data();
  const LinkPose<S>* const X = poses.data();
  BodyAcceleration<S>* const acceleration = out.acceleration.data();
  Force<S>* const f = out.f.data();

  // outward:  w = R' w_parent + w_J      dw = R' dw_parent + w x w_J + dw_J
  //           a = R' (a_parent + U_parent p) + what the joint adds + U d z     p, the joint's own, d: translations
  //           f = m a + U h      n = int r x (U r) dm + h x a
  begin_sweep(v, "outward");
  acceleration[0] = ground;
  f[0] = Force<S>::zero();
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = bodies[k];
    const Link& link = *X[k].link;
    const BodyAcceleration<S>& before = acceleration[body.parent];
    Vec3<S> w = before.w, dw = before.dw, a = before.a;
    if (link.plain) [[likely]] {
      a += before.U.cx * link.p.x;
      turn_down_to_t(X[k], w), turn_down_to_t(X[k], dw), turn_down_to_t(X[k], a);
    } else {
      a += before.U * link.p;
      turn_down_to_t(X[k], w), turn_down_to_t(X[k], dw), turn_down_to_t(X[k], a);
      if (const Displacement<S>* const moved = X[k].moved; moved != nullptr) {
        a += spatial::acceleration_matrix(w, dw) * moved->t;
        turn_down_from_t(*moved, w), turn_down_from_t(*moved, dw), turn_down_from_t(*moved, a);
      }
    }
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      Motion<S> alpha = {dw, a};
      joint.add_velocity_products(body, w, alpha, v + body.v);
      if (dv != nullptr) joint.add(body, alpha, dv + body.v);
      const Mat3<S> U = spatial::acceleration_matrix(w, alpha.w);
      alpha.v += U.cz * X[k].d;
      acceleration[k] = {w, alpha.w, alpha.v, U};
      f[k] = inertial_wrench(joint, inertias[k], alpha.v, U);
    });
  }
}

// tau: full coordinates, without joint terms. dv and f_ext may be null for zero.
template <class S, class C>
CATENA_INLINE void newton_euler_sweeps(const BasicTree<C>& reduced, const std::vector<LinkPose<S>>& poses, const S* v,
                                       const S* dv, const BodyAcceleration<S>& ground, const Force<S>* f_ext,
                                       NewtonEuler<S>& out, S* tau) {
  const int count = reduced.count();
  const TreeBody* const bodies = reduced.bodies.data();
  const LinkPose<S>* const X = poses.data();
  Force<S>* const f = out.f.data();
  body_wrenches(reduced, poses, v, dv, ground, out);
  if (f_ext != nullptr) {
    for (int k = 0; k < count; ++k) f[k] -= f_ext[k];
  }
  // inward:  tau = H' f     f_parent += X' f
  // The sum waits in registers, for the next body is most often the parent: a number that goes by way of memory is
  // there nine cycles later.
  begin_sweep(v, "inward");
  Force<S> own = f[count - 1];
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      for (int i = 0; i < joint.d; ++i) tau[body.v + i] = joint.project(body, own, i);
    });
    if (body.parent == k - 1 && k > 1) [[likely]] {
      own = f[k - 1] + apply_transposed(X[k], own);
      f[k - 1] = own;
      continue;
    }
    if (body.parent > 0) f[body.parent] += apply_transposed(X[k], own);
    own = f[k - 1];
  }
}
void newton_euler_sweeps(const Tree& reduced, const std::vector<LinkPose<double>>& poses, const double* v,
                         const double* dv, const BodyAcceleration<double>& ground, const Force<double>* f_ext,
                         NewtonEuler<double>& out, double* tau);

// V = X V_parent + H v     alpha = X alpha_parent + H a + crm(V) H v
template <class Pose, class S>
CATENA_INLINE void motion_sweep(const Topology& tree, const std::vector<Pose>& X, const S* v, const S* a,
                                const Motion<S>& V_0, const Motion<S>& alpha_0, NewtonEuler<S>& out) {
  out.V[0] = V_0;
  out.alpha[0] = alpha_0;
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    Motion<S> s;
    velocity_step(body, X[k], out.V[body.parent], v + body.v, out.V[k], s);
    Motion<S> alpha = apply(X[k], out.alpha[body.parent]) + s;
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA { joint.add(body, alpha, a + body.v); });
    out.alpha[k] = alpha;
  }
}

}  // namespace catena::kernel
