// Writing a file so that it is whole or not there: to a temporary beside it, then renamed.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "catena/model/description.hpp"

namespace catena::write {

// Looks at a robot as it was read back from the text, before a file is replaced by that; throws to keep the old one.
using Judge = std::function<void(const Description& back)>;

// Replaces the file. Throws ModelError if it cannot be written; what was there before then stays as it was.
void replace_file(const std::string& path, std::string_view text);

}  // namespace catena::write
