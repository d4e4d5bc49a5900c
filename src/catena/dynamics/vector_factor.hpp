// The factor along the tree for double, a vector of N numbers of a row or column at a time. One source file alone is
// compiled for each N (vector_factor_2.cpp, vector_factor_4.cpp), with the instruction set that N takes.
#pragma once

#include "catena/dynamics/factor_kernel.hpp"
#include "catena/spatial/lanes.hpp"

namespace catena::kernel {

// Columns c of two matrices that are zero but for the rows partner[first[c]] ... partner[first[c + 1] - 1].
struct SparsePair {
  const std::vector<int>&first, &partner;
  const double *A, *B;  // column-major, all n rows
};

// The functions for one N.
struct VectorFactor {
  int (*factor)(const Tree& tree, TreeRows<double>& rows);
  void (*invert)(const Tree& tree, const TreeRows<double>& rows, PaddedMatrix& padded);
  // [A_C | B_C] = M [A | B]; behind the last column of M there is room to read 16 numbers
  void (*multiply)(const double* M, int M_stride, const SparsePair& right, double* A_C, double* B_C, int stride);
};
const VectorFactor& vector_factor();  // for this processor
const VectorFactor& vector_factor_2();
const VectorFactor& vector_factor_4();

namespace vectors {

using spatial::read;
using spatial::write;

// As factor_rows; what lies behind the end of a row is undefined afterwards.
template <int N>
int factor(const Tree& tree, TreeRows<double>& rows) {
  using V = spatial::Lanes<N>;
  int bad = -1;
  double scaled[longest_factored_path];  // set aside: a vector read across a number just written would wait for it
  const Ancestor* const ancestors = tree.ancestors.data();
  for (int k = tree.nv_full - 1; k >= 0; --k) {
    const int i = tree.outward[k], depth = ancestors[i].depth;
    double* const row = rows.row(i);
    if (!(row[depth] > tree.pivot_floor[i]) && bad < 0) bad = i;
    const double inverse = 1 / row[depth];
    for (int p = depth - 1, j = ancestors[i].above; p >= 0; --p, j = ancestors[j].above) {
      double* const target = rows.row(j);
      scaled[p] = row[p] * inverse;
      const V factor(scaled[p]);
      for (int r = 0; r <= p; r += N) write<N>(target + r, read<N>(target + r) - read<N>(row + r) * factor);
    }
    for (int p = 0; p < depth; ++p) row[p] = scaled[p];
    row[depth] = inverse;
  }
  return bad;
}

// Rows r ... r + B N - 1 of a column: minus the sum of the columns above, each by its number in the row.
template <int N, int B>
CATENA_INLINE void subtract_block(const double* X, const int* above, const double* row, int depth, int r,
                                  double* column) {
  using V = spatial::Lanes<N>;
  V sum[B];
  for (int k = 0; k < B; ++k) sum[k] = V(0.0);
  for (int p = 0; p < depth; ++p) {
    const V factor(row[depth - 1 - p]);
    for (int k = 0; k < B; ++k) sum[k] -= read<N>(X + above[p] + r + k * N) * factor;
  }
  for (int k = 0; k < B; ++k) write<N>(column + r + k * N, sum[k]);
}

// As invert_rows, into padded columns.
template <int N>
void invert(const Tree& tree, const TreeRows<double>& rows, PaddedMatrix& padded) {
  const int n = tree.nv_full;
  const std::ptrdiff_t stride = padded.stride;
  double* const X = padded.x.data();
  int above[longest_factored_path];  // where the columns on the way to the ground begin, the nearest first
  int reach = 0;
  for (int k = 0; k < n; ++k) {
    const int i = tree.outward[k], depth = tree.ancestors[i].depth;
    const double* const row = rows.row(i);
    double* const column = X + i * stride;
    for (int p = 0, j = tree.ancestors[i].above; p < depth; ++p, j = tree.ancestors[j].above) {
      above[p] = static_cast<int>(j * stride);
    }
    int r = 0;
    for (; r + 2 * N < reach; r += 4 * N) subtract_block<N, 4>(X, above, row, depth, r, column);
    for (; r < reach; r += 2 * N) subtract_block<N, 2>(X, above, row, depth, r, column);
    for (; r < stride; ++r) column[r] = 0;
    reach = reach < i + 1 ? i + 1 : reach;
    double* across = X + i;
    if (tree.in_order) {
      for (int b = 0; b < k; ++b, across += stride) *across = column[b];
    } else {
      for (int b = 0; b < k; ++b) across[tree.outward[b] * stride] = column[tree.outward[b]];
    }
    double diagonal = row[depth];
    for (int p = depth - 1, j = tree.ancestors[i].above; p >= 0; --p, j = tree.ancestors[j].above) {
      diagonal -= row[p] * column[j];
    }
    column[i] = diagonal;
  }
}

// Rows r ... r + B N - 1 of a column of M [A | B]: B vectors of each at a time.
template <int N, int B>
CATENA_INLINE void multiply_block(const double* M, std::ptrdiff_t M_stride, const int* partner, int count,
                                  const double* a, const double* b, int r, int n, double* A_column, double* B_column) {
  using V = spatial::Lanes<N>;
  V sum_a[B], sum_b[B];
  for (int k = 0; k < B; ++k) sum_a[k] = sum_b[k] = V(0.0);
  for (int s = 0; s < count; ++s) {
    const int i = partner[s];
    const double* const response = M + i * M_stride + r;
    const V by_a(a[i]), by_b(b[i]);
    for (int k = 0; k < B; ++k) {
      const V x = read<N>(response + k * N);
      sum_a[k] += x * by_a, sum_b[k] += x * by_b;
    }
  }
  for (int k = 0; k < B; ++k) {
    const int at = r + k * N;
    if (at + N <= n) {
      write<N>(A_column + at, sum_a[k]), write<N>(B_column + at, sum_b[k]);
    } else {
      for (int l = 0; l < N && at + l < n; ++l) A_column[at + l] = sum_a[k][l], B_column[at + l] = sum_b[k][l];
    }
  }
}

template <int N>
void multiply(const double* M, int M_stride, const SparsePair& right, double* A_C, double* B_C, int stride) {
  const int n = static_cast<int>(right.first.size()) - 1;
  for (int c = 0; c < n; ++c) {
    const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(c) * n, to = static_cast<std::ptrdiff_t>(c) * stride;
    const double *const a = right.A + from, *const b = right.B + from;
    const int* const partner = right.partner.data() + right.first[c];
    const int count = right.first[c + 1] - right.first[c];
    int r = 0;
    for (; r + 2 * N < n; r += 4 * N) multiply_block<N, 4>(M, M_stride, partner, count, a, b, r, n, A_C + to, B_C + to);
    if (r < n) multiply_block<N, 2>(M, M_stride, partner, count, a, b, r, n, A_C + to, B_C + to);
  }
}

}  // namespace vectors
}  // namespace catena::kernel
