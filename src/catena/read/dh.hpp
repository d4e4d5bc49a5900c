// Denavit-Hartenberg tables: [dh] and [[dh.link]].
#pragma once

#include "catena/read/parts.hpp"

namespace catena::read {

// Appends the chain of links to the description.
void read_dh(const Value& table, const Units& units, Log& log, Description& description);

}  // namespace catena::read
