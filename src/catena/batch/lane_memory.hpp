// Between the caller's memory and lanes: gather a vector of states, scatter results. Numbers side by side are moved by
// whole vectors; states one after the other by transposing squares.
#pragma once

#include "catena/batch/states.hpp"
#include "catena/spatial/lanes.hpp"

namespace catena::batch {

template <int N>
struct LaneMemory {
  using S = spatial::Lanes<N>;

  // count states from `first`, the last one again in the lanes left over.
  static CATENA_INLINE void load(const ConstStates& from, std::ptrdiff_t first, int count, S* to) {
    const int numbers = static_cast<int>(from.numbers);
    const double* const x = from.data + first * from.state_stride;
    int i = 0;
    if (count == N && from.state_stride == 1) {
      for (; i < numbers; ++i) to[i] = spatial::read<N>(x + i * from.number_stride);
      return;
    }
    if (count == N && from.number_stride == 1) {
      for (; i + N <= numbers; i += N) {
        S rows[N];
        for (int l = 0; l < N; ++l) rows[l] = spatial::read<N>(x + i + l * from.state_stride);
        transpose(rows);
        for (int l = 0; l < N; ++l) to[i + l] = rows[l];
      }
    }
    for (; i < numbers; ++i) {
      const double* const number = x + i * from.number_stride;
      for (int l = 0; l < N; ++l) to[i].x[l] = number[(l < count ? l : count - 1) * from.state_stride];
    }
  }
  // Several vectors of states, one vector after the other. Where states lie side by side, row by row: rows of a large
  // batch lie on different pages of memory, and half a cache line written is lost before the other half comes.
  static CATENA_INLINE void load_tile(const ConstStates& from, std::ptrdiff_t first, int count, S* to) {
    const int numbers = static_cast<int>(from.numbers);
    int done = 0;
    if (from.state_stride == 1) {
      done = count / N;
      for (int i = 0; i < numbers; ++i) {
        const double* const row = from.data + first + i * from.number_stride;
        for (int g = 0; g < done; ++g) {
          to[g * numbers + i] = spatial::read<N>(row + g * N);
          if (g * N % 8 == 0) __builtin_prefetch(row + g * N + done * N);  // more rows than a processor keeps in view
        }
      }
    }
    for (int g = done; g * N < count; ++g) {
      load(from, first + g * N, count - g * N < N ? count - g * N : N, to + g * numbers);
    }
  }
  static CATENA_INLINE void store_tile(const S* from, const States& to, std::ptrdiff_t first, int count) {
    const int numbers = static_cast<int>(to.numbers);
    int done = 0;
    if (to.state_stride == 1) {
      done = count / N;
      for (int i = 0; i < numbers; ++i) {
        double* const row = to.data + first + i * to.number_stride;
        for (int g = 0; g < done; ++g) {
          spatial::write<N>(row + g * N, from[g * numbers + i]);
          if (g * N % 8 == 0) __builtin_prefetch(row + g * N + done * N, 1);
        }
      }
    }
    for (int g = done; g * N < count; ++g) {
      store(from + g * numbers, to, first + g * N, count - g * N < N ? count - g * N : N);
    }
  }
  static CATENA_INLINE void store(const S* from, const States& to, std::ptrdiff_t first, int count) {
    const int numbers = static_cast<int>(to.numbers);
    double* const x = to.data + first * to.state_stride;
    int i = 0;
    if (count == N && to.state_stride == 1) {
      for (; i < numbers; ++i) spatial::write<N>(x + i * to.number_stride, from[i]);
      return;
    }
    if (count == N && to.number_stride == 1) {
      for (; i + N <= numbers; i += N) {
        S rows[N];
        for (int l = 0; l < N; ++l) rows[l] = from[i + l];
        transpose(rows);
        for (int l = 0; l < N; ++l) spatial::write<N>(x + i + l * to.state_stride, rows[l]);
      }
    }
    for (; i < numbers; ++i) {
      double* const number = x + i * to.number_stride;
      for (int l = 0; l < count; ++l) number[l * to.state_stride] = from[i].x[l];
    }
  }
};

}  // namespace catena::batch
