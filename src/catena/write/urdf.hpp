// A robot as URDF; what URDF cannot say goes into <catena .../> elements, which other programs skip.
// A link's frame becomes its joint's frame where the two differ (standard DH), because URDF knows no other.
#pragma once

#include "catena/write/file.hpp"

#pragma GCC visibility push(default)
namespace catena::write {

std::string urdf(const Description& description);
// The text is read back first; if that is not the same robot, or judge throws, what was at the path stays. Throws ModelError;
// see require_same and replace_file.
void urdf_file(const Description& description, const Claim& claim, const Judge& judge = {});

}  // namespace catena::write
#pragma GCC visibility pop
