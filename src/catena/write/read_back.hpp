// A robot file is written only after its text has been read back as the robot that was meant, so that no good file gives
// way to one that nobody can read.
#pragma once

#include "catena/model/description.hpp"
#include "catena/read/reading.hpp"

namespace catena::write {

// What the reader made of a text, compared with what was to be written: readable, the same bodies with the same masses, the
// same moving joints between them, the same frames. Throws ModelError that names the first difference.
void require_same(const Description& meant, const read::Reading& back, const std::string& path);

}  // namespace catena::write
