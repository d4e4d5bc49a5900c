// What the programs made for one robot cost, beside the algorithms that compute the same.
#pragma once

#include "catena/compile/program.hpp"
#include "catena/count/counting.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct Specialised {
  Function function;
  std::vector<std::string> algorithms;  // AlgorithmCount::name of those that compute the same
  Operations operations;
};
// Of every function the robot has; of frames the tip's. None beyond 40 coordinates, where straight-line programs are of
// no use.
std::vector<Specialised> count_specialised(const Model& model);

}  // namespace catena
#pragma GCC visibility pop
