// URDF: links, joints, mimic joints, joint terms, shapes; and Catena's own <catena .../> for what URDF cannot say.
#pragma once

#include "catena/read/reading.hpp"

#pragma GCC visibility push(default)
namespace catena::read {

// file: the name used in findings. Never throws for bad content: it is in the findings.
Reading urdf(std::string_view text, const std::string& file, bool with_leftovers = false);

}  // namespace catena::read
#pragma GCC visibility pop
