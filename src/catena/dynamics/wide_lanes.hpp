// Structs of numbers turned into structs of lanes, and back. Included by files for one instruction set only.
#pragma once

#include "catena/dynamics/wide.hpp"
#include "catena/spatial/lanes.hpp"

namespace catena::kernel::wide {

using spatial::read;
using spatial::transpose;
using spatial::write;

// N structs of numbers as one struct of lanes, and back; the last square of numbers may overlap the one before.
template <int N, template <class> class T>
CATENA_INLINE T<spatial::Lanes<N>> gather(const T<double>* const (&from)[N]) {
  constexpr int numbers = sizeof(T<double>) / sizeof(double);
  T<spatial::Lanes<N>> out;
  spatial::Lanes<N>* const to = reinterpret_cast<spatial::Lanes<N>*>(&out);
#pragma GCC unroll 16
  for (int i = 0; i < numbers; i += N) {
    const int at = i + N <= numbers ? i : numbers - N;
    spatial::Lanes<N> square[N];
    for (int l = 0; l < N; ++l) square[l] = read<N>(reinterpret_cast<const double*>(from[l]) + at);
    transpose(square);
    for (int l = 0; l < N; ++l) to[at + l] = square[l];
  }
  return out;
}
template <int N, template <class> class T>
CATENA_INLINE void scatter(const T<spatial::Lanes<N>>& value, T<double>* const (&to)[N]) {
  constexpr int numbers = sizeof(T<double>) / sizeof(double);
  const spatial::Lanes<N>* const from = reinterpret_cast<const spatial::Lanes<N>*>(&value);
#pragma GCC unroll 16
  for (int i = 0; i < numbers; i += N) {
    const int at = i + N <= numbers ? i : numbers - N;
    spatial::Lanes<N> square[N];
    for (int l = 0; l < N; ++l) square[l] = from[at + l];
    transpose(square);
    for (int l = 0; l < N; ++l) write<N>(reinterpret_cast<double*>(to[l]) + at, square[l]);
  }
}
// Each number of the struct into a row of its own.
template <int N, class T>
CATENA_INLINE void put_rows(const T& value, double* row, std::ptrdiff_t stride) {
  const spatial::Lanes<N>* const from = reinterpret_cast<const spatial::Lanes<N>*>(&value);
  for (int i = 0; i < static_cast<int>(sizeof(T) / sizeof(spatial::Lanes<N>)); ++i) write<N>(row + i * stride, from[i]);
}
template <class T>
CATENA_INLINE void add(T& to, const T& from) {
  double* const a = reinterpret_cast<double*>(&to);
  const double* const b = reinterpret_cast<const double*>(&from);
  for (int i = 0; i < static_cast<int>(sizeof(T) / sizeof(double)); ++i) a[i] += b[i];
}

// A vector of bodies from k, or of places from p; the last one fills what is left over.
template <int N, class F>
CATENA_INLINE void each_vector(int begin, int end, const F& f) {
  for (int k = begin; k < end; k += N) {
    int who[N];
    for (int l = 0; l < N; ++l) who[l] = k + l < end ? k + l : end - 1;
    f(k, who);
  }
}
template <int N, class T, class Pointed>
CATENA_INLINE void point_to(T* all, const int (&who)[N], Pointed* (&out)[N]) {
  for (int l = 0; l < N; ++l) out[l] = all + who[l];
}

// Where entries go: column-major, in the order of components.
template <int N>
struct Target {
  const DepthFirst& order;
  std::ptrdiff_t next;

  CATENA_INLINE void set(double* matrix, int r, int c, double value) const {
    matrix[order.component[r] + order.component[c] * next] = value;
  }
  // entries (r, c), (r, c + 1), ...
  CATENA_INLINE void row(double* matrix, int r, int c, int count, const spatial::Lanes<N>& value) const {
    double* const to = matrix + order.component[r];
    if (order.run[c] >= count) {
      double* const first = to + order.component[c] * next;
      for (int l = 0; l < N; ++l) {
        if (l < count) first[l * next] = value[l];
      }
      return;
    }
    for (int l = 0; l < N; ++l) {
      if (l < count) to[order.component[c + l] * next] = value[l];
    }
  }
  // entries (c, r), (c + 1, r), ...
  CATENA_INLINE void column(double* matrix, int c, int r, int count, const spatial::Lanes<N>& value) const {
    double* const to = matrix + order.component[r] * next;
    if (count == N && order.run[c] >= N) {
      write<N>(to + order.component[c], value);
      return;
    }
    for (int l = 0; l < N; ++l) {
      if (l < count) to[order.component[c + l]] = value[l];
    }
  }
};

}  // namespace catena::kernel::wide
