// Linear-quadratic regulators from the linearized dynamics, about a pose and along a motion.
// x = (dq, dv) as state_space() defines it: q = q_d (+) dq, dv = v - v_d.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "catena/control/controllers.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/trajectory/tangent.hpp"

namespace catena {
namespace {

RegulatorProblem problem_at(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                            const LqrWeights& weights) {
  StateSpace plant = state_space(model, q, v, tau);
  return {std::move(plant.A), std::move(plant.B), weights.Q, weights.R};
}

class Regulator final : public Controller {
 public:
  Regulator(const Model& model, Lqr design) : model_(model), design_(std::move(design)), x_(2 * model.nv()) {}

  void forces(double, ConstVector q, ConstVector v, VectorRef tau) override {
    require_velocity(model_, v, "v");
    difference(model_, design_.q, q, x_.head(model_.nv()));
    x_.tail(model_.nv()) = v;
    tau = design_.tau;
    tau.noalias() -= design_.K * x_;
  }

  bool derivative(double, ConstVector, ConstVector, MatrixRef by_q, MatrixRef by_v) override {
    if (tangent::any_turns(model_)) return false;
    by_q = -design_.K.leftCols(model_.nv());
    by_v = -design_.K.rightCols(model_.nv());
    return true;
  }

 private:
  Model model_;
  Lqr design_;
  Vector x_;
};

class TrackingRegulator final : public Controller {
 public:
  TrackingRegulator(const Model& model, Target target, const LqrWeights& weights, int intervals)
      : model_(model),
        target_(std::move(target)),
        workspace_(model),
        q_d_(model.nq()),
        v_d_(model.nv()),
        a_d_(model.nv()),
        x_(2 * model.nv()) {
    const double T = target_->duration();
    target_->at(T, q_d_, v_d_, a_d_);
    const Lqr end = lqr_about(model, q_d_, weights);
    if (!(T > 0)) intervals = 0;
    step_ = intervals > 0 ? T / intervals : 1;
    K_.assign(static_cast<std::size_t>(intervals) + 1, end.K);
    Matrix P = end.P;
    for (int k = intervals - 1; k >= 0; --k) {
      P = RiccatiFlow(problem_on(step_ * (k + 0.5), weights), step_).back(P);
      K_[static_cast<std::size_t>(k)] = regulator_gain(problem_on(step_ * k, weights), P);
    }
    if (!std::all_of(K_.begin(), K_.end(), [](const Matrix& K) { return K.allFinite(); }))
      throw NumericalError("the Riccati equation along the motion has no finite solution: take more intervals", "");
  }

  void forces(double time, ConstVector q, ConstVector v, VectorRef tau) override {
    require_velocity(model_, v, "v");
    target_->at(time, q_d_, v_d_, a_d_);
    difference(model_, q_d_, q, x_.head(model_.nv()));
    x_.tail(model_.nv()) = v - v_d_;
    inverse_dynamics(model_, workspace_, q_d_, v_d_, a_d_, tau);
    const auto [k, part] = place(time);
    tau.noalias() -= ((1 - part) * K_[k]) * x_;
    if (part > 0) tau.noalias() -= (part * K_[k + 1]) * x_;
  }

  bool derivative(double time, ConstVector, ConstVector, MatrixRef by_q, MatrixRef by_v) override {
    if (tangent::any_turns(model_)) return false;
    const auto [k, part] = place(time);
    const Matrix& next = K_[std::min(k + 1, K_.size() - 1)];
    by_q = -((1 - part) * K_[k] + part * next).leftCols(model_.nv());
    by_v = -((1 - part) * K_[k] + part * next).rightCols(model_.nv());
    return true;
  }

  // Not the kinks of the gain between intervals: they are of second order in a small error, and a step each is dear.
  double next_break(double time) const override { return target_->next_break(time); }

 private:
  struct Place {
    std::size_t k;
    double part;  // of the way from K_[k] to K_[k + 1]
  };
  Place place(double time) const {
    const auto last = static_cast<double>(K_.size() - 1);
    const double x = std::clamp(time / step_, 0.0, last);
    const double k = std::min(std::floor(x), std::max(last - 1, 0.0));
    return {static_cast<std::size_t>(k), x - k};
  }

  RegulatorProblem problem_on(double time, const LqrWeights& weights) {
    target_->at(time, q_d_, v_d_, a_d_);
    return problem_at(model_, q_d_, v_d_, inverse_dynamics(model_, q_d_, v_d_, a_d_), weights);
  }

  Model model_;
  Target target_;
  Workspace workspace_;
  Vector q_d_, v_d_, a_d_, x_;
  double step_ = 0;
  std::vector<Matrix> K_;
};

}  // namespace

LqrWeights uniform_weights(const Model& model, double position, double velocity, double force) {
  const int n = model.nv();
  LqrWeights out{Matrix::Zero(2 * n, 2 * n), Matrix::Identity(n, n) * force};
  out.Q.diagonal() << Vector::Constant(n, position), Vector::Constant(n, velocity);
  return out;
}

Lqr lqr_about(const Model& model, ConstVector q, const LqrWeights& weights) {
  const Vector rest = Vector::Zero(model.nv());
  Lqr out;
  out.q = q;
  out.tau = inverse_dynamics(model, q, rest, rest);
  out.problem = problem_at(model, q, rest, out.tau, weights);
  out.P = solve_riccati(out.problem);
  out.K = regulator_gain(out.problem, out.P);
  return out;
}

std::unique_ptr<Controller> lqr(const Model& model, ConstVector q, const LqrWeights& weights) {
  return std::make_unique<Regulator>(model, lqr_about(model, q, weights));
}

std::unique_ptr<Controller> tracking_lqr(const Model& model, Target target, const LqrWeights& weights, int intervals) {
  if (!target) throw std::invalid_argument("the controller needs a target: a motion, or standstill(model, q)");
  if (intervals < 1) throw std::invalid_argument("tracking_lqr needs one interval or more");
  return std::make_unique<TrackingRegulator>(model, std::move(target), weights, intervals);
}

}  // namespace catena
