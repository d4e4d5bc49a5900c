// Springs on joints that rotate about several axes, in lanes: what kinematics/spring.hpp and
// linear/spring_derivative.hpp decide on a number is decided lane by lane. In the namespace of Lanes, where those
// headers find it.
#pragma once

#include <cmath>

#include "catena/linear/spring_derivative.hpp"
#include "catena/spatial/lanes.hpp"

namespace catena::spatial {

template <int N>
Vec3<Lanes<N>> rotation_vector(const Lanes<N>* q) {
  using S = Lanes<N>;
  const S length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  const S k = S::each([&](int l) {
    const double sign = q[3][l] < 0 ? -1.0 : 1.0, sine = length[l], cosine = q[3][l] * sign;
    return sign * (sine < 1e-8 ? 2 / cosine : 2 * std::atan2(sine, cosine) / sine);
  });
  return Vec3<S>{q[0], q[1], q[2]} * k;
}

template <int N>
Mat3<Lanes<N>> inverse_right_jacobian(const Vec3<Lanes<N>>& r) {
  using S = Lanes<N>;
  const S square = dot(r, r);
  const S c = S::each([&](int l) {
    const double x = square[l], angle = std::sqrt(x);
    return angle < 1e-3 ? 1.0 / 12 + x / 720 : 1 / x - 0.5 / (angle * std::tan(0.5 * angle));
  });
  const auto column = [&](const Vec3<S>& e) { return e + cross(r, e) * 0.5 + cross(r, cross(r, e)) * c; };
  return {column({S(1), S(0), S(0)}), column({S(0), S(1), S(0)}), column({S(0), S(0), S(1)})};
}

}  // namespace catena::spatial
