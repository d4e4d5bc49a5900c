// Newton-Euler and articulated bodies as the textbooks print them, in the frames of the user's bodies: what the
// operations of the papers' tables are counted on, and an independent check. Source: formula sheet 1.5, 4.1, 4.9.
// Every quantity of body k is in frame k; body 0 is the ground.
#pragma once

#include "catena/dynamics/articulated_kernel.hpp"

namespace catena::kernel {

template <class S>
struct TextbookArticulated : Articulated<S> {
  std::vector<Motion<S>> V, s;
  std::vector<Force<S>> z;

  explicit TextbookArticulated(const Tree& tree)
      : Articulated<S>(tree), V(tree.count(), Motion<S>::zero()), s(V), z(tree.count(), Force<S>::zero()) {}
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
  BodyAcceleration<S>* const acceleration = out.acceleration.data();
  Force<S>* const f = out.f.data();

  // outward:  w = R' w_parent + w_J      dw = R' dw_parent + w x w_J + dw_J
  //           a = R' (a_parent + U_parent p) + 2 w x u_J - w_J x u_J + du_J,   w the new one
  //           f = m a + U h - f_ext      n = int r x (U r) dm + h x a
  begin_sweep(v, "outward");
  acceleration[0] = {V_0.w, alpha_0.w, alpha_0.v + cross(V_0.w, V_0.v), spatial::acceleration_matrix(V_0.w, alpha_0.w)};
  f[0] = spatial::inertial_wrench(tree.inertias[0].M.m, tree.inertias[0].M.h, tree.inertias[0].second,
                                  acceleration[0].a, acceleration[0].U);
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = bodies[k];
    const BodyAcceleration<S>& before = acceleration[body.parent];
    Motion<S> V = {transposed_times(pose[k].R, before.w), Vec3<S>::zero()};
    Motion<S> alpha = {transposed_times(pose[k].R, before.dw),
                       transposed_times(pose[k].R, before.a + before.U * pose[k].p)};
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      joint.add_velocity_products(body, V.w, alpha, v + body.v);
      if (a != nullptr) joint.add(body, alpha, a + body.v);
    });
    BodyAcceleration<S>& own = acceleration[k];
    own.U = spatial::acceleration_matrix(V.w, alpha.w);
    own.w = V.w;
    own.dw = alpha.w;
    own.a = alpha.v;
    f[k] =
        spatial::inertial_wrench(tree.inertias[k].M.m, tree.inertias[k].M.h, tree.inertias[k].second, alpha.v, own.U);
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

// inward:  P = M + sum X' P+ X     D = H' P H + armature = L diag L'     P+ = P - P H D^-1 (P H)'
// carry(body index, joint, P+): called for each body after its D is factored and before P+ goes to the parent.
template <class S, class Carry>
CATENA_INLINE void textbook_riccati_sweep(const Tree& tree, const std::vector<Transform<S>>& X, Articulated<S>& out,
                                          const Carry& carry) {
  start_articulated(tree, out);
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      const auto own = factor_joint(joint, tree, k, out);
      if (body.parent > 0) {
        ArticulatedInertia<S> P_plus = out.P[k];
        subtract_gain(own, P_plus);
        carry(k, joint, P_plus);
        out.P[body.parent] += apply_transposed(X[k], P_plus);
      } else {
        carry(k, joint, out.P[k]);  // nothing is asked of P+ on the ground
      }
    });
  }
}

// a of full coordinates from tau (joint terms already taken off). V_0, alpha_0 as in inverse_sweeps.
template <class S>
CATENA_INLINE void forward_sweeps(const Tree& tree, const std::vector<Transform<S>>& X, const S* v, const S* tau,
                                  const Motion<S>& V_0, const Motion<S>& alpha_0, const Force<S>* f_ext,
                                  TextbookArticulated<S>& out, S* a) {
  const int count = tree.count();

  // outward:  V = X V_parent + H v     s = crm(V) H v     z = crf(V) M V - f_ext
  begin_sweep(v, "outward: velocities");
  out.V[0] = V_0;
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    velocity_step(body, X[k], out.V[body.parent], v + body.v, out.V[k], out.s[k]);
    out.z[k] = cross(out.V[k], tree.inertias[k].M * out.V[k]);
  }
  if (f_ext != nullptr) {
    for (int k = 1; k < count; ++k) out.z[k] -= f_ext[k];
  }

  // inward:  e = tau - H' z     z_parent += X' (z + P+ s + P H D^-1 e)
  begin_sweep(v, "inward: articulated inertias");
  textbook_riccati_sweep(tree, X, out,
                         [&](int k, auto joint, const ArticulatedInertia<S>& P_plus) CATENA_INLINE_LAMBDA {
                           constexpr int d = decltype(joint)::d;
                           const TreeBody& body = tree.bodies[k];
                           S* e = out.e.data() + body.v;
                           for (int i = 0; i < d; ++i) e[i] = tau[body.v + i] - joint.project(body, out.z[k], i);
                           if (body.parent > 0) {
                             S x[d];
                             solve_joint<d>(triangle(out, body), out.D_inv.data() + body.v, e, x);
                             Force<S> z = out.z[k] + P_plus * out.s[k];
                             for (int i = 0; i < d; ++i) z += out.PH[body.v + i] * x[i];
                             out.z[body.parent] += apply_transposed(X[k], z);
                           }
                         });

  // outward:  alpha' = X alpha_parent + s     a = D^-1 (e - (P H)' alpha')     alpha = alpha' + H a
  begin_sweep(v, "outward: accelerations");
  out.alpha[0] = alpha_0;
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    Motion<S> alpha = apply(X[k], out.alpha[body.parent]) + out.s[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      constexpr int d = decltype(joint)::d;
      S y[d];
      for (int i = 0; i < d; ++i) y[i] = out.e[body.v + i] - dot(alpha, out.PH[body.v + i]);
      solve_joint<d>(triangle(out, body), out.D_inv.data() + body.v, y, a + body.v);
      joint.add(body, alpha, a + body.v);
    });
    out.alpha[k] = alpha;
  }
}

}  // namespace catena::kernel
