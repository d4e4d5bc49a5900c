// A library to race with. Each is a module of its own (bench/peers/NAME.cpp), loaded by `race`, with its own flags: what
// crosses this line is numbers and our Description, never a vector or matrix of Eigen, whose memory depends on flags.
// The robot has no fixed joints, joint terms or couplings, every body stands on a joint at the body's own frame, and joints
// of one degree have the axis z.
#pragma once

#include "catena/compile/program.hpp"  // Function
#include "tests/peers/robot.hpp"

namespace catena::peers {

class Peer {
 public:
  virtual ~Peer() = default;
  virtual bool has(Function function) const = 0;

  // Takes states over, in its own conventions: not timed. One after the other: q, v, x, where x is a or tau.
  virtual void prepare(const double* states, int count) = 0;
  // Works through all of them, one call a state: timed.
  virtual void work(Function function) = 0;
  // The results for one state, in Catena's conventions and order (program.hpp).
  virtual std::vector<double> answer(Function function, int state) = 0;
};

struct Entry {
  std::string name, version, build;   // build: compiler and flags of the adapter and, where known, of the library
  Peer* (*make)(const Robot& robot);  // throws std::exception for a robot it does not take; to be deleted
};

}  // namespace catena::peers

// The one symbol of a module.
#define CATENA_PEER extern "C" __attribute__((visibility("default"))) void catena_peer(catena::peers::Entry& entry)
