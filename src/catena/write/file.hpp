// Writing a file so that it is whole or not there: to a temporary beside it, then renamed.
#pragma once

#include <string>
#include <string_view>

namespace catena::write {

// Replaces the file. Throws ModelError if it cannot be written; what was there before then stays as it was.
void replace_file(const std::string& path, std::string_view text);

}  // namespace catena::write
