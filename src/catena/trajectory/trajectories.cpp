// Point-to-point motions: one motion profile for all joints. Formula sheet 2.6, 2.7.
#include "catena/trajectory/trajectories.hpp"

#include <cmath>
#include <numbers>

namespace catena {
namespace {

struct Progress {
  double s, rate, acceleration;
};

// The papers' profile. 1 - cos = 2 sin^2 keeps all digits near the ends.
struct Cycloid {
  double T;
  Progress operator()(double t) const {
    const double x = t / T, turn = 2 * std::numbers::pi, half = std::sin(0.5 * turn * x);
    return {x - std::sin(turn * x) / turn, 2 * half * half / T, turn * std::sin(turn * x) / (T * T)};
  }
  double next_break(double) const { return T; }
};

struct MinimumJerk {
  double T;
  Progress operator()(double t) const {
    const double x = t / T, y = 1 - x;
    return {x * x * x * (10 + x * (6 * x - 15)), 30 * x * x * y * y / T, 60 * x * y * (1 - 2 * x) / (T * T)};
  }
  double next_break(double) const { return T; }
};

struct Trapezoid {
  double T, ramp;  // s
  Progress operator()(double t) const {
    const double rate = 1 / (T - ramp), acceleration = rate / ramp, left = T - t;
    if (t < ramp) return {0.5 * acceleration * t * t, acceleration * t, acceleration};
    if (left < ramp) return {1 - 0.5 * acceleration * left * left, acceleration * left, -acceleration};
    return {rate * (t - 0.5 * ramp), rate, 0};
  }
  double next_break(double t) const { return t < ramp ? ramp : t < T - ramp ? T - ramp : T; }
};

template <class TimeLaw>
class PointToPoint final : public Trajectory {
 public:
  PointToPoint(const Model& model, ConstVector from, ConstVector to, const TimeLaw& law)
      : model_(model), from_(from), way_(difference(model, from, to)), law_(law) {}

  double duration() const override { return law_.T; }

  void at(double time, VectorRef q, VectorRef v, VectorRef a) const override {
    if (q.size() != model_.nq() || v.size() != model_.nv() || a.size() != model_.nv())
      throw std::invalid_argument("a motion fills q with nq, v and a with nv numbers");
    const bool before = time<0, after = time> law_.T;
    const Progress now = before ? Progress{0, 0, 0} : after ? Progress{1, 0, 0} : law_(time);
    v = now.s * way_;
    integrate(model_, from_, v, q);
    v = now.rate * way_;
    a = now.acceleration * way_;
  }

  double next_break(double time) const override {
    if (time < 0) return 0;
    return time < law_.T ? law_.next_break(time) : std::numeric_limits<double>::infinity();
  }

 private:
  Model model_;
  Vector from_, way_;
  TimeLaw law_;
};

class Standstill final : public Trajectory {
 public:
  Standstill(const Model& model, ConstVector q) : q_(q) {
    require_configuration(model, q);
    normalize(model, q_);
  }
  double duration() const override { return 0; }
  void at(double, VectorRef q, VectorRef v, VectorRef a) const override {
    if (q.size() != q_.size() || v.size() != a.size())
      throw std::invalid_argument("a motion fills q with nq, v and a with nv numbers");
    q = q_;
    v.setZero();
    a.setZero();
  }
  double next_break(double) const override { return std::numeric_limits<double>::infinity(); }

 private:
  Vector q_;
};

double positive_duration(double duration) {
  if (!(duration > 0) || !std::isfinite(duration))
    throw std::invalid_argument("the duration of a motion must be positive and finite, not " +
                                std::to_string(duration));
  return duration;
}

// The largest s_dot (or s_ddot) that keeps |way| s_dot within the peaks.
double largest_rate(const Model& model, const Vector& way, ConstVector peak, const char* what) {
  if (peak.size() != model.nv())
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(peak.size()) + " numbers, " +
                                model.name() + " needs " + std::to_string(model.nv()));
  if (!(peak.array() > 0).all()) throw std::invalid_argument(std::string(what) + " must be positive in every joint");
  double rate = std::numeric_limits<double>::infinity();
  for (int i = 0; i < model.nv(); ++i) {
    if (way[i] != 0) rate = std::min(rate, peak[i] / std::abs(way[i]));
  }
  return rate;
}

}  // namespace

std::unique_ptr<Trajectory> standstill(const Model& model, ConstVector q) {
  return std::make_unique<Standstill>(model, q);
}

std::unique_ptr<Trajectory> cycloidal(const Model& model, ConstVector from, ConstVector to, double duration) {
  return std::make_unique<PointToPoint<Cycloid>>(model, from, to, Cycloid{positive_duration(duration)});
}

std::unique_ptr<Trajectory> minimum_jerk(const Model& model, ConstVector from, ConstVector to, double duration) {
  return std::make_unique<PointToPoint<MinimumJerk>>(model, from, to, MinimumJerk{positive_duration(duration)});
}

std::unique_ptr<Trajectory> trapezoidal(const Model& model, ConstVector from, ConstVector to, double duration,
                                        double ramp) {
  if (!(ramp > 0 && ramp <= 0.5))
    throw std::invalid_argument("the ramps of a trapezoidal motion take more than 0 and at most half of its duration");
  const double T = positive_duration(duration);
  return std::make_unique<PointToPoint<Trapezoid>>(model, from, to, Trapezoid{T, ramp * T});
}

std::unique_ptr<Trajectory> trapezoidal_within(const Model& model, ConstVector from, ConstVector to,
                                               ConstVector peak_velocity, ConstVector peak_acceleration) {
  const Vector way = difference(model, from, to);
  double rate = largest_rate(model, way, peak_velocity, "peak_velocity");
  const double acceleration = largest_rate(model, way, peak_acceleration, "peak_acceleration");
  if (way.isZero(0)) return standstill(model, from);
  if (!std::isfinite(acceleration))
    throw std::invalid_argument("every joint that moves lacks a peak acceleration: the motion would take no ramp");
  rate = std::min(rate, std::sqrt(acceleration));  // a triangle where the peak velocity is out of reach
  const double ramp = rate / acceleration;
  return std::make_unique<PointToPoint<Trapezoid>>(model, from, to, Trapezoid{1 / rate + ramp, ramp});
}

}  // namespace catena
