// Lanes<N>: N doubles that go through a kernel side by side, one state each. No lane sees another.
// A width belongs to one instruction set, and one source file alone is compiled for it (batch/engine_*.cpp), so that
// code made for one processor never stands in for that of another.
#pragma once

#include <cstdint>
#include <utility>

#include "catena/spatial/elementary.hpp"

namespace catena::spatial {

// The compiler's vectors, spelled out: g++ does not take their size from a template's argument.
// Loose: somewhere in memory, aligned to numbers only.
template <int N>
struct LaneVector;
template <>
struct LaneVector<2> {
  typedef double Numbers __attribute__((vector_size(16)));
  typedef std::int64_t Bits __attribute__((vector_size(16)));
  typedef double Loose __attribute__((vector_size(16), aligned(8), may_alias));
};
template <>
struct LaneVector<4> {
  typedef double Numbers __attribute__((vector_size(32)));
  typedef std::int64_t Bits __attribute__((vector_size(32)));
  typedef double Loose __attribute__((vector_size(32), aligned(8), may_alias));
};
template <>
struct LaneVector<8> {
  typedef double Numbers __attribute__((vector_size(64)));
  typedef std::int64_t Bits __attribute__((vector_size(64)));
  typedef double Loose __attribute__((vector_size(64), aligned(8), may_alias));
};

template <int N>
struct Lanes {
  static constexpr int width = N;
  using Vector = typename LaneVector<N>::Numbers;
  using Bits = typename LaneVector<N>::Bits;
  Vector x;

  Lanes() = default;
  CATENA_INLINE Lanes(double value) : x(value - Vector{}) {}  // NOLINT: constants enter formulas unnoticed
  CATENA_INLINE explicit Lanes(const Vector& vector) : x(vector) {}
  // Written out, so that structs of lanes are copied vector by vector: g++ copies what is trivial in pieces of other
  // sizes, and the loads that follow wait for them.
  CATENA_INLINE Lanes(const Lanes& b) : x(b.x) {}
  CATENA_INLINE Lanes& operator=(const Lanes& b) { return x = b.x, *this; }

  CATENA_INLINE double operator[](int lane) const { return x[lane]; }
  CATENA_INLINE void set(int lane, double value) { x[lane] = value; }

  CATENA_INLINE Lanes& operator+=(const Lanes& b) { return x += b.x, *this; }
  CATENA_INLINE Lanes& operator-=(const Lanes& b) { return x -= b.x, *this; }
  CATENA_INLINE Lanes& operator*=(const Lanes& b) { return x *= b.x, *this; }
  friend CATENA_INLINE Lanes operator+(const Lanes& a, const Lanes& b) { return Lanes(a.x + b.x); }
  friend CATENA_INLINE Lanes operator-(const Lanes& a, const Lanes& b) { return Lanes(a.x - b.x); }
  friend CATENA_INLINE Lanes operator*(const Lanes& a, const Lanes& b) { return Lanes(a.x * b.x); }
  friend CATENA_INLINE Lanes operator/(const Lanes& a, const Lanes& b) { return Lanes(a.x / b.x); }
  friend CATENA_INLINE Lanes operator-(const Lanes& a) { return Lanes(-a.x); }

  // In every lane; false where one of the two is not a number.
  friend CATENA_INLINE bool all_greater(const Lanes& a, const Lanes& b) {
    const Bits greater = a.x > b.x;
    std::int64_t all = -1;
    for (int l = 0; l < N; ++l) all &= greater[l];
    return all != 0;
  }
  friend CATENA_INLINE Lanes absolute(const Lanes& a) {
    return Lanes(reinterpret_cast<Vector>(reinterpret_cast<Bits>(a.x) & (Bits{} + INT64_MAX)));
  }
  friend CATENA_INLINE Lanes sqrt(const Lanes& a) {
    Lanes out;
    for (int l = 0; l < N; ++l) out.x[l] = std::sqrt(a.x[l]);
    return out;
  }
  // f of each lane by itself, for what has no formula without decisions.
  template <class F>
  static CATENA_INLINE Lanes each(const F& f) {
    Lanes out;
    for (int l = 0; l < N; ++l) out.x[l] = f(l);
    return out;
  }
  // Where a < b the first, elsewhere the second.
  friend CATENA_INLINE Lanes where_less(const Lanes& a, const Lanes& b, const Lanes& first, const Lanes& second) {
    return Lanes(a.x < b.x ? first.x : second.x);
  }
  friend CATENA_INLINE void sincos(const Lanes& angle, Lanes& sine, Lanes& cosine) {
    const Lanes given(angle.x);  // the results may be the argument
    sincos_near(given, sine, cosine);
    if (all_greater(Lanes(largest_reduced_angle), absolute(given))) [[likely]]
      return;
    for (int l = 0; l < N; ++l) {  // the other lanes keep their bits
      if (std::abs(given.x[l]) < largest_reduced_angle) continue;
      sine.x[l] = std::sin(given.x[l]);
      cosine.x[l] = std::cos(given.x[l]);
    }
  }
  friend CATENA_INLINE Lanes tanh(const Lanes& a) { return tanh_smooth(a); }
  friend CATENA_INLINE Lanes smaller(const Lanes& a, double b) {
    const Vector limit = Vector{} + b;
    return Lanes(limit < a.x ? limit : a.x);
  }
  friend CATENA_INLINE Lanes with_sign_of(const Lanes& sign, const Lanes& size) {
    const Bits bit = Bits{} + INT64_MIN;
    return Lanes(
        reinterpret_cast<Vector>((reinterpret_cast<Bits>(sign.x) & bit) | (reinterpret_cast<Bits>(size.x) & ~bit)));
  }
  friend CATENA_INLINE Lanes power_of_two(const Lanes& k) {
    return Lanes(reinterpret_cast<Vector>(reinterpret_cast<Bits>(k.x + (0x1p52 + 1023)) << 52));
  }
};

template <int N>
inline constexpr bool is_number<Lanes<N>> = true;

// N numbers side by side, from or to anywhere in memory.
template <int N>
CATENA_INLINE Lanes<N> read(const double* x) {
  Lanes<N> out;  // a constructor would take the loose vector by reference and forget that it is loose
  out.x = *reinterpret_cast<const typename LaneVector<N>::Loose*>(x);
  return out;
}
template <int N>
CATENA_INLINE void write(double* x, const Lanes<N>& value) {
  *reinterpret_cast<typename LaneVector<N>::Loose*>(x) = value.x;
}

// N vectors of N numbers: number j of vector i changes places with number i of vector j.
CATENA_INLINE void transpose(Lanes<2> (&r)[2]) {
  const Lanes<2> low(__builtin_shufflevector(r[0].x, r[1].x, 0, 2));
  r[1].x = __builtin_shufflevector(r[0].x, r[1].x, 1, 3);
  r[0] = low;
}
CATENA_INLINE void transpose(Lanes<4> (&r)[4]) {
  using V = Lanes<4>::Vector;
  const V a = __builtin_shufflevector(r[0].x, r[1].x, 0, 4, 2, 6),
          b = __builtin_shufflevector(r[0].x, r[1].x, 1, 5, 3, 7);
  const V c = __builtin_shufflevector(r[2].x, r[3].x, 0, 4, 2, 6),
          d = __builtin_shufflevector(r[2].x, r[3].x, 1, 5, 3, 7);
  r[0].x = __builtin_shufflevector(a, c, 0, 1, 4, 5), r[1].x = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r[2].x = __builtin_shufflevector(a, c, 2, 3, 6, 7), r[3].x = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
template <int Half, int N, int... I>
CATENA_INLINE Lanes<N> interleave(const Lanes<N>& a, const Lanes<N>& b, std::integer_sequence<int, I...>) {
  return Lanes<N>(__builtin_shufflevector(a.x, b.x, ((I + Half * N) / 2 + I % 2 * N)...));
}
template <int N>
CATENA_INLINE void transpose(Lanes<N> (&r)[N]) {  // perfect shuffles, log2(N) times
  constexpr auto lanes = std::make_integer_sequence<int, N>{};
  for (int round = 1; round < N; round *= 2) {
    Lanes<N> next[N];
    for (int i = 0; i < N / 2; ++i) {
      next[2 * i] = interleave<0>(r[i], r[i + N / 2], lanes);
      next[2 * i + 1] = interleave<1>(r[i], r[i + N / 2], lanes);
    }
    for (int i = 0; i < N; ++i) r[i] = next[i];
  }
}

// Whether this processor has the instructions that the files for a width are compiled with. Sanitized vectors of eight
// are made of smaller ones, so that their code is tested on every processor.
CATENA_INLINE bool processor_has_lanes([[maybe_unused]] int width) {
  if (width <= 2) return true;
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return false;
  if (width == 4) return true;
#ifdef CATENA_EIGHTS_ANYWHERE
  return true;
#endif
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace catena::spatial
