// Algorithm 6T: M^-1, A_C = -da/dv and B_C = -da/dq on trees, O(n) per column, without joint terms.
// Source: formula sheet 3.7 and 3.8. In the axes of the ground at one point.
#pragma once

#include "catena/linear/articulated_world.hpp"

namespace catena::kernel {

// Columns of [M^-1 | A_C | B_C] for every velocity component, column-major in full coordinates.
template <class S>
CATENA_INLINE void algorithm_6t(const Topology& tree, const WorldSweep<S>& w, bool world_fixed,
                                ArticulatedWorld<S>& art, S* M_inv, S* A_C, S* B_C, int stride) {
  const int count = tree.count(), n = tree.nv_full;
  S* const Z[3] = {art.x.data(), art.x.data() + n, art.x.data() + 2 * n};
  // Z <- D^-1 H' y and y <- y - G H' y at body k, for the three right-hand sides
  const auto absorb = [&](int k, Force<S>(&y)[3]) CATENA_INLINE_LAMBDA {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      constexpr int d = decltype(joint)::d;
      const S* D_inv = art.block(tree, body);
      for (int t = 0; t < 3; ++t) {
        S projected[d];
        for (int r = 0; r < d; ++r) projected[r] = dot(w.column[body.v + r].H, y[t]);
        for (int r = 0; r < d; ++r) {
          S z = D_inv[r * d] * projected[0];
          for (int c = 1; c < d; ++c) z += D_inv[r * d + c] * projected[c];
          Z[t][body.v + r] = z;
        }
        for (int r = 0; r < d; ++r) y[t] -= art.G[body.v + r] * projected[r];
      }
    });
  };
  for (int j = 1; j < count; ++j) {
    const TreeBody& origin = tree.bodies[j];
    const int d = velocity_count(origin);
    const S* D_inv = art.block(tree, origin);
    for (int c = 0; c < d; ++c) {
      const int column = origin.v + c;
      for (int i = 0; i < 3 * n; ++i) art.x[i] = S(0);
      Force<S> y[3] = {Force<S>::zero(), art.Y_A[column], art.Y_B[column]};
      absorb(j, y);
      for (int r = 0; r < d; ++r) Z[0][origin.v + r] = D_inv[r * d + c];
      y[0] = art.G[column] * -1.0;
      if (d > 1) {  // the joint's own rows do not feel crf(H) f
        const S* own = art.own.data() + 36 * origin.multi;
        for (int r = 0; r < d; ++r) {
          S z = D_inv[r * d] * own[c];
          for (int i = 1; i < d; ++i) z += D_inv[r * d + i] * own[i * d + c];
          Z[2][origin.v + r] -= z;
          y[2] += art.G[origin.v + r] * own[r * d + c];
        }
      }
      for (int k = origin.parent; k > 0; k = tree.bodies[k].parent) absorb(k, y);

      // outward over all bodies:  x = Z - G' l_parent     l = l_parent + H x
      // strictly below j:  Z = [0 | 2 G_hat' H_j + G' Hv_j | 2 G_hat' Hq_j + G' Hw_j]
      const WorldColumn<S>& col = w.column[column];
      for (int t = 0; t < 3; ++t) art.l[t] = Motion<S>::zero();
      for (int k = 1; k < count; ++k) {
        const TreeBody& body = tree.bodies[k];
        const int size = velocity_count(body);
        art.below[k] = body.parent == j || (body.parent > 0 && art.below[body.parent]);
        for (int t = 0; t < 3; ++t) art.l[3 * k + t] = art.l[3 * body.parent + t];
        for (int i = body.v; i < body.v + size; ++i) {
          if (art.below[k]) {
            Z[1][i] = dot(art.G_hat[i], col.H.w) * 2.0 + dot(col.Hv(), art.G[i]);
            Z[2][i] = dot(art.G_hat[i], col.Hq.w) * 2.0 + dot(col.Hw(), art.G[i]);
            if (world_fixed) Z[2][i] += dot(art.G_E[i], col.H.w);
          }
          for (int t = 0; t < 3; ++t) Z[t][i] -= dot(art.l[3 * body.parent + t], art.G[i]);
          for (int t = 0; t < 3; ++t) art.l[3 * k + t] += w.column[i].H * Z[t][i];
        }
      }
      for (int i = 0; i < n; ++i) {
        M_inv[i + column * stride] = Z[0][i];
        A_C[i + column * stride] = Z[1][i];
        B_C[i + column * stride] = Z[2][i];
      }
    }
  }
}

// The same for double.
void algorithm_6t(const Tree& tree, const WorldSweep<double>& w, bool world_fixed, ArticulatedWorld<double>& art,
                  double* M_inv, double* A_C, double* B_C, int stride);

}  // namespace catena::kernel
