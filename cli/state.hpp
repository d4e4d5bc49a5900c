// The state a command works at, from the command line: lists (degrees allowed), names, a file, a seed, or defaults;
// and what acts on the robot from outside. Every mistake is named with its place and a remedy.
#pragma once

#include "catena/dynamics/workspace.hpp"
#include "cli/json.hpp"
#include "cli/output.hpp"

namespace catena::cli {

struct State {
  Vector q, v, a, tau;
  std::string q_from, v_from, a_from, tau_from;  // "--q", "pose.json", "zero (default)", ...
  std::vector<bool> in_degrees;                  // per number of q: typed as 90deg
};

State read_state(const Model& model, const Options& options);
// The same, and warns of positions beyond the joints' limits.
State read_state(const Model& model, const Options& options, Output& out);
ExternalLoads read_loads(const Model& model, const Options& options);
// Positions from a list, as --q takes them, into q; entries by name change only what they name. what: the flag.
// Gives back which numbers of the list were typed in degrees.
std::vector<bool> fill_positions(const Model& model, const std::string& text, const std::string& what, Vector& q);

enum class Given { acceleration, forces };
// Which of a and tau the user gave (throws UsageError for both flags; `otherwise` where neither or a seed gave them).
Given given_of(const State& state, const Options& options, Given otherwise);

// "0,-1.5 90deg": finite numbers; what: the flag, for messages. Throws DataError.
std::vector<double> parse_numbers(const std::string& text, const std::string& what);
// The same with exactly as many numbers as asked for; throws UsageError.
Vector parse_exactly(const std::string& text, int count, const std::string& what);

void print_state_line(Output& out, const Model& model, const State& state, bool with_v, bool with_a, bool with_tau);
void print_loads(Output& out, const Model& model, const ExternalLoads& loads);

// "joints", and "coordinates" where a joint has several degrees of freedom.
void add_joints(Json& json, const Model& model);

}  // namespace catena::cli
