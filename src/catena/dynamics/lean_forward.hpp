// Forward dynamics by articulated bodies on the lean tree. Source: formula sheet 4.1, 4.9.
// Every quantity of body k is in its lean frame.
#pragma once

#include "catena/dynamics/articulated_kernel.hpp"
#include "catena/dynamics/lean_inverse.hpp"

namespace catena::kernel {

// What a revolute or prismatic joint without armature takes off P entirely: no difference that rounds to zero.
template <class S>
CATENA_INLINE void clear_felt(const TreeBody& body, ArticulatedInertia<S>& P_plus) {
  const S o = S(0);
  if (body.kind == JointKind::revolute) {
    P_plus.J.xz = P_plus.J.yz = P_plus.J.zz = o;
    P_plus.H.cx.z = P_plus.H.cy.z = P_plus.H.cz.z = o;
  } else if (body.kind == JointKind::prismatic) {
    P_plus.H.cz = Vec3<S>::zero();
    P_plus.M.xz = P_plus.M.yz = P_plus.M.zz = o;
  }
}

// X' P+ X of a revolute joint without armature on a plain link: what lies along its axis is zero in P+ and stays so
// until the axes turn about x.
template <class S>
CATENA_INLINE ArticulatedInertia<S> seen_past_revolute(const LinkPose<S>& X, const ArticulatedInertia<S>& P,
                                                       const Force<S>& PH, const S& D_inv) {
  ArticulatedInertia<S> out;
  Sym3<S>&J = out.J, &M = out.M;
  Mat3<S>& H = out.H;
  const Force<S> G = PH * D_inv;
  const S &n_x = PH.n.x, &n_y = PH.n.y;
  M = {P.M.xx - G.f.x * PH.f.x, P.M.yy - G.f.y * PH.f.y, P.M.zz - G.f.z * PH.f.z,
       P.M.xy - G.f.x * PH.f.y, P.M.xz - G.f.x * PH.f.z, P.M.yz - G.f.y * PH.f.z};
  S xx = P.H.cx.x - G.f.x * n_x, yx = P.H.cy.x - G.f.y * n_x, zx = P.H.cz.x - G.f.z * n_x;  // H by columns
  S xy = P.H.cx.y - G.f.x * n_y, yy = P.H.cy.y - G.f.y * n_y, zy = P.H.cz.y - G.f.z * n_y;
  J.xx = P.J.xx - G.n.x * n_x, J.yy = P.J.yy - G.n.y * n_y, J.xy = P.J.xy - G.n.x * n_y;
  // shift along z
  const S &d = X.d, old_xx = xx, old_yx = yx, old_xy = xy;
  xx -= M.xy * d, yx -= M.yy * d, zx -= M.yz * d;
  xy += M.xx * d, yy += M.xy * d, zy += M.xz * d;
  J.xx -= (old_yx + yx) * d, J.yy += (old_xy + xy) * d, J.xy += (old_xx - yy) * d;
  // turn about z
  turn_up(X.gamma, J.xx, J.yy, J.xy);
  turn_up(X.gamma, xx, yy, yx, xy);
  turn_up(X.gamma, zx, zy);
  turn_up_z(X.gamma, M);
  // turn about x
  const Turn& t = X.link->alpha;
  const S k = J.yy * t.s, l = yy * t.s + zy * t.c;
  J.zz = k * t.s, J.yz = k * t.c, J.yy = J.yy - J.zz;
  J.xz = J.xy * t.s, J.xy = J.xy * t.c;
  turn_up(t, yx, zx);
  H.cx = {xx, xy * t.c, xy * t.s};
  H.cy.x = yx, H.cz.x = zx;
  H.cz.z = l * t.s, H.cy.y = yy - H.cz.z;
  H.cz.y = l * t.c, H.cy.z = H.cz.y - zy;
  turn_up_x(t, M);
  shift_x(X.link->p.x, out);
  return out;
}

// X' P+ X
template <class Joint, class S>
CATENA_INLINE ArticulatedInertia<S> seen_past(Joint, const TreeBody& body, bool armature, const LinkPose<S>& X,
                                              const ArticulatedInertia<S>& P, const JointFactor<Joint::d, S>& own) {
  if constexpr (std::is_same_v<Joint, Revolute>) {
    if (!armature && X.link->plain) [[likely]]
      return seen_past_revolute(X, P, own.PH[0], own.D_inv[0]);
  }
  ArticulatedInertia<S> P_plus = P;
  subtract_gain(own, P_plus);
  if (!armature) clear_felt(body, P_plus);
  return apply_transposed(X, P_plus);
}

// As riccati_sweep; carry(body index, joint, its JointFactor).
template <class S, class Carry>
CATENA_INLINE void lean_riccati_sweep(const Tree& tree, const std::vector<LinkPose<S>>& X, Articulated<S>& out,
                                      const Carry& carry) {
  start_articulated(tree, out);
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      const auto own = factor_joint(joint, tree, k, out);
      const bool armature = tree.terms[body.v].armature != 0;
      if (body.parent > 0) out.P[body.parent] += seen_past(joint, body, armature, X[k], out.P[k], own);
      carry(k, joint, own);
    });
  }
}

// a from tau (joint terms taken off), full coordinates: the wrenches for dv = 0 first, so that what remains is linear.
// inward:  e = tau - H' z     z_parent += X' (z + P H D^-1 e)
// outward: alpha' = X alpha_parent     a = D^-1 (e - (P H)' alpha')     alpha = alpha' + H a
template <class S>
CATENA_INLINE void lean_forward(const Lean& lean, const std::vector<LinkPose<S>>& X, const S* v, const S* tau,
                                const Swing<S>& ground, const Force<S>* f_ext, NewtonEuler<S>& still,
                                Articulated<S>& out, S* a) {
  const Tree& tree = lean.tree;
  const int count = tree.count();
  const TreeBody* const bodies = tree.bodies.data();
  lean_wrenches<S>(lean, X, v, nullptr, ground, still);
  Force<S>* const z = still.f.data();
  if (f_ext != nullptr) {
    for (int k = 0; k < count; ++k) z[k] -= f_ext[k];
  }
  begin_sweep(v, "inward: articulated inertias");
  lean_riccati_sweep(tree, X, out, [&](int k, auto joint, const auto& own) CATENA_INLINE_LAMBDA {
    constexpr int d = decltype(joint)::d;
    const TreeBody& body = bodies[k];
    S* const e = out.e.data() + body.v;
    for (int i = 0; i < d; ++i) e[i] = tau[body.v + i] - joint.project(body, z[k], i);
    if (body.parent == 0) return;
    S x[d];
    solve_joint<d>(triangle(out, body), out.D_inv.data() + body.v, e, x);
    Force<S> whole = z[k];
    for (int i = 0; i < d; ++i) whole += own.PH[i] * x[i];
    z[body.parent] += apply_transposed(X[k], whole);
  });
  begin_sweep(v, "outward: accelerations");
  Motion<S>* const alpha = out.alpha.data();
  alpha[0] = Motion<S>::zero();
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = bodies[k];
    Motion<S> own = apply(X[k], alpha[body.parent]);
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      constexpr int d = decltype(joint)::d;
      S y[d];
      for (int i = 0; i < d; ++i) y[i] = out.e[body.v + i] - dot(own, out.PH[body.v + i]);
      solve_joint<d>(triangle(out, body), out.D_inv.data() + body.v, y, a + body.v);
      joint.add(body, own, a + body.v);
    });
    alpha[k] = own;
  }
}
void lean_forward(const Lean& lean, const std::vector<LinkPose<double>>& X, const double* v, const double* tau,
                  const Swing<double>& ground, const Force<double>* f_ext, NewtonEuler<double>& still,
                  Articulated<double>& out, double* a);

}  // namespace catena::kernel
