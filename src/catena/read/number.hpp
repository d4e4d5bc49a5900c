// Strict numbers: the whole token, finite, with a decimal point; and words split at blanks.
// Why not strtod: it takes "nan", "1e400", "1.5kg" and, in some locales, "1,5" without a word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace catena::read {

struct Number {
  double value = 0;
  const char* code = nullptr;  // finding code; nullptr: the token is a number
  std::string problem;         // "is infinite", ready to follow the quoted token

  bool ok() const { return code == nullptr; }
};

// Codes: number-unparsable, number-nan, number-infinite, number-overflow. Too small for a double counts as zero.
Number parse_number(std::string_view token);

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> words(std::string_view text);

// A token from a file, fit for a message: quoted, shortened, without control characters.
std::string quote(std::string_view token);

}  // namespace catena::read
