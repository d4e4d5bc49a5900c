// Vector sequences the emitter uses: constants in a pool, and sine, cosine and tanh of whole vectors in memory.
// Sine and cosine: angle - k pi/2 in three parts, Taylor polynomials up to x^15 and x^16, the quadrant by arithmetic.
// tanh = e / (e + 2) with e = exp(2|x|) - 1, which keeps small results exact to rounding.
#pragma once

#include <asmjit/x86.h>

#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace catena::compile {

// Numbers the code reads: one copy where the processor spreads it by itself, a whole vector of copies where not.
class ConstantPool {
 public:
  explicit ConstantPool(int width) : width_(width) {}

  // Offset in bytes. vector: to be read as a vector.
  int find(double value, bool vector) {
    const int copies = vector && width_ == 4 ? 4 : 1;
    auto& known = copies == 1 ? single_ : vector_;
    const int end = 8 * static_cast<int>(numbers_.size());
    const auto [at, is_new] = known.try_emplace(std::bit_cast<std::uint64_t>(value), end);
    if (is_new) numbers_.insert(numbers_.end(), static_cast<std::size_t>(copies), value);
    return at->second;
  }
  // A vector of different numbers.
  int row(const std::vector<double>& values) {
    const int at = 8 * static_cast<int>(numbers_.size());
    numbers_.insert(numbers_.end(), values.begin(), values.end());
    return at;
  }
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  int width_;
  std::vector<double> numbers_;
  std::unordered_map<std::uint64_t, int> single_, vector_;
};

// Arguments and results at offsets from rsp; all registers may be used. The pool's address is in r8.
class VectorFunctions {
 public:
  VectorFunctions(asmjit::x86::Assembler& a, int width, ConstantPool& pool) : a_(a), width_(width), pool_(pool) {}

  asmjit::x86::Vec vec(int reg, int lanes) const {
    using namespace asmjit;
    const auto index = static_cast<std::uint32_t>(reg);
    if (lanes == 8) return x86::zmm(index);
    if (lanes == 4) return x86::ymm(index);
    return x86::xmm(index);
  }
  asmjit::x86::Mem constant(int offset, bool vector) const {
    const asmjit::x86::Mem at = asmjit::x86::ptr(asmjit::x86::r8, offset);
    return vector && width_ == 8 ? at._1to8() : at;
  }
  void load_constant(int reg, int offset);
  void clear(int reg);

  // The argument, in register 0: from the stack, or up to a vector of the numbers at base, scaled and shifted, zeros
  // behind them.
  void load(int offset) { a_.vmovupd(v(0), asmjit::x86::ptr(asmjit::x86::rsp, offset)); }
  void load_direct(asmjit::x86::Gp base, int offset, int count, const double* scale, const double* shift);

  // Of register 0.
  void sincos(int sine, int cosine);
  void tanh(int result);

 private:
  asmjit::x86::Vec v(int reg) const { return vec(reg, width_); }
  asmjit::x86::Mem number(double value) { return constant(pool_.find(value, true), true); }
  asmjit::x86::Mem bits(std::uint64_t value) { return number(std::bit_cast<double>(value)); }
  void set(int reg, double value) { load_constant(reg, pool_.find(value, true)); }
  void round(int d, int x);
  void mask(int d, int x, std::uint64_t with);  // bitwise and
  void combine(int d, int x, int y);            // bitwise or
  // d = sum of coefficients[i] x^i, pairs first so that little has to wait; uses registers from d and from powers on.
  void polynomial(int d, int x, int powers, const std::vector<double>& coefficients);

  asmjit::x86::Assembler& a_;
  int width_;
  ConstantPool& pool_;
};

}  // namespace catena::compile
