// Fixed-step methods on the grid k * step, so that a run can be resumed at any grid point bit for bit. A limit between
// two grid points is reached by a shorter step, after which the grid goes on.
#include <cmath>

#include "catena/simulate/integrator.hpp"

namespace catena {
namespace {

class FixedStep : public Integrator {
 public:
  FixedStep(System& system, double step) : system_(system), step_(step), k1_(system.size()) {}

  void restart(double time, ConstVector x) override {
    begin(time, x);
    next_ = static_cast<long>(std::floor(time / step_ * (1 + 1e-14) + 1e-9)) + 1;
  }

  void step(double limit) override {
    const double grid = static_cast<double>(next_) * step_;
    // Rounding in the limit must not split a step.
    const bool to_grid = grid <= limit + 1e-9 * step_;
    const double target = to_grid ? grid : limit;
    advance(target - time_);
    if (!x_.allFinite())
      throw NumericalError("the state is no longer finite at t = " + std::to_string(target) +
                               " s: take a smaller step or an adaptive integrator",
                           "");
    if (to_grid) ++next_;
    arrive(target);
  }

 protected:
  virtual void advance(double h) = 0;

  System& system_;
  double step_;
  long next_ = 1;  // grid point ahead
  Vector k1_;
};

class RungeKutta4 : public FixedStep {
 public:
  RungeKutta4(System& system, double step)
      : FixedStep(system, step), k2_(system.size()), k3_(system.size()), k4_(system.size()), trial_(system.size()) {}

 private:
  void advance(double h) override {
    system_.rate(time_, x_.data(), k1_.data());
    trial_ = x_ + 0.5 * h * k1_;
    system_.rate(time_ + 0.5 * h, trial_.data(), k2_.data());
    trial_ = x_ + 0.5 * h * k2_;
    system_.rate(time_ + 0.5 * h, trial_.data(), k3_.data());
    trial_ = x_ + h * k3_;
    system_.rate(time_ + h, trial_.data(), k4_.data());
    x_ += h / 6 * (k1_ + 2 * (k2_ + k3_) + k4_);
    normalize(system_.model(), x_.head(system_.model().nq()));
  }

  Vector k2_, k3_, k4_, trial_;
};

// v first, then q with the new v.
class SemiImplicitEuler : public FixedStep {
 public:
  SemiImplicitEuler(System& system, double step)
      : FixedStep(system, step), q_(system.model().nq()), v_(system.model().nv()) {}

 private:
  void advance(double h) override {
    const int nq = system_.model().nq(), nv = system_.model().nv();
    system_.rate(time_, x_.data(), k1_.data());
    x_.tail(nv + 2) += h * k1_.tail(nv + 2);
    v_ = h * x_.segment(nq, nv);
    q_ = x_.head(nq);
    integrate(system_.model(), q_, v_, q_);
    x_.head(nq) = q_;
  }

  Vector q_, v_;
};

}  // namespace

std::unique_ptr<Integrator> make_fixed_step(System& system, Method method, const Accuracy& accuracy) {
  if (method == Method::rk4) return std::make_unique<RungeKutta4>(system, accuracy.step);
  return std::make_unique<SemiImplicitEuler>(system, accuracy.step);
}

}  // namespace catena
