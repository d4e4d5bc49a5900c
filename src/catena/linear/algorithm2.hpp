// Algorithm 2 of Jain and Rodriguez, "Linearization of manipulator dynamics using spatial operators":
// M, A_D = d tau / d v and B_D = d tau / d q in O(n depth), without joint terms.
// Source: formula sheet 3.4 with the corrections of 3.8 and section 7. Axes of the ground of the reduced
// tree, at one point (world_kernel.hpp).
#pragma once

#include "catena/linear/world_kernel.hpp"

namespace catena::kernel {

// Sums over all bodies from k outward.
template <class S>
struct Composite {
  std::vector<Inertia<S>> R;
  std::vector<VelocityInertia<S>> R_bar;
  std::vector<VelocityInertia<S>> E;  // world-fixed wrenches

  explicit Composite(const Topology& tree) : R(tree.count()), R_bar(tree.count()), E(tree.count()) {}
};

template <class S>
CATENA_INLINE VelocityInertia<S>& operator+=(VelocityInertia<S>& a, const VelocityInertia<S>& b) {
  a.A += b.A;
  a.b += b.b;
  return a;
}

template <class S>
CATENA_INLINE void composite_sums(const Topology& tree, const WorldSweep<S>& w, Composite<S>& sum) {
  const int count = tree.count();
  for (int k = 1; k < count; ++k) {
    sum.R[k] = w.M[k];
    sum.R_bar[k] = w.M_bar[k];
  }
  for (int k = count - 1; k > 0; --k) {
    const int parent = tree.bodies[k].parent;
    if (parent == 0) continue;
    sum.R[parent] += sum.R[k];
    sum.R_bar[parent] += sum.R_bar[k];
  }
}
// world_fixed: wrenches fixed in the world, by body.
template <class S>
CATENA_INLINE void world_fixed_sums(const Topology& tree, const VelocityInertia<S>* world_fixed, Composite<S>& sum) {
  for (int k = 1; k < tree.count(); ++k) sum.E[k] = world_fixed[k];
  for (int k = tree.count() - 1; k > 0; --k) {
    const int parent = tree.bodies[k].parent;
    if (parent > 0) sum.E[parent] += sum.E[k];
  }
}

// For each column of joint k:
//   X = R H     X_A = R Hv + 2 R_bar H     X_B = R Hw + 2 R_bar Hq + crf(H) f     X_bar = 2 R_bar' H
//   for ancestors j:  A_jk = H_j' X_A     B_jk = H_j' X_B     A_kj = X' Hv_j + X_bar' H_j     B_kj = X' Hw_j + X_bar' Hq_j
// one(r, c, M, A, B): an entry of the joint's own block.
// both(r, c, M, A, B, A_t, B_t): entry (r, c) and the one across the diagonal, (c, r).
template <class S, class One, class Both>
CATENA_INLINE void linear_entries(const Topology& tree, const WorldSweep<S>& w, bool world_fixed,
                                  const Composite<S>& sum, const One& one, const Both& both) {
  // M, A and B side by side; for numbers a fourth column of zeros makes a vector of them
  constexpr int sides = std::is_same_v<S, double> ? 4 : 3;
  const int count = tree.count();
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    const int d = velocity_count(body);
    for (int c = body.v; c < body.v + d; ++c) {
      const WorldColumn<S>& col = w.column[c];
      const Force<S> X = sum.R[k] * col.H;
      const Vec3<S> X_bar = transposed_times(sum.R_bar[k], col.H) * 2.0;
      const Force<S> X_A = sum.R[k] * col.Hv() + (sum.R_bar[k] * col.H) * 2.0;
      Force<S> own = sum.R[k] * col.Hw() + (sum.R_bar[k] * col.Hq) * 2.0;
      Vec3<S> X_E = Vec3<S>::zero();
      if (world_fixed) {
        own += sum.E[k] * col.H;
        X_E = transposed_times(sum.E[k], col.H);
      }
      for (int r = body.v; r < body.v + d; ++r) {
        const Motion<S>& H = w.column[r].H;
        one(r, c, dot(H, X), dot(H, X_A), dot(H, own));  // crf(H) f stays out of the joint's own rows
      }
      const Force<S> X_B = own + cross(col.H, w.f[k]);
      S x[6][sides];
      const Force<S>* const parts[] = {&X, &X_A, &X_B};
      for (int t = 0; t < sides; ++t) {
        const bool zero = t == 3;
        x[0][t] = zero ? S(0) : parts[t % 3]->n.x, x[1][t] = zero ? S(0) : parts[t % 3]->n.y;
        x[2][t] = zero ? S(0) : parts[t % 3]->n.z, x[3][t] = zero ? S(0) : parts[t % 3]->f.x;
        x[4][t] = zero ? S(0) : parts[t % 3]->f.y, x[5][t] = zero ? S(0) : parts[t % 3]->f.z;
      }
      for (int j = body.parent; j > 0; j = tree.bodies[j].parent) {
        const TreeBody& ancestor = tree.bodies[j];
        const int last = ancestor.v + velocity_count(ancestor);
        for (int r = ancestor.v; r < last; ++r) {
          const WorldColumn<S>& up = w.column[r];
          S down[sides], across[2];
          for (int t = 0; t < sides; ++t) {
            down[t] = up.H.w.x * x[0][t] + up.H.w.y * x[1][t] + up.H.w.z * x[2][t] + up.H.v.x * x[3][t] +
                      up.H.v.y * x[4][t] + up.H.v.z * x[5][t];
          }
          for (int t = 0; t < 2; ++t) {
            const auto& p = up.pairs;
            across[t] = p[0][t] * X.n.x + p[1][t] * X.n.y + p[2][t] * X.n.z + p[3][t] * X.f.x + p[4][t] * X.f.y +
                        p[5][t] * X.f.z + p[6][t] * X_bar.x + p[7][t] * X_bar.y + p[8][t] * X_bar.z;
          }
          if (world_fixed) across[1] += dot(X_E, up.H.w);
          both(r, c, down[0], down[1], down[2], across[0], across[1]);
        }
      }
    }
  }
}

// Matrices in full coordinates, column-major.
template <class S, class C>
CATENA_INLINE void linearize_inverse(const BasicTree<C>& tree, const WorldSweep<S>& w,
                                     const VelocityInertia<S>* world_fixed, Composite<S>& sum, S* M, S* A_D, S* B_D,
                                     int stride) {
  const std::ptrdiff_t next = stride;
  if (tree.longest_path < tree.nv_full) {
    for (int j = 0; j < tree.nv_full; ++j) {
      for (int i = 0; i < tree.nv_full; ++i) M[i + j * next] = A_D[i + j * next] = B_D[i + j * next] = S(0);
    }
  }
  composite_sums(tree, w, sum);
  if (world_fixed != nullptr) world_fixed_sums(tree, world_fixed, sum);
  linear_entries(
      tree, w, world_fixed != nullptr, sum,
      [&](int r, int c, const S& m, const S& a, const S& b) CATENA_INLINE_LAMBDA {
        M[r + c * next] = r == c ? m + tree.terms[c].armature : m;
        A_D[r + c * next] = a;
        B_D[r + c * next] = b;
      },
      [&](int r, int c, const S& m, const S& a, const S& b, const S& a_t, const S& b_t) CATENA_INLINE_LAMBDA {
        M[r + c * next] = M[c + r * next] = m;
        A_D[r + c * next] = a;
        B_D[r + c * next] = b;
        A_D[c + r * next] = a_t;
        B_D[c + r * next] = b_t;
      });
}
void linearize_inverse(const Tree& tree, const WorldSweep<double>& w, const VelocityInertia<double>* world_fixed,
                       Composite<double>& sum, double* M, double* A_D, double* B_D, int stride);

}  // namespace catena::kernel
