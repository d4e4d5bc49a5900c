// Trajectories: q, v and a as functions of time, with exact derivatives. Motion profiles: trajectory/trajectories.hpp.
#pragma once

#include <limits>

#include "catena/kinematics/configuration.hpp"

#pragma GCC visibility push(default)
namespace catena {

// Threads: at() is const and those that come with Catena hold nothing that changes: any number at a time.
class Trajectory {
 public:
  virtual ~Trajectory() = default;
  virtual double duration() const = 0;  // s
  // Before 0 and after duration() the robot rests at the ends: q stays, v and a are zero.
  virtual void at(double time, VectorRef q, VectorRef v, VectorRef a) const = 0;

  // The next instant after `time` at which a or one of its derivatives jumps: its ends, and the knots of pieces.
  virtual double next_break(double time) const {
    if (time < 0) return 0;
    return time < duration() ? duration() : std::numeric_limits<double>::infinity();
  }
};

}  // namespace catena
#pragma GCC visibility pop
