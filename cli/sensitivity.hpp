// How the end of a simulated motion changes with where it starts, with the joint forces and with the robot's
// parameters.
#pragma once

#include "catena/simulate/scenario.hpp"
#include "cli/json.hpp"
#include "cli/output.hpp"

namespace catena::cli {

// kinds: "initial", "tau" and those of ParameterKind: "inertia", "damping", "gravity", ... Adds "sensitivity" to the
// JSON if there is one, prints tables otherwise. Throws UsageError for unknown kinds and for scenarios whose end is not
// a smooth function of the parameters (limits and thresholds that end or deflect the motion, sampled control).
void report_sensitivity(const Scenario& scenario, const std::vector<std::string>& kinds, Output& out, Json* json);

}  // namespace catena::cli
