// Controller: what drives the joints. Implement forces() to bring your own; those that come with Catena are in
// control/controllers.hpp, prescribed inputs in control/inputs.hpp.
#pragma once

#include <limits>

#include "catena/kinematics/configuration.hpp"

#pragma GCC visibility push(default)
namespace catena {

// Threads: called by the one that runs the simulation; those that come with Catena keep scratch memory, one for each run.
class Controller {
 public:
  virtual ~Controller() = default;

  // The joint forces asked for at a state, nv numbers. A function of its arguments alone, unless the simulation calls
  // it at a sample period (Actuation): then it may keep a state of its own.
  virtual void forces(double time, ConstVector q, ConstVector v, VectorRef tau) = 0;

  // d forces / d(q, v) at a state, nv x nv each, q in the directions of v. False: not known, and differences are taken
  // (Actuation::derivative); to about 1e-12 of the forces, so that only speed is gained by implementing it.
  virtual bool derivative(double /*time*/, ConstVector /*q*/, ConstVector /*v*/, MatrixRef /*by_q*/,
                          MatrixRef /*by_v*/) {
    return false;
  }

  // The next instant after `time` at which forces() is not smooth: integrators end a step there.
  virtual double next_break(double time) const { return time + std::numeric_limits<double>::infinity(); }

  // When the input data ends; the simulation stops there.
  virtual double end() const { return std::numeric_limits<double>::infinity(); }
};

}  // namespace catena
#pragma GCC visibility pop
