// Columns of numbers for a page: base64 of little-endian floats or doubles, a third of the size of decimal text and
// nothing to parse.
#pragma once

#include <string>
#include <vector>

namespace catena::cli {

std::string packed_doubles(const std::vector<double>& numbers);
std::string packed_floats(const std::vector<double>& numbers);

}  // namespace catena::cli
