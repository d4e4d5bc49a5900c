#include "catena/reference/expression.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "catena/model/text.hpp"

namespace catena::reference {
namespace {

constexpr std::size_t longest_expression = 10'000;
constexpr int deepest = 100;        // brackets in one another
constexpr double most_work = 5e10;  // multiplications: some ten seconds

const char* kind(Space space) {
  switch (space) {
    case Space::one: return "1";
    case Space::components: return "n";
    case Space::bodies: return "6N";
  }
  return "";
}

std::string size_text(const WorkbenchValue& x) {
  return std::string(kind(x.rows)) + " x " + kind(x.columns) + " = " + std::to_string(x.values.rows()) + " x " +
         std::to_string(x.values.cols());
}

// A value, the words that it comes from, and the largest number of what was summed for it, in sums and in products:
// what a rest of rounding is to be held against.
struct Term {
  WorkbenchValue value;
  std::string text;
  double size = 0;
};

[[noreturn]] void refuse_sizes(const Term& a, const char* with, const Term& b) {
  throw ExpressionError("sizes do not fit: " + a.text + " (" + size_text(a.value) + ") " + with + " " + b.text + " (" +
                        size_text(b.value) + ")");
}

bool is_square(const WorkbenchValue& x) { return x.rows == x.columns && x.values.rows() == x.values.cols(); }

WorkbenchValue as_matrix(const WorkbenchValue& number, const WorkbenchValue& like) {
  const Eigen::Index size = like.values.rows();
  return {number.values(0, 0) * Matrix::Identity(size, size), like.rows, like.columns};
}

WorkbenchValue sum(const Term& a, const Term& b, double sign) {
  const bool a_number = a.value.is_number(), b_number = b.value.is_number();
  if (a_number && !b_number && is_square(b.value)) {
    return {as_matrix(a.value, b.value).values + sign * b.value.values, b.value.rows, b.value.columns};
  }
  if (b_number && !a_number && is_square(a.value)) {
    return {a.value.values + sign * as_matrix(b.value, a.value).values, a.value.rows, a.value.columns};
  }
  if (a.value.rows != b.value.rows || a.value.columns != b.value.columns) refuse_sizes(a, sign > 0 ? "+" : "-", b);
  return {a.value.values + sign * b.value.values, a.value.rows, a.value.columns};
}

WorkbenchValue product(const Term& a, const Term& b) {
  if (a.value.is_number()) return {a.value.values(0, 0) * b.value.values, b.value.rows, b.value.columns};
  if (b.value.is_number()) return {a.value.values * b.value.values(0, 0), a.value.rows, a.value.columns};
  if (a.value.columns != b.value.rows) refuse_sizes(a, "*", b);
  return {a.value.values * b.value.values, a.value.rows, b.value.columns};
}

// A factor may itself be a rest of larger terms.
double size_of_product(const Term& a, const Term& b) {
  if (a.value.is_number() || b.value.is_number()) return a.size * b.size;
  const Matrix terms = a.value.values.cwiseAbs() * b.value.values.cwiseAbs();
  return std::max(a.size * b.size, terms.size() == 0 ? 0 : terms.maxCoeff());
}

WorkbenchValue inverted(const Term& a) {
  if (!is_square(a.value)) {
    throw ExpressionError(a.text + " (" + size_text(a.value) + ") has no inverse: it is not square");
  }
  const Eigen::FullPivLU<Matrix> lu(a.value.values);
  if (!lu.isInvertible()) throw ExpressionError(a.text + " has no inverse: it is singular at this state");
  return {lu.inverse(), a.value.columns, a.value.rows};
}

class Parser {
 public:
  Parser(const std::string& text, const Lookup& lookup) : text_(text), lookup_(lookup) {
    if (text.size() > longest_expression) {
      throw ExpressionError("an expression of more than " + std::to_string(longest_expression) + " characters");
    }
  }

  Evaluation run() {
    Term out = read_sum();
    skip_space();
    if (at_ < text_.size()) refuse("expected +, -, *, ^T or the end");
    return {std::move(out.value), out.size};
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    const std::string found = at_ < text_.size() ? "'" + printable(text_.substr(at_, 12)) + "'" : "the end";
    throw ExpressionError("the expression does not parse at character " + std::to_string(at_ + 1) + ": " + what +
                          ", found " + found);
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(std::string_view word) {
    skip_space();
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }
  std::string words_since(std::size_t start) const {
    std::size_t end = at_;
    while (end > start && std::isspace(static_cast<unsigned char>(text_[end - 1]))) --end;
    return printable(text_.substr(start, end - start));
  }

  Term read_sum() {
    if (++depth_ > deepest) refuse("more than " + std::to_string(deepest) + " brackets in one another");
    skip_space();
    const std::size_t start = at_;
    Term out = read_product();
    while (true) {
      const bool plus = take("+");
      if (!plus && !take("-")) break;
      const Term next = read_product();
      out = {sum(out, next, plus ? 1 : -1), words_since(start), std::max(out.size, next.size)};
    }
    --depth_;
    return out;
  }

  Term read_product() {
    skip_space();
    const std::size_t start = at_;
    Term out = read_factor();
    while (take("*")) {
      const Term next = read_factor();
      work_ += static_cast<double>(out.value.values.size()) * static_cast<double>(next.value.values.cols());
      if (work_ > most_work) refuse("too much to multiply: leave out some products of large matrices");
      WorkbenchValue value = product(out, next);
      out = {std::move(value), words_since(start), size_of_product(out, next)};
    }
    return out;
  }

  Term read_factor() {
    skip_space();
    const std::size_t start = at_;
    Term out;
    if (take("-")) {
      if (++depth_ > deepest) refuse("more than " + std::to_string(deepest) + " signs and brackets in one another");
      out = read_factor();
      out.value.values = -out.value.values;
      --depth_;
    } else {
      out = read_primary();
    }
    while (true) {
      if (take("^T") || take("'")) {
        out.value.values.transposeInPlace();
        std::swap(out.value.rows, out.value.columns);
      } else if (take("^-1")) {
        out.value = inverted(out);
        out.size = out.value.largest();
      } else if (take("^")) {
        refuse("after ^ comes T or -1");
      } else {
        break;
      }
      out.text = words_since(start);
    }
    if (out.text.empty()) out.text = words_since(start);
    return out;
  }

  Term read_primary() {
    skip_space();
    const std::size_t start = at_;
    if (take("(")) {
      Term out = read_sum();
      if (!take(")"))
        refuse("a bracket opened at character " + std::to_string(start + 1) + " is not closed: expected )");
      out.text = words_since(start);
      return out;
    }
    if (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.')) {
      char* end = nullptr;
      const double number = std::strtod(text_.c_str() + at_, &end);
      at_ = static_cast<std::size_t>(end - text_.c_str());
      if (!std::isfinite(number)) refuse("a number too large");
      return {{Matrix::Constant(1, 1, number), Space::one, Space::one}, words_since(start), number};
    }
    const auto in_name = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    if (at_ == start) refuse("expected a name, a number or (");
    const std::string name = text_.substr(start, at_ - start);
    Term out = {lookup_(name), name};
    out.size = out.value.largest();
    return out;
  }

  const std::string& text_;
  const Lookup& lookup_;
  std::size_t at_ = 0;
  int depth_ = 0;
  double work_ = 0;  // multiplications
};

}  // namespace

Evaluation evaluate(const std::string& expression, const Lookup& lookup) { return Parser(expression, lookup).run(); }

}  // namespace catena::reference
