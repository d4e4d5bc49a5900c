// Text from outside. All text that Catena keeps is UTF-8 without zero bytes and without the characters that change the
// direction of writing: those can make a name, or a line of source code, look like another one on the screen.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace catena {

struct BadText {
  enum class Kind { encoding, zero, direction };
  Kind kind = Kind::encoding;
  std::size_t at = 0;        // first byte of it
  int line = 1, column = 1;  // of the character, both from 1
  std::string what;          // "the byte 0xff", "U+202E"
};

struct Character {
  std::size_t bytes = 0;  // 0: not UTF-8
  char32_t code = 0;
};

// Of a text that is not empty.
Character first_character(std::string_view text);
bool changes_direction(char32_t code);
// Control characters and the line ends of Unicode: no part of a name.
bool is_control(char32_t code);

// The first place that breaks the rule above.
std::optional<BadText> find_bad(std::string_view text);

// For a terminal or a comment: control characters, line breaks, characters of direction and bytes that are not UTF-8
// become '?'.
std::string printable(std::string_view text);

// At most so many bytes from the beginning, whole characters.
std::string_view beginning(std::string_view text, std::size_t bytes);

}  // namespace catena
