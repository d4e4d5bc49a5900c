// TOML's words: texts, numbers, true and false, dates; and the error that says where one is wrong. Inside of toml.cpp.
#pragma once

#include "catena/read/value.hpp"

namespace catena::read::toml_words {

struct Mistake {
  const char* code = "toml-syntax";
  std::size_t at = 0;  // in the text
  std::string message, remedy;
};

// The text from a place on; each function below moves the place behind what it read, or throws Mistake.
struct Scanner {
  std::string_view text;
  std::size_t at = 0;
  int line = 1;

  bool done() const { return at >= text.size(); }
  char peek(std::size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  bool starts_with(std::string_view what) const { return text.substr(at).starts_with(what); }
  [[noreturn]] void fail(std::string message, std::string remedy) const {
    throw Mistake{"toml-syntax", at, std::move(message), std::move(remedy)};
  }
  // The character here, as a message names it.
  std::string here() const;

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at;
  }
  bool skip_line_end();          // LF or CRLF
  void skip_comment();           // if there is one
  void skip_blanks_and_lines();  // comments too: between the items of a list
};

std::string string(Scanner& in, bool may_span_lines);
bool starts_string(const Scanner& in);
std::string bare_key(Scanner& in);
// A number (its text without underscores), true, false, a date.
Value word(Scanner& in);

}  // namespace catena::read::toml_words
