// Inverse dynamics along a motion, from a CSV file or by a motion profile.
#pragma once

#include "catena/dynamics/workspace.hpp"
#include "catena/read/state.hpp"
#include "cli/output.hpp"

namespace catena::cli {

// The rows of --trajectory with q, v and a: of a file, or of a motion profile from --q to --to. Warns where v and a are
// not in the file and of positions beyond their limits.
read::TrajectoryRows trajectory_rows(const Options& options, const Model& model, Output& out);
// Where row k stands, for messages: "motion.csv:12" or "cycloidal:2 at 0.4 s".
std::string place_of_row(const Options& options, const read::TrajectoryRows& rows, Eigen::Index k);

// A name as a table of CSV has it: quoted where it must be.
std::string csv_cell(const std::string& name);

int run_trajectory(const Options& options, const Model& model, const ExternalLoads& loads, Output& out);

}  // namespace catena::cli
