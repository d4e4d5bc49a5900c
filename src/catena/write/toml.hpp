// A robot as TOML body tables (docs/formats.md): everything a Description holds, every digit.
#pragma once

#include "catena/write/file.hpp"

#pragma GCC visibility push(default)
namespace catena::write {

// Throws std::invalid_argument if a joint carries no body, or one that has a joint already: tables cannot say that.
std::string toml(const Description& description);
// The text is read back first; if that is not the same robot, or judge throws, what was at the path stays. Throws ModelError;
// see require_same and replace_file.
void toml_file(const Description& description, const Claim& claim, const Judge& judge = {});

}  // namespace catena::write
#pragma GCC visibility pop
