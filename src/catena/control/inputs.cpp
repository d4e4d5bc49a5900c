// Prescribed inputs.
#include "catena/control/inputs.hpp"

#include <algorithm>
#include <cmath>

#include "catena/dynamics/inverse.hpp"

namespace catena {
namespace {

// The state does not matter.
class Prescribed : public Controller {
 public:
  bool derivative(double, ConstVector, ConstVector, MatrixRef by_q, MatrixRef by_v) final {
    by_q.setZero(), by_v.setZero();
    return true;
  }
};

class Constant final : public Prescribed {
 public:
  explicit Constant(Vector tau) : tau_(std::move(tau)) {}
  void forces(double, ConstVector, ConstVector, VectorRef tau) override { tau = tau_; }

 private:
  Vector tau_;
};

class Series final : public Prescribed {
 public:
  Series(Vector times, Matrix tau, Between between)
      : times_(std::move(times)), tau_(std::move(tau)), between_(between) {}

  void forces(double time, ConstVector, ConstVector, VectorRef tau) override {
    const Eigen::Index k = std::max<Eigen::Index>(above(time) - 1, 0), last = times_.size() - 1;
    tau = tau_.col(k);
    if (between_ == Between::hold || k == last || time <= times_[0]) return;
    const double part = (time - times_[k]) / (times_[k + 1] - times_[k]);
    tau += part * (tau_.col(k + 1) - tau_.col(k));
  }

  double next_break(double time) const override {
    const Eigen::Index k = above(time);
    return k == times_.size() ? std::numeric_limits<double>::infinity() : times_[k];
  }

  double end() const override { return times_[times_.size() - 1]; }

 private:
  // index of the first time after `time`
  Eigen::Index above(double time) const {
    const double* first = times_.data();
    return std::upper_bound(first, first + times_.size(), time) - first;
  }

  Vector times_;
  Matrix tau_;  // one column per time
  Between between_;
};

class Feedforward final : public Prescribed {
 public:
  Feedforward(const Model& model, std::shared_ptr<const Trajectory> motion, ExternalLoads loads)
      : model_(model),
        motion_(std::move(motion)),
        loads_(std::move(loads)),
        workspace_(model),
        q_(model.nq()),
        v_(model.nv()),
        a_(model.nv()) {}

  void forces(double time, ConstVector, ConstVector, VectorRef tau) override {
    motion_->at(time, q_, v_, a_);
    inverse_dynamics(model_, workspace_, q_, v_, a_, tau, loads_);
  }

  double next_break(double time) const override { return motion_->next_break(time); }

 private:
  Model model_;
  std::shared_ptr<const Trajectory> motion_;
  ExternalLoads loads_;
  Workspace workspace_;
  Vector q_, v_, a_;
};

}  // namespace

std::unique_ptr<Controller> zero_input(const Model& model) {
  return std::make_unique<Constant>(Vector::Zero(model.nv()));
}

std::unique_ptr<Controller> constant_input(const Model& model, ConstVector tau) {
  require_velocity(model, tau, "tau");
  return std::make_unique<Constant>(tau);
}

std::unique_ptr<Controller> series_input(const Model& model, ConstVector times, const Matrix& tau, Between between) {
  if (times.size() == 0 || times.size() != tau.rows())
    throw std::invalid_argument("there are " + std::to_string(times.size()) + " times and " +
                                std::to_string(tau.rows()) + " rows of tau: one row for every time, and at least one");
  for (Eigen::Index k = 0; k < times.size(); ++k) {
    if (!std::isfinite(times[k]) || (k > 0 && !(times[k] > times[k - 1])))
      throw std::invalid_argument("the times of an input must increase: look at row " + std::to_string(k + 1));
    require_velocity(model, tau.row(k).transpose(), "tau");
  }
  return std::make_unique<Series>(times, tau.transpose(), between);
}

std::unique_ptr<Controller> feedforward(const Model& model, std::shared_ptr<const Trajectory> motion,
                                        const ExternalLoads& loads) {
  if (!motion) throw std::invalid_argument("feedforward needs a motion");
  return std::make_unique<Feedforward>(model, std::move(motion), loads);
}

}  // namespace catena
