// The factor along the tree for double, a vector of N numbers of a row or column at a time. One source file alone is
// compiled for each N (vector_factor_2.cpp, vector_factor_4.cpp), with the instruction set that N takes.
#pragma once

#include "catena/dynamics/factor_kernel.hpp"
#include "catena/spatial/lanes.hpp"

namespace catena::kernel {

// Columns c of two matrices that are zero but for the rows partner[first[c]] ... partner[first[c + 1] - 1].
struct SparsePair {
  const std::vector<int>&first, &partner;
  const std::vector<double>&A, &B;  // column-major, all n rows
};

// The functions for one N.
struct VectorFactor {
  int (*factor)(const Tree& tree, TreeRows<double>& rows);
  void (*invert)(const Tree& tree, const TreeRows<double>& rows, PaddedMatrix& padded);
  // [A_C | B_C] = M [A | B]
  void (*multiply)(const PaddedMatrix& M, const SparsePair& right, double* A_C, double* B_C, int stride);
};
const VectorFactor& vector_factor();  // for this processor
const VectorFactor& vector_factor_2();
const VectorFactor& vector_factor_4();

namespace vectors {

template <int N>
CATENA_INLINE spatial::Lanes<N> load(const double* x) {
  spatial::Lanes<N> out;
  __builtin_memcpy(&out.x, x, sizeof out.x);
  return out;
}
template <int N>
CATENA_INLINE void store(const spatial::Lanes<N>& value, double* x) {
  __builtin_memcpy(x, &value.x, sizeof value.x);
}

// As factor_rows; what lies behind the end of a row is rubbish afterwards.
template <int N>
int factor(const Tree& tree, TreeRows<double>& rows) {
  using V = spatial::Lanes<N>;
  int bad = -1;
  double scaled[longest_factored_path];  // set aside: a vector read across a number just written would wait for it
  const Step* const steps = tree.steps.data();
  for (int i = 0; i < tree.nv_full; ++i) rows.own[i] = rows.row(i)[steps[i].depth];
  for (int k = tree.nv_full - 1; k >= 0; --k) {
    const int i = tree.outward[k], depth = steps[i].depth;
    double* const row = rows.row(i);
    if (!(row[depth] > rows.own[i] * factor_tolerance)) bad = i;
    const double inverse = 1 / row[depth];
    for (int p = depth - 1, j = steps[i].above; p >= 0; --p, j = steps[j].above) {
      double* const target = rows.row(j);
      scaled[p] = row[p] * inverse;
      const V factor(scaled[p]);
      for (int r = 0; r <= p; r += N) store<N>(load<N>(target + r) - load<N>(row + r) * factor, target + r);
    }
    for (int p = 0; p < depth; ++p) row[p] = scaled[p];
    row[depth] = inverse;
  }
  return bad;
}

// As invert_rows, into padded columns.
template <int N>
void invert(const Tree& tree, const TreeRows<double>& rows, PaddedMatrix& padded) {
  using V = spatial::Lanes<N>;
  const int n = tree.nv_full;
  const std::ptrdiff_t stride = padded.stride;
  double* const X = padded.x.data();
  const double* columns[longest_factored_path];  // of the components above, nearest first
  int reach = 0;
  for (int k = 0; k < n; ++k) {
    const int i = tree.outward[k], depth = tree.steps[i].depth;
    const double* const row = rows.row(i);
    double* const column = X + i * stride;
    for (int p = depth - 1, j = tree.steps[i].above; p >= 0; --p, j = tree.steps[j].above) {
      columns[depth - 1 - p] = X + j * stride;
    }
    int r = 0;
    for (; r < reach; r += 2 * N) {
      V low(0.0), high(0.0);
      for (int p = 0; p < depth; ++p) {
        const V factor(row[depth - 1 - p]);
        low -= load<N>(columns[p] + r) * factor;
        high -= load<N>(columns[p] + r + N) * factor;
      }
      store<N>(low, column + r);
      store<N>(high, column + r + N);
    }
    for (; r < stride; ++r) column[r] = 0;
    reach = reach < i + 1 ? i + 1 : reach;
    for (int b = 0; b < k; ++b) X[i + tree.outward[b] * stride] = column[tree.outward[b]];
    double diagonal = row[depth];
    for (int p = depth - 1, j = tree.steps[i].above; p >= 0; --p, j = tree.steps[j].above) {
      diagonal -= row[p] * column[j];
    }
    column[i] = diagonal;
  }
}

template <int N>
void multiply(const PaddedMatrix& M, const SparsePair& right, double* A_C, double* B_C, int stride) {
  using V = spatial::Lanes<N>;
  const int n = static_cast<int>(right.first.size()) - 1;
  for (int c = 0; c < n; ++c) {
    const double *const a = right.A.data() + static_cast<std::ptrdiff_t>(c) * n, *const b =
                                                                                     right.B.data() +
                                                                                     static_cast<std::ptrdiff_t>(c) * n;
    double *const A_column = A_C + static_cast<std::ptrdiff_t>(c) * stride, *const B_column =
                                                                                B_C +
                                                                                static_cast<std::ptrdiff_t>(c) * stride;
    for (int r = 0; r < n; r += 2 * N) {
      V a_low(0.0), a_high(0.0), b_low(0.0), b_high(0.0);
      for (int s = right.first[c]; s < right.first[c + 1]; ++s) {
        const int i = right.partner[s];
        const double* const response = M.x.data() + static_cast<std::ptrdiff_t>(i) * M.stride + r;
        const V low = load<N>(response), high = load<N>(response + N), by_a(a[i]), by_b(b[i]);
        a_low += low * by_a, a_high += high * by_a;
        b_low += low * by_b, b_high += high * by_b;
      }
      if (r + 2 * N <= n) {
        store<N>(a_low, A_column + r), store<N>(a_high, A_column + r + N);
        store<N>(b_low, B_column + r), store<N>(b_high, B_column + r + N);
      } else {
        for (int l = 0; l < N && r + l < n; ++l) A_column[r + l] = a_low[l], B_column[r + l] = b_low[l];
        for (int l = 0; l < N && r + N + l < n; ++l) {
          A_column[r + N + l] = a_high[l], B_column[r + N + l] = b_high[l];
        }
      }
    }
  }
}

}  // namespace vectors
}  // namespace catena::kernel
