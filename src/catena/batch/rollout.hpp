// Rollout: many trajectories of one robot by fixed steps, side by side in vectors and on several threads. The methods
// of simulate/ with fixed steps, with the same results to rounding; a trajectory's result does not depend on its place
// nor on the number of threads, bit for bit.
#pragma once

#include "catena/batch/batch.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct RolloutOptions {
  enum Method {
    euler,  // semi-implicit: v first, then q with the new v
    rk4,    // classical Runge-Kutta
  };
  Method method = euler;
  double step = 1e-3;                                       // s
  BatchOptions::Backend backend = BatchOptions::automatic;  // of forward dynamics: compiled or lanes
  int threads = 1;                                          // 1 to most_threads
  int width = 0;                                            // lanes in a vector; 0: the widest there is
  // Parameters of the robot that each trajectory brings along, as in BatchOptions; compiled only.
  std::vector<std::string> parameters = {};
};

// Where to write intermediate states. Record k is the state after (k + 1) * every steps; there are steps / every.
struct RolloutRecord {
  std::ptrdiff_t every = 0;  // steps; 0: nothing is recorded
  TimeSeries q, v;           // either may be left out
};

// Threads: one call at a time; the call itself runs on `threads` of them.
class Rollout {
 public:
  // Throws std::invalid_argument for what this robot or processor cannot do.
  Rollout(const Model& model, const RolloutOptions& options = {});
  Rollout(Rollout&&) noexcept;
  Rollout& operator=(Rollout&&) noexcept;
  ~Rollout();

  BatchOptions::Backend backend() const;
  int width() const;

  // From (q, v), `steps` steps with the joint forces tau: none (zero), the same at all times (states), or one for each
  // step. Joint terms, mimic joints and gravity as in the model. q_end, v_end: the last state; either may be left out.
  // Throws std::invalid_argument for wrong sizes and bad numbers, NumericalError where the mass matrix is singular or
  // the motion runs away; both name the trajectory and the time. One call at a time.
  void operator()(const ConstStates& q, const ConstStates& v, const ConstTimeSeries& tau, std::ptrdiff_t steps,
                  const States& q_end, const States& v_end, const RolloutRecord& record = {},
                  const ConstStates& parameters = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena
#pragma GCC visibility pop
