// M = L D L' of a dense symmetric positive definite matrix, column-major, without square roots: n^3/6 products.
#pragma once

#include "catena/spatial/scalar.hpp"

namespace catena::kernel {

// In place, lower triangle: L below the diagonal, 1/D on it. Returns the first column whose pivot is not above floor(j),
// or -1.
template <class S, class Floor>
int ldl_factor(int n, S* M, int stride, const Floor& floor) {
  int bad = -1;
  for (int j = 0; j < n; ++j) {
    S* const column = M + j * stride;
    if constexpr (spatial::is_number<S>) {
      using spatial::all_greater;
      if (!all_greater(column[j], S(floor(j))) && bad < 0) bad = j;
    }
    const S inverse = S(1) / column[j];
    for (int k = j + 1; k < n; ++k) {
      const S factor = column[k] * inverse;
      S* const target = M + k * stride;
      for (int i = k; i < n; ++i) target[i] -= column[i] * factor;
      column[k] = factor;  // the columns still to come read further down only
    }
    column[j] = inverse;
  }
  return bad;
}

template <class S>
int ldl_factor(int n, S* M, int stride) {
  return ldl_factor(n, M, stride, [](int) { return 0.0; });
}

// x <- M^-1 x
template <class S>
void ldl_solve(int n, const S* M, int stride, S* x) {
  for (int j = 0; j < n; ++j) {
    for (int i = j + 1; i < n; ++i) x[i] -= M[i + j * stride] * x[j];
  }
  for (int j = n - 1; j >= 0; --j) {
    x[j] = x[j] * M[j + j * stride];
    for (int i = j + 1; i < n; ++i) x[j] -= M[i + j * stride] * x[i];
  }
}

}  // namespace catena::kernel
