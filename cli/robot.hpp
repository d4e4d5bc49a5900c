// The robot a command works on: read from a file or by built-in name, then changed as the flags say.
#pragma once

#include "catena/compile/program.hpp"
#include "catena/read/robot.hpp"
#include "catena/write/file.hpp"
#include "cli/options.hpp"

namespace catena::cli {

// The robot as read, with --floating, --gravity, --no-... applied. Throws ModelError if it cannot be used; with
// --strict for warnings too.
struct Robot {
  Model model;
  Findings findings;               // warnings and notes, of the reader and of the doctor
  read::Leftovers leftovers = {};  // of the file, where they are asked for
};
Robot load_robot(const Options& options, bool with_leftovers = false);

// The robot of a file or a built-in name with everything there is to say about it; never throws for a bad robot.
read::Reading read_robot(const std::string& model, const read::Options& how = {});

// Writes by the ending of the name: .urdf or .toml, after the text has been read back (and judged). Throws UsageError for
// another ending, ModelError if it would not read back as the same robot.
void write_robot(const Description& description, const write::Claim& claim, const write::Judge& judge = {});
bool is_recording(const std::string& path);  // by its name: .csv, .h5 or .hdf5
void require_writable_format(const std::string& path);

// A copy without damping, friction, springs and rotor inertia: rigid bodies only.
Description without_joint_terms(Description description);

// A copy without damping and friction: energy is conserved.
Description without_losses(Description description);

// --function, or what is meant without it. Throws UsageError with the names there are.
std::vector<Function> asked_functions(const Options& options, const Model& model,
                                      const std::vector<Function>& otherwise);
// --frames, for functions whose outputs are frames; none: all. Throws DataError for frames the robot does not have.
std::vector<std::string> asked_outputs(const Options& options, const Model& model, Function function);

int count_of(const Findings& findings, Severity severity);

}  // namespace catena::cli
