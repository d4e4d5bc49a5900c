// Algorithm 2 with a body, then a component, in each of N lanes (wide_linear.hpp). Source: formula sheet 3.1, 3.4.
// Included by files for one instruction set only (wide_linear_2.cpp, wide_linear_4.cpp).
#pragma once

#include "catena/dynamics/wide_kernel.hpp"
#include "catena/linear/wide_linear.hpp"

namespace catena::kernel::wide {

//   X = R H     X_A = R Hv + 2 R_bar H     own = R Hw + 2 R_bar Hq     X_B = own + crf(H) f     X_bar = 2 R_bar' H
// and the products of each column with itself: H' X, H' X_A, H' own
template <int N>
CATENA_INLINE void columns(const Tree& tree, Wide& w) {
  using S = spatial::Lanes<N>;
  each_vector<N>(0, tree.nv_full, [&](int p, const int(&who)[N]) CATENA_INLINE_LAMBDA {
    const Inertia<double>* R_[N];
    const VelocityInertia<double>* twice_R_bar_[N];
    const Force<double>* f_[N];
    const Motion<double>*H_[N], *V_[N], *V_parent_[N], *alpha_parent_[N];
    bool several = false;  // components of one joint
    for (int l = 0; l < N; ++l) {
      const int k = tree.depth_first.body[who[l]], parent = tree.bodies[k].parent;
      R_[l] = &w.load[k].R, twice_R_bar_[l] = &w.load[k].twice_R_bar, f_[l] = &w.load[k].f;
      H_[l] = &w.H[who[l]], V_[l] = &w.V[k], V_parent_[l] = &w.V[parent], alpha_parent_[l] = &w.alpha[parent];
      several = several || tree.bodies[k].multi >= 0;
    }
    const auto put = [&](int row, const auto& value)
                         CATENA_INLINE_LAMBDA { put_rows<N>(value, w.row(row) + p, w.stride); };
    const Motion<S> H = gather<N, Motion>(H_), V_parent = gather<N, Motion>(V_parent_);
    const Motion<S> Hq = cross(V_parent, H);
    Motion<S> Hv = Hq + Hq;  // crm(V) H = crm(V_parent) H for the only component of a joint
    if (several) Hv = Hq + cross(gather<N, Motion>(V_), H);
    const Motion<S> Hw = cross(gather<N, Motion>(alpha_parent_), H) + cross(V_parent, Hq);
    put(Wide::row_H, H), put(Wide::row_Hv, Hv), put(Wide::row_Hw, Hw), put(Wide::row_Hq, Hq.w);
    const Inertia<S> R = gather<N, Inertia>(R_);
    const Force<S> X = R * H;
    Force<S> X_A = R * Hv, own = R * Hw;
    put(Wide::row_X, X);
    write<N>(w.row(Wide::row_diagonal) + p, dot(H, X));
    const VelocityInertia<S> twice = gather<N, VelocityInertia>(twice_R_bar_);
    put(Wide::row_X_bar, transposed_times(twice, H));
    X_A += twice * H;
    put(Wide::row_XA, X_A);
    write<N>(w.row(Wide::row_diagonal + 1) + p, dot(H, X_A));
    own += twice * Hq;
    if (several) put(Wide::row_own, own);
    write<N>(w.row(Wide::row_diagonal + 2) + p, dot(H, own));
    put(Wide::row_XB, own + cross(H, gather<N, Force>(f_)));
  });
}

// M, A and B of two columns r and c of one joint, where crf(H) f stays out.
template <int N, class One>
CATENA_INLINE void own_entries(const Tree& tree, const Wide& w, int r, const One& one) {
  const std::ptrdiff_t stride = w.stride;
  const double* const diagonal = w.row(Wide::row_diagonal) + r;
  one(r, diagonal[0], diagonal[stride], diagonal[2 * stride]);
  if (tree.bodies[tree.depth_first.body[r]].multi < 0) return;
  int begin = r;
  while (begin > 0 && tree.depth_first.body[begin - 1] == tree.depth_first.body[r]) --begin;
  for (int c = begin; c < tree.depth_first.first[r]; ++c) {
    if (c == r) continue;
    double m = 0, a = 0, b = 0;
    for (int i = 0; i < 6; ++i) {
      const double h = w.row(Wide::row_H)[i * stride + r];
      m += h * w.row(Wide::row_X)[i * stride + c];
      a += h * w.row(Wide::row_XA)[i * stride + c];
      b += h * w.row(Wide::row_own)[i * stride + c];
    }
    one(c, m, a, b);
  }
}

// For all c beyond the joint of r:
//   M_rc = H_r' X     A_rc = H_r' X_A     B_rc = H_r' X_B     A_cr = X' Hv_r + X_bar' H_r     B_cr = X' Hw_r + X_bar' Hq_r
// entry(c, count, M_rc ..., A_rc ..., B_rc ..., A_cr ..., B_cr ...)
template <int N, class Entry>
CATENA_INLINE void linear_entries(const Tree& tree, const Wide& w, int r, const Entry& entry) {
  using S = spatial::Lanes<N>;
  const std::ptrdiff_t stride = w.stride;
  const int end = tree.depth_first.end[r];
  const double *const H = w.row(Wide::row_H) + r, *const Hv = w.row(Wide::row_Hv) + r;
  const double *const Hw = w.row(Wide::row_Hw) + r, *const Hq = w.row(Wide::row_Hq) + r;
  for (int c = tree.depth_first.first[r]; c < end; c += N) {
    const double *const X = w.row(Wide::row_X) + c, *const X_A = w.row(Wide::row_XA) + c;
    const double *const X_B = w.row(Wide::row_XB) + c, *const X_bar = w.row(Wide::row_X_bar) + c;
    S m(0.0), a(0.0), b(0.0), a_t(0.0), b_t(0.0);
    for (std::ptrdiff_t i = 0, at = 0; i < 6; ++i, at += stride) {
      const S h(H[at]), x = read<N>(X + at);
      m += h * x, a += h * read<N>(X_A + at), b += h * read<N>(X_B + at);
      a_t += S(Hv[at]) * x, b_t += S(Hw[at]) * x;
      if (i >= 3) continue;
      const S x_bar = read<N>(X_bar + at);
      a_t += h * x_bar, b_t += S(Hq[at]) * x_bar;
    }
    entry(c, end - c < N ? end - c : N, m, a, b, a_t, b_t);
  }
}

template <int N>
void inverse(const Tree& tree, const WideState& state, const double* a, Wide& w, double* M, double* A_D, double* B_D,
             int stride) {
  using S = spatial::Lanes<N>;
  const int n = tree.nv_full;
  const Target<N> to{tree.depth_first, stride};
  if (tree.longest_path < n) {
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) M[i + j * stride] = A_D[i + j * stride] = B_D[i + j * stride] = 0;
    }
  }
  place<N>(tree, state.X, w);
  move<N>(tree, state, a, w);
  load_bodies<N>(tree, w);
  sum_loads(tree, w);
  columns<N>(tree, w);
  for (int r = 0; r < n; ++r) {
    own_entries<N>(tree, w, r, [&](int c, double m, double a_rc, double b_rc) CATENA_INLINE_LAMBDA {
      to.set(M, r, c, r == c ? m + tree.terms[tree.depth_first.component[r]].armature : m);
      to.set(A_D, r, c, a_rc);
      to.set(B_D, r, c, b_rc);
    });
    linear_entries<N>(tree, w, r,
                      [&](int c, int count, const S& m, const S& a_rc, const S& b_rc, const S& a_cr, const S& b_cr)
                          CATENA_INLINE_LAMBDA {
                            to.row(M, r, c, count, m), to.row(A_D, r, c, count, a_rc), to.row(B_D, r, c, count, b_rc);
                            to.column(M, c, r, count, m), to.column(A_D, c, r, count, a_cr),
                                to.column(B_D, c, r, count, b_cr);
                          });
  }
}

template <int N>
void forward(const Tree& tree, const WideState& state, const double* a, Wide& w, double* A_D, double* B_D) {
  using S = spatial::Lanes<N>;
  // f changes by M of each body times what a adds to its acceleration
  move<N>(tree, state, a, w);
  each_vector<N>(1, tree.count(), [&](int, const int(&who)[N]) CATENA_INLINE_LAMBDA {
    const Motion<double>*velocities[N], *accelerations[N];
    const Inertia<double>* inertias[N];
    point_to<N>(w.V.data(), who, velocities), point_to<N>(w.alpha.data(), who, accelerations);
    point_to<N>(w.M.data(), who, inertias);
    const Inertia<S> M = gather<N, Inertia>(inertias);
    const Motion<S> V = gather<N, Motion>(velocities);
    Force<double>* forces[N];
    for (int l = 0; l < N; ++l) forces[l] = &w.load[who[l]].f;
    scatter<N, Force>(M * gather<N, Motion>(accelerations) + cross(V, M * V), forces);
  });
  for (int k = tree.count() - 1; k > 0; --k) {
    if (tree.bodies[k].parent > 0) add(w.load[tree.bodies[k].parent].f, w.load[k].f);
  }
  columns<N>(tree, w);
  const int n = tree.nv_full;
  const Target<N> to{tree.depth_first, n};
  for (int r = 0; r < n; ++r) {
    own_entries<N>(tree, w, r, [&](int c, double, double a_rc, double b_rc) CATENA_INLINE_LAMBDA {
      to.set(A_D, r, c, a_rc), to.set(B_D, r, c, b_rc);
    });
    linear_entries<N>(tree, w, r,
                      [&](int c, int count, const S&, const S& a_rc, const S& b_rc, const S& a_cr, const S& b_cr)
                          CATENA_INLINE_LAMBDA {
                            to.row(A_D, r, c, count, a_rc), to.row(B_D, r, c, count, b_rc);
                            to.column(A_D, c, r, count, a_cr), to.column(B_D, c, r, count, b_cr);
                          });
  }
}

}  // namespace catena::kernel::wide
