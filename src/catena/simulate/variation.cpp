#include "catena/simulate/variation.hpp"

#include <algorithm>
#include <cmath>

#include "catena/kinematics/moving.hpp"
#include "catena/model/names.hpp"
#include "catena/trajectory/slack.hpp"

namespace catena {
namespace {

const SensitivityProblem& sound(const SensitivityProblem& problem) {
  require_configuration(problem.model, problem.q);
  require_velocity(problem.model, problem.v, "v");
  if (problem.model.nv() == 0) throw std::invalid_argument(problem.model.name() + " has no joint that moves");
  if (!problem.controller) throw std::invalid_argument("the problem needs a controller: zero_input(model) is one");
  if (!(problem.duration > 0) || !std::isfinite(problem.duration))
    throw std::invalid_argument("the duration must be a positive number of seconds");
  if (problem.duration > problem.controller->end() + slack(problem.duration))
    throw std::invalid_argument("the input data ends at t = " + std::to_string(problem.controller->end()) +
                                " s: give a duration up to there");
  if (problem.actuation.period > 0 || problem.actuation.delay > 0)
    throw std::invalid_argument(
        "sensitivities are made for continuous control: give a controller without sample period and delay");
  const auto is_tolerance = [](double x) { return x >= 1e-14 && x < 1; };
  if (!is_tolerance(problem.accuracy.rtol) || !(problem.accuracy.atol > 0))
    throw std::invalid_argument("the tolerances must be positive, the relative one from 1e-14 to below 1");
  if (problem.method != Method::adams && problem.method != Method::bdf)
    throw std::invalid_argument("sensitivities are integrated by adams, or by bdf where the motion is stiff");
  for (const InputParameters& input : problem.inputs)
    if (!input.forces) throw std::invalid_argument("parameters of an input need the function `forces`");
  return problem;
}

}  // namespace

void differentiate_by(SensitivityProblem& problem, const std::vector<std::string>& words) {
  problem.initial_q = problem.initial_v = false;
  problem.inputs.clear(), problem.robot.clear(), problem.named.clear();
  std::vector<std::string> known = {"initial", "tau"};
  for (const auto& [name, kind] : parameter_kinds()) known.emplace_back(name);
  for (const std::string& word : words) {
    if (word == "initial") {
      problem.initial_q = problem.initial_v = true;
    } else if (word == "tau") {
      problem.inputs = {constant_force(problem.model)};
    } else if (const auto kind = std::find(known.begin() + 2, known.end(), word); kind != known.end()) {
      const ParameterKind found = parameter_kinds()[static_cast<std::size_t>(kind - known.begin() - 2)].second;
      if (std::find(problem.robot.begin(), problem.robot.end(), found) == problem.robot.end())
        problem.robot.push_back(found);
    } else if (word.find('.') == std::string::npos) {
      std::string all;
      for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
      throw std::invalid_argument("there are no parameters '" + word + "'" + did_you_mean(word, known) +
                                  "; write some of " + all + ", or names as in forearm.mass and FRAME.payload");
    } else {
      parameters(problem.model, {word});  // throws for one that there is not
      problem.named.push_back(word);
    }
  }
}

InputParameters constant_force(const Model& model) {
  InputParameters out;
  for (const std::string& name : model.velocity_names()) out.names.push_back("tau." + name);
  out.forces = [](double, ConstVector, ConstVector, MatrixRef by_p) { by_p.setIdentity(); };
  return out;
}

InputParameters force_time_series(const Model& model, const std::vector<double>& times) {
  if (times.size() < 2 || std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()) != times.end())
    throw std::invalid_argument("a time series of forces needs two times or more, and they must increase");
  InputParameters out;
  out.breaks = times;
  for (std::size_t k = 0; k < times.size(); ++k)
    for (const std::string& name : model.velocity_names()) out.names.push_back("tau." + name + "." + std::to_string(k));
  out.forces = [times](double time, ConstVector, ConstVector v, MatrixRef by_p) {
    by_p.setZero();
    if (time < times.front() || time >= times.back()) return;
    const auto after = std::upper_bound(times.begin(), times.end(), time) - times.begin();
    const auto k = static_cast<std::size_t>(after) - 1;
    const double part = (time - times[k]) / (times[k + 1] - times[k]);
    const Eigen::Index nv = v.size(), first = static_cast<Eigen::Index>(k) * nv;
    by_p.middleCols(first, nv).diagonal().setConstant(1 - part);
    by_p.middleCols(first + nv, nv).diagonal().setConstant(part);
  };
  return out;
}

Variation::Variation(const SensitivityProblem& problem)
    : problem_(sound(problem)),
      actuation_(problem_.model, problem_.controller, problem_.actuation),
      system_(problem_.model, Velocities::v, actuation_, problem_.wrenches) {
  const std::vector<std::string>& only = problem_.only;
  std::vector<std::string> all;
  // Notes the name; true if it is asked for.
  const auto take = [&](const std::string& name) {
    if (std::find(all.begin(), all.end(), name) != all.end())
      throw std::invalid_argument("the parameter " + name + " is there twice: leave one out");
    all.push_back(name);
    if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) return false;
    names_.push_back(name);
    return true;
  };
  const auto take_all = [&](std::size_t index, const std::vector<std::string>& names, std::vector<Source>& into) {
    Source source{index, {}};
    for (std::size_t c = 0; c < names.size(); ++c)
      if (take(names[c])) source.columns.push_back(static_cast<Eigen::Index>(c));
    const auto taken = static_cast<Eigen::Index>(source.columns.size());
    if (taken > 0) into.push_back(std::move(source));
    return taken;
  };

  const int nv = model().nv();
  const std::vector<std::string> joints = model().velocity_names();
  for (int i = 0; i < 2 * nv; ++i) {
    if (!(i < nv ? problem_.initial_q : problem_.initial_v)) continue;
    const std::string& joint = joints[static_cast<std::size_t>(i % nv)];
    if (take((i < nv ? "q0." : "v0.") + joint)) starts_.push_back(i);
  }
  for (std::size_t k = 0; k < problem_.inputs.size(); ++k)
    inputs_ += take_all(k, problem_.inputs[k].names, input_sources_);
  Eigen::Index forced = inputs_;
  const Vector rest = Vector::Zero(nv);
  for (std::size_t k = 0; k < problem_.robot.size(); ++k)
    forced += take_all(k, inverse_sensitivity(model(), problem_.robot[k], problem_.q, problem_.v, rest).names,
                       robot_sources_);
  for (Parameter& parameter : parameters(model(), problem_.named)) {
    if (take(parameter.name)) named_.push_back(std::move(parameter));
  }
  forced += static_cast<Eigen::Index>(named_.size());
  G_.setZero(nv, forced);
  J_.setZero(system_.size(), system_.size());
  rate_.setZero(system_.size());

  for (const std::string& name : only)
    if (std::find(all.begin(), all.end(), name) == all.end())
      throw std::invalid_argument("there is no parameter " + name + " among those asked for" + suggestion(name, all));
  if (names_.empty()) throw std::invalid_argument("no parameter is asked for: there is nothing to differentiate by");
}

Vector Variation::start() const {
  Vector x(size());
  x << problem_.q, problem_.v;
  return x;
}

Matrix Variation::tangents(const double* x) const {
  const int nq = model().nq(), nv = model().nv();
  const Tree& tree = model().tree();
  Matrix T = Matrix::Zero(nq + nv, 2 * nv);
  Vector q_full = Vector::Zero(tree.nq_full), rates(tree.nq_full);
  q_full.head(nq) = Eigen::Map<const Vector>(x, nq);
  for (int i = 0; i < nv; ++i) {
    const Vector unit = Vector::Unit(tree.nv_full, i);
    kernel::position_rates(tree, q_full.data(), unit.data(), rates.data());
    T.col(i).head(nq) = rates.head(nq);
  }
  T.bottomRightCorner(nv, nv).setIdentity();
  return T;
}

// The columns of T are at right angles to each other.
Matrix Variation::cotangents(const double* x) const {
  Matrix T = tangents(x);
  for (auto column : T.colwise()) column /= column.squaredNorm();
  return T.transpose();
}

void Variation::rate(double time, const double* x, double* x_dot) {
  system_.rate(time, x, rate_.data());
  std::copy_n(rate_.data(), size(), x_dot);
}

std::vector<double> Variation::pauses() const {
  std::vector<double> out = {0};
  const double end = problem_.duration;
  for (double time = 0; time < end;) {
    time = std::min(system_.next_break(time), end);
    for (const InputParameters& input : problem_.inputs)
      for (const double pause : input.breaks)
        if (pause > out.back() + slack(pause)) time = std::min(time, pause);
    if (end - time < slack(end)) time = end;
    if (time - out.back() > slack(time)) out.push_back(time);
  }
  return out;
}

void Variation::enter(double end) {
  system_.stay_before(end);
  until_ = std::nextafter(end, 0.0);
  linear_ = nullptr;
}

const System::Linear& Variation::at(double time, const double* x) {
  const Eigen::Map<const Vector> state(x, size());
  if (linear_ == nullptr || time != time_ || state != x_) {
    linear_ = nullptr;
    forces_known_ = false;
    system_.jacobian(time, x, J_);
    x_ = state, time_ = time, linear_ = &system_.linear();
  }
  return *linear_;
}

const Matrix& Variation::forces() {
  if (forces_known_) return G_;
  const System::Linear& s = *linear_;
  Eigen::Index column = 0;
  for (const Source& source : input_sources_) {
    const InputParameters& input = problem_.inputs[source.index];
    Matrix by_p(s.v.size(), static_cast<Eigen::Index>(input.names.size()));
    input.forces(held(time_), s.q, s.v, by_p);
    for (const Eigen::Index c : source.columns) G_.col(column++) = by_p.col(c);
  }
  // tau = f(q, v, a, p) with tau held: M da = -f_p dp
  for (const Source& source : robot_sources_) {
    const Matrix by_p =
        inverse_sensitivity(model(), problem_.robot[source.index], s.q, s.v, s.a, system_.loads(held(time_)))
            .derivative;
    for (const Eigen::Index c : source.columns) G_.col(column++) = -by_p.col(c);
  }
  if (!named_.empty()) {
    G_.rightCols(static_cast<Eigen::Index>(named_.size())) =
        -inverse_sensitivity(model(), named_, s.q, s.v, s.a, system_.loads(held(time_))).derivative;
  }
  forces_known_ = true;
  return G_;
}

Method suggested_method(const SensitivityProblem& problem) {
  Variation variation(problem);
  variation.enter(problem.duration);
  const Vector x = variation.start();
  Matrix power = variation.at(0, x.data()).A;
  for (int k = 0; k < 4; ++k) power = Matrix(power * power);
  const double fastest = std::pow(power.norm(), 1.0 / 16);  // about the largest eigenvalue
  // adams takes a step or two per time constant; bdf some thousand in all at the usual tolerances.
  return fastest * problem.duration > 2000 ? Method::bdf : Method::adams;
}

std::vector<std::string> sensitivity_names(const SensitivityProblem& problem) { return Variation(problem).names(); }

}  // namespace catena
