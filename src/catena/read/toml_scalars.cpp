// Texts, numbers and dates of TOML 1.0. Numbers are checked for their grammar and stay text.
#include "catena/read/toml_scalars.hpp"

#include <algorithm>
#include <charconv>

#include "catena/model/text.hpp"
#include "catena/read/number.hpp"

namespace catena::read::toml_words {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool hex_digit(char c) { return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

void append_utf8(std::string& out, char32_t code) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) return put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
  if (code < 0x10000) return put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
}

// Behind the backslash.
void escape(Scanner& in, std::string& out) {
  static constexpr std::string_view letters = "btnfr\"\\", meanings = "\b\t\n\f\r\"\\";
  const char c = in.peek();
  if (const std::size_t k = letters.find(c); c != '\0' && k != std::string_view::npos) {
    out += meanings[k];
    ++in.at;
    return;
  }
  const std::size_t count = c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (count == 0)
    in.fail("\\" + in.here() + " is no escape of TOML", "write \\\\ for a backslash, or the text in single quotes");
  const std::string_view digits = in.text.substr(in.at + 1, count);
  unsigned code = 0;
  if (digits.size() < count || !std::all_of(digits.begin(), digits.end(), hex_digit))
    in.fail("\\" + std::string(1, c) + " needs " + std::to_string(count) + " hexadecimal digits", "write them all");
  std::from_chars(digits.data(), digits.data() + count, code, 16);
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
    in.fail("\\" + std::string(1, c) + std::string(digits) + " is no character", "write the character itself");
  append_utf8(out, code);
  in.at += 1 + count;
}

// A backslash at the end of a line: it, the line end and all blanks that follow are no part of the text.
bool skip_folded(Scanner& in) {
  Scanner ahead = in;
  ahead.skip_blanks();
  if (!ahead.skip_line_end()) return false;
  do {
    ahead.skip_blanks();
  } while (ahead.skip_line_end());
  in = ahead;
  return true;
}

std::string several_lines(Scanner& in, char quote_mark) {
  const Scanner start = in;
  const std::string marks(3, quote_mark);
  std::string out;
  in.at += 3;
  in.skip_line_end();
  while (!in.done()) {
    if (in.starts_with(marks)) {
      in.at += 3;
      for (int more = 0; more < 2 && in.peek() == quote_mark; ++more, ++in.at) out += quote_mark;
      return out;
    }
    if (in.skip_line_end()) {
      out += '\n';
    } else if (in.peek() == '\\' && quote_mark == '"') {
      ++in.at;
      if (!skip_folded(in)) escape(in, out);
    } else if (control(in.peek())) {
      in.fail(in.here() + " cannot stand in a text", "write it as an escape: \\u0007");
    } else {
      out += in.text[in.at++];
    }
  }
  start.fail("this text is not closed", "close it with " + marks);
}

// Digits with single underscores between them, from k on; the first place behind them, k itself if there are none.
std::size_t behind_digits(std::string_view token, std::size_t k, bool (*is_digit)(char) = digit) {
  if (k >= token.size() || !is_digit(token[k])) return k;
  for (++k; k < token.size(); ++k) {
    const bool gap = token[k] == '_' && k + 1 < token.size() && is_digit(token[k + 1]);
    if (!gap && !is_digit(token[k])) break;
  }
  return k;
}

bool is_decimal(std::string_view token) {
  std::size_t k = token.starts_with('+') || token.starts_with('-') ? 1 : 0;
  if (token.substr(k) == "inf" || token.substr(k) == "nan") return true;
  const std::size_t first = k;
  k = behind_digits(token, k);
  if (k == first || (token[first] == '0' && k > first + 1)) return false;
  if (k < token.size() && token[k] == '.') {
    const std::size_t fraction = k + 1;
    k = behind_digits(token, fraction);
    if (k == fraction) return false;
  }
  if (k < token.size() && (token[k] == 'e' || token[k] == 'E')) {
    ++k;
    if (k < token.size() && (token[k] == '+' || token[k] == '-')) ++k;
    const std::size_t exponent = k;
    k = behind_digits(token, k);
    if (k == exponent) return false;
  }
  return k == token.size();
}

// 0x, 0o, 0b: its value in decimal; "" if it is none.
std::string whole_number(std::string_view token) {
  const int base = token.starts_with("0x") ? 16 : token.starts_with("0o") ? 8 : token.starts_with("0b") ? 2 : 0;
  if (base == 0 || token.size() < 3 || behind_digits(token, 2, hex_digit) != token.size()) return "";
  std::string digits(token.substr(2));
  std::erase(digits, '_');
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return error == std::errc() && stop == digits.data() + digits.size() ? std::to_string(value) : "";
}

// Does the text fit a pattern in which 0 stands for any digit?
bool fits(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return false;
  for (std::size_t k = 0; k < pattern.size(); ++k)
    if (pattern[k] == '0' ? !digit(text[k]) : text[k] != pattern[k]) return false;
  return true;
}

// 1979-05-27, 07:32:00.5, 1979-05-27T07:32:00Z. No robot needs one: only its grammar is checked.
bool is_date(std::string_view token) {
  if (fits(token, "0000-00-00")) {
    token.remove_prefix(10);
    if (token.empty()) return true;
    if (token[0] != 'T' && token[0] != 't' && token[0] != ' ') return false;
    token.remove_prefix(1);
    if (token.ends_with('Z') || token.ends_with('z')) {
      token.remove_suffix(1);
    } else if (token.size() > 6 &&
               (fits(token.substr(token.size() - 6), "+00:00") || fits(token.substr(token.size() - 6), "-00:00"))) {
      token.remove_suffix(6);
    }
  }
  if (!fits(token, "00:00:00")) return false;
  token.remove_prefix(8);
  if (token.empty()) return true;
  return token[0] == '.' && token.size() > 1 && std::all_of(token.begin() + 1, token.end(), digit);
}

}  // namespace

std::string Scanner::here() const {
  if (done()) return "the end of the file";
  if (peek() == '\n' || peek() == '\r') return "the end of the line";
  const std::size_t bytes = std::max<std::size_t>(1, first_character(text.substr(at)).bytes);
  return control(peek()) ? "a control character" : quote(text.substr(at, bytes));
}

bool Scanner::skip_line_end() {
  const std::size_t width = peek() == '\n' ? 1 : starts_with("\r\n") ? 2 : 0;
  at += width;
  if (width > 0) ++line;
  return width > 0;
}

void Scanner::skip_comment() {
  if (peek() != '#') return;
  while (!done() && peek() != '\n' && !starts_with("\r\n")) {
    if (control(peek())) fail("a comment contains a control character", "remove it");
    ++at;
  }
}

void Scanner::skip_blanks_and_lines() {
  do {
    skip_blanks();
    skip_comment();
  } while (skip_line_end());
}

bool starts_string(const Scanner& in) { return in.peek() == '"' || in.peek() == '\''; }

std::string string(Scanner& in, bool may_span_lines) {
  const Scanner start = in;
  const char mark = in.peek();
  if (may_span_lines && in.starts_with(std::string(3, mark))) return several_lines(in, mark);
  std::string out;
  for (++in.at; !in.done() && in.peek() != '\n' && !in.starts_with("\r\n");) {
    if (in.peek() == mark) {
      ++in.at;
      return out;
    }
    if (control(in.peek())) in.fail(in.here() + " cannot stand in a text", "write it as an escape: \\u0007");
    if (in.peek() == '\\' && mark == '"') {
      ++in.at;
      escape(in, out);
    } else {
      out += in.text[in.at++];
    }
  }
  start.fail("this text is not closed in its line", "close the quotes");
}

std::string bare_key(Scanner& in) {
  const std::size_t begin = in.at;
  while (letter(in.peek()) || digit(in.peek()) || in.peek() == '_' || in.peek() == '-') ++in.at;
  if (in.at == begin) in.fail("here a key is expected, not " + in.here(), "write key = value, or [table]");
  return std::string(in.text.substr(begin, in.at - begin));
}

Value word(Scanner& in) {
  const std::size_t begin = in.at;
  const auto part_of_word = [&](char c) {
    return letter(c) || digit(c) || c == '_' || c == '+' || c == '-' || c == '.' || c == ':';
  };
  std::size_t end = begin;
  while (end < in.text.size() && part_of_word(in.text[end])) ++end;
  // A date may have a blank before its time.
  if (end - begin == 10 && fits(in.text.substr(begin, end - begin), "0000-00-00") &&
      fits(in.text.substr(end), " 00:00")) {
    for (++end; end < in.text.size() && part_of_word(in.text[end]);) ++end;
  }
  const std::string_view token = in.text.substr(begin, end - begin);
  Value out;
  out.line = in.line;
  if (token.empty())
    in.fail("here a value is expected, not " + in.here(), "write a number, \"text\", a list or a table");
  if (token == "true" || token == "false") {
    out.kind = Value::Kind::boolean;
    out.boolean = token == "true";
  } else if (is_decimal(token)) {
    out.kind = Value::Kind::number;
    out.text = token;
    std::erase(out.text, '_');
  } else if (std::string value = whole_number(token); !value.empty()) {
    out.kind = Value::Kind::number;
    out.text = std::move(value);
  } else if (is_date(token)) {
    out.kind = Value::Kind::other;
  } else {
    const Number number = parse_number(token);
    if (!number.ok() && digit(token.front())) in.fail(quote(token) + " " + number.problem, "write a plain number");
    in.fail(quote(token) + " is no value of TOML", number.ok()
                                                       ? "write digits on both sides of the point and no zeros in front"
                                                       : "write texts in quotes, numbers in SI units, true or false");
  }
  in.at = end;
  return out;
}

}  // namespace catena::read::toml_words
