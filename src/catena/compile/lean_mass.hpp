// The mass matrix by composite bodies and the articulated sweeps, by planar turns and shifts in body axes.
// Source: formula sheet 2.2 (24), 4.1, 4.9.
#pragma once

#include "catena/compile/lean_inverse.hpp"
#include "catena/dynamics/articulated_kernel.hpp"

namespace catena::compile {

using spatial::ArticulatedInertia;
using spatial::Inertia;

// The inertia at a point p before its origin.
template <class S>
void shift(Inertia<S>& M, const Vec3<S>& p) {
  M.J += cross_cross(p, M.h + p * (M.m * 0.5));
  M.h += p * M.m;
}
template <class S>
void shift(ArticulatedInertia<S>& P, const Vec3<S>& p) {
  // H' = H + [p]x M     J' = J + [p]x H' - H' [p]x with the old H in the first product, the new in the second
  const Mat3<S> H = P.H + cross(p, full(P.M));
  const Mat3<S> A = cross(p, transpose(P.H)), B = cross(p, transpose(H));
  P.J.xx += A.cx.x + B.cx.x, P.J.yy += A.cy.y + B.cy.y, P.J.zz += A.cz.z + B.cz.z;
  P.J.xy += A.cy.x + B.cx.y, P.J.xz += A.cz.x + B.cx.z, P.J.yz += A.cz.y + B.cy.z;
  P.H = H;
}

template <class S>
void turn_to_t(const LinkPose<S>& X, Inertia<S>& M) {
  X.up_to_t(M.J), X.turn_up_to_t(M.h);
}
template <class S>
void turn_from_t(const LinkPose<S>& X, Inertia<S>& M) {
  X.up_from_t(M.J), X.turn_up_from_t(M.h);
}
template <class S>
void turn_to_t(const LinkPose<S>& X, ArticulatedInertia<S>& P) {
  X.up_to_t(P.J), X.up_to_t(P.H), X.up_to_t(P.M);
}
template <class S>
void turn_from_t(const LinkPose<S>& X, ArticulatedInertia<S>& P) {
  X.up_from_t(P.J), X.up_from_t(P.H), X.up_from_t(P.M);
}
// X' M X
template <class S, class Matrix>
Matrix seen_from_parent(const LinkPose<S>& X, Matrix M) {
  shift(M, Vec3<S>{S(0), S(0), X.d});
  turn_to_t(X, M);
  shift(M, X.t);
  turn_from_t(X, M);
  shift(M, X.p);
  return M;
}

// Full coordinates, column-major, stride nv_full, both triangles, armature included.
template <class S>
void lean_mass_matrix(const Lean& lean, const std::vector<LinkPose<S>>& X, S* M) {
  const Tree& tree = lean.tree;
  const int count = tree.count(), n = tree.nv_full;
  std::vector<Inertia<S>> R(count, Inertia<S>::zero());
  for (int k = 1; k < count; ++k) R[k] += tree.bodies[k].M;
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    kernel::visit(body, [&](auto joint) {
      for (int c = 0; c < joint.d; ++c) {
        Force<S> F = joint.times_column(body, R[k], c);
        const int column = body.v + c;
        for (int r = 0; r <= c; ++r)
          M[body.v + r + column * n] = M[column + (body.v + r) * n] = joint.project(body, F, r);
        M[column + column * n] += tree.terms[column].armature;
        for (int j = k; tree.bodies[j].parent > 0;) {
          F = X[j].up(F);
          j = tree.bodies[j].parent;
          const TreeBody& ancestor = tree.bodies[j];
          kernel::visit(ancestor, [&](auto other) {
            for (int r = 0; r < other.d; ++r)
              M[ancestor.v + r + column * n] = M[column + (ancestor.v + r) * n] = other.project(ancestor, F, r);
          });
        }
      }
    });
    if (body.parent > 0) R[body.parent] += seen_from_parent(X[k], R[k]);
  }
}

// What a revolute or prismatic joint without armature takes off P entirely: no difference that rounds to zero.
template <class S>
void clear_felt(const TreeBody& body, ArticulatedInertia<S>& P_plus) {
  const S o = S(0);
  if (body.kind == JointKind::revolute) {
    P_plus.J.xz = P_plus.J.yz = P_plus.J.zz = o;
    P_plus.H.cx.z = P_plus.H.cy.z = P_plus.H.cz.z = o;
  } else if (body.kind == JointKind::prismatic) {
    P_plus.H.cz = Vec3<S>::zero();
    P_plus.M.xz = P_plus.M.yz = P_plus.M.zz = o;
  }
}

// inward:  P = M + sum X' P+ X     D = H' P H + armature = L diag L'     P+ = P - P H D^-1 (P H)'
template <class S>
void lean_riccati(const Lean& lean, const std::vector<LinkPose<S>>& X, kernel::Articulated<S>& out) {
  const Tree& tree = lean.tree;
  for (int k = 1; k < tree.count(); ++k) out.P[k] = ArticulatedInertia<S>::zero(), out.P[k] += tree.bodies[k].M;
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    kernel::visit(body, [&](auto joint) {
      constexpr int d = decltype(joint)::d;
      Force<S>* const PH = out.PH.data() + body.v;
      S* const D_inv = out.D_inv.data() + body.v;
      S* const L = kernel::triangle(out, body);
      S D[d][d];
      for (int c = 0; c < d; ++c) {
        PH[c] = joint.times_column(body, out.P[k], c);
        for (int r = c; r < d; ++r) D[r][c] = joint.project(body, PH[c], r);
        D[c][c] += tree.terms[body.v + c].armature;
      }
      for (int j = 0; j < d; ++j) {
        D_inv[j] = S(1) / D[j][j];
        for (int i = j + 1; i < d; ++i) {
          L[kernel::packed(i, j)] = D[i][j] * D_inv[j];
          for (int r = i; r < d; ++r) D[r][i] -= L[kernel::packed(i, j)] * D[r][j];
        }
      }
      if (body.parent == 0) return;
      ArticulatedInertia<S> P_plus = out.P[k];
      kernel::subtract_gain(joint, body, out, P_plus);
      if (tree.terms[body.v].armature == 0) clear_felt(body, P_plus);
      out.P[body.parent] += seen_from_parent(X[k], P_plus);
    });
  }
}

// a from tau (joint terms taken off), full coordinates: the wrenches for dv = 0 first, so that what remains is linear.
// inward:  e = tau - H' z     z_parent += X' (z + P H D^-1 e)
// outward: alpha' = X alpha_parent     a = D^-1 (e - (P H)' alpha')     alpha = alpha' + H a
template <class S>
void lean_forward(const Lean& lean, const std::vector<LinkPose<S>>& X, const S* v, const S* tau, S* a) {
  const Tree& tree = lean.tree;
  kernel::Articulated<S> art(tree);
  lean_riccati(lean, X, art);
  std::vector<Force<S>> z = lean_forces<S>(lean, X, v, nullptr);
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    kernel::visit(body, [&](auto joint) {
      constexpr int d = decltype(joint)::d;
      S* const e = art.e.data() + body.v;
      for (int i = 0; i < d; ++i) e[i] = tau[body.v + i] - joint.project(body, z[k], i);
      if (body.parent == 0) return;
      S x[d];
      kernel::solve_joint<d>(kernel::triangle(art, body), art.D_inv.data() + body.v, e, x);
      for (int i = 0; i < d; ++i) z[k] += art.PH[body.v + i] * x[i];
      z[body.parent] += X[k].up(z[k]);
    });
  }
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    Motion<S> alpha = X[k].down(art.alpha[body.parent]);
    kernel::visit(body, [&](auto joint) {
      constexpr int d = decltype(joint)::d;
      S y[d];
      for (int i = 0; i < d; ++i) y[i] = art.e[body.v + i] - dot(alpha, art.PH[body.v + i]);
      kernel::solve_joint<d>(kernel::triangle(art, body), art.D_inv.data() + body.v, y, a + body.v);
      joint.add(body, alpha, a + body.v);
    });
    art.alpha[k] = alpha;
  }
}

}  // namespace catena::compile
