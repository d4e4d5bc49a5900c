// Sine, cosine and tanh without branches or tables, so that vectors of numbers take the time of one.
#pragma once

#include <bit>
#include <cstdint>

#include "catena/spatial/scalar.hpp"

namespace catena::spatial {

// Adding and taking it off rounds to a whole number, for numbers below 2^51.
inline constexpr double rounder = 0x1.8p52;

// Sine and cosine, within 2 units in the last place, 2.5 for large angles.
// angle = r + k pi/2 with |r| <= pi/4, pi/2 in three parts of which the first two leave room for k (Cody and Waite);
// minimax polynomials of fdlibm for sin r and cos r; the quadrant by arithmetic.

// Beyond, k times a part of pi/2 is no longer exact.
inline constexpr double largest_reduced_angle = 1e5;

// S: double or a vector of doubles. For |angle| < largest_reduced_angle.
template <class S>
CATENA_INLINE void sincos_near(const S& angle, S& sine, S& cosine) {
  constexpr double half_pi[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
  const S k = (angle * 0.63661977236758134308 + rounder) - rounder;
  const S r = ((angle - k * half_pi[0]) - k * half_pi[1]) - k * half_pi[2];
  const S z = r * r, z2 = z * z, z4 = z2 * z2;
  const S odd = (z * 8.33333333332248946124e-03 - 1.66666666666666324348e-01) +
                (z * 2.75573137070700676789e-06 - 1.98412698298579493134e-04) * z2 +
                (z * 1.58969099521155010221e-10 - 2.50507602534068634195e-08) * z4;
  const S even = (z * -1.38888888888741095749e-03 + 4.16666666666666019037e-02) +
                 (z * -2.75573143513906633035e-07 + 2.48015872894767294178e-05) * z2 +
                 (z * -1.13596475577881948265e-11 + 2.08757232129817482790e-09) * z4;
  const S s = r + (r * z) * odd;
  const S c = (z * -0.5 + 1.0) + z2 * even;
  // t = k - 4 round(k / 4), from -2 to 2: cos(t pi/2) = 1 - |t|, sin(t pi/2) = t (2 - |t|)
  const S t = k - ((k * 0.25 + rounder) - rounder) * 4.0;
  const S rest = S(2.0) - absolute(t);
  const S sine_t = t * rest, cosine_t = rest - 1.0;
  sine = s * cosine_t + c * sine_t;
  cosine = c * cosine_t - s * sine_t;
}

// 2^k for a whole number k, |k| < 1022: the sum has 1023 + k in its last bits.
CATENA_INLINE double power_of_two(double k) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(k + (0x1p52 + 1023)) << 52);
}

// tanh = e / (e + 2) with e = exp(2|x|) - 1, which keeps small results exact to rounding: within 4 units in the last
// place. exp y - 1 = 2^k (exp r - 1) + 2^k - 1 with y = r + k ln 2, |r| <= ln 2 / 2; Taylor's polynomial.
template <class S>
CATENA_INLINE S tanh_smooth(const S& x) {
  constexpr double ln_2[] = {0x1.62e42feep-1, 0x1.a39ef35793c76p-33};  // the first leaves room for k
  const S y = smaller(absolute(x) * 2.0, 80.0);                        // tanh is 1 long before
  const S k = (y * 1.44269504088896340736 + rounder) - rounder;
  const S r = (y - k * ln_2[0]) - k * ln_2[1];
  S power = S(1.0 / 6227020800);  // 1/13!
  constexpr double factors[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                                1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2};
  for (const double factor : factors) power = power * r + factor;
  const S scale = power_of_two(k);
  const S e = (r + (r * r) * power) * scale + (scale - 1.0);
  return with_sign_of(x, e / (e + 2.0));
}

}  // namespace catena::spatial
