// A robot as URDF; what URDF cannot say goes into <catena .../> elements, which other programs skip.
// A link's frame becomes its joint's frame where the two differ (standard DH), because URDF knows no other.
#pragma once

#include "catena/model/description.hpp"

namespace catena::write {

std::string urdf(const Description& description);
void urdf_file(const Description& description, const std::string& path);  // throws ModelError; see replace_file

}  // namespace catena::write
