// Explicit adaptive methods of Boost.odeint, which stays inside this file.
#include <algorithm>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/dense_output_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_cash_karp54.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>
#include <vector>

#include "catena/simulate/integrator.hpp"

namespace catena {
namespace {

namespace odeint = boost::numeric::odeint;
using Numbers = std::vector<double>;
using Tolerances = odeint::default_error_checker<double, odeint::range_algebra, odeint::default_operations>;

[[noreturn]] void cannot_go_on(double time) {
  throw NumericalError("the step has shrunk to nothing at t = " + std::to_string(time) +
                           " s: the motion is singular or stiff there; try a looser tolerance or the integrator bdf",
                       "");
}

// A first step: the time in which the state would change by one part in a hundred.
double first_step(System& system, double time, ConstVector x) {
  Vector rate(x.size());
  const Vector start = x;
  system.rate(time, start.data(), rate.data());
  const double speed = rate.cwiseAbs().maxCoeff(), size = std::max(1.0, x.cwiseAbs().maxCoeff());
  return std::clamp(speed > 0 ? 0.01 * size / speed : 0.01, 1e-9, 0.01);
}

double smallest_step(double time) { return 1e-14 * std::max(1.0, std::abs(time)); }

auto function_of(System& system) {
  return [&system](const Numbers& x, Numbers& x_dot, double t) { system.rate(t, x.data(), x_dot.data()); };
}

// Methods without dense output: every step ends at or before the limit.
template <class Stepper>
class Controlled : public Integrator {
 public:
  Controlled(System& system, const Accuracy& accuracy)
      : system_(system), stepper_(Tolerances(accuracy.atol, accuracy.rtol)) {}

  void restart(double time, ConstVector x) override {
    begin(time, x);
    numbers_.assign(x.begin(), x.end());
    if (dt_ == 0) dt_ = first_step(system_, time, x);  // after a jump the last step is the better guess
  }

  void step(double limit) override {
    double t = time_;
    for (;;) {
      const bool clipped = t + dt_ >= limit;
      double dt = clipped ? limit - t : dt_;
      const double tried = dt;
      if (stepper_.try_step(function_of(system_), numbers_, t, dt) == odeint::success) {
        dt_ = clipped ? std::max(dt, dt_) : dt;  // a step cut short says nothing against the longer one
        if (clipped && tried == limit - time_) t = limit;
        break;
      }
      ++rejected_;
      dt_ = dt;
      if (!(dt_ > smallest_step(t))) cannot_go_on(t);
    }
    x_ = Eigen::Map<const Vector>(numbers_.data(), x_.size());
    arrive(t);
  }

 private:
  System& system_;
  odeint::controlled_runge_kutta<Stepper> stepper_;
  Numbers numbers_;
  double dt_ = 0;
};

class DormandPrince : public Integrator {
 public:
  DormandPrince(System& system, const Accuracy& accuracy)
      : system_(system), stepper_(Dopri(Tolerances(accuracy.atol, accuracy.rtol))) {}

  void restart(double time, ConstVector x) override {
    begin(time, x);
    numbers_.assign(x.begin(), x.end());
    const double dt = steps_ > 0 ? std::max(stepper_.current_time_step(), wanted_) : first_step(system_, time, x);
    stepper_.initialize(numbers_, time, dt);
    wanted_ = 0;
  }

  void step(double limit) override {
    const double dt = std::max(stepper_.current_time_step(), wanted_);
    const bool clipped = time_ + dt >= limit;
    if (clipped || wanted_ > 0) {
      // The stepper has no other way to be told its next step. A step cut short says nothing against the longer one.
      numbers_.assign(x_.begin(), x_.end());
      stepper_.initialize(numbers_, time_, clipped ? limit - time_ : dt);
      wanted_ = clipped ? dt : 0;
    }
    const double tried = stepper_.current_time_step();
    if (!(tried > 0)) cannot_go_on(time_);
    try {
      stepper_.do_step(function_of(system_));
    } catch (const odeint::odeint_error&) {
      cannot_go_on(time_);
    }
    const double taken = stepper_.current_time() - time_;
    if (!(taken > smallest_step(time_)) && tried > smallest_step(time_)) cannot_go_on(time_);
    const bool whole = taken >= tried * (1 - 1e-12);
    if (!whole) wanted_ = 0, ++rejected_;
    const Numbers& now = stepper_.current_state();
    x_ = Eigen::Map<const Vector>(now.data(), x_.size());
    arrive(clipped && whole ? limit : stepper_.current_time());
  }

  bool dense() const override { return true; }
  void interpolate(double time, VectorRef x) override {
    stepper_.calc_state(std::min(time, stepper_.current_time()), numbers_);
    x = Eigen::Map<const Vector>(numbers_.data(), x.size());
  }

 private:
  System& system_;
  using Dopri = odeint::controlled_runge_kutta<odeint::runge_kutta_dopri5<Numbers>>;
  odeint::dense_output_runge_kutta<Dopri> stepper_;
  Numbers numbers_;
  double wanted_ = 0;  // step to go back to after one that a limit cut short
};

}  // namespace

std::unique_ptr<Integrator> make_odeint(System& system, Method method, const Accuracy& accuracy) {
  if (method == Method::fehlberg78)
    return std::make_unique<Controlled<odeint::runge_kutta_fehlberg78<Numbers>>>(system, accuracy);
  if (method == Method::cash_karp)
    return std::make_unique<Controlled<odeint::runge_kutta_cash_karp54<Numbers>>>(system, accuracy);
  return std::make_unique<DormandPrince>(system, accuracy);
}

}  // namespace catena
