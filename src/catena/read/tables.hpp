// A robot from a document of tables (TOML or JSON): names, units, bodies, frames; DH tables through dh.hpp.
#pragma once

#include "catena/read/value.hpp"

namespace catena::read {

Reading robot_from_tables(const Value& document, Log log);

}  // namespace catena::read
