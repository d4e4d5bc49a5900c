// The ways in which Catena computes a function, each ready to work through the same states: the one list of them, for
// catena bench and for bench/race.
#pragma once

#include "catena/compile/machine_code.hpp"
#include "cli/timing.hpp"

namespace catena::cli {

// Random states: q, v and x, which is a or tau. Functions that need less take the beginning.
struct States {
  States(const Model& model, int how_many);

  int count;
  Matrix by_state;                // a column each
  std::vector<double> by_number;  // number i of state b at [i * count + b]
};

// Plain: the library, any robot. Compiled, if it is machine code: one state a call. Batch: the same, all states in one.
// Lanes: the library's kernels, all states in one call.
// outputs: as in CompiledFunction; the plain way leaves only frames out that are not named.
// Model, states and compiled function must outlive the ways.
std::vector<Way> catena_ways(const Model& model, Function function, const States& states,
                             const CompiledFunction* compiled, const std::vector<std::string>& outputs = {});

}  // namespace catena::cli
