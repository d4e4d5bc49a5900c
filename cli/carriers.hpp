// Which joint carries which body of a description, and velocities seen from frames: for the checks of `catena verify`.
#pragma once

#include <unordered_map>

#include "catena/model/model.hpp"

namespace catena::cli {

// [w; u] at the origin of a frame, seen in another frame that has the pose in it: Ad of the inverse.
inline Vector6 seen_from(const Pose& pose, const Vector6& V) {
  Vector6 out;
  out << pose.R.transpose() * V.head<3>(), pose.R.transpose() * (V.tail<3>() + V.head<3>().cross(pose.p));
  return out;
}

// Which joint carries each body, by name; none for bodies on the ground.
class Carriers {
 public:
  explicit Carriers(const Description& robot) : robot_(robot) {
    for (std::size_t b = 0; b < robot.bodies.size(); ++b) body_[robot.bodies[b].name] = static_cast<int>(b);
    for (std::size_t j = 0; j < robot.joints.size(); ++j) joint_[robot.joints[j].child] = static_cast<int>(j);
  }
  int child(int joint) const { return body_.at(robot_.joints[static_cast<std::size_t>(joint)].child); }
  int parent(int joint) const {  // -1: the ground
    const std::string& name = robot_.joints[static_cast<std::size_t>(joint)].parent;
    return name.empty() ? -1 : body_.at(name);
  }
  int joint_above(int body) const {  // -1: none
    if (body < 0) return -1;
    const auto found = joint_.find(robot_.bodies[static_cast<std::size_t>(body)].name);
    return found == joint_.end() ? -1 : found->second;
  }

 private:
  const Description& robot_;
  std::unordered_map<std::string, int> body_, joint_;
};

// Its motions are a group: a velocity held constant is a step. Universal and gimbal joints are rotations in sequence.
inline bool moves_in_a_group(JointType type) {
  return type != JointType::fixed && type != JointType::universal && type != JointType::gimbal;
}

}  // namespace catena::cli
