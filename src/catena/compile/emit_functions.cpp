#if defined(__x86_64__) && defined(__unix__) && __has_include(<asmjit/x86.h>)

#include "catena/compile/emit_functions.hpp"

#include <numbers>

namespace catena::compile {

using namespace asmjit;

namespace {

constexpr std::uint64_t without_sign = 0x7fffffffffffffffu, only_sign = 0x8000000000000000u;

// pi/2 and ln 2 as sums of doubles, each part the next 53 bits.
constexpr double half_pi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
constexpr double ln_2[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

constexpr double reciprocal_factorial(int n) {
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

void VectorFunctions::polynomial(int d, int x, const double* coefficients, int count) {
  set(d, coefficients[0]);
  for (int i = 1; i < count; ++i) a_.vfmadd213pd(v(d), v(x), number(coefficients[i]));
}

void VectorFunctions::sincos(int argument, int sine, int cosine) {
  double odd[7], even[8];  // of z: sin r = r + r z odd(z), cos r = 1 + z even(z)
  for (int i = 0; i < 7; ++i) odd[6 - i] = (i % 2 == 0 ? -1 : 1) * reciprocal_factorial(2 * i + 3);
  for (int i = 0; i < 8; ++i) even[7 - i] = (i % 2 == 0 ? -1 : 1) * reciprocal_factorial(2 * i + 2);
  enum { r, k, z, s, c, t, u, w };
  a_.vmovupd(v(r), x86::ptr(x86::rsp, argument));
  a_.vmulpd(v(k), v(r), number(2 * std::numbers::inv_pi));
  round(k, k);
  for (const double part : half_pi) a_.vfnmadd231pd(v(r), v(k), number(part));
  a_.vmulpd(v(z), v(r), v(r));
  polynomial(s, z, odd, 7);
  polynomial(c, z, even, 8);
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

void VectorFunctions::tanh(int argument, int result) {
  double power[12];  // exp r - 1 = r + r (r power(r))
  for (int i = 0; i < 12; ++i) power[11 - i] = reciprocal_factorial(i + 2);
  enum { x, y, k, e, p, two, sign };
  a_.vmovupd(v(x), x86::ptr(x86::rsp, argument));
  mask(sign, x, only_sign);
  mask(y, x, without_sign);
  a_.vaddpd(v(y), v(y), v(y));
  set(k, 80);  // tanh is 1 long before; second operand: NaN stays NaN
  a_.vminpd(v(y), v(k), v(y));
  a_.vmulpd(v(k), v(y), number(std::numbers::log2e));
  round(k, k);
  for (const double part : ln_2) a_.vfnmadd231pd(v(y), v(k), number(part));
  polynomial(p, y, power, 12);
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
