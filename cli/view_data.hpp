// What the viewer's page is told, as JSON: the robot's kinematics and shapes, where it stands, and a recorded motion.
// Fields: docs/pictures.md.
#pragma once

#include "catena/record/recording.hpp"
#include "cli/json.hpp"

namespace catena::cli {

// Bodies, joints (parents first), shapes, state layout, and the pose of every body at q.
Json viewer_robot(const Model& model, const Vector& q);

// A recording, thinned out to what a page can hold.
struct ViewerMotion {
  Json json;
  long rows = 0, kept = 0;
  double first = 0, last = 0;              // seconds
  std::vector<std::string> left_out = {};  // what the page would show of other robots, and why it does not of this one
};
// Throws DataError if time or a position of the robot is not recorded.
ViewerMotion viewer_motion(const Model& model, const Recording& recording);

}  // namespace catena::cli
