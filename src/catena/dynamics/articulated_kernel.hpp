// Articulated bodies (ABA): the Riccati sweep, forward dynamics, and the inverse of the mass matrix, on the reduced
// tree.
// Source: formula sheet 4.1, 4.9 and Algorithm 6T (3.7), with armature as in section 5.
// Every quantity of body k is in its reduced frame; body 0 is the ground.
#pragma once

#include "catena/dynamics/inverse_kernel.hpp"

namespace catena::kernel {

template <class S>
struct Articulated {
  std::vector<ArticulatedInertia<S>> P;
  std::vector<Force<S>> PH;  // P H, one column per velocity component
  std::vector<S> D_inv;      // reciprocal pivots of D = L diag L', one per velocity component
  std::vector<S> L;          // unit lower triangles of joints with several degrees of freedom, 15 numbers each
  std::vector<Motion<S>> alpha;
  std::vector<S> e;
  int singular_body = 0;  // body whose D has no safe pivot, 0 if none

  explicit Articulated(const Topology& tree)
      : P(tree.count(), ArticulatedInertia<S>::zero()),
        PH(tree.nv_full, Force<S>::zero()),
        D_inv(tree.nv_full, S(0)),
        L(15 * tree.multi_count, S(0)),
        alpha(tree.count(), Motion<S>::zero()),
        e(tree.nv_full, S(0)) {}
};

// Position of L(i, j), i > j, in the packed triangle.
constexpr int packed(int i, int j) { return i * (i - 1) / 2 + j; }

// x = D^-1 y with D = L diag(1 / D_inv) L'
template <int d, class S>
CATENA_INLINE void solve_joint(const S* L, const S* D_inv, const S* y, S* x) {
  for (int i = 0; i < d; ++i) {
    x[i] = y[i];
    for (int j = 0; j < i; ++j) x[i] -= L[packed(i, j)] * x[j];
  }
  for (int i = d - 1; i >= 0; --i) {
    x[i] = x[i] * D_inv[i];
    for (int j = i + 1; j < d; ++j) x[i] -= L[packed(j, i)] * x[j];
  }
}

template <class S>
CATENA_INLINE S* triangle(Articulated<S>& out, const TreeBody& body) {
  return body.multi < 0 ? nullptr : out.L.data() + 15 * body.multi;
}
template <class S>
CATENA_INLINE const S* triangle(const Articulated<S>& out, const TreeBody& body) {
  return body.multi < 0 ? nullptr : out.L.data() + 15 * body.multi;
}

// What a joint makes of P: P H, and D = H' P H + armature = L diag L'. At hand as well as in memory, where the compiler
// has to look for them anew behind every number written.
template <int d, class S>
struct JointFactor {
  Force<S> PH[d];
  S D_inv[d];
  S L[d][d];
};
template <class Joint, class S, class C>
CATENA_INLINE JointFactor<Joint::d, S> factor_joint(Joint joint, const BasicTree<C>& tree, int k, Articulated<S>& out) {
  constexpr int d = Joint::d;
  const TreeBody& body = tree.bodies[k];
  const ArticulatedInertia<S>& P = out.P[k];
  JointFactor<d, S> own;
  S D[d][d];
  for (int c = 0; c < d; ++c) {
    own.PH[c] = joint.times_column(body, P, c);
    for (int r = c; r < d; ++r) D[r][c] = joint.project(body, own.PH[c], r);
    D[c][c] += tree.terms[body.v + c].armature;
  }
  for (int j = 0; j < d; ++j) {
    if constexpr (spatial::is_number<S>) {
      using spatial::all_greater;
      const bool safe = all_greater(D[j][j], S(tree.pivot_floor[body.v + j]));
      if (!safe && out.singular_body == 0) out.singular_body = k;  // the first one: what comes after it is void
    }
    own.D_inv[j] = S(1) / D[j][j];
    for (int i = j + 1; i < d; ++i) {
      own.L[i][j] = D[i][j] * own.D_inv[j];
      for (int r = i; r < d; ++r) D[r][i] -= own.L[i][j] * D[r][j];
    }
  }
  S* const L = triangle(out, body);
  for (int i = 0; i < d; ++i) {
    out.PH[body.v + i] = own.PH[i];
    out.D_inv[body.v + i] = own.D_inv[i];
    for (int j = 0; j < i; ++j) L[packed(i, j)] = own.L[i][j];
  }
  return own;
}
// The same from memory.
template <class Joint, class S>
CATENA_INLINE JointFactor<Joint::d, S> joint_factor(Joint, const TreeBody& body, const Articulated<S>& art) {
  JointFactor<Joint::d, S> own;
  const S* const L = triangle(art, body);
  for (int i = 0; i < Joint::d; ++i) {
    own.PH[i] = art.PH[body.v + i];
    own.D_inv[i] = art.D_inv[body.v + i];
    for (int j = 0; j < i; ++j) own.L[i][j] = L[packed(i, j)];
  }
  return own;
}
// P+ = P - P H D^-1 (P H)' = P - sum of w w' / pivot with W = P H L^-T
template <int d, class S>
CATENA_INLINE void subtract_gain(const JointFactor<d, S>& own, ArticulatedInertia<S>& P) {
  Force<S> W[d];
  for (int i = 0; i < d; ++i) {
    W[i] = own.PH[i];
    for (int j = 0; j < i; ++j) W[i] -= W[j] * own.L[i][j];
    subtract_outer(P, W[i] * own.D_inv[i], W[i]);
  }
}
template <class S, class C>
CATENA_INLINE void start_articulated(const BasicTree<C>& tree, Articulated<S>& out) {
  const int count = tree.count();
  out.singular_body = 0;
  for (int k = 0; k < count; ++k) {
    out.P[k] = ArticulatedInertia<S>::zero();
    out.P[k] += tree.inertias[k].M;
  }
}

// X' P+ X of a revolute joint without armature on a plain link: what lies along its axis is zero in P+ and stays so
// until the axes are rotated about x.
template <class S>
CATENA_INLINE ArticulatedInertia<S> propagate_through_revolute(const LinkPose<S>& X, const ArticulatedInertia<S>& P,
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
  // translation along z
  const S &d = X.d, old_xx = xx, old_yx = yx, old_xy = xy;
  xx -= M.xy * d, yx -= M.yy * d, zx -= M.yz * d;
  xy += M.xx * d, yy += M.xy * d, zy += M.xz * d;
  J.xx -= (old_yx + yx) * d, J.yy += (old_xy + xy) * d, J.xy += (old_xx - yy) * d;
  // rotation about z
  turn_up(X.gamma, J.xx, J.yy, J.xy);
  turn_up(X.gamma, xx, yy, yx, xy);
  turn_up(X.gamma, zx, zy);
  turn_up_z(X.gamma, M);
  // rotation about x
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
CATENA_INLINE ArticulatedInertia<S> propagate_through_joint(Joint joint, bool armature, const LinkPose<S>& X,
                                                            const ArticulatedInertia<S>& P,
                                                            const JointFactor<Joint::d, S>& own) {
  if constexpr (std::is_same_v<Joint, Revolute>) {
    if (!armature && X.link->plain) [[likely]]
      return propagate_through_revolute(X, P, own.PH[0], own.D_inv[0]);
  }
  ArticulatedInertia<S> P_plus = P;
  subtract_gain(own, P_plus);
  if (!armature) joint.clear_taken(P_plus);
  return apply_transposed(X, P_plus);
}

// inward:  P = M + sum X' P+ X     D = H' P H + armature = L diag L'     P+ = P - P H D^-1 (P H)'
// carry(body index, joint, its JointFactor): called for each body after P+ went to the parent.
template <class S, class C, class Carry>
CATENA_INLINE void riccati_sweep(const BasicTree<C>& tree, const std::vector<LinkPose<S>>& X, Articulated<S>& out,
                                 const Carry& carry) {
  start_articulated(tree, out);
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      const auto own = factor_joint(joint, tree, k, out);
      const bool armature = !vanishes(tree.terms[body.v].armature);
      if (body.parent > 0) out.P[body.parent] += propagate_through_joint(joint, armature, X[k], out.P[k], own);
      carry(k, joint, own);
    });
  }
}

// a from tau (joint terms taken off), full coordinates: the wrenches for dv = 0 first, so that what remains is linear.
// inward:  e = tau - H' z     z_parent += X' (z + P H D^-1 e)
// outward: alpha' = X alpha_parent     a = D^-1 (e - (P H)' alpha')     alpha = alpha' + H a
template <class S, class C>
CATENA_INLINE void articulated_sweeps(const BasicTree<C>& tree, const std::vector<LinkPose<S>>& X, const S* v,
                                      const S* tau, const BodyAcceleration<S>& ground, const Force<S>* f_ext,
                                      NewtonEuler<S>& still, Articulated<S>& out, S* a) {
  const int count = tree.count();
  const TreeBody* const bodies = tree.bodies.data();
  body_wrenches<S>(tree, X, v, nullptr, ground, still);
  Force<S>* const z = still.f.data();
  if (f_ext != nullptr) {
    for (int k = 0; k < count; ++k) z[k] -= f_ext[k];
  }
  begin_sweep(v, "inward: articulated inertias");
  riccati_sweep(tree, X, out, [&](int k, auto joint, const auto& own) CATENA_INLINE_LAMBDA {
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
void articulated_sweeps(const Tree& tree, const std::vector<LinkPose<double>>& X, const double* v, const double* tau,
                        const BodyAcceleration<double>& ground, const Force<double>* f_ext, NewtonEuler<double>& still,
                        Articulated<double>& out, double* a);

// M^-1 in full coordinates after a riccati_sweep, column-major: column by column, O(n) each.
// up from joint j:  x = D^-1 H' y, y <- y - P H x     then outward:  x -= D^-1 (P H)' l, l = X l_parent + H x
template <class Pose, class S>
CATENA_INLINE void inverse_matrix_sweeps(const Topology& tree, const std::vector<Pose>& X, Articulated<S>& out,
                                         S* M_inv, int stride) {
  const int count = tree.count(), n = tree.nv_full;
  std::vector<Motion<S>>& l = out.alpha;
  for (int j = 1; j < count; ++j) {
    const TreeBody& origin = tree.bodies[j];
    visit(origin, [&](auto joint) CATENA_INLINE_LAMBDA {
      constexpr int d = decltype(joint)::d;
      for (int c = 0; c < d; ++c) {
        S* column = M_inv + (origin.v + c) * stride;
        for (int i = 0; i < n; ++i) column[i] = S(0);
        S unit[d];
        for (int i = 0; i < d; ++i) unit[i] = S(i == c ? 1 : 0);
        solve_joint<d>(triangle(out, origin), out.D_inv.data() + origin.v, unit, column + origin.v);
        Force<S> y = Force<S>::zero();
        for (int i = 0; i < d; ++i) y -= out.PH[origin.v + i] * column[origin.v + i];
        for (int k = j; tree.bodies[k].parent > 0;) {
          y = apply_transposed(X[k], y);
          k = tree.bodies[k].parent;
          const TreeBody& ancestor = tree.bodies[k];
          visit(ancestor, [&](auto other) CATENA_INLINE_LAMBDA {
            constexpr int e = decltype(other)::d;
            S projected[e];
            for (int i = 0; i < e; ++i) projected[i] = other.project(ancestor, y, i);
            S* x = column + ancestor.v;
            solve_joint<e>(triangle(out, ancestor), out.D_inv.data() + ancestor.v, projected, x);
            for (int i = 0; i < e; ++i) y -= out.PH[ancestor.v + i] * x[i];
          });
        }
        l[0] = Motion<S>::zero();
        for (int k = 1; k < count; ++k) {
          const TreeBody& body = tree.bodies[k];
          l[k] = apply(X[k], l[body.parent]);
          visit(body, [&](auto other) CATENA_INLINE_LAMBDA {
            constexpr int e = decltype(other)::d;
            S projected[e], x[e];
            for (int i = 0; i < e; ++i) projected[i] = dot(l[k], out.PH[body.v + i]);
            solve_joint<e>(triangle(out, body), out.D_inv.data() + body.v, projected, x);
            for (int i = 0; i < e; ++i) column[body.v + i] -= x[i];
            other.add(body, l[k], column + body.v);
          });
        }
      }
    });
  }
}

// The same for double.
void riccati_sweep(const Tree& tree, const std::vector<LinkPose<double>>& X, Articulated<double>& out);
void inverse_matrix_sweeps(const Tree& tree, const std::vector<LinkPose<double>>& X, Articulated<double>& out,
                           double* M_inv, int stride);

}  // namespace catena::kernel
