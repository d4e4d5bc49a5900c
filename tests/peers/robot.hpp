// A robot on its way to another library: our Description, and where the numbers of each joint stand in q and v.
// Needs nothing of Catena but its headers, so that a peer can be built apart from it.
#pragma once

#include <functional>
#include <stdexcept>

#include "catena/model/model.hpp"

namespace catena::peers {

struct Robot {
  Description description;
  std::vector<Coordinate> coordinates;
  int nq = 0, nv = 0;
};

inline Robot robot_of(const Model& model) { return {model.description(), model.coordinates(), model.nq(), model.nv()}; }

inline const Joint& joint_of(const Robot& robot, const Coordinate& c) {
  return robot.description.joints[static_cast<std::size_t>(c.index)];
}

inline const Body& body_named(const Description& robot, const std::string& name) {
  for (const Body& body : robot.bodies)
    if (body.name == name) return body;
  throw std::invalid_argument("no body " + name);
}

// Joints of the description, each followed by all that it carries.
inline std::vector<const Joint*> depth_first(const Description& description) {
  std::vector<const Joint*> sorted;
  const std::function<void(const std::string&)> follow = [&](const std::string& parent) {
    for (const Joint& joint : description.joints) {
      if (joint.parent != parent) continue;
      sorted.push_back(&joint);
      follow(joint.child);
    }
  };
  follow("");
  return sorted;
}

}  // namespace catena::peers
