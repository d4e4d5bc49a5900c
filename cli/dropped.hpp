// What a robot file loses when Catena writes it anew: what the reader left over, and what the target did not hold.
#pragma once

#include "catena/read/reading.hpp"
#include "cli/json.hpp"
#include "cli/output.hpp"

namespace catena::cli {

// leftovers: of the source's reader. written: what was given to the writer. read: what its file gives back.
read::Leftovers dropped(read::Leftovers leftovers, const Description& written, const Description& read);

void print_dropped(Output& out, const read::Leftovers& list, const std::string& target);
void add_dropped(Json& json, const read::Leftovers& list);

}  // namespace catena::cli
