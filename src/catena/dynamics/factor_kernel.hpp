// M = L' D L of a tree's mass matrix, tips first: the zeros of M between branches stay zeros of L.
// Source: Featherstone, Rigid Body Dynamics Algorithms, 6.5. A row holds what a component shares with those on its way
// to the ground, the first of them first and itself last, so that rows are short and combine number by number.
// For trees without mimic joints.
#pragma once

#include "catena/kinematics/sweeps.hpp"

namespace catena::kernel {

inline bool by_factor(const Topology& tree) {
  return tree.couplings.empty() && tree.longest_path <= longest_factored_path;
}

// Rows begin at multiples of 4 and have room up to the next, for vectors that reach over their end.
template <class S>
struct TreeRows {
  std::vector<int> start;  // by component
  std::vector<S> x;

  explicit TreeRows(const Topology& tree) : start(tree.nv_full) {
    if (!by_factor(tree)) return;
    int size = 0;
    for (const int i : tree.outward) {
      start[i] = size;
      size += (tree.ancestors[i].depth + 4) / 4 * 4;
    }
    x.resize(size + 4, S(0));
  }
  CATENA_INLINE S* row(int i) { return x.data() + start[i]; }
  CATENA_INLINE const S* row(int i) const { return x.data() + start[i]; }
};

// In place: L with 1/D at the ends of the rows. Returns a component without a safe pivot, or -1.
template <class S>
CATENA_INLINE int factor_rows(const Tree& tree, TreeRows<S>& rows) {
  using spatial::all_greater;
  int bad = -1;
  for (int k = tree.nv_full - 1; k >= 0; --k) {
    const int i = tree.outward[k], depth = tree.ancestors[i].depth;
    S* const row = rows.row(i);
    if constexpr (spatial::is_number<S>) {
      // the first one: what comes after it is meaningless
      if (!all_greater(row[depth], S(tree.pivot_floor[i])) && bad < 0) bad = i;
    }
    const S inverse = S(1) / row[depth];
    row[depth] = inverse;
    int j = i;
    for (int p = depth - 1; p >= 0; --p) {
      j = tree.ancestors[j].above;
      S* const target = rows.row(j);
      const S factor = row[p] * inverse;
      for (int r = 0; r <= p; ++r) target[r] -= row[r] * factor;
      row[p] = factor;  // the rows still to come read further down only
    }
  }
  return bad;
}

// M^-1, column-major, both triangles. M^-1 = D^-1 L^-T - (L - 1) M^-1, outward: for components j before i the first
// term is zero, and what stands on the right is known.
template <class S>
CATENA_INLINE void invert_rows(const Tree& tree, const TreeRows<S>& rows, S* M_inv, int stride) {
  const int n = tree.nv_full;
  int reach = 0;  // no component from here on has been computed
  for (int k = 0; k < n; ++k) {
    const int i = tree.outward[k], depth = tree.ancestors[i].depth;
    const S* const row = rows.row(i);
    S* const column = M_inv + static_cast<std::ptrdiff_t>(i) * stride;
    for (int r = 0; r < n; ++r) column[r] = S(0);
    int j = i;
    for (int p = depth - 1; p >= 0; --p) {
      j = tree.ancestors[j].above;
      const S* const known = M_inv + static_cast<std::ptrdiff_t>(j) * stride;
      const S factor = row[p];
      for (int r = 0; r < reach; ++r) column[r] -= known[r] * factor;
    }
    reach = reach < i + 1 ? i + 1 : reach;
    for (int b = 0; b < k; ++b) {
      const int r = tree.outward[b];
      M_inv[i + static_cast<std::ptrdiff_t>(r) * stride] = column[r];
    }
    S diagonal = row[depth];
    j = i;
    for (int p = depth - 1; p >= 0; --p) {
      j = tree.ancestors[j].above;
      diagonal -= row[p] * column[j];
    }
    column[i] = diagonal;
  }
}

// The same for double, with the inverse kept in columns with room for whole vectors too (vector_factor.hpp).
struct PaddedMatrix {
  int stride = 0;
  std::vector<double> x;

  explicit PaddedMatrix(const Tree& tree);
  CATENA_INLINE ~PaddedMatrix() {}  // NOLINT: leaves no function behind in files for one instruction set
};
int factor_rows(const Tree& tree, TreeRows<double>& rows);
void invert_rows(const Tree& tree, const TreeRows<double>& rows, PaddedMatrix& padded, double* M_inv, int stride);

}  // namespace catena::kernel
