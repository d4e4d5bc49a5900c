// Polynomials in n of degree 3 or less with rational coefficients, exact: what operation counts are made of.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace catena {

// Coefficients are kept as whole multiples of 1/6: every polynomial of degree 3 that takes whole values has them.
// Threads: as a number.
class Polynomial {
 public:
  Polynomial() = default;
  // From the highest degree down, in sixths: sixths({6, -6}) is n - 1.
  static Polynomial sixths(std::initializer_list<long long> highest_first);
  static Polynomial linear(long long slope, long long constant) { return sixths({6 * slope, 6 * constant}); }
  // Through (first, values[0]), (first + 1, values[1]), ...; at most four.
  static Polynomial through(int first, const std::vector<long long>& values);

  double operator()(int n) const;
  bool is_zero() const;
  bool operator==(const Polynomial&) const = default;
  Polynomial operator+(const Polynomial& b) const;
  Polynomial operator-(const Polynomial& b) const;
  int degree() const;  // 0 for constants, zero too

  std::string text(const char* variable = "n") const;  // "11n³/6 + 130n − 22"

 private:
  std::array<long long, 4> sixths_{};  // of 1, n, n^2, n^3
};

// The smallest n from 1 on such that a is less than b there and for every larger n; 0 if there is none.
int less_from(const Polynomial& a, const Polynomial& b);

}  // namespace catena
#pragma GCC visibility pop
