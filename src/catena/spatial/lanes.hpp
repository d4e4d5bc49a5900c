// Lanes<N>: N doubles that go through a kernel side by side, one state each. No lane sees another.
// A width belongs to one instruction set, and one source file alone is compiled for it (batch/engine_*.cpp), so that
// code made for one processor never stands in for that of another.
#pragma once

#include <cstdint>

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
  CATENA_INLINE Lanes(double value) : x(Vector{} + value) {}  // NOLINT: constants enter formulas unnoticed
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

}  // namespace catena::spatial
