// Built-in robots: the files of models/, which the library carries with it, and robots made by rule.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/model/description.hpp"

#pragma GCC visibility push(default)
namespace catena::read {

// The robots that have a file, in the order worth showing them.
std::vector<std::string> builtin_names();

// The text of models/<name>.toml; nothing if there is no such robot.
std::optional<std::string_view> builtin_text(const std::string& name);

// Where that text came from, for messages: "models/stanford_arm.toml". Empty if there is no such robot.
std::string builtin_file_name(const std::string& name);

// Robots made by rule: "chain:100", "chain:100:planar", "chain:100:perpendicular", "random:7" (a tree from seed 7).
// Nothing if the name is of another kind; throws ModelError if it is of this kind but makes no robot.
std::optional<Description> builtin_description(const std::string& name);

// How those names are written, for help and messages.
std::vector<std::string> generated_name_patterns();

}  // namespace catena::read
#pragma GCC visibility pop
