#include "catena/model/formatted.hpp"

#include <array>
#include <charconv>

namespace catena {
namespace {

// What stands after the colon: [0][width][.precision][g|f|x|X].
struct Style {
  explicit Style(std::string_view how) {
    const char *at = how.data(), *const end = at + how.size();
    if (at != end && *at == '0') fill = '0', ++at;
    at = std::from_chars(at, end, width).ptr;
    if (at != end && *at == '.') at = std::from_chars(at + 1, end, precision).ptr;
    if (at != end) kind = *at;
  }
  char fill = ' ', kind = 0;
  int width = 0, precision = 6;
};

void append_padded(std::string& out, std::string_view digits, const Style& style) {
  const std::size_t width = static_cast<std::size_t>(style.width);
  if (digits.size() < width) out.append(width - digits.size(), style.fill);
  out += digits;
}

}  // namespace

void FormatArgument::append(std::string& out, std::string_view how) const {
  if (const auto* text = std::get_if<std::string_view>(&value_)) {
    out += *text;
    return;
  }
  const Style style(how);
  std::array<char, 400> digits;  // the longest double of fixed form takes 309 before its point
  char *const begin = digits.data(), *const limit = begin + digits.size(), *end = begin;
  if (const auto* count = std::get_if<long long>(&value_)) {
    const bool hexadecimal = style.kind == 'x' || style.kind == 'X';
    end = std::to_chars(begin, limit, *count, hexadecimal ? 16 : 10).ptr;
    if (style.kind == 'X') {
      for (char* c = begin; c != end; ++c) {
        if (*c >= 'a' && *c <= 'f') *c = static_cast<char>(*c - 'a' + 'A');
      }
    }
  } else {
    const double number = std::get<double>(value_);
    const auto form = style.kind == 'f' ? std::chars_format::fixed : std::chars_format::general;
    end = style.kind == 0 ? std::to_chars(begin, limit, number).ptr
                          : std::to_chars(begin, limit, number, form, style.precision).ptr;
  }
  append_padded(out, {begin, static_cast<std::size_t>(end - begin)}, style);
}

std::string format_arguments(std::string_view pattern, std::initializer_list<FormatArgument> arguments) {
  std::string out;
  const FormatArgument* argument = arguments.begin();
  while (true) {
    const std::size_t open = pattern.find('{');
    out += pattern.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = pattern.find('}', open);
    const std::string_view how = pattern.substr(open + 1, close - open - 1);
    (argument++)->append(out, how.empty() ? how : how.substr(1));
    pattern.remove_prefix(close + 1);
  }
}

}  // namespace catena
