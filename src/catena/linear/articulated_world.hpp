// The articulated sweep that Algorithms 6 and 6T begin with, for M^-1, A_C = -da/dv and B_C = -da/dq, without joint terms.
// Source: formula sheet 3.6 and 3.8 (several degrees of freedom). In the axes of the ground at one point.
#pragma once

#include "catena/dynamics/articulated_kernel.hpp"
#include "catena/linear/world_kernel.hpp"

namespace catena::kernel {

// P_hat keeps two of the four 3x3 blocks: [A, 0; B, 0].
template <class S>
struct OneSided {
  Mat3<S> A, B;
};

template <class S>
CATENA_INLINE OneSided<S> one_sided(const VelocityInertia<S>& m) {
  // -[b]x
  const S o = S(0);
  return {m.A, {{o, -m.b.z, m.b.y}, {m.b.z, o, -m.b.x}, {-m.b.y, m.b.x, o}}};
}
template <class S>
CATENA_INLINE Force<S> operator*(const OneSided<S>& P, const Motion<S>& h) {
  return {P.A * h.w, P.B * h.w};
}
// P' h: angular part only
template <class S>
CATENA_INLINE Vec3<S> transposed_times(const OneSided<S>& P, const Motion<S>& h) {
  return spatial::transposed_times(P.A, h.w) + spatial::transposed_times(P.B, h.v);
}
// P -= g r', r acting on the angular part
template <class S>
CATENA_INLINE void subtract_outer(OneSided<S>& P, const Force<S>& g, const Vec3<S>& r) {
  P.A.cx -= g.n * r.x, P.A.cy -= g.n * r.y, P.A.cz -= g.n * r.z;
  P.B.cx -= g.f * r.x, P.B.cy -= g.f * r.y, P.B.cz -= g.f * r.z;
}

template <class S>
struct ArticulatedWorld {
  std::vector<ArticulatedInertia<S>> P;
  std::vector<OneSided<S>> P_hat, E_hat;  // E_hat: world-fixed wrenches
  std::vector<Force<S>> G;                // P H D^-1, by full velocity index
  std::vector<Vec3<S>> G_hat, G_E;        // P_hat' H D^-1, E_hat' H D^-1
  std::vector<Force<S>> Y_A, Y_B;
  std::vector<S> D_inv;              // d x d blocks, 36 numbers reserved per body with several degrees of freedom
  std::vector<S> x;                  // 3 columns of the result, nv_full each
  std::vector<Motion<S>> l;          // 3 per body
  std::vector<S> own;                // H' crf(H) f, 36 per body with several degrees of freedom
  std::vector<unsigned char> below;  // of the body whose column is computed

  explicit ArticulatedWorld(const Topology& tree)
      : P(tree.count(), ArticulatedInertia<S>::zero()),
        P_hat(tree.count()),
        E_hat(tree.count()),
        G(tree.nv_full, Force<S>::zero()),
        G_hat(tree.nv_full, Vec3<S>::zero()),
        G_E(tree.nv_full, Vec3<S>::zero()),
        Y_A(G),
        Y_B(G),
        D_inv(tree.nv_full + 36 * tree.multi_count, S(0)),
        x(3 * tree.nv_full, S(0)),
        l(3 * tree.count(), Motion<S>::zero()),
        own(36 * tree.multi_count, S(0)),
        below(tree.count(), 0) {}

  // The block D^-1 of a joint: one number, or d x d row by row.
  S* block(const Topology& tree, const TreeBody& body) {
    return body.multi < 0 ? D_inv.data() + body.v : D_inv.data() + tree.nv_full + 36 * body.multi;
  }
};

// Inverse of a symmetric positive definite d x d matrix, row by row. Destroys D.
template <int d, class S>
CATENA_INLINE void invert_spd(S (&D)[d][d], S* out) {
  S L[d][d], pivot_inv[d];
  for (int j = 0; j < d; ++j) {
    pivot_inv[j] = S(1) / D[j][j];
    for (int i = j + 1; i < d; ++i) L[i][j] = D[i][j] * pivot_inv[j];
    for (int i = j + 1; i < d; ++i) {
      for (int r = i; r < d; ++r) D[r][i] -= L[i][j] * D[r][j];
    }
  }
  for (int c = 0; c < d; ++c) {
    S x[d];
    for (int i = 0; i < d; ++i) {
      x[i] = S(i == c ? 1 : 0);
      for (int j = c; j < i; ++j) x[i] -= L[i][j] * x[j];
    }
    for (int i = d - 1; i >= 0; --i) {
      x[i] = x[i] * pivot_inv[i];
      for (int j = i + 1; j < d; ++j) x[i] -= L[j][i] * x[j];
    }
    for (int i = 0; i < d; ++i) out[i * d + c] = x[i];
  }
}

// inward:  P = M + sum P+     D = H' P H + armature     G = P H D^-1     P+ = P - G (P H)'
//          P_hat = M_bar + sum tau_bar P_hat (one-sided)     G_hat = P_hat' H D^-1
//          Y_A = P Hv + 2 P_hat H     Y_B = P Hw + 2 P_hat Hq + crf(H) f
// The mass matrix must be regular (forward dynamics checks it).
template <class S, class C>
CATENA_INLINE void articulated_world_sweep(const BasicTree<C>& tree, const WorldSweep<S>& w,
                                           const VelocityInertia<S>* world_fixed, ArticulatedWorld<S>& out) {
  const int count = tree.count();
  for (int k = 1; k < count; ++k) {
    out.P[k] = ArticulatedInertia<S>::zero();
    out.P[k] += w.M[k];
    out.P_hat[k] = one_sided(w.M_bar[k]);
    if (world_fixed != nullptr) out.E_hat[k] = one_sided(world_fixed[k]);
  }
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      constexpr int d = decltype(joint)::d;
      const WorldColumn<S>* col = w.column.data() + body.v;
      Force<S> PH[d];
      Vec3<S> hat[d], hat_E[d] = {};
      S D[d][d];
      for (int c = 0; c < d; ++c) {
        PH[c] = out.P[k] * col[c].H;
        hat[c] = transposed_times(out.P_hat[k], col[c].H);
        if (world_fixed != nullptr) hat_E[c] = transposed_times(out.E_hat[k], col[c].H);
        for (int r = 0; r < d; ++r) D[r][c] = dot(col[r].H, PH[c]);
        D[c][c] += tree.terms[body.v + c].armature;
        const int v = body.v + c;
        out.Y_A[v] = out.P[k] * col[c].Hv() + (out.P_hat[k] * col[c].H) * 2.0;
        out.Y_B[v] = out.P[k] * col[c].Hw() + (out.P_hat[k] * col[c].Hq) * 2.0 + cross(col[c].H, w.f[k]);
        if (world_fixed != nullptr) out.Y_B[v] += out.E_hat[k] * col[c].H;
      }
      if (d > 1) {
        for (int r = 0; r < d; ++r) {
          for (int c = 0; c < d; ++c) {
            out.own[36 * body.multi + r * d + c] = dot(col[r].H, cross(col[c].H, w.f[k]));
          }
        }
      }
      S* D_inv = out.block(tree, body);
      invert_spd<d>(D, D_inv);
      for (int c = 0; c < d; ++c) {
        Force<S> G = PH[0] * D_inv[c];
        Vec3<S> G_hat = hat[0] * D_inv[c];
        for (int r = 1; r < d; ++r) G += PH[r] * D_inv[r * d + c], G_hat += hat[r] * D_inv[r * d + c];
        out.G[body.v + c] = G;
        out.G_hat[body.v + c] = G_hat;
        if (world_fixed != nullptr) {
          Vec3<S> G_E = hat_E[0] * D_inv[c];
          for (int r = 1; r < d; ++r) G_E += hat_E[r] * D_inv[r * d + c];
          out.G_E[body.v + c] = G_E;
        }
      }
      if (body.parent > 0) {
        ArticulatedInertia<S> P_plus = out.P[k];
        OneSided<S> hat_plus = out.P_hat[k];
        for (int c = 0; c < d; ++c) {
          subtract_outer(P_plus, out.G[body.v + c], PH[c]);
          subtract_outer(hat_plus, out.G[body.v + c], hat[c]);
        }
        out.P[body.parent] += P_plus;
        out.P_hat[body.parent].A += hat_plus.A;
        out.P_hat[body.parent].B += hat_plus.B;
        if (world_fixed != nullptr) {
          OneSided<S> E_plus = out.E_hat[k];
          for (int c = 0; c < d; ++c) subtract_outer(E_plus, out.G[body.v + c], hat_E[c]);
          out.E_hat[body.parent].A += E_plus.A;
          out.E_hat[body.parent].B += E_plus.B;
        }
      }
    });
  }
}
// The same for double.
void articulated_world_sweep(const Tree& tree, const WorldSweep<double>& w, const VelocityInertia<double>* world_fixed,
                             ArticulatedWorld<double>& out);

}  // namespace catena::kernel
