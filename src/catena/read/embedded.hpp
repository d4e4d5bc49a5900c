// The robots of models/ as text inside the library: the table that cmake/embed.cmake writes at configure time.
#pragma once

#include <span>
#include <string_view>

namespace catena::read {

struct Embedded {
  std::string_view name;  // "stanford_arm"
  std::string_view file;  // "models/stanford_arm.toml"
  std::string_view text;
};

std::span<const Embedded> embedded();

}  // namespace catena::read
