// Strict numbers on std::from_chars, with a reason for every refusal.
#include "catena/read/number.hpp"

#include <algorithm>
#include <charconv>

#include "catena/model/text.hpp"

namespace catena::read {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return out;
}

// Out of range for from_chars: huge or tiny? Tiny if the decimal point, moved by the exponent, lies far left of the
// first digit that is not zero.
bool underflows(std::string_view digits) {
  const std::size_t e = digits.find_first_of("eE");
  const std::string_view mantissa = digits.substr(0, e);
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const double places = point > first ? double(point - first) : -double(first - point - 1);
  double exponent = 0;
  if (e != std::string_view::npos) {
    for (char c : digits.substr(e + 1)) {
      if (digit(c)) exponent = exponent * 10 + (c - '0');
    }
    if (digits.substr(e + 1).starts_with('-')) exponent = -exponent;
  }
  return places + exponent < 0;
}

}  // namespace

Number parse_number(std::string_view token) {
  std::string_view rest = token;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty()) return {0, "number-unparsable", token.empty() ? "is empty" : "is not a number"};

  if (!digit(rest[0]) && rest[0] != '.') {
    const std::string word = lower(rest);
    if (word.starts_with("nan")) return {0, "number-nan", "is not a number (NaN)"};
    if (word == "inf" || word == "infinity") return {0, "number-infinite", "is infinite"};
    return {0, "number-unparsable", "is not a number"};
  }

  double value = 0;
  const char* const end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data(), end, value);
  if (error == std::errc::invalid_argument) return {0, "number-unparsable", "is not a number"};
  if (stop != end) {
    const std::string_view tail(stop, static_cast<std::size_t>(end - stop));
    if (tail[0] == ',') return {0, "number-unparsable", "has a decimal comma; the decimal sign is a point"};
    if (tail[0] == 'x' || tail[0] == 'X') return {0, "number-unparsable", "is hexadecimal; write it in decimal"};
    if (lower(tail) == "e") return {0, "number-unparsable", "ends in an exponent without digits"};
    return {0, "number-unparsable", "is followed by " + quote(tail) + "; write a plain number in SI units"};
  }
  if (error == std::errc::result_out_of_range) {
    if (!underflows(rest)) return {0, "number-overflow", "is too large for a double"};
    value = 0;
  }
  return {negative ? -value : value, nullptr, {}};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i < text.size();) {
    while (i < text.size() && blank(text[i])) ++i;
    const std::size_t begin = i;
    while (i < text.size() && !blank(text[i])) ++i;
    if (i > begin) found.push_back(text.substr(begin, i - begin));
  }
  return found;
}

std::string quote(std::string_view token) {
  constexpr std::size_t longest = 40;
  return "'" + printable(beginning(token, longest)) + (token.size() > longest ? "...'" : "'");
}

}  // namespace catena::read
