// The robot of a scenario: a file and what the scenario changes in it; and the same as a controller may assume it.
#pragma once

#include "catena/read/fields.hpp"
#include "catena/simulate/scenario.hpp"

namespace catena::scenario {

// A body fixed to a frame of the robot.
struct Payload {
  std::string frame;
  Inertial inertial;
  int line = 0;
};

struct RobotRecipe {
  std::string name;              // file, relative to the scenario's folder, or built-in robot; empty: not known
  const Model* given = nullptr;  // takes the place of the one that the scenario would name
  bool floating = false, losses = true;
  std::optional<Vector3> gravity;  // instead of the robot's own
  std::optional<Payload> payload;
};

RobotRecipe read_recipe(read::Fields& fields, read::Log& log, const Model* given);

// Nothing, and the findings, if it cannot be used.
std::optional<Model> read_robot(const RobotRecipe& recipe, read::Fields& fields, Findings& findings);

// [input.assumes]: the scenario's robot with other losses, gravity or payload, or another file with the same joints.
// Nothing, and errors in the log, where it is wrong or the robot itself is not known.
std::optional<Model> read_assumed(RobotRecipe recipe, const Scenario& scenario, const read::Value& table,
                                  read::Log& log);

}  // namespace catena::scenario
