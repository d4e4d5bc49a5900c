// What a document holds and no reader has used: compared with the account in the Log, so that a reader that learns to
// read something need not be told here.
#pragma once

#include "catena/read/value.hpp"

namespace tinyxml2 {
class XMLNode;
}  // namespace tinyxml2

namespace catena::read {

// Elements (the outermost of those nobody used), attributes, comments and stray text.
Leftovers xml_leftovers(const tinyxml2::XMLNode& document, const Log& log);
// Keys of tables.
Leftovers table_leftovers(const Value& document, const Log& log);
void add_toml_comments(std::string_view text, Leftovers& list);

}  // namespace catena::read
