// The counting scalar: run a kernel with it and read what the kernel costs. It computes the numbers as well, so a
// counted run can be compared with the plain one.
// A number made from a double is a constant of the model; it carries no tally. A number that depends on the state points
// to the tally it was given, and so does everything computed from it: no global, no thread-local, nothing to reset.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace catena {

// trig: sines and cosines (one each), tanh and atan2. mul: also division by a constant, known ahead as its reciprocal.
struct Operations {
  long long mul = 0, add = 0, div = 0, sqrt = 0, trig = 0;

  long long total() const { return mul + add + div + sqrt + trig; }
  Operations& operator+=(const Operations& b) {
    mul += b.mul, add += b.add, div += b.div, sqrt += b.sqrt, trig += b.trig;
    return *this;
  }
  bool operator==(const Operations&) const = default;
};

struct SweepCount {
  std::string name;
  Operations operations;
};

}  // namespace catena

#pragma GCC visibility push(default)
namespace catena::compile {

// One line per name of a sweep or step; a name that comes again goes on with its line. fold: products with 0 and +-1 and sums with 0 are free, as in a program written for this robot;
// otherwise every operation on the state counts, as the plain kernel executes it.
// Threads: one at a time, with all numbers that count into it.
class Tally {
 public:
  explicit Tally(bool fold) : fold_(fold) {}

  void begin(const std::string& name) {
    current_ = 0;
    while (current_ < sweeps_.size() && sweeps_[current_].name != name) ++current_;
    if (current_ == sweeps_.size()) sweeps_.push_back({name, {}});
  }
  bool fold() const { return fold_; }
  Operations& current() {
    if (sweeps_.empty()) begin("");
    return sweeps_[current_].operations;
  }
  const std::vector<SweepCount>& sweeps() const { return sweeps_; }

 private:
  bool fold_;
  std::vector<SweepCount> sweeps_;
  std::size_t current_ = 0;
};

class Counting {
 public:
  Counting() = default;
  Counting(double value) : value_(value) {}  // NOLINT: kernels mix it with double
  Counting(double value, Tally& tally) : value_(value), tally_(&tally) {}

  double value() const { return value_; }
  bool constant() const { return tally_ == nullptr; }
  Tally* tally() const { return tally_; }

  friend Counting operator-(const Counting& a) { return {-a.value_, a.tally_}; }
  friend Counting operator+(const Counting& a, const Counting& b) { return a.sum(b, a.value_ + b.value_, false); }
  friend Counting operator-(const Counting& a, const Counting& b) { return a.sum(b, a.value_ - b.value_, true); }
  friend Counting operator*(const Counting& a, const Counting& b) {
    Tally* const tally = common(a, b);
    if (tally == nullptr) return a.value_ * b.value_;
    if (tally->fold()) {
      if (a.is(0) || b.is(0)) return 0.0;
      if (a.is(1) || a.is(-1) || b.is(1) || b.is(-1)) return {a.value_ * b.value_, tally};
    }
    ++tally->current().mul;
    return {a.value_ * b.value_, tally};
  }
  friend Counting operator/(const Counting& a, const Counting& b) {
    if (b.constant()) return a * Counting(1 / b.value_);
    if (b.tally_->fold() && a.is(0)) return 0.0;
    ++b.tally_->current().div;
    return {a.value_ / b.value_, b.tally_};
  }
  Counting& operator+=(const Counting& b) { return *this = *this + b; }
  Counting& operator-=(const Counting& b) { return *this = *this - b; }
  Counting& operator*=(const Counting& b) { return *this = *this * b; }
  Counting& operator/=(const Counting& b) { return *this = *this / b; }

  // Decisions on values; free.
  friend bool operator<(const Counting& a, const Counting& b) { return a.value_ < b.value_; }
  friend bool operator>(const Counting& a, const Counting& b) { return a.value_ > b.value_; }
  friend bool operator<=(const Counting& a, const Counting& b) { return a.value_ <= b.value_; }
  friend bool operator>=(const Counting& a, const Counting& b) { return a.value_ >= b.value_; }
  friend bool operator==(const Counting& a, const Counting& b) { return a.value_ == b.value_; }
  friend bool operator!=(const Counting& a, const Counting& b) { return a.value_ != b.value_; }

  friend Counting sqrt(const Counting& a) {
    if (!a.constant()) ++a.tally_->current().sqrt;
    return {std::sqrt(a.value_), a.tally_};
  }
  friend Counting tanh(const Counting& a) { return a.transcendental(std::tanh(a.value_)); }
  friend Counting atan2(const Counting& y, const Counting& x) {
    Tally* const tally = common(y, x);
    return Counting(y.value_, tally).transcendental(std::atan2(y.value_, x.value_));
  }
  friend void sincos(const Counting& angle, Counting& sine, Counting& cosine) {
    sine = angle.transcendental(std::sin(angle.value_));
    cosine = angle.transcendental(std::cos(angle.value_));
  }
  // The kernels' mark where a sweep begins (spatial/scalar.hpp).
  friend void begin_sweep(const Counting* any_state, const char* name) {
    if (any_state->tally_ != nullptr) any_state->tally_->begin(name);
  }

 private:
  Counting(double value, Tally* tally) : value_(value), tally_(tally) {}

  static Tally* common(const Counting& a, const Counting& b) { return a.tally_ != nullptr ? a.tally_ : b.tally_; }
  bool is(double x) const { return constant() && value_ == x; }
  Counting sum(const Counting& b, double value, bool minus) const {
    Tally* const tally = common(*this, b);
    if (tally == nullptr) {
      // Constants that cancel are a zero of the robot; whether rounding leaves 1e-20 of it must not decide a count.
      return std::abs(value) <= 8 * std::numeric_limits<double>::epsilon() * std::abs(value_) ? 0.0 : value;
    }
    if (tally->fold() && b.is(0)) return *this;
    if (tally->fold() && is(0)) return minus ? -b : b;
    ++tally->current().add;
    return {value, tally};
  }
  Counting transcendental(double value) const {
    if (!constant()) ++tally_->current().trig;
    return {value, tally_};
  }

  double value_ = 0;
  Tally* tally_ = nullptr;
};

}  // namespace catena::compile
#pragma GCC visibility pop

// Eigen's small vectors over the counting scalar (the Denavit-Hartenberg kernel).
template <>
struct Eigen::NumTraits<catena::compile::Counting> : Eigen::GenericNumTraits<catena::compile::Counting> {
  using Real = catena::compile::Counting;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
};
