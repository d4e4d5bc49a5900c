#include "catena/batch/rollout.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "catena/batch/engine.hpp"
#include "catena/batch/workers.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/machine/machine_code.hpp"

namespace catena {

using batch::Engine;
using batch::RolloutEnd;
using batch::RolloutPlan;
using batch::Trouble;

struct Rollout::Parts {
  Parts(const Model& robot, const RolloutOptions& given) : model(robot), options(given), workers(given.threads) {
    if (!(options.step > 0) || !std::isfinite(options.step)) {
      throw std::invalid_argument("the step of a rollout must be positive");
    }
    batch::require_threads(options.threads, "a rollout");
    if (model.nv() == 0) throw std::invalid_argument(model.name() + " has no joint that moves");
    if (options.backend == BatchOptions::plain) {
      throw std::invalid_argument("rollouts run in lanes or compiled; state by state is what simulate/ does");
    }
    blocks = signature(model, Function::forward, {}, options.parameters);
    const bool constants = options.parameters.empty();
    if (options.backend == BatchOptions::lanes && !constants)
      throw std::invalid_argument("rollouts with parameters run compiled, not in lanes");
    if (options.backend != BatchOptions::lanes) {
      std::string why_not;
      code = batch::compile_for_lanes(model, Function::forward, options.width, {}, options.parameters, why_not);
      if (!code && (options.backend == BatchOptions::compiled || !constants)) {
        throw std::invalid_argument("forward dynamics of " + model.name() +
                                    " cannot be made into machine code here: " + why_not);
      }
    }
    options.backend = code ? BatchOptions::compiled : BatchOptions::lanes;
    const batch::Job job = batch::make_job(model, Function::forward, blocks, code ? code->lanes_entry() : nullptr);
    const int width = code ? code->lanes() : options.width;
    for (int k = 0; k < options.threads; ++k) {
      engines.push_back(batch::make_engine(model, job, width));
    }
  }

  template <class View>
  void require_shape(const View& view, Eigen::Index numbers, std::ptrdiff_t states, const char* name) const {
    if (view.numbers == numbers && view.states == states && (view.data != nullptr || states == 0)) return;
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(view.numbers) + " numbers for each of " +
                                std::to_string(view.states) + " trajectories; " + model.name() + " needs " +
                                std::to_string(numbers) + " for " + std::to_string(states));
  }
  template <class View>
  static void require_times(const View& series, std::ptrdiff_t times, const char* name) {
    if (series.times >= times) return;
    throw std::invalid_argument(std::string(name) + " is given for " + std::to_string(series.times) +
                                " times; these steps need " + std::to_string(times));
  }

  void require_shapes(const RolloutPlan& plan) const {
    const int nq = model.nq(), nv = model.nv();
    const std::ptrdiff_t states = plan.q.states;
    require_shape(plan.q, nq, states, "q");
    require_shape(plan.v, nv, states, "v");
    if (!blocks.parameters.empty())
      require_shape(plan.parameters, static_cast<Eigen::Index>(blocks.parameters.size()), states, parameters_block);
    if (blocks.parameters.empty() && plan.parameters.data != nullptr)
      throw std::invalid_argument("parameters are given, but the rollout was made without their names");
    if (plan.steps < 0) throw std::invalid_argument("the number of steps is negative");
    if (plan.tau.states.data != nullptr) {
      require_shape(plan.tau.states, nv, states, "tau");
      if (plan.tau.stride != 0) require_times(plan.tau, plan.steps, "tau");
    }
    if (plan.q_end.data != nullptr) require_shape(plan.q_end, nq, states, "q_end");
    if (plan.v_end.data != nullptr) require_shape(plan.v_end, nv, states, "v_end");
    if (plan.record_every < 0)
      throw std::invalid_argument("records are made every so many steps, not a negative number");
    if (plan.record_every == 0) return;
    const std::ptrdiff_t records = plan.steps / plan.record_every;
    for (const bool is_q : {true, false}) {
      const TimeSeries& series = is_q ? plan.q_record : plan.v_record;
      const char* const name = is_q ? "the record of q" : "the record of v";
      if (series.states.data == nullptr) continue;
      require_shape(series.states, is_q ? nq : nv, states, name);
      require_times(series, records, name);
    }
  }

  // One trajectory by itself: the same bits; what is wrong with it is its own.
  void run_alone(Engine& engine, const RolloutPlan& plan, std::ptrdiff_t trajectory) const {
    RolloutPlan one = plan;
    one.q = plan.q.slice(trajectory, 1);
    one.v = plan.v.slice(trajectory, 1);
    const auto narrow = [&](auto& states) {
      if (states.data != nullptr) states = states.slice(trajectory, 1);
    };
    narrow(one.parameters), narrow(one.tau.states), narrow(one.q_record.states), narrow(one.v_record.states);
    Vector q(model.nq()), v(model.nv());
    one.q_end = q, one.v_end = v;
    const RolloutEnd end = engine.roll_out(one, 0);
    if (end.trouble != Trouble::none) report(end, one, q, v, trajectory);
    for (int i = 0; i < model.nq() && plan.q_end.data != nullptr; ++i) plan.q_end(i, trajectory) = q[i];
    for (int i = 0; i < model.nv() && plan.v_end.data != nullptr; ++i) plan.v_end(i, trajectory) = v[i];
  }

  Model robot_of(const RolloutPlan& one) const {
    if (blocks.parameters.empty()) return model;
    Vector values(blocks.parameters.size());
    for (Eigen::Index i = 0; i < values.size(); ++i) values[i] = one.parameters(i, 0);
    return with_parameters(model, blocks.parameters, {values.data(), static_cast<std::size_t>(values.size())});
  }

  [[noreturn]] void report(const RolloutEnd& end, const RolloutPlan& one, const Vector& q, const Vector& v,
                           std::ptrdiff_t trajectory) const {
    const double time = static_cast<double>(end.step) * options.step;
    const std::string where = "trajectory " + std::to_string(trajectory);
    const std::string when = where + " at t = " + std::to_string(time) + " s: ";
    Vector tau = Vector::Zero(model.nv());
    const ConstStates forces = one.tau.at(end.step);
    for (int i = 0; i < model.nv() && forces.data != nullptr; ++i) tau[i] = forces(i, 0);
    try {
      if (end.trouble == Trouble::input && end.step == 0) {
        Vector start_q(model.nq()), start_v(model.nv());
        for (int i = 0; i < model.nq(); ++i) start_q[i] = one.q(i, 0);
        for (int i = 0; i < model.nv(); ++i) start_v[i] = one.v(i, 0);
        require_configuration(model, start_q);
        require_velocity(model, start_v, "v");
      }
      if (end.trouble == Trouble::input) require_velocity(model, tau, "tau");
      if (end.trouble == Trouble::input || end.trouble == Trouble::singular) {
        const Model robot = robot_of(one);
        if (end.trouble == Trouble::singular) forward_dynamics(robot, q, v, tau);
      }
    } catch (const NumericalError& error) {
      throw NumericalError(when + error.what(), error.body());
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument((end.step == 0 ? where + ": " : when) + error.what());
    } catch (const ModelError& error) {  // of the parameters
      throw std::invalid_argument(where + ": " + error.what());
    }
    if (end.trouble == Trouble::singular)  // the one thing that machine code does not take and the library does
      throw NumericalError(when + "an angle beyond 1e5 rad, which rollouts with parameters do not take", "");
    throw NumericalError(when + "the state is no longer finite, or beyond 1e50, after this step: take a smaller one",
                         "");
  }

  void run(Engine& engine, const RolloutPlan& plan, std::ptrdiff_t begin, std::ptrdiff_t end) const {
    const int width = engine.width();
    for (std::ptrdiff_t first = begin; first < end; first += width) {
      if (engine.roll_out(plan, first).trouble == Trouble::none) continue;
      const std::ptrdiff_t last = std::min(first + width, end);
      for (std::ptrdiff_t k = first; k < last; ++k) run_alone(engine, plan, k);
    }
  }

  Model model;
  RolloutOptions options;
  Signature blocks;
  std::optional<CompiledFunction> code;
  std::vector<std::unique_ptr<Engine>> engines;  // one per thread
  batch::Workers workers;
};

Rollout::Rollout(const Model& model, const RolloutOptions& options) : parts_(std::make_unique<Parts>(model, options)) {}
Rollout::Rollout(Rollout&&) noexcept = default;
Rollout& Rollout::operator=(Rollout&&) noexcept = default;
Rollout::~Rollout() = default;

BatchOptions::Backend Rollout::backend() const { return parts_->options.backend; }
int Rollout::width() const { return parts_->engines[0]->width(); }

void Rollout::operator()(const ConstStates& q, const ConstStates& v, const ConstTimeSeries& tau, std::ptrdiff_t steps,
                         const States& q_end, const States& v_end, const RolloutRecord& record,
                         const ConstStates& parameters) {
  Parts& x = *parts_;
  const RolloutPlan plan = {.rk4 = x.options.method == RolloutOptions::rk4,
                            .step = x.options.step,
                            .steps = steps,
                            .record_every = record.every,
                            .q = q,
                            .v = v,
                            .tau = tau,
                            .parameters = parameters,
                            .q_end = q_end,
                            .v_end = v_end,
                            .q_record = record.q,
                            .v_record = record.v};
  x.require_shapes(plan);
  x.workers.share(q.states, width(), [&](int thread, std::ptrdiff_t begin, std::ptrdiff_t end) {
    x.run(*x.engines[static_cast<std::size_t>(thread)], plan, begin, end);
  });
}

}  // namespace catena
