// Running a scenario for a person: recorded, with progress, stoppable by Ctrl-C, resumable.
#pragma once

#include <optional>

#include "catena/simulate/scenario.hpp"
#include "catena/write/claim.hpp"
#include "cli/options.hpp"

namespace catena::cli {

constexpr int interrupted = 130;  // exit code, as shells have it

// What a recording says about itself besides its numbers.
RecordingHeader header_of(const Scenario& scenario, const Simulation& simulation);

struct Run {
  Outcome outcome;
  std::vector<Vector> rows;  // about ten of them, evenly spread, first and last included
  std::vector<Column> columns;
  std::string file;       // that has the rows: beside the one that was asked for if the run was cut short; empty: none
  double seconds = 0;     // of computing
  double resumed = -1;    // time at which a resumed run went on
  bool kept = true;       // the rows are in a file, not gone down a pipe
  bool resumable = true;  // and are enough to go on from
};

// path: where to record (.csv or .h5); empty: nowhere. claim: on that path, if there is one already. Throws DataError if
// a run to resume belongs to another robot or scenario.
Run run_scenario(const Scenario& scenario, const std::string& path, bool resume, bool quiet = false,
                 std::optional<write::Claim> claim = {});

}  // namespace catena::cli
