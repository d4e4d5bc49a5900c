// A contest: Catena's backends and the other libraries compute the same function for the same states of the same robot.
// Results are compared before anything is timed; then all take turns (cli/timing.hpp).
#pragma once

#include "bench/peers/peer.hpp"
#include "cli/timing.hpp"

namespace catena::race {

constexpr Function raced[] = {
    Function::inverse,           Function::mass_matrix,       Function::forward,        Function::mass_matrix_inverse,
    Function::linearize_inverse, Function::linearize_forward, Function::coriolis_matrix};

// The modules in the folder `peers` beside the program, in the order of their file names. They stay loaded. A library may be
// there twice, from two compilers say: then the second is named with its compiler.
std::vector<peers::Entry> installed_peers();

// The robot that everyone gets: fixed joints lumped, axes turned to z, inertias made physical where they are not, and
// without damping, friction, springs, rotors and couplings, which the libraries have in different backends or not at all.
Description bare(Description robot);

struct Time {
  std::string name;
  double median = 0, low = 0, high = 0;  // ns per state; half of the rounds lie between low and high
  double fastest = 0;                    // ns per state, of all rounds
  double ratio = 1;                      // to Catena's plain call, median over the rounds
};

struct Heat {
  Function function{};
  std::vector<Time> times;  // first: Catena's plain call
};

struct Contest {
  std::string robot;
  int nv = 0;
  int states = 0;  // that a batch had
  std::vector<Heat> heats;
  std::vector<std::string> remarks;  // who could not take part, and why
};

struct Rules {
  std::vector<Function> functions = {std::begin(raced), std::end(raced)};
  int states = 256, rounds = 15;
  bool compiled = true;
  bool returning = true;    // the library's short form too
  int threads = 1;          // more: batches on one thread and on so many, too
  double tolerance = 1e-9;  // relative to the largest number of a result
};

Contest hold(const std::string& name, const Description& robot, const std::vector<peers::Entry>& peers,
             const Rules& rules = {});

}  // namespace catena::race
