// The ways of a batch by their names.
#pragma once

#include <stdexcept>
#include <string>

#include "catena/batch/batch.hpp"

namespace catena::python {

inline constexpr const char* way_names[] = {"automatic", "lanes", "compiled", "plain"};  // in the order of the enum

inline BatchOptions::Way way_from(const std::string& name) {
  for (int k = 0; k < static_cast<int>(std::size(way_names)); ++k) {
    if (name == way_names[k]) return static_cast<BatchOptions::Way>(k);
  }
  throw std::invalid_argument("way is 'automatic', 'lanes', 'compiled' or 'plain', not '" + name + "'");
}

}  // namespace catena::python
