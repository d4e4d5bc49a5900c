// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
#include "catena/model/text.hpp"

#include <algorithm>

#include "catena/model/formatted.hpp"

namespace catena {

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((byte(k) & 0xC0u) != 0x80) return {};
    code = code << 6 | (byte(k) & 0x3Fu);
  }
  static constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {bytes, code};
}

bool changes_direction(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F || c == 0x061C;
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029; }

namespace {

BadText bad_at(std::string_view text, std::size_t at, BadText::Kind kind, std::string what) {
  BadText bad{kind, at, 1, 1, std::move(what)};
  for (std::size_t k = 0; k < at; ++k) {
    if (text[k] == '\n') {
      ++bad.line, bad.column = 1;
    } else if ((static_cast<unsigned char>(text[k]) & 0xC0u) != 0x80) {
      ++bad.column;
    }
  }
  return bad;
}

}  // namespace

std::optional<BadText> find_bad(std::string_view text) {
  for (std::size_t k = 0; k < text.size();) {
    const auto lead = static_cast<unsigned char>(text[k]);
    if (lead > 0 && lead < 0x80) {
      ++k;
      continue;
    }
    if (lead == 0) return bad_at(text, k, BadText::Kind::zero, "a zero byte");
    const Character c = first_character(text.substr(k));
    if (c.bytes == 0) return bad_at(text, k, BadText::Kind::encoding, formatted("the byte 0x{:02x}", lead));
    if (changes_direction(c.code))
      return bad_at(text, k, BadText::Kind::direction, formatted("U+{:04X}", static_cast<unsigned>(c.code)));
    k += c.bytes;
  }
  return std::nullopt;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    if (c.bytes == 0 || is_control(c.code) || changes_direction(c.code)) {
      out += '?';
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string_view beginning(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0u) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace catena
