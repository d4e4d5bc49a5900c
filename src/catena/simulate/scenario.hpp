// Scenarios: what to simulate, from a TOML file. Layout and defaults: docs/simulation.md.
#pragma once

#include "catena/simulate/simulation.hpp"
#include "catena/trajectory/trajectory.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct Scenario {
  std::string robot;  // file or built-in name, as written
  Model model;
  Vector q, v;  // where it starts
  std::shared_ptr<Controller> controller;
  ActuationOptions actuation;
  std::vector<WrenchTimeSeries> wrenches;
  SimulationOptions options;
  std::shared_ptr<const Trajectory> motion;  // what [motion] says; may be empty
  std::string text;                          // of the file: recordings carry it
  Findings findings;                         // warnings and notes, of the file and of the robot
};

// File names inside are relative to the scenario's folder. Throws ModelError with every mistake, each with its line.
// robot: takes the place of the one that the scenario would name.
Scenario read_scenario(const std::string& path);
Scenario scenario_from_text(const std::string& text, const std::string& file, const Model* robot = nullptr);

// A TOML file with a duration or the name of a model; or, where these are missing or mistyped, with other keys of a
// scenario and none of a robot.
bool is_scenario(const std::string& path);

}  // namespace catena
#pragma GCC visibility pop
