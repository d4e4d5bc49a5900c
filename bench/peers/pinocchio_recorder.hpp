// Pinocchio's algorithms on one robot, recorded by CppAD and written as C by CppADCodeGen: the part that nobody times, in
// a file of its own, because it takes a compiler minutes to optimize and nothing is gained by it.
#pragma once

#include <string>

#include "bench/peers/pinocchio_model.hpp"

namespace catena::peers {

// Outputs: vectors, of symmetric matrices the upper triangle, other matrices, all column by column; of the linearization
// of forward dynamics also a. Inputs: q, v and a or tau, as far as the function takes them.
Eigen::Index generated_outputs(const pin::Model& model, Function function);

constexpr const char* generated_symbol = "f_forward_zero";
// What CppADCodeGen's functions take: inputs, outputs, and functions from outside, of which there are none here.
struct FromOutside {
  void* none[3];
};
using GeneratedFunction = void (*)(const double* const* inputs, double* const* outputs, FromOutside);

// Makes the library FILE.so, by CATENA_PEER_COMPILER with CATENA_PEER_FLAGS and, as Pinocchio has it, -ffast-math. False:
// longer than a C compiler takes within minutes.
bool make_generated_library(const pin::Model& model, Function function, const std::string& file);

}  // namespace catena::peers
