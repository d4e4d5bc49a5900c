// Actuation: a controller as the motors see it: effort limits, a sample period, a delay.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "catena/control/controller.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct ActuationOptions {
  double period = 0;          // s between samples, the force held in between; 0: continuous
  double delay = 0;           // s from sampling to force, needs a period
  bool limit_effort = false;  // clip each joint's force at its effort limit
};

// Threads: one at a time.
class Actuation {
 public:
  // Throws std::invalid_argument for negative or non-finite times and for a delay without a period.
  Actuation(const Model& model, std::shared_ptr<Controller> controller, const ActuationOptions& options = {});

  // Continuous: asks the controller. Sampled: the force held since the last update().
  void forces(double time, ConstVector q, ConstVector v, VectorRef tau);
  // d forces / d(q, v), nv x nv each, q in the directions of v. Zero for forces that are held or clipped.
  void derivative(double time, ConstVector q, ConstVector v, MatrixRef by_q, MatrixRef by_v);
  bool sampled() const { return options_.period > 0; }

  // Sampled only, once at every break: takes a sample where one is due and lets due commands through.
  void update(double time, ConstVector q, ConstVector v);
  // Goes on in the middle of a run, with the force that acts there. Not with a delay: commands under way are not known.
  void resume(double time, ConstVector held);

  // The next instant after `time` at which the force may jump: samples, delayed commands, kinks of the controller.
  double next_break(double time) const;
  double end() const { return controller_->end(); }

  // A velocity component whose force was cut at its effort limit.
  struct Clipping {
    int component = 0;
    double limit = 0;  // N m or N
    double first = 0;  // s, the earliest instant
    long times = 0;    // of the samples taken or, where the force is continuous, of the steps begun
    double most = 0;   // how far beyond the limit the controller asked at most
  };
  std::vector<Clipping> clipped() const;  // since the start
  long occasions() const { return occasion_; }
  // Continuous only: what is clipped from here to the next call counts once.
  void begin_step() { occasion_ += sampled() ? 0 : 1; }
  const ActuationOptions& options() const { return options_; }

 private:
  void limit(double time, VectorRef tau);
  void differences(double time, ConstVector q, ConstVector v, MatrixRef by_q, MatrixRef by_v);

  Model model_;
  std::shared_ptr<Controller> controller_;
  ActuationOptions options_;
  Vector effort_;  // limits, infinite where there are none
  Vector held_;
  long samples_ = 0;  // taken so far; the next is due at samples_ * period
  struct Command {
    double time;
    Vector tau;
  };
  std::deque<Command> under_way_;
  struct Tally : Clipping {
    long last = -1;  // occasion at which it was counted
  };
  std::vector<Tally> tallies_;  // per component
  long occasion_ = 0;
};

// Effort limits of every velocity component; infinite where there are none.
Vector effort_limits(const Model& model);

}  // namespace catena
#pragma GCC visibility pop
