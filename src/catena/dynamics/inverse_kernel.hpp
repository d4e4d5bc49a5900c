// Inverse dynamics by recursive Newton-Euler, with ordinary accelerations. Source: formula sheet 1.5; Luh, Walker, Paul.
// Every quantity of body k is in frame k; body 0 is the ground, its slot collects the base reaction.
#pragma once

#include "catena/kinematics/sweeps.hpp"

namespace catena::kernel {

// How the points of a body accelerate: a + U r, gravity subtracted, with U = [dw]x + [w]x[w]x.
template <class S>
struct Swing {
  Vec3<S> w, dw, a;
  Mat3<S> U;
};

template <class S>
struct NewtonEuler {
  std::vector<Swing<S>> swing;
  std::vector<Force<S>> f;          // wrench of the parent on the body
  std::vector<Motion<S>> V, alpha;  // by motion_sweep only

  explicit NewtonEuler(const Tree& tree)
      : swing(tree.count(), Swing<S>{Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero(), Mat3<S>::zero()}),
        f(tree.count(), Force<S>::zero()),
        V(tree.count(), Motion<S>::zero()),
        alpha(V) {}
};

// V_0, alpha_0: motion of the ground, gravity subtracted from alpha_0. f_ext: wrenches on the bodies, or none (null).
// tau, v, a: full coordinates. Without joint terms. a may be null for zero.
template <class S>
CATENA_INLINE void inverse_sweeps(const Tree& tree, const std::vector<Transform<S>>& X, const S* v, const S* a,
                                  const Motion<S>& V_0, const Motion<S>& alpha_0, const Force<S>* f_ext,
                                  NewtonEuler<S>& out, S* tau) {
  const int count = tree.count();
  const TreeBody* const bodies = tree.bodies.data();
  const Transform<S>* const pose = X.data();
  Swing<S>* const swing = out.swing.data();
  Force<S>* const f = out.f.data();

  // outward:  w = R' w_parent + w_J      dw = R' dw_parent + w x w_J + dw_J
  //           a = R' (a_parent + U_parent p) + 2 w x u_J - w_J x u_J + du_J,   w the new one
  //           f = m a + U h - f_ext      n = int r x (U r) dm + h x a
  begin_sweep(v, "outward");
  swing[0] = {V_0.w, alpha_0.w, alpha_0.v + cross(V_0.w, V_0.v), spatial::swing(V_0.w, alpha_0.w)};
  f[0] = spatial::swing_force(bodies[0].M.m, bodies[0].M.h, bodies[0].second, swing[0].a, swing[0].U);
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = bodies[k];
    const Swing<S>& before = swing[body.parent];
    Motion<S> V = {transposed_times(pose[k].R, before.w), Vec3<S>::zero()};
    Motion<S> alpha = {transposed_times(pose[k].R, before.dw),
                       transposed_times(pose[k].R, before.a + before.U * pose[k].p)};
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      joint.swing(body, V.w, alpha, v + body.v);
      if (a != nullptr) joint.add(body, alpha, a + body.v);
    });
    Swing<S>& own = swing[k];
    own.U = spatial::swing(V.w, alpha.w);
    own.w = V.w;
    own.dw = alpha.w;
    own.a = alpha.v;
    f[k] = spatial::swing_force(body.M.m, body.M.h, body.second, alpha.v, own.U);
  }
  if (f_ext != nullptr) {
    for (int k = 0; k < count; ++k) f[k] -= f_ext[k];
  }

  // inward:  tau = H' f     f_parent += X' f
  begin_sweep(v, "inward");
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      for (int i = 0; i < joint.d; ++i) tau[body.v + i] = joint.project(body, f[k], i);
    });
    f[body.parent] += apply_transposed(pose[k], f[k]);
  }
}

// V = X V_parent + H v     alpha = X alpha_parent + H a + crm(V) H v
template <class S>
CATENA_INLINE void motion_sweep(const Tree& tree, const std::vector<Transform<S>>& X, const S* v, const S* a,
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
