// Dual numbers x + d e with e e = 0: a kernel run on them returns its value and its exact derivative in one direction.
// Dual<Dual<double>> carries mixed second derivatives.
#pragma once

#include "catena/spatial/scalar.hpp"

namespace catena::spatial {

template <class T>
struct Dual {
  T x{}, d{};

  Dual() = default;
  Dual(double value) : x(value), d(0.0) {}  // NOLINT(google-explicit-constructor): constants enter formulas unnoticed
  Dual(const T& value, const T& derivative) : x(value), d(derivative) {}

  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  friend Dual operator+(const Dual& a, const Dual& b) { return {a.x + b.x, a.d + b.d}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.x - b.x, a.d - b.d}; }
  friend Dual operator-(const Dual& a) { return {-a.x, -a.d}; }
  friend Dual operator*(const Dual& a, const Dual& b) { return {a.x * b.x, a.x * b.d + a.d * b.x}; }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T quotient = a.x / b.x;
    return {quotient, (a.d - quotient * b.d) / b.x};
  }
  friend bool operator<(const Dual& a, const Dual& b) { return a.x < b.x; }
  friend Dual sqrt(const Dual& a) {
    using std::sqrt;
    const T root = sqrt(a.x);
    return {root, a.d / (root + root)};
  }
  friend Dual tanh(const Dual& a) {
    using std::tanh;
    const T t = tanh(a.x);
    return {t, a.d * (T(1.0) - t * t)};
  }
  friend Dual atan2(const Dual& b, const Dual& a) {
    using std::atan2;
    return {atan2(b.x, a.x), (a.x * b.d - b.x * a.d) / (a.x * a.x + b.x * b.x)};
  }
};

template <class T>
void sincos(const Dual<T>& angle, Dual<T>& sine, Dual<T>& cosine) {
  T s, c;
  sincos(angle.x, s, c);
  sine = {s, c * angle.d};
  cosine = {c, -(s * angle.d)};
}

}  // namespace catena::spatial
