// Messages with numbers in them: formatted("mass {:g} kg of '{}'", mass, name). The patterns are those of std::format, as
// far as messages need them ({}, {:g}, {:.3g}, {:.0f}, {:04X}); the core of the library brings no formatting library.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace catena {

// A text, a number or a count.
class FormatArgument {
 public:
  FormatArgument(std::string_view text) : value_(text) {}
  FormatArgument(const char* text) : value_(std::string_view(text)) {}
  FormatArgument(const std::string& text) : value_(std::string_view(text)) {}
  FormatArgument(double number) : value_(number) {}
  template <std::integral Count>
  FormatArgument(Count count) : value_(static_cast<long long>(count)) {}

  void append(std::string& out, std::string_view how) const;  // how: what stands after the colon

 private:
  std::variant<std::string_view, double, long long> value_;
};

// A pattern with a place for each argument, which the compiler checks.
template <class... Arguments>
struct FormatPattern {
  consteval FormatPattern(const char* pattern) : text(pattern) {
    std::size_t places = 0;
    for (const char c : text) places += c == '{';
    if (places != sizeof...(Arguments)) throw "a pattern needs one {} for each argument";
  }
  std::string_view text;
};

std::string format_arguments(std::string_view pattern, std::initializer_list<FormatArgument> arguments);

template <class... Arguments>
std::string formatted(FormatPattern<std::type_identity_t<Arguments>...> pattern, const Arguments&... arguments) {
  return format_arguments(pattern.text, {FormatArgument(arguments)...});
}

}  // namespace catena
