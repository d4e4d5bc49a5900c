// Products with the mass matrix without forming it, and inverse dynamics by filtering and smoothing, over a scalar.
// Source: Walker and Orin's methods 1, 2 and 4 need M x at rest and without gravity (formula sheet 1.5 with V = 0);
// the second from the articulated sweep and its innovations e = tau - H' z (4.1, 4.3, 4.9).
// Every quantity of body k is in frame k; body 0 is the ground.
#pragma once

#include "catena/reference/textbook_kernel.hpp"

namespace catena::kernel {

template <class S>
struct MassProduct {
  std::vector<Motion<S>> alpha;
  std::vector<Force<S>> f;
  std::vector<unsigned char> moves;  // bodies that x accelerates

  explicit MassProduct(const Tree& tree)
      : alpha(tree.count(), Motion<S>::zero()), f(tree.count(), Force<S>::zero()), moves(tree.count(), 0) {}
};

// y = M x for bodies from `first` outward (1: all), armature included; rows of other bodies are left alone.
// outward:  alpha = X alpha_parent + H x     f = M alpha          inward:  y = H' f     f_parent += X' f
template <class S>
void mass_product(const Tree& tree, const std::vector<Transform<S>>& X, const S* x, int first, MassProduct<S>& out,
                  S* y) {
  const int count = tree.count();
  out.alpha[0] = Motion<S>::zero();
  for (int k = first; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    out.moves[k] = first == 1 || k == first || (body.parent >= first && out.moves[body.parent]);
    if (!out.moves[k]) continue;
    Motion<S> alpha = k == first ? Motion<S>::zero() : apply(X[k], out.alpha[body.parent]);
    visit(body, [&](auto joint) { joint.add(body, alpha, x + body.v); });
    out.alpha[k] = alpha;
    out.f[k] = tree.inertias[k].M * alpha;
  }
  for (int k = count - 1; k >= first; --k) {
    const TreeBody& body = tree.bodies[k];
    if (!out.moves[k]) continue;
    visit(body, [&](auto joint) {
      for (int i = 0; i < joint.d; ++i) {
        y[body.v + i] = joint.project(body, out.f[k], i) + x[body.v + i] * tree.terms[body.v + i].armature;
      }
    });
    if (k != first && body.parent >= first) out.f[body.parent] += apply_transposed(X[k], out.f[k]);
  }
}

// The diagonal of M by composite bodies, armature included.
template <class S>
void mass_diagonal(const Tree& tree, const std::vector<Transform<S>>& X, std::vector<Inertia<S>>& composite,
                   S* diagonal) {
  const int count = tree.count();
  for (int k = 1; k < count; ++k) {
    composite[k] = Inertia<S>::zero();
    composite[k] += tree.inertias[k].M;
  }
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) {
      for (int i = 0; i < joint.d; ++i) {
        diagonal[body.v + i] =
            joint.project(body, joint.times_column(body, composite[k], i), i) + tree.terms[body.v + i].armature;
      }
    });
    if (body.parent > 0) composite[body.parent] += apply_transposed(X[k], composite[k]);
  }
}

// One conjugate-gradient solve of M x = b, scaled by the diagonal of M: after start(), each step() costs one product.
template <class S>
struct ConjugateGradient {
  std::vector<S> x, r, p, Mp, scale;  // r = b - M x; scale: reciprocal diagonal of M
  S rz = S(0);                        // r' scale r
  S curvature = S(0);                 // p' M p of the last step

  explicit ConjugateGradient(int n) : x(n, S(0)), r(n, S(0)), p(n, S(0)), Mp(n, S(0)), scale(n, S(1)) {}

  // From x and r as they stand.
  void start() {
    rz = S(0);
    for (std::size_t i = 0; i < r.size(); ++i) {
      p[i] = r[i] * scale[i];
      rz += r[i] * p[i];
    }
  }
  template <class Multiply>
  void step(Multiply&& multiply) {
    multiply(p.data(), Mp.data());
    curvature = S(0);
    for (std::size_t i = 0; i < p.size(); ++i) curvature += p[i] * Mp[i];
    const S length = rz / curvature;
    S next = S(0);
    for (std::size_t i = 0; i < p.size(); ++i) {
      x[i] += p[i] * length;
      r[i] -= Mp[i] * length;
      next += r[i] * r[i] * scale[i];
    }
    const S turn = next / rz;
    rz = next;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] * scale[i] + p[i] * turn;
  }
};

// Inverse dynamics as filtering and smoothing: a runs outward through the smoother to the innovations e, e inward
// through the filter to tau. Forward dynamics read backwards, so each must undo the other. Without joint terms but for
// the armature, which is part of D. P_plus_s: one per body.
template <class S>
void kalman_inverse_sweeps(const Tree& tree, const std::vector<Transform<S>>& X, const S* v, const S* a,
                           const Motion<S>& V_0, const Motion<S>& alpha_0, const Force<S>* f_ext,
                           TextbookArticulated<S>& out, std::vector<Force<S>>& P_plus_s, S* tau) {
  const int count = tree.count();

  // outward:  V = X V_parent + H v     s = crm(V) H v     z = crf(V) M V - f_ext
  begin_sweep(v, "outward: velocities");
  out.V[0] = V_0;
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    velocity_step(body, X[k], out.V[body.parent], v + body.v, out.V[k], out.s[k]);
    out.z[k] = cross(out.V[k], tree.inertias[k].M * out.V[k]);
    if (f_ext != nullptr) out.z[k] -= f_ext[k];
  }

  // inward:  P, D, G of the Riccati equation
  begin_sweep(v, "inward: Riccati");
  textbook_riccati_sweep(tree, X, out, [&](int k, auto, const ArticulatedInertia<S>& P_plus) {
    if (tree.bodies[k].parent > 0) P_plus_s[k] = P_plus * out.s[k];
  });

  // outward:  alpha' = X alpha_parent + s     D^-1 e = a + G' alpha'     alpha = alpha' + H a
  begin_sweep(v, "outward: innovations");
  out.alpha[0] = alpha_0;
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    Motion<S> alpha = apply(X[k], out.alpha[body.parent]) + out.s[k];
    visit(body, [&](auto joint) {
      constexpr int d = decltype(joint)::d;
      S y[d], gained[d];
      for (int i = 0; i < d; ++i) y[i] = dot(alpha, out.PH[body.v + i]);
      solve_joint<d>(triangle(out, body), out.D_inv.data() + body.v, y, gained);
      for (int i = 0; i < d; ++i) out.e[body.v + i] = a[body.v + i] + gained[i];
      joint.add(body, alpha, a + body.v);
    });
    out.alpha[k] = alpha;
  }

  // inward:  tau = e + H' z     z_parent += X' (z + P+ s + G e)     with e = D (D^-1 e), G e = P H (D^-1 e)
  begin_sweep(v, "inward: forces");
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) {
      constexpr int d = decltype(joint)::d;
      const S* scaled = out.e.data() + body.v;
      Force<S> Ge = out.PH[body.v] * scaled[0];
      for (int i = 1; i < d; ++i) Ge += out.PH[body.v + i] * scaled[i];
      for (int i = 0; i < d; ++i) {  // e = H' G e + armature
        tau[body.v + i] =
            joint.project(body, Ge, i) + scaled[i] * tree.terms[body.v + i].armature + joint.project(body, out.z[k], i);
      }
      if (body.parent > 0) out.z[body.parent] += apply_transposed(X[k], out.z[k] + P_plus_s[k] + Ge);
    });
  }
}

}  // namespace catena::kernel
