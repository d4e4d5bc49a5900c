// Newton-Euler with ordinary accelerations and U = [dw]x + [w]x[w]x, which serves the shift of the origin, the force
// and, with the second moments of mass, the moment: in body axes. Source: formula sheet 1.5; Luh, Walker, Paul; Khalil.
#pragma once

#include "catena/compile/lean_pose.hpp"
#include "catena/dynamics/inverse_kernel.hpp"

namespace catena::compile {

using kernel::Swing;
using spatial::swing;

// dv: derivatives of v, or null for zero.
template <class S>
Swing<S> swing_step(const LinkPose<S>& X, const TreeBody& body, const Swing<S>& parent, const S* v, const S* dv) {
  Motion<S> rate = Motion<S>::zero(), change = Motion<S>::zero();
  kernel::visit(body, [&](auto joint) {
    joint.add(body, rate, v);
    if (dv != nullptr) joint.add(body, change, dv);
  });
  Vec3<S> w = parent.w, dw = parent.dw, a = parent.a + parent.U * X.p;
  X.turn_down_to_t(w), X.turn_down_to_t(dw), X.turn_down_to_t(a);
  a += swing(w, dw) * X.t;
  X.turn_down_from_t(w), X.turn_down_from_t(dw), X.turn_down_from_t(a);
  // the joint's own motion: dw += w x w_J + dw_J     a += 2 w x u + w_J x u + du
  dw += cross(w, rate.w) + change.w;
  a += cross(w, rate.v + rate.v) + cross(rate.w, rate.v) + change.v;
  w += rate.w;
  const Mat3<S> U = swing(w, dw);
  a += U * Vec3<S>{S(0), S(0), X.d};
  return {w, dw, a, U};
}

// The wrench that moves a body; moments of mass that are only rounding count as zero.
template <class S>
Force<S> swing_force(const spatial::Inertia<double>& M, const Swing<S>& k) {
  const double scale = 1e-15 * (std::abs(M.J.xx) + std::abs(M.J.yy) + std::abs(M.J.zz));
  spatial::Sym3<double> second = spatial::second_moments(M.J);
  for (double* x : {&second.xx, &second.yy, &second.zz}) {
    if (std::abs(*x) <= scale) *x = 0;
  }
  return spatial::swing_force(M.m, M.h, second, k.a, k.U);
}

template <class S>
Swing<S> ground_swing(const Lean& lean) {
  const auto& g = lean.tree.gravity;
  return {Vec3<S>::zero(), Vec3<S>::zero(), {S(-g.x()), S(-g.y()), S(-g.z())}, Mat3<S>::zero()};
}

// Wrench on each body that its motion takes, not yet summed over the bodies further out. dv null: for dv = 0.
template <class S>
std::vector<Force<S>> lean_forces(const Lean& lean, const std::vector<LinkPose<S>>& X, const S* v, const S* dv) {
  const int count = lean.tree.count();
  std::vector<Swing<S>> swings(count, ground_swing<S>(lean));
  std::vector<Force<S>> f(count, Force<S>::zero());
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = lean.tree.bodies[k];
    swings[k] = swing_step(X[k], body, swings[body.parent], v + body.v, dv == nullptr ? nullptr : dv + body.v);
    f[k] = swing_force(body.M, swings[k]);
  }
  return f;
}

// tau in full coordinates, without joint terms.
template <class S>
void lean_inverse(const Lean& lean, const std::vector<LinkPose<S>>& X, const S* v, const S* dv, S* tau) {
  std::vector<Force<S>> f = lean_forces(lean, X, v, dv);
  for (int k = lean.tree.count() - 1; k > 0; --k) {
    const TreeBody& body = lean.tree.bodies[k];
    kernel::visit(body, [&](auto joint) {
      for (int i = 0; i < joint.d; ++i) tau[body.v + i] = joint.project(body, f[k], i);
    });
    if (body.parent > 0) f[body.parent] += X[k].up(f[k]);
  }
}

}  // namespace catena::compile
