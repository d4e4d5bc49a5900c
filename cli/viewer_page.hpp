// The viewer's page as the tool carries it: written by cmake/viewer.cmake from viewer/. Empty where npm was missing.
#pragma once

#include <string_view>

namespace catena::cli {

std::string_view viewer_page();

}  // namespace catena::cli
