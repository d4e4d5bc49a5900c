// A document of nested tables, lists, numbers and texts with the line of each: what TOML and JSON files become, so that
// one reader serves both. Numbers stay text until they are asked for, so that they are judged in one place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/read/reading.hpp"

#pragma GCC visibility push(default)
namespace catena::read {

struct Value {
  enum class Kind { null, boolean, number, text, list, table, other };
  Kind kind = Kind::null;
  int line = 0;
  bool boolean = false;
  std::string text = {};               // of a text or a number
  std::vector<std::string> keys = {};  // of a table, beside items
  std::vector<Value> items = {};       // of a table or list

  const Value* find(std::string_view key) const {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == key) return &items[i];
    }
    return nullptr;
  }
};

// Nesting deeper than this is no robot; the limit keeps recursion harmless.
inline constexpr int deepest_nesting = 64;

// Kind::null and an error in the log if the text is not valid.
Value toml_document(std::string_view text, Log& log);
Value json_document(std::string_view text, Log& log);

}  // namespace catena::read
#pragma GCC visibility pop
