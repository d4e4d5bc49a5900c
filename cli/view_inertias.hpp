// What the page draws at each joint while a recording plays: how the robot beyond it resists, joints free and locked.
#pragma once

#include "catena/record/recording.hpp"
#include "cli/json.hpp"

namespace catena::cli {

// "inertia" of the page's data, at a few hundred of these rows of the recording. Throws as inertias_at_joints.
Json viewer_inertias(const Model& model, const Recording& recording, const std::vector<long>& rows);

}  // namespace catena::cli
