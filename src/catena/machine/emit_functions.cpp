#if defined(__x86_64__) && defined(__unix__) && __has_include(<asmjit/x86.h>)

#include "catena/machine/emit_functions.hpp"

#include <algorithm>
#include <numbers>

namespace catena::compile {

using namespace asmjit;

namespace {

constexpr std::uint64_t without_sign = 0x7fffffffffffffffu, only_sign = 0x8000000000000000u;

// pi/2 and ln 2 as sums of doubles, each part the next 53 bits.
constexpr double half_pi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
constexpr double ln_2[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

double reciprocal_factorial(int n) {
  double product = 1;
  for (int k = 2; k <= n; ++k) product *= k;  // exact up to 18!
  return 1 / product;
}

}  // namespace

void VectorFunctions::load_constant(int reg, int offset) {
  const x86::Mem at = x86::ptr(x86::r8, offset);
  if (width_ == 8)
    a_.vbroadcastsd(v(reg), at);
  else
    a_.vmovupd(v(reg), at);
}

void VectorFunctions::clear(int reg) {
  const auto x = v(reg);
  if (width_ == 8)
    a_.vpxorq(x, x, x);
  else
    a_.vxorpd(x, x, x);
}

void VectorFunctions::load_direct(x86::Gp base, int offset, int count, const double* scale, const double* shift) {
  const x86::Mem at = x86::ptr(base, offset);
  if (count >= width_) {
    a_.vmovupd(v(0), at);
  } else if (width_ == 8) {
    a_.mov(x86::eax, imm((1 << count) - 1));
    a_.kmovw(x86::k1, x86::eax);
    a_.k(x86::k1).z().vmovupd(x86::zmm0, at);
  } else {
    std::vector<double> kept(4, 0.0);
    std::fill_n(kept.begin(), count, std::bit_cast<double>(~std::uint64_t{0}));
    a_.vmovupd(v(1), x86::ptr(x86::r8, pool_.row(kept)));
    a_.vmaskmovpd(x86::ymm0, x86::ymm1, at);
  }
  const auto row = [&](const double* from, double otherwise) {
    std::vector<double> values(static_cast<std::size_t>(width_), otherwise);
    std::copy_n(from, std::min(count, width_), values.begin());
    return values;
  };
  const auto all = [&](const double* from, double value) {
    return std::all_of(from, from + std::min(count, width_), [&](double x) { return x == value; });
  };
  if (!all(scale, 1)) a_.vmulpd(v(0), v(0), x86::ptr(x86::r8, pool_.row(row(scale, 1))));
  if (!all(shift, 0)) a_.vaddpd(v(0), v(0), x86::ptr(x86::r8, pool_.row(row(shift, 0))));
}

void VectorFunctions::round(int d, int x) {
  constexpr int nearest_quietly = 8;
  if (width_ == 8)
    a_.vrndscalepd(v(d), v(x), imm(nearest_quietly));
  else
    a_.vroundpd(v(d), v(x), imm(nearest_quietly));
}

void VectorFunctions::mask(int d, int x, std::uint64_t with) {
  if (width_ == 8)
    a_.vpandq(v(d), v(x), bits(with));
  else
    a_.vandpd(v(d), v(x), bits(with));
}

void VectorFunctions::combine(int d, int x, int y) {
  if (width_ == 8)
    a_.vporq(v(d), v(x), v(y));
  else
    a_.vorpd(v(d), v(x), v(y));
}

void VectorFunctions::polynomial(int d, int x, int powers, const std::vector<double>& coefficients) {
  int count = static_cast<int>(coefficients.size());
  const int pairs = (count + 1) / 2;
  for (int i = 0; i < pairs; ++i) {
    if (2 * i + 1 < count) {
      set(d + i, coefficients[2 * i + 1]);
      a_.vfmadd213pd(v(d + i), v(x), number(coefficients[2 * i]));
    } else {
      set(d + i, coefficients[2 * i]);
    }
  }
  for (count = pairs; count > 1; count = (count + 1) / 2, x = powers++) {
    a_.vmulpd(v(powers), v(x), v(x));
    for (int i = 0; i < (count + 1) / 2; ++i) {
      if (2 * i + 1 < count) {
        // low + high power, into the place of the low one
        a_.vfmadd231pd(v(d + 2 * i), v(d + 2 * i + 1), v(powers));
      }
      if (i > 0) a_.vmovapd(v(d + i), v(d + 2 * i));
    }
  }
}

void VectorFunctions::sincos(int sine, int cosine) {
  std::vector<double> odd, even;  // of z: sin r = r + r z odd(z), cos r = 1 + z even(z)
  for (int i = 0; i < 7; ++i) odd.push_back((i % 2 == 0 ? -1 : 1) * reciprocal_factorial(2 * i + 3));
  for (int i = 0; i < 8; ++i) even.push_back((i % 2 == 0 ? -1 : 1) * reciprocal_factorial(2 * i + 2));
  enum { r, k, z, t, u, w, s, c = 10, powers = 14 };
  a_.vmulpd(v(k), v(r), number(2 * std::numbers::inv_pi));
  round(k, k);
  for (const double part : half_pi) a_.vfnmadd231pd(v(r), v(k), number(part));
  a_.vmulpd(v(z), v(r), v(r));
  polynomial(s, z, powers, odd);
  polynomial(c, z, powers, even);
  a_.vmulpd(v(s), v(s), v(z));
  a_.vfmadd213pd(v(s), v(r), v(r));
  a_.vfmadd213pd(v(c), v(z), number(1));
  // t = k - 4 round(k / 4), from -2 to 2: cos(t pi/2) = 1 - |t|, sin(t pi/2) = t (2 - |t|)
  a_.vmulpd(v(u), v(k), number(0.25));
  round(u, u);
  a_.vmovapd(v(t), v(k));
  a_.vfnmadd231pd(v(t), v(u), number(4));
  mask(u, t, without_sign);
  set(w, 2);
  a_.vsubpd(v(w), v(w), v(u));
  a_.vmulpd(v(t), v(t), v(w));       // sine of the quadrant
  a_.vsubpd(v(w), v(w), number(1));  // cosine of the quadrant
  a_.vmulpd(v(u), v(c), v(t));
  a_.vfmadd231pd(v(u), v(s), v(w));
  a_.vmulpd(v(c), v(c), v(w));
  a_.vfnmadd231pd(v(c), v(s), v(t));
  a_.vmovupd(x86::ptr(x86::rsp, sine), v(u));
  a_.vmovupd(x86::ptr(x86::rsp, cosine), v(c));
}

void VectorFunctions::tanh(int result) {
  std::vector<double> power;  // exp r - 1 = r + r (r power(r))
  for (int i = 0; i < 12; ++i) power.push_back(reciprocal_factorial(i + 2));
  enum { x, y, k, e, two, sign, p, powers = 12 };
  mask(sign, x, only_sign);
  mask(y, x, without_sign);
  a_.vaddpd(v(y), v(y), v(y));
  set(k, 80);  // tanh is 1 long before; second operand: NaN stays NaN
  a_.vminpd(v(y), v(k), v(y));
  a_.vmulpd(v(k), v(y), number(std::numbers::log2e));
  round(k, k);
  for (const double part : ln_2) a_.vfnmadd231pd(v(y), v(k), number(part));
  polynomial(p, y, powers, power);
  a_.vmulpd(v(p), v(p), v(y));
  a_.vfmadd213pd(v(p), v(y), v(y));
  // 2^k: the sum has 1023 + k in its last bits
  a_.vaddpd(v(k), v(k), number(0x1p52 + 1023));
  a_.vpsllq(v(k), v(k), imm(52));
  a_.vsubpd(v(e), v(k), number(1));
  a_.vfmadd231pd(v(e), v(p), v(k));
  a_.vaddpd(v(two), v(e), number(2));
  a_.vdivpd(v(e), v(e), v(two));
  combine(e, e, sign);
  a_.vmovupd(x86::ptr(x86::rsp, result), v(e));
}

}  // namespace catena::compile

#endif
