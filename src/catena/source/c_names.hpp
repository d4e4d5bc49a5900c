// Names that a program in C or C++ cannot use for its own.
#pragma once

#include <string_view>

namespace catena::compile {

// A keyword, a name of the standard library that stands in no namespace, or one of its headers. Spelled by identifier():
// letters, digits, single underscores between them.
bool is_c_name(std::string_view name);

}  // namespace catena::compile
