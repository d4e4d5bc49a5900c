// A whole text file in memory, or a ModelError that says why not; and what counts as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "catena/read/reading.hpp"

namespace catena::read {

inline constexpr std::size_t megabyte = std::size_t(1) << 20;

// Throws ModelError: no such file, a directory, not readable, larger than max_bytes, binary, not UTF-8 by its mark.
// A UTF-8 byte order mark is removed. Line ends stay as they are.
std::string text_file(const std::string& path, std::size_t max_bytes);
// The same where zero bytes are to be judged later: a last line that a crash left half written.
std::string raw_file(const std::string& path, std::size_t max_bytes);

// False too for names that no file can have.
bool file_exists(const std::string& path);

// Every reader of text begins with this. False, and an error with line and column in the log: bytes that are not UTF-8,
// zero bytes, characters that change the direction of writing (model/text.hpp).
bool is_text(std::string_view text, Log& log);

}  // namespace catena::read
