// The scalar of every kernel: double, float, SIMD lanes, a counting or a tracing type.
// A scalar needs + - * / with itself and with double, construction from double, sqrt, tanh and sincos.
#pragma once

#include <cmath>
#include <type_traits>
#include <utility>

// Kernels are written as many tiny functions; g++ leaves some of them out of line at -O3, which costs 1.7x.
// A build that counts operations or hunts errors, not nanoseconds, defines it as plain `inline`: compilers then need a
// fraction of the time and memory.
#ifndef CATENA_INLINE
#define CATENA_INLINE __attribute__((always_inline)) inline
#endif

namespace catena::spatial {

template <class A, class B>
using Product = std::remove_cvref_t<decltype(std::declval<A>() * std::declval<B>())>;

template <class S>
requires std::is_floating_point_v<S> CATENA_INLINE void sincos(S angle, S& sine, S& cosine) {
  sine = std::sin(angle);
  cosine = std::cos(angle);
}

// Kernels mark where a sweep begins: nothing for numbers, a new line in the tally of a counting scalar.
template <class S>
CATENA_INLINE void begin_sweep(const S* /*any_state*/, const char* /*name*/) {}

}  // namespace catena::spatial
