// Algorithm 2 of Jain and Rodriguez, "Linearization of manipulator dynamics using spatial operators":
// M, A_D = d tau / d v and B_D = d tau / d q in O(n depth), without joint terms.
// Source: formula sheet 3.4 with the corrections of 3.8 and section 7. World axes at one point.
#pragma once

#include "catena/linear/world_kernel.hpp"

namespace catena::kernel {

// Sums over all bodies from k outward.
template <class S>
struct Composite {
  std::vector<Inertia<S>> R;
  std::vector<VelocityInertia<S>> R_bar;
  std::vector<VelocityInertia<S>> E;  // steady wrenches

  explicit Composite(const Tree& tree) : R(tree.count()), R_bar(tree.count()), E(tree.count()) {}
};

template <class S>
CATENA_INLINE VelocityInertia<S>& operator+=(VelocityInertia<S>& a, const VelocityInertia<S>& b) {
  a.A += b.A;
  a.b += b.b;
  return a;
}

// Matrices in full coordinates, column-major. steady: wrenches fixed in the world by body, or null.
template <class S>
CATENA_INLINE void linearize_inverse(const Tree& tree, const WorldSweep<S>& w, const VelocityInertia<S>* steady, Composite<S>& sum,
                       S* M, S* A_D, S* B_D, int stride) {
  const int count = tree.count(), n = tree.nv_full;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) M[i + j * stride] = A_D[i + j * stride] = B_D[i + j * stride] = S(0);
  }
  for (int k = 1; k < count; ++k) {
    sum.R[k] = w.M[k];
    sum.R_bar[k] = w.M_bar[k];
    if (steady != nullptr) sum.E[k] = steady[k];
  }
  // inward, for each column of joint k:
  //   X = R H     X_A = R Hv + 2 R_bar H     X_B = R Hw + 2 R_bar Hq + crf(H) f     X_bar = 2 R_bar' H
  //   for ancestors j:  A_jk = H_j' X_A     B_jk = H_j' X_B     A_kj = X' Hv_j + X_bar' H_j     B_kj = X' Hw_j + X_bar' Hq_j
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    const int d = velocity_count(body);
    for (int c = body.v; c < body.v + d; ++c) {
      const WorldColumn<S>& col = w.column[c];
      const Force<S> X = sum.R[k] * col.H;
      const Vec3<S> X_bar = transposed_times(sum.R_bar[k], col.H) * 2.0;
      const Force<S> X_A = sum.R[k] * col.Hv + (sum.R_bar[k] * col.H) * 2.0;
      Force<S> own = sum.R[k] * col.Hw + (sum.R_bar[k] * col.Hq) * 2.0;
      Vec3<S> X_E = Vec3<S>::zero();
      if (steady != nullptr) {
        own += sum.E[k] * col.H;
        X_E = transposed_times(sum.E[k], col.H);
      }
      for (int r = body.v; r < body.v + d; ++r) {
        const Motion<S>& H = w.column[r].H;
        M[r + c * stride] = dot(H, X);
        A_D[r + c * stride] = dot(H, X_A);
        B_D[r + c * stride] = dot(H, own);  // crf(H) f stays out of the joint's own rows
      }
      M[c + c * stride] += tree.terms[c].armature;
      const Force<S> X_B = own + cross(col.H, w.f[k]);
      for (int j = body.parent; j > 0; j = tree.bodies[j].parent) {
        const TreeBody& ancestor = tree.bodies[j];
        const int last = ancestor.v + velocity_count(ancestor);
        for (int r = ancestor.v; r < last; ++r) {
          const WorldColumn<S>& up = w.column[r];
          M[r + c * stride] = M[c + r * stride] = dot(up.H, X);
          A_D[r + c * stride] = dot(up.H, X_A);
          B_D[r + c * stride] = dot(up.H, X_B);
          A_D[c + r * stride] = dot(up.Hv, X) + dot(X_bar, up.H.w);
          S b = dot(up.Hw, X) + dot(X_bar, up.Hq.w);
          if (steady != nullptr) b += dot(X_E, up.H.w);
          B_D[c + r * stride] = b;
        }
      }
    }
    if (body.parent > 0) {
      sum.R[body.parent] += sum.R[k];
      sum.R_bar[body.parent] += sum.R_bar[k];
      if (steady != nullptr) sum.E[body.parent] += sum.E[k];
    }
  }
}

}  // namespace catena::kernel
