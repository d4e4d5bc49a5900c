// A whole text file in memory, or a ModelError that says why not.
#pragma once

#include <cstddef>
#include <string>

namespace catena::read {

inline constexpr std::size_t megabyte = std::size_t(1) << 20;

// Throws ModelError: no such file, a directory, not readable, larger than max_bytes, binary, not UTF-8 by its mark.
// A UTF-8 byte order mark is removed. Line ends stay as they are.
std::string text_file(const std::string& path, std::size_t max_bytes);

}  // namespace catena::read
