#include "catena/control/actuation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "catena/trajectory/slack.hpp"

namespace catena {

Vector effort_limits(const Model& model) {
  Vector limits(model.nv());
  for (const Coordinate& c : model.coordinates())
    limits.segment(c.v, c.nv).setConstant(model.description().joints[static_cast<std::size_t>(c.index)].limits.effort);
  return limits;
}

Actuation::Actuation(const Model& model, std::shared_ptr<Controller> controller, const ActuationOptions& options)
    : model_(model),
      controller_(std::move(controller)),
      options_(options),
      effort_(effort_limits(model)),
      held_(Vector::Zero(model.nv())),
      tallies_(static_cast<std::size_t>(model.nv())) {
  if (!controller_) throw std::invalid_argument("the actuation needs a controller");
  if (!(options.period >= 0) || !std::isfinite(options.period))
    throw std::invalid_argument("the sample period must be zero or a positive number of seconds");
  if (!(options.delay >= 0) || !std::isfinite(options.delay))
    throw std::invalid_argument("the delay must be zero or a positive number of seconds");
  if (options.delay > 0 && options.period == 0) throw std::invalid_argument("a delay needs a sample period: give one");
}

void Actuation::limit(double time, VectorRef tau) {
  if (!options_.limit_effort) return;
  const long occasion = std::max(1L, occasion_);  // what is asked before the first step belongs to it
  for (Eigen::Index i = 0; i < tau.size(); ++i) {
    const double beyond = std::abs(tau[i]) - effort_[i];
    if (!(beyond > 0)) continue;
    tau[i] = std::copysign(effort_[i], tau[i]);
    Tally& tally = tallies_[static_cast<std::size_t>(i)];
    tally.first = tally.times == 0 ? time : std::min(tally.first, time);
    tally.most = std::max(tally.most, beyond);
    if (tally.last != occasion) ++tally.times;
    tally.last = occasion;
  }
}

std::vector<Actuation::Clipping> Actuation::clipped() const {
  std::vector<Clipping> list;
  for (std::size_t i = 0; i < tallies_.size(); ++i) {
    if (tallies_[i].times == 0) continue;
    list.push_back(tallies_[i]);
    list.back().component = static_cast<int>(i);
    list.back().limit = effort_[static_cast<Eigen::Index>(i)];
  }
  return list;
}

void Actuation::forces(double time, ConstVector q, ConstVector v, VectorRef tau) {
  if (sampled()) {
    tau = held_;
    return;
  }
  controller_->forces(time, q, v, tau);
  limit(time, tau);
}

// Of fourth order: exact to rounding for the polynomials that most controllers are close to.
void Actuation::differences(double time, ConstVector q, ConstVector v, MatrixRef by_q, MatrixRef by_v) {
  constexpr double h = 1e-3, steps[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  Vector moved_q(q.size()), moved_v = v, direction = Vector::Zero(v.size()), tau(v.size());
  by_q.setZero(), by_v.setZero();
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    for (int k = 0; k < 4; ++k) {
      direction[i] = steps[k] * h;
      integrate(model_, q, direction, moved_q);
      controller_->forces(time, moved_q, v, tau);
      by_q.col(i) += weights[k] / (12 * h) * tau;
      moved_v[i] = v[i] + steps[k] * h;
      controller_->forces(time, q, moved_v, tau);
      by_v.col(i) += weights[k] / (12 * h) * tau;
    }
    direction[i] = 0, moved_v[i] = v[i];
  }
}

void Actuation::derivative(double time, ConstVector q, ConstVector v, MatrixRef by_q, MatrixRef by_v) {
  if (sampled()) {
    by_q.setZero(), by_v.setZero();
    return;
  }
  if (!controller_->derivative(time, q, v, by_q, by_v)) differences(time, q, v, by_q, by_v);
  if (!options_.limit_effort) return;
  Vector tau(v.size());
  controller_->forces(time, q, v, tau);
  for (Eigen::Index i = 0; i < tau.size(); ++i)
    if (std::abs(tau[i]) > effort_[i]) by_q.row(i).setZero(), by_v.row(i).setZero();
}

void Actuation::update(double time, ConstVector q, ConstVector v) {
  if (!sampled()) return;
  const double due = static_cast<double>(samples_) * options_.period;
  if (time >= due - slack(due)) {
    Command command{due + options_.delay, Vector(held_.size())};
    controller_->forces(time, q, v, command.tau);
    ++occasion_;
    limit(time, command.tau);
    under_way_.push_back(std::move(command));
    ++samples_;
  }
  while (!under_way_.empty() && under_way_.front().time <= time + slack(time)) {
    held_ = under_way_.front().tau;
    under_way_.pop_front();
  }
}

void Actuation::resume(double time, ConstVector held) {
  if (options_.delay > 0)
    throw std::invalid_argument(
        "a run with delayed commands cannot be resumed: the commands under way are not recorded; start it anew");
  held_ = held;
  if (sampled()) samples_ = static_cast<long>(std::floor((time + slack(time)) / options_.period)) + 1;
}

double Actuation::next_break(double time) const {
  double next = controller_->next_break(time);
  if (sampled()) {
    const double due = static_cast<double>(samples_) * options_.period;
    if (due > time) next = std::min(next, due);
    if (!under_way_.empty()) next = std::min(next, under_way_.front().time);
  }
  return next;
}

}  // namespace catena
