// A file that was given for a robot and is something else: what it is, and which command takes it.
#pragma once

#include <optional>

#include "catena/model/finding.hpp"

namespace catena::cli {

// Nothing if it is no file, or nothing that any command takes. Meant for files that could not be read as a robot.
std::optional<Finding> what_else(const std::string& path);

// For a command line that can be typed as it is shown.
std::string shell_word(const std::string& text);

}  // namespace catena::cli
