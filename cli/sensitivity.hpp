// How a simulated motion changes with where it starts, with the joint forces and with the robot's parameters: at its end,
// and in a file at every row.
#pragma once

#include "catena/simulate/scenario.hpp"
#include "catena/write/claim.hpp"
#include "cli/json.hpp"
#include "cli/output.hpp"

namespace catena::cli {

// words: as differentiate_by() takes them: "initial", "tau", "inertia", "gravity", "flange.payload", ...
// Throws UsageError for unknown ones and for scenarios whose end is not a smooth function of the parameters (limits and
// thresholds that end or deflect the motion, sampled control): before the run is made.
void require_sensitivity(const Scenario& scenario, const std::vector<std::string>& words);

// Adds "sensitivity" to the JSON if there is one, prints tables otherwise. claim: on a file (.csv or .h5) for all rows of
// the run, as a recording: time, q, v and a column "dq.elbow.per.forearm.mass" for each quantity and parameter.
void report_sensitivity(const Scenario& scenario, const std::vector<std::string>& words,
                        std::optional<write::Claim> claim, const std::string& file, Output& out, Json* json);

}  // namespace catena::cli
