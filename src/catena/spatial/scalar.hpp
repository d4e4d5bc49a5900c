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
#define CATENA_INLINE_LAMBDA __attribute__((always_inline))
#endif
#ifndef CATENA_INLINE_LAMBDA
#define CATENA_INLINE_LAMBDA
#endif

// A function compiled twice, for every 64-bit x86 processor and for those with AVX2 and fused multiply-add; the right
// one is chosen when the program starts. What it calls must be inlined into it to take part.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__) && \
    !defined(__SANITIZE_ADDRESS__) && defined(__OPTIMIZE__)
#define CATENA_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CATENA_CLONES
#endif

namespace catena::spatial {

template <class A, class B>
using Product = std::remove_cvref_t<decltype(std::declval<A>() * std::declval<B>())>;

template <class S>
requires std::is_floating_point_v<S> CATENA_INLINE void sincos(S angle, S& sine, S& cosine) {
  sine = std::sin(angle);
  cosine = std::cos(angle);
}

// Scalars that hold numbers, on which a kernel may decide: double, float, lanes.
template <class S>
inline constexpr bool is_number = std::is_floating_point_v<S>;
template <class S>
requires std::is_floating_point_v<S> CATENA_INLINE bool all_greater(S a, S b) { return a > b; }
template <class S>
requires std::is_floating_point_v<S> CATENA_INLINE S absolute(S a) { return std::abs(a); }
template <class S>
requires std::is_floating_point_v<S> CATENA_INLINE S where_less(S a, S b, S first, S second) {
  return a < b ? first : second;
}
// The smaller one; NaN where a is NaN.
CATENA_INLINE double smaller(double a, double b) { return b < a ? b : a; }
CATENA_INLINE double with_sign_of(double sign, double size) { return std::copysign(size, sign); }

// Whether a parameter of the robot is zero for good, so that what it multiplies can be left out.
CATENA_INLINE bool vanishes(double constant) { return constant == 0; }

// Kernels mark where a sweep begins: nothing for numbers, a new line in the tally of a counting scalar.
template <class S>
CATENA_INLINE void begin_sweep(const S* /*any_state*/, const char* /*name*/) {}

}  // namespace catena::spatial
