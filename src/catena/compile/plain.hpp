// The functions a program can compute, by the plain library: what generated code is tested against.
#pragma once

#include <array>

#include "catena/compile/program.hpp"
#include "catena/kinematics/configuration.hpp"

#pragma GCC visibility push(default)
namespace catena {

// The program's outputs from its inputs, in the same layout. Throws as the library's functions do.
Vector plain_values(const Model& model, const Program& program, ConstVector inputs);

// The dynamics and their linearizations straight into the program's outputs, one pointer per block, with a workspace that
// the model lends: no call allocates. Safe to share between threads.
class PlainCalls {
 public:
  PlainCalls(const Model& model, const Program& program);

  static bool can(Function function);
  // Throws as the library's functions do.
  void operator()(const Model& model, const double* const* inputs, double* const* outputs) const;

 private:
  Function function_;
  std::array<int, 4> places_;  // of the function's results among the program's outputs; -1: not wanted
};

// A state to try a program on: q, v and a or tau, whichever it takes, drawn from the seed.
Vector random_inputs(const Model& model, const Program& program, std::uint64_t seed);

// How far apart two computations of the program's outputs may lie, relative to the largest of each block: rounding, and
// for what stands behind an inverse of M its condition number.
double rounding_bound(const Model& model, const Program& program, ConstVector inputs);

}  // namespace catena
#pragma GCC visibility pop
