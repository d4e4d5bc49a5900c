// Lanes<N>: N doubles that go through a kernel side by side, one state each.
// A width belongs to one instruction set, and one source file alone is compiled for it (batch/engine_*.cpp), so that
// code made for one processor never stands in for that of another.
#pragma once

#include <cstdint>

#include "catena/spatial/elementary.hpp"

namespace catena::spatial {

template <int N>
struct Lanes {
  static constexpr int width = N;
  typedef double Vector __attribute__((vector_size(8 * N)));
  typedef std::int64_t Bits __attribute__((vector_size(8 * N)));
  Vector x;

  Lanes() = default;
  CATENA_INLINE Lanes(double value) : x(Vector{} + value) {}  // NOLINT: constants enter formulas unnoticed
  CATENA_INLINE explicit Lanes(Vector vector) : x(vector) {}

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

  friend CATENA_INLINE bool all_greater(const Lanes& a, const Lanes& b) {
    for (int l = 0; l < N; ++l) {
      if (!(a.x[l] > b.x[l])) return false;
    }
    return true;
  }
  friend CATENA_INLINE Lanes absolute(const Lanes& a) { return Lanes(a.x < Vector{} ? -a.x : a.x); }
  friend CATENA_INLINE Lanes sqrt(const Lanes& a) {
    Lanes out;
    for (int l = 0; l < N; ++l) out.x[l] = std::sqrt(a.x[l]);
    return out;
  }
  friend CATENA_INLINE void sincos(const Lanes& angle, Lanes& sine, Lanes& cosine) {
    if (all_greater(Lanes(largest_reduced_angle), absolute(angle))) {
      sincos_near(angle, sine, cosine);
      return;
    }
    const Lanes copy = angle;  // the results may be the argument
    for (int l = 0; l < N; ++l) {
      sine.x[l] = std::sin(copy.x[l]);
      cosine.x[l] = std::cos(copy.x[l]);
    }
  }
  friend CATENA_INLINE Lanes tanh(const Lanes& a) { return tanh_smooth(a); }
  friend CATENA_INLINE Lanes smaller(const Lanes& a, double b) { return Lanes(b < a.x ? Vector{} + b : a.x); }
  friend CATENA_INLINE Lanes with_sign_of(const Lanes& sign, const Lanes& size) {
    const Bits bit = Bits{} + INT64_MIN;
    return Lanes(reinterpret_cast<Vector>((reinterpret_cast<Bits>(sign.x) & bit) |
                                          (reinterpret_cast<Bits>(size.x) & ~bit)));
  }
  friend CATENA_INLINE Lanes power_of_two(const Lanes& k) {
    return Lanes(reinterpret_cast<Vector>(reinterpret_cast<Bits>(k.x + (0x1p52 + 1023)) << 52));
  }
};

template <int N>
inline constexpr bool is_number<Lanes<N>> = true;

}  // namespace catena::spatial
