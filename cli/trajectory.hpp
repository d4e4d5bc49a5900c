// Inverse dynamics along a motion, from a CSV file or by a motion profile.
#pragma once

#include "catena/dynamics/workspace.hpp"
#include "cli/output.hpp"

namespace catena::cli {

int run_trajectory(const Options& options, const Model& model, const ExternalLoads& loads, Output& out);

}  // namespace catena::cli
