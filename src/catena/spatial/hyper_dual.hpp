// Hyper-dual numbers: value, two first derivatives and the mixed second derivative, exact to rounding.
// x + d1 e1 + d2 e2 + d12 e1 e2 with e1^2 = e2^2 = 0. A scalar for the kernels (catena/spatial/scalar.hpp).
#pragma once

#include <cmath>

namespace catena::spatial {

struct HyperDual {
  double x = 0, d1 = 0, d2 = 0, d12 = 0;

  HyperDual() = default;
  HyperDual(double value) : x(value) {}  // NOLINT(google-explicit-constructor): constants enter formulas unnoticed
  HyperDual(double value, double by_1, double by_2, double by_both) : x(value), d1(by_1), d2(by_2), d12(by_both) {}

  // f(a) from f, f', f'' at a.x
  static HyperDual chain(const HyperDual& a, double f, double slope, double bend) {
    return {f, slope * a.d1, slope * a.d2, slope * a.d12 + bend * a.d1 * a.d2};
  }

  HyperDual& operator+=(const HyperDual& b) { return *this = {x + b.x, d1 + b.d1, d2 + b.d2, d12 + b.d12}; }
  HyperDual& operator-=(const HyperDual& b) { return *this = {x - b.x, d1 - b.d1, d2 - b.d2, d12 - b.d12}; }
  friend HyperDual operator+(HyperDual a, const HyperDual& b) { return a += b; }
  friend HyperDual operator-(HyperDual a, const HyperDual& b) { return a -= b; }
  friend HyperDual operator-(const HyperDual& a) { return {-a.x, -a.d1, -a.d2, -a.d12}; }
  friend HyperDual operator*(const HyperDual& a, double b) { return {a.x * b, a.d1 * b, a.d2 * b, a.d12 * b}; }
  friend HyperDual operator*(double a, const HyperDual& b) { return b * a; }
  friend HyperDual operator*(const HyperDual& a, const HyperDual& b) {
    return {a.x * b.x, a.x * b.d1 + a.d1 * b.x, a.x * b.d2 + a.d2 * b.x,
            a.x * b.d12 + a.d1 * b.d2 + a.d2 * b.d1 + a.d12 * b.x};
  }
  friend HyperDual operator/(const HyperDual& a, const HyperDual& b) {
    const double r = 1 / b.x;
    return a * chain(b, r, -r * r, 2 * r * r * r);
  }
  friend bool operator<(const HyperDual& a, const HyperDual& b) { return a.x < b.x; }

  friend HyperDual sqrt(const HyperDual& a) {
    const double root = std::sqrt(a.x);
    return chain(a, root, 0.5 / root, -0.25 / (root * a.x));
  }
  friend HyperDual tanh(const HyperDual& a) {
    const double t = std::tanh(a.x), slope = 1 - t * t;
    return chain(a, t, slope, -2 * t * slope);
  }
  friend void sincos(const HyperDual& a, HyperDual& sine, HyperDual& cosine) {
    const double s = std::sin(a.x), c = std::cos(a.x);
    sine = chain(a, s, c, -s);
    cosine = chain(a, c, -s, -c);
  }
};

}  // namespace catena::spatial
