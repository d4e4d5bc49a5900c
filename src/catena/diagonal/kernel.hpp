// Diagonalized dynamics over a scalar: quasi-velocities xi = U' v and nu = S' xi, forces kappa = U^-1 tau and
// epsilon = S^-1 kappa, the Coriolis terms, and forward dynamics in them; D = S S', S lower triangular (D^1/2 for
// one-degree joints). Source: formula sheet 4.1, 4.3, 4.4, 4.7 (cheapest form), 4.9 (general form); armature: section 5.
// Every quantity of body k is in its frame on the tree given: the reduced one for what ships, with LinkPose; counts of
// operations run in the user's frames, with Transform. Runs after a Riccati sweep.
#pragma once

#include "catena/dynamics/articulated_kernel.hpp"

namespace catena::kernel {

template <class S>
struct Diagonal {
  std::vector<S> root;  // square roots of the pivots of D = L pivots L', so that S = L root
  std::vector<Motion<S>> V_plus, V, s;
  std::vector<ArticulatedInertia<S>> P_ring;  // local time derivative of P
  std::vector<Force<S>> z;                    // scratch of the inward sweeps

  explicit Diagonal(const Topology& tree)
      : root(tree.nv_full, S(0)),
        V_plus(tree.count(), Motion<S>::zero()),
        V(V_plus),
        s(V_plus),
        P_ring(tree.count(), ArticulatedInertia<S>::zero()),
        z(tree.count(), Force<S>::zero()) {}
};

// x <- S' x, S^-T x, S x, S^-1 x of one joint, S = L diag(root)
template <int d, class S>
CATENA_INLINE void times_root_transposed(const S* L, const S* root, S* x) {
  for (int i = 0; i < d; ++i) {
    for (int j = i + 1; j < d; ++j) x[i] += L[packed(j, i)] * x[j];
    x[i] = x[i] * root[i];
  }
}
template <int d, class S>
CATENA_INLINE void solve_root_transposed(const S* L, const S* root, S* x) {
  for (int i = d - 1; i >= 0; --i) {
    x[i] = x[i] / root[i];
    for (int j = i + 1; j < d; ++j) x[i] -= L[packed(j, i)] * x[j];
  }
}
template <int d, class S>
CATENA_INLINE void times_root(const S* L, const S* root, S* x) {
  for (int i = d - 1; i >= 0; --i) {
    x[i] = x[i] * root[i];
    for (int j = 0; j < i; ++j) x[i] += L[packed(i, j)] * root[j] * x[j];
  }
}
template <int d, class S>
CATENA_INLINE void solve_root(const S* L, const S* root, S* x) {
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= L[packed(i, j)] * root[j] * x[j];
    x[i] = x[i] / root[i];
  }
}

template <class S>
CATENA_INLINE void update_roots(const Topology& tree, const Articulated<S>& art, Diagonal<S>& out) {
  using std::sqrt;
  for (int i = 0; i < tree.nv_full; ++i) out.root[i] = sqrt(S(1) / art.D_inv[i]);
}

// xi -> nu and back, kappa -> epsilon and back: joint by joint, in place.
enum class Scaling { xi_to_nu, nu_to_xi, epsilon_to_kappa, kappa_to_epsilon };
template <Scaling scaling, class S>
CATENA_INLINE void rescale(const Topology& tree, const Articulated<S>& art, const Diagonal<S>& diag, S* x) {
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      constexpr int d = decltype(joint)::d;
      const S* L = triangle(art, body);
      const S* root = diag.root.data() + body.v;
      if constexpr (scaling == Scaling::xi_to_nu) times_root_transposed<d>(L, root, x + body.v);
      if constexpr (scaling == Scaling::nu_to_xi) solve_root_transposed<d>(L, root, x + body.v);
      if constexpr (scaling == Scaling::epsilon_to_kappa) times_root<d>(L, root, x + body.v);
      if constexpr (scaling == Scaling::kappa_to_epsilon) solve_root<d>(L, root, x + body.v);
    });
  }
}

// (G' V+) of one joint: D^-1 (P H)' V+
template <int d, class S>
CATENA_INLINE void gain_times(const Articulated<S>& art, const TreeBody& body, const Motion<S>& V_plus, S* out) {
  S y[d];
  for (int i = 0; i < d; ++i) y[i] = dot(V_plus, art.PH[body.v + i]);
  solve_joint<d>(triangle(art, body), art.D_inv.data() + body.v, y, out);
}

// outward:  V+ = X V_parent     xi = v + G' V+ (or v = xi - G' V+)     V = V+ + H v     s = crm(V) H v
template <bool from_xi, class Pose, class S>
CATENA_INLINE void quasi_velocity_sweep(const Topology& tree, const std::vector<Pose>& X, const Articulated<S>& art,
                                        const Motion<S>& V_0, S* v, S* xi, Diagonal<S>& out) {
  out.V[0] = V_0;
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    out.V_plus[k] = apply(X[k], out.V[body.parent]);
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      constexpr int d = decltype(joint)::d;
      S carried[d];
      gain_times<d>(art, body, out.V_plus[k], carried);
      for (int i = 0; i < d; ++i) {
        if constexpr (from_xi) {
          v[body.v + i] = xi[body.v + i] - carried[i];
        } else {
          xi[body.v + i] = v[body.v + i] + carried[i];
        }
      }
      out.V[k] = out.V_plus[k];
      joint.add(body, out.V[k], v + body.v);
      out.s[k] = joint.cross_velocity(body, out.V[k], v + body.v);
    });
  }
}

// inward:  kappa = tau - H' z (or tau = kappa + H' z)     z_parent += X' (z + G kappa)
template <bool from_kappa, class Pose, class S>
CATENA_INLINE void quasi_force_sweep(const Topology& tree, const std::vector<Pose>& X, const Articulated<S>& art,
                                     S* tau, S* kappa, Diagonal<S>& out) {
  for (int k = 1; k < tree.count(); ++k) out.z[k] = Force<S>::zero();
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      constexpr int d = decltype(joint)::d;
      for (int i = 0; i < d; ++i) {
        if constexpr (from_kappa) {
          tau[body.v + i] = kappa[body.v + i] + joint.project(body, out.z[k], i);
        } else {
          kappa[body.v + i] = tau[body.v + i] - joint.project(body, out.z[k], i);
        }
      }
      if (body.parent > 0) {
        S x[d];
        solve_joint<d>(triangle(art, body), art.D_inv.data() + body.v, kappa + body.v, x);
        Force<S> z = out.z[k];
        for (int i = 0; i < d; ++i) z += art.PH[body.v + i] * x[i];
        out.z[body.parent] += apply_transposed(X[k], z);
      }
    });
  }
}

// tau_bar P tau_bar' with tau_bar = 1 - G H', for any symmetric P: P - G W' - W G' + G (H' W) G', W = P H
template <class Joint, class S>
CATENA_INLINE void project_out(Joint joint, const TreeBody& body, const Articulated<S>& art, ArticulatedInertia<S>& P) {
  constexpr int d = Joint::d;
  Force<S> W[d], G[d];
  for (int c = 0; c < d; ++c) {
    W[c] = joint.times_column(body, P, c);
    S unit[d], column[d];
    for (int i = 0; i < d; ++i) unit[i] = S(i == c ? 1 : 0);
    solve_joint<d>(triangle(art, body), art.D_inv.data() + body.v, unit, column);
    G[c] = art.PH[body.v] * column[0];
    for (int i = 1; i < d; ++i) G[c] += art.PH[body.v + i] * column[i];
  }
  for (int c = 0; c < d; ++c) {  // halve the last term so that one symmetric pair of products does all three
    Force<S> half = W[c];
    for (int i = 0; i < d; ++i) half -= G[i] * (joint.project(body, W[c], i) * 0.5);
    subtract_outer(P, G[c], half);
    subtract_outer(P, half, G[c]);
  }
}

// inward:  P_ring_parent += X' (tau_bar P_ring tau_bar' + Omega P+ + P+ Omega') X,  Omega = crf(H v)
template <class Pose, class S>
CATENA_INLINE void riccati_rate_sweep(const Topology& tree, const std::vector<Pose>& X, const Articulated<S>& art,
                                      const S* v, Diagonal<S>& out) {
  for (int k = 0; k < tree.count(); ++k) out.P_ring[k] = ArticulatedInertia<S>::zero();
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    if (body.parent == 0) continue;
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      ArticulatedInertia<S> rate = out.P_ring[k], P_plus = art.P[k];
      project_out(joint, body, art, rate);
      subtract_gain(joint_factor(joint, body, art), P_plus);
      Motion<S> VJ = Motion<S>::zero();
      joint.add(body, VJ, v + body.v);
      rate += rate_of_change(VJ, P_plus);
      out.P_ring[body.parent] += apply_transposed(X[k], rate);
    });
  }
}

// y - G H' y
template <class Joint, class S>
CATENA_INLINE Force<S> tau_bar_times(Joint joint, const TreeBody& body, const Articulated<S>& art, const Force<S>& y) {
  constexpr int d = Joint::d;
  S projected[d], x[d];
  for (int i = 0; i < d; ++i) projected[i] = joint.project(body, y, i);
  solve_joint<d>(triangle(art, body), art.D_inv.data() + body.v, projected, x);
  Force<S> out = y;
  for (int i = 0; i < d; ++i) out -= art.PH[body.v + i] * x[i];
  return out;
}

// H' P_ring tau_bar' V+ of one joint
template <class Joint, class S>
CATENA_INLINE void riccati_turn(Joint joint, const TreeBody& body, const Articulated<S>& art, const Diagonal<S>& diag,
                                int k, S* out) {
  constexpr int d = Joint::d;
  S carried[d];
  gain_times<d>(art, body, diag.V_plus[k], carried);
  for (int i = 0; i < d; ++i) carried[i] = -carried[i];
  Motion<S> seen = diag.V_plus[k];
  joint.add(body, seen, carried);
  const Force<S> f = diag.P_ring[k] * seen;
  for (int i = 0; i < d; ++i) out[i] = joint.project(body, f, i);
}

// C(theta, xi), inward:  y = b + sum X' tau_bar (y + P s)     C = H' (y - P_ring tau_bar' V+),  b = crf(V) M V - f_ext
template <class Pose, class S, class Number>
CATENA_INLINE void coriolis_xi_sweep(const BasicTree<Number>& tree, const std::vector<Pose>& X,
                                     const Articulated<S>& art, const Force<S>* f_ext, Diagonal<S>& out, S* C) {
  for (int k = 1; k < tree.count(); ++k) {
    out.z[k] = cross(out.V[k], tree.inertias[k].M * out.V[k]);
    if (f_ext != nullptr) out.z[k] -= f_ext[k];
  }
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      constexpr int d = decltype(joint)::d;
      S turn[d];
      riccati_turn(joint, body, art, out, k, turn);
      for (int i = 0; i < d; ++i) C[body.v + i] = joint.project(body, out.z[k], i) - turn[i];
      if (body.parent > 0) {
        const Force<S> y = out.z[k] + art.P[k] * out.s[k];
        out.z[body.parent] += apply_transposed(X[k], tau_bar_times(joint, body, art, y));
      }
    });
  }
}

// C(theta, nu) from C(theta, xi), in place: S^-1 C_xi - S_dot' xi with S_dot = S Low(S^-1 D_dot S^-T), D_dot = H' P_ring H
template <class S>
CATENA_INLINE void coriolis_nu_from_xi(const Topology& tree, const Articulated<S>& art, const Diagonal<S>& diag,
                                       const S* xi, S* C) {
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      constexpr int d = decltype(joint)::d;
      const S* L = triangle(art, body);
      const S* root = diag.root.data() + body.v;
      S rows[d][d];  // S^-1 D_dot, then S^-1 (S^-1 D_dot)' = S^-1 D_dot S^-T
      for (int c = 0; c < d; ++c) {
        const Force<S> W = joint.times_column(body, diag.P_ring[k], c);
        S column[d];
        for (int r = 0; r < d; ++r) column[r] = joint.project(body, W, r);
        solve_root<d>(L, root, column);
        for (int r = 0; r < d; ++r) rows[r][c] = column[r];
      }
      for (int r = 0; r < d; ++r) solve_root<d>(L, root, rows[r]);  // row r of S^-1 D_dot S^-T
      S nu[d], turned[d];
      for (int i = 0; i < d; ++i) nu[i] = xi[body.v + i];
      times_root_transposed<d>(L, root, nu);  // S_dot' xi = Low' S' xi = Low' nu
      for (int c = 0; c < d; ++c) {
        turned[c] = rows[c][c] * 0.5 * nu[c];
        for (int r = c + 1; r < d; ++r) turned[c] += rows[r][c] * nu[r];
      }
      solve_root<d>(L, root, C + body.v);
      for (int i = 0; i < d; ++i) C[body.v + i] -= turned[i];
    });
  }
}

// G(theta, xi) = -H' P g, no recursion: g of each body by carrying it outward.
template <class Pose, class S>
CATENA_INLINE void gravity_xi_sweep(const Topology& tree, const std::vector<Pose>& X, const Articulated<S>& art,
                                    const Vec3<S>& gravity, std::vector<Motion<S>>& g, S* G) {
  g[0] = {Vec3<S>::zero(), gravity};
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    g[k] = apply(X[k], g[body.parent]);
    for (int i = body.v; i < body.v + velocity_count(body); ++i) G[i] = -dot(g[k], art.PH[i]);
  }
}

// xi_dot in three sweeps' last (sheet 4.9): z = b + sum X' (z + G e + P+ s)     e = tau - H' z
//                                          xi_dot = D^-1 (e + H' P_ring tau_bar' V+),   b = crf(V) M V - M g - f_ext
template <class Pose, class S, class C>
CATENA_INLINE void forward_xi_sweep(const BasicTree<C>& tree, const std::vector<Pose>& X, const Articulated<S>& art,
                                    const S* tau, const Force<S>* f_ext, const std::vector<Motion<S>>& g,
                                    Diagonal<S>& out, S* xi_dot) {
  for (int k = 1; k < tree.count(); ++k) {
    out.z[k] = cross(out.V[k], tree.inertias[k].M * out.V[k]) - tree.inertias[k].M * g[k];
    if (f_ext != nullptr) out.z[k] -= f_ext[k];
  }
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      constexpr int d = decltype(joint)::d;
      const S* L = triangle(art, body);
      const S* D_inv = art.D_inv.data() + body.v;
      S e[d], turn[d];
      for (int i = 0; i < d; ++i) e[i] = tau[body.v + i] - joint.project(body, out.z[k], i);
      if (body.parent > 0) {
        S x[d];
        solve_joint<d>(L, D_inv, e, x);
        const Force<S> y = art.P[k] * out.s[k];
        Force<S> z = out.z[k] + tau_bar_times(joint, body, art, y);
        for (int i = 0; i < d; ++i) z += art.PH[body.v + i] * x[i];
        out.z[body.parent] += apply_transposed(X[k], z);
      }
      riccati_turn(joint, body, art, out, k, turn);
      for (int i = 0; i < d; ++i) e[i] += turn[i];
      solve_joint<d>(L, D_inv, e, xi_dot + body.v);
    });
  }
}

}  // namespace catena::kernel
