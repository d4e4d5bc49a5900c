// The backends in which Catena computes a function, each ready to work through the same states: the one list of them, for
// catena bench and for bench/race.
#pragma once

#include <optional>

#include "catena/machine/machine_code.hpp"
#include "cli/timing.hpp"

namespace catena::cli {

// Random states: q, v and x, which is a or tau. Functions that need less take the beginning.
struct States {
  States(const Model& model, int how_many);

  int count;
  Matrix by_state;                // a column each
  std::vector<double> by_number;  // number i of state b at [i * count + b]
};

// A backend that this function of this robot has not, and why.
struct LeftOut {
  std::string backend, why;
};

// Plain: the library, any robot, with a workspace that is used again. Compiled: one
// state a call, by machine code or, where that cannot be made, by the plain library on its behalf. Batch, if there is
// machine code for lanes: all states in one call. Lanes: the library's kernels, all states in one call.
// Plain comes first and is always there. left_out: the backends that are not, and "compiled" where it is not machine code.
// outputs: as in CompiledFunction; the plain backend leaves only frames out that are not named.
// Model, states and compiled function must outlive the backends.
std::vector<Backend> catena_backends(const Model& model, Function function, const States& states,
                                     const CompiledFunction* compiled, const std::vector<std::string>& outputs = {},
                                     std::vector<LeftOut>* left_out = nullptr);

// The function compiled for the robot; nothing, and the reason for the backends compiled and batch, where it cannot be traced.
std::unique_ptr<CompiledFunction> compile_or_leave_out(const Model& model, Function function,
                                                       const std::vector<std::string>& outputs,
                                                       std::vector<LeftOut>& left_out);

// "returning": the library's short form, x = f(model, ...), with a workspace that the model lends.
// None for functions that have no such form.
std::optional<Backend> returning_backend(const Model& model, Function function, const States& states);

// "N threads": all states in one call, by machine code where it can be made, else in lanes.
Backend threaded_backend(const Model& model, Function function, const States& states, int threads,
                         const std::vector<std::string>& outputs = {});

}  // namespace catena::cli
