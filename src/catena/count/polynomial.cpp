#include "catena/count/polynomial.hpp"

#include <cstdlib>
#include <numeric>
#include <stdexcept>

namespace catena {

Polynomial Polynomial::sixths(std::initializer_list<long long> highest_first) {
  if (highest_first.size() > 4) throw std::invalid_argument("polynomials of counts have degree 3 at most");
  Polynomial p;
  std::size_t k = highest_first.size();
  for (const long long c : highest_first) p.sixths_[--k] = c;
  return p;
}

// Newton's forward differences: p(first + t) = sum of difference_k binomial(t, k); k! divides 6 for k <= 3.
Polynomial Polynomial::through(int first, const std::vector<long long>& values) {
  if (values.empty() || values.size() > 4) throw std::invalid_argument("a cubic goes through one to four points");
  std::vector<long long> difference = values;
  for (std::size_t k = 1; k < values.size(); ++k) {
    for (std::size_t i = values.size() - 1; i >= k; --i) difference[i] -= difference[i - 1];
  }
  // Horner over the products t (t - 1) ..., with coefficients in sixths.
  constexpr long long sixth_over_factorial[] = {6, 6, 3, 1};
  Polynomial p;
  for (std::size_t k = values.size(); k-- > 0;) {
    // p <- p (n - first - k) + difference_k
    const long long shift = first + static_cast<long long>(k);
    for (int i = 3; i >= 0; --i) p.sixths_[i] = (i > 0 ? p.sixths_[i - 1] : 0) - shift * p.sixths_[i];
    p.sixths_[0] += difference[k] * sixth_over_factorial[k];
  }
  return p;
}

double Polynomial::operator()(int n) const {
  long long value = 0;
  for (int k = 3; k >= 0; --k) value = value * n + sixths_[k];
  return static_cast<double>(value) / 6;
}

bool Polynomial::is_zero() const { return *this == Polynomial(); }

Polynomial Polynomial::operator+(const Polynomial& b) const {
  Polynomial p;
  for (std::size_t k = 0; k < 4; ++k) p.sixths_[k] = sixths_[k] + b.sixths_[k];
  return p;
}

Polynomial Polynomial::operator-(const Polynomial& b) const {
  Polynomial p;
  for (std::size_t k = 0; k < 4; ++k) p.sixths_[k] = sixths_[k] - b.sixths_[k];
  return p;
}

int Polynomial::degree() const {
  int k = 3;
  while (k > 0 && sixths_[static_cast<std::size_t>(k)] == 0) --k;
  return k;
}

std::string Polynomial::text(const char* variable) const {
  static const char* const power[] = {"", "", "²", "³"};
  std::string text;
  for (int k = 3; k >= 0; --k) {
    if (sixths_[k] == 0) continue;
    const long long common = std::gcd(sixths_[k], 6LL);
    const long long top = std::llabs(sixths_[k]) / common, bottom = 6 / common;
    if (text.empty()) {
      if (sixths_[k] < 0) text += "−";
    } else {
      text += sixths_[k] < 0 ? " − " : " + ";
    }
    if (top != 1 || k == 0) text += std::to_string(top);
    if (k > 0) text += std::string(variable) + power[k];
    if (bottom != 1) text += "/" + std::to_string(bottom);
  }
  return text.empty() ? "0" : text;
}

// Beyond any root: b - a of whole coefficients (in sixths) keeps its sign once n exceeds 1 + the largest of them.
int less_from(const Polynomial& a, const Polynomial& b) {
  const Polynomial gain = b - a;
  constexpr int far = 1 << 16;
  if (!(gain(far) > 0)) return 0;
  int n = far;
  while (n > 1 && gain(n - 1) > 0) --n;
  return n;
}

}  // namespace catena
