// A robot as TOML body tables (docs/formats.md): everything a Description holds, every digit.
#pragma once

#include "catena/model/description.hpp"

namespace catena::write {

// Throws std::invalid_argument if a joint carries no body, or one that has a joint already: tables cannot say that.
std::string toml(const Description& description);
void toml_file(const Description& description, const std::string& path);  // throws ModelError; see replace_file

}  // namespace catena::write
