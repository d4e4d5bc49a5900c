// Algorithm 6 of Jain and Rodriguez, as published: M^-1, A_C = -da/dv and B_C = -da/dq in O(n^2), for serial chains of
// joints with one degree of freedom, without joint terms. On a tree siblings couple through M^-1: Algorithm 6T.
// Source: formula sheet 3.7. In the axes of the ground at one point.
#pragma once

#include "catena/linear/articulated_world.hpp"

namespace catena::kernel {

// A matrix of `columns` motions: Upsilon takes wrenches to motions, J turns of a body.
template <int columns, class S>
struct MotionColumns {
  Motion<S> of[columns];

  static MotionColumns zero() {
    MotionColumns out;
    for (Motion<S>& column : out.of) column = Motion<S>::zero();
    return out;
  }
  // this += h row
  CATENA_INLINE void add_outer(const Motion<S>& h, const S (&row)[columns]) {
    for (int c = 0; c < columns; ++c) of[c] += h * row[c];
  }
};
template <class S>
CATENA_INLINE Motion<S> operator*(const MotionColumns<6, S>& m, const Force<S>& f) {
  return m.of[0] * f.n.x + m.of[1] * f.n.y + m.of[2] * f.n.z + m.of[3] * f.f.x + m.of[4] * f.f.y + m.of[5] * f.f.z;
}
template <class S>
CATENA_INLINE Motion<S> operator*(const MotionColumns<3, S>& m, const Vec3<S>& w) {
  return m.of[0] * w.x + m.of[1] * w.y + m.of[2] * w.z;
}
// G' J
template <class S>
CATENA_INLINE Vec3<S> transposed_times(const Force<S>& G, const MotionColumns<3, S>& J) {
  return {dot(J.of[0], G), dot(J.of[1], G), dot(J.of[2], G)};
}

template <class S>
struct ChainColumns {
  std::vector<Motion<S>> E_A, E_B;  // by body

  explicit ChainColumns(const Topology& tree) : E_A(tree.count(), Motion<S>::zero()), E_B(E_A) {}
};

// Algorithm 6 is for those.
inline bool is_chain_of_single_joints(const Topology& tree) {
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    if (body.parent != k - 1 || body.v != k - 1 || velocity_count(body) != 1) return false;
  }
  return tree.couplings.empty();
}

// After articulated_world_sweep. "in": of the inboard neighbour. For joint i from the base to the tip:
//   Z = Upsilon_in G     L = D^-1 + G' Z     u = L H' - Z'     Upsilon = Upsilon_in + H u - Z H'
//   outboard j:  M^-1_ij = -x G_j, x <- x - (x G_j) H_j', A_C = x Y_A, B_C = x Y_B, from x = u
//   J = J_in + H (G_hat' - G' J_in)     E_A = Hv - Upsilon Y_A + 2 J H     E_B = Hw - Upsilon Y_B + 2 J Hq
//   inboard j:   A_C = w E_A + Q H_j, B_C = w E_B + Q Hq_j, w <- w - (w H_j) G_j', from w = G', Q = 2 (G_hat' - G' J_in)
// Wrenches that keep their direction in the world (sheet 3.8) have a J and a Q of their own, which act on H.
template <class S>
CATENA_INLINE void algorithm_6(const Topology& tree, const WorldSweep<S>& w, bool world_fixed,
                               const ArticulatedWorld<S>& art, ChainColumns<S>& out, S* M_inv, S* A_C, S* B_C,
                               int stride) {
  const int n = tree.nv_full;
  const std::ptrdiff_t next = stride;
  MotionColumns<6, S> Upsilon = MotionColumns<6, S>::zero();
  MotionColumns<3, S> J = MotionColumns<3, S>::zero(), J_E = J;
  const auto at = [&](int i, int j) CATENA_INLINE_LAMBDA { return i + j * next; };
  for (int i = 0; i < n; ++i) {  // joint i carries body i + 1 and is component i
    const WorldColumn<S>& own = w.column[i];
    const Force<S>& G = art.G[i];
    const Motion<S> Z = Upsilon * G;
    const S L = art.D_inv[i] + dot(Z, G);
    const Motion<S> u = own.H * L - Z;
    const S u_row[6] = {u.w.x, u.w.y, u.w.z, u.v.x, u.v.y, u.v.z};
    const S minus_H[6] = {-own.H.w.x, -own.H.w.y, -own.H.w.z, -own.H.v.x, -own.H.v.y, -own.H.v.z};
    Upsilon.add_outer(own.H, u_row);
    Upsilon.add_outer(Z, minus_H);
    M_inv[at(i, i)] = L;
    A_C[at(i, i)] = dot(u, art.Y_A[i]);
    B_C[at(i, i)] = dot(u, art.Y_B[i]);
    Motion<S> x = u;
    for (int j = i + 1; j < n; ++j) {
      const S xG = dot(x, art.G[j]);
      M_inv[at(i, j)] = M_inv[at(j, i)] = -xG;
      x += w.column[j].H * -xG;
      A_C[at(i, j)] = dot(x, art.Y_A[j]);
      B_C[at(i, j)] = dot(x, art.Y_B[j]);
    }
    const Vec3<S> rest = art.G_hat[i] - transposed_times(G, J);
    const S row[3] = {rest.x, rest.y, rest.z};
    J.add_outer(own.H, row);
    out.E_A[i + 1] = own.Hv() - Upsilon * art.Y_A[i] + (J * own.H.w) * 2.0;
    out.E_B[i + 1] = own.Hw() - Upsilon * art.Y_B[i] + (J * own.Hq.w) * 2.0;
    const Vec3<S> Q = rest * 2.0;
    Vec3<S> Q_E = Vec3<S>::zero();
    if (world_fixed) {
      Q_E = art.G_E[i] - transposed_times(G, J_E);
      const S row_E[3] = {Q_E.x, Q_E.y, Q_E.z};
      J_E.add_outer(own.H, row_E);
      out.E_B[i + 1] += J_E * own.H.w;
    }
    Force<S> along = G;  // w of the equations
    for (int j = i - 1; j >= 0; --j) {
      const WorldColumn<S>& col = w.column[j];
      A_C[at(i, j)] = dot(out.E_A[j + 1], along) + dot(Q, col.H.w);
      B_C[at(i, j)] = dot(out.E_B[j + 1], along) + dot(Q, col.Hq.w);
      if (world_fixed) B_C[at(i, j)] += dot(Q_E, col.H.w);
      along -= art.G[j] * dot(col.H, along);
    }
  }
}
// The same for double.
void algorithm_6(const Tree& tree, const WorldSweep<double>& w, bool world_fixed, const ArticulatedWorld<double>& art,
                 ChainColumns<double>& out, double* M_inv, double* A_C, double* B_C, int stride);

}  // namespace catena::kernel
