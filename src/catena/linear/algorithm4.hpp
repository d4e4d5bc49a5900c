// Algorithm 4 of Jain and Rodriguez: the linearization of forward dynamics by that of inverse dynamics,
// A_C = M^-1 A_D, B_C = M^-1 B_D, with M factored along the tree. On short paths it takes less than Algorithm 6T.
// Source: formula sheet 3.5. Axes of the ground at one point (world_kernel.hpp). Without joint terms and mimic joints.
#pragma once

#include "catena/dynamics/vector_factor.hpp"
#include "catena/linear/algorithm2.hpp"

namespace catena::kernel {

// Components that share a path with c: partner[first[c]] ... partner[first[c + 1] - 1].
struct SharedPaths {
  std::vector<int> first, partner;

  explicit SharedPaths(const Tree& tree);
  CATENA_INLINE ~SharedPaths() {}  // NOLINT: leaves no function behind in files for one instruction set
};

template <class S>
struct Factored {
  TreeRows<S> rows;
  PaddedMatrix inverse;  // for double
  SharedPaths shared;
  std::vector<S> A, B;   // A_D and B_D, column-major
  std::vector<S> drive;  // tau - bias

  explicit Factored(const Tree& tree) : rows(tree), inverse(tree), shared(tree) {
    if (!by_factor(tree)) return;
    const std::size_t n = tree.nv_full;
    A.resize(n * n, S(0));
    B.resize(n * n, S(0));
    drive.resize(n, S(0));
  }
};

// M^-1, and a = M^-1 (tau - bias) by the bias at a = 0. Returns a component whose pivot is not positive, or -1.
// tau: without joint forces.
template <class S>
CATENA_INLINE int accelerate(const Tree& tree, const std::vector<LinkPose<S>>& X, const Motion<S>& V_0,
                             const Motion<S>& alpha_0, const S* v, const S* tau, const Force<S>* f_ext,
                             WorldSweep<S>& w, Composite<S>& sum, Factored<S>& out, S* M_inv, int stride, S* a) {
  world_poses(tree, X, V_0, alpha_0, w);
  world_velocities(tree, v, w);
  world_accelerations(tree, static_cast<const S*>(nullptr), f_ext, w);
  composite_sums(tree, w, sum);
  const int count = tree.count(), n = tree.nv_full;
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    for (int i = body.v; i < body.v + velocity_count(body); ++i) {
      const Force<S> F = sum.R[k] * w.column[i].H;
      S* const row = out.rows.row(i);
      for (int j = i; j >= 0; j = tree.ancestors[j].above) row[tree.ancestors[j].depth] = dot(w.column[j].H, F);
      row[tree.ancestors[i].depth] += tree.terms[i].armature;
      out.drive[i] = tau[i] - dot(w.column[i].H, w.f[k]);
    }
  }
  const int bad = factor_rows(tree, out.rows);
  if constexpr (std::is_same_v<S, double>) {
    invert_rows(tree, out.rows, out.inverse, M_inv, stride);
  } else {
    invert_rows(tree, out.rows, M_inv, stride);
  }
  for (int i = 0; i < n; ++i) a[i] = S(0);
  for (int j = 0; j < n; ++j) {
    const S* const column = M_inv + static_cast<std::ptrdiff_t>(j) * stride;
    for (int i = 0; i < n; ++i) a[i] += column[i] * out.drive[j];
  }
  return bad;
}

// [A_C | B_C] = M^-1 [A_D | B_D] about the acceleration found.
template <class S>
CATENA_INLINE void linearize_by_factor(const Tree& tree, const Force<S>* f_ext, WorldSweep<S>& w,
                                       const VelocityInertia<S>* world_fixed, Composite<S>& sum, Factored<S>& out,
                                       const S* a, const S* M_inv, S* A_C, S* B_C, int stride) {
  world_accelerations(tree, a, f_ext, w);
  if (world_fixed != nullptr) world_fixed_sums(tree, world_fixed, sum);
  const std::ptrdiff_t n = tree.nv_full, next = stride;
  S *const A = out.A.data(), *const B = out.B.data();
  linear_entries(
      tree, w, world_fixed != nullptr, sum,
      [&](int r, int c, const S&, const S& a_rc, const S& b_rc) CATENA_INLINE_LAMBDA {
        A[r + c * n] = a_rc;
        B[r + c * n] = b_rc;
      },
      [&](int r, int c, const S&, const S& a_rc, const S& b_rc, const S& a_cr, const S& b_cr) CATENA_INLINE_LAMBDA {
        A[r + c * n] = a_rc;
        B[r + c * n] = b_rc;
        A[c + r * n] = a_cr;
        B[c + r * n] = b_cr;
      });
  if constexpr (std::is_same_v<S, double>) {
    vector_factor().multiply(out.inverse.x.data(), out.inverse.stride, {out.shared.first, out.shared.partner, A, B},
                             A_C, B_C, stride);
  } else {
    for (std::ptrdiff_t c = 0; c < n; ++c) {
      S *const A_column = A_C + c * next, *const B_column = B_C + c * next;
      for (int r = 0; r < n; ++r) A_column[r] = B_column[r] = S(0);
      for (int s = out.shared.first[c]; s < out.shared.first[c + 1]; ++s) {
        const std::ptrdiff_t i = out.shared.partner[s];
        const S a_ic = A[i + c * n], b_ic = B[i + c * n];
        const S* const response = M_inv + i * next;
        for (int r = 0; r < n; ++r) {
          A_column[r] += response[r] * a_ic;
          B_column[r] += response[r] * b_ic;
        }
      }
    }
  }
}

// The same for double.
int accelerate(const Tree& tree, const std::vector<LinkPose<double>>& X, const Motion<double>& V_0,
               const Motion<double>& alpha_0, const double* v, const double* tau, const Force<double>* f_ext,
               WorldSweep<double>& w, Composite<double>& sum, Factored<double>& out, double* M_inv, int stride,
               double* a);
void linearize_by_factor(const Tree& tree, const Force<double>* f_ext, WorldSweep<double>& w,
                         const VelocityInertia<double>* world_fixed, Composite<double>& sum, Factored<double>& out,
                         const double* a, const double* M_inv, double* A_C, double* B_C, int stride);

}  // namespace catena::kernel
