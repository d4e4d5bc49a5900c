#include "catena/simulate/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "catena/joints/joints.hpp"
#include "catena/model/names.hpp"
#include "catena/read/state.hpp"
#include "catena/simulate/impact.hpp"
#include "catena/trajectory/slack.hpp"

namespace catena {
namespace {

constexpr double most_rows = 1e9;

constexpr const char* energy_names[] = {"kinetic", "potential", "work", "dissipated", "balance"};

void require_positive(double value, const char* what) {
  if (!(value > 0) || !std::isfinite(value))
    throw std::invalid_argument(fmt::format("{} must be a positive number, not {}", what, value));
}

void require_sound(const Model& model, const SimulationOptions& options) {
  require_positive(options.duration, "the duration");
  require_positive(options.every, "the time between recorded rows");
  require_positive(options.accuracy.rtol, "the relative tolerance");
  require_positive(options.accuracy.atol, "the absolute tolerance");
  require_positive(options.accuracy.step, "the step");
  if (options.duration / options.every > most_rows)
    throw std::invalid_argument(
        fmt::format("a row every {} s for {} s makes {:.3g} rows, more than {:.0e}: record less often, or simulate a "
                    "shorter time",
                    options.every, options.duration, options.duration / options.every, most_rows));
  if (is_fixed_step(options.method) && options.accuracy.step < 1e-15 * options.duration)
    throw std::invalid_argument(fmt::format("steps of {} s are lost in rounding at {} s: take a larger step",
                                            options.accuracy.step, options.duration));
  if (!is_fixed_step(options.method) && options.accuracy.rtol < 1e-14)
    throw std::invalid_argument("a relative tolerance below 1e-14 is beyond double precision: give a larger one");
  if (!(options.restitution >= 0 && options.restitution <= 1))
    throw std::invalid_argument("the restitution must lie between 0 and 1");
  if (is_fixed_step(options.method)) {
    const double ratio = options.every / options.accuracy.step;
    if (std::abs(ratio - std::round(ratio)) > 1e-9 * ratio || std::round(ratio) < 1)
      throw std::invalid_argument(
          fmt::format("rows every {} s do not fall on steps of {} s: record at a multiple of the step", options.every,
                      options.accuracy.step));
  }
  if (options.method == Method::euler && options.velocities != Velocities::v)
    throw std::invalid_argument("semi-implicit Euler steps velocities only: take rk4 for xi or nu");
  if (options.method == Method::bdf && options.velocities != Velocities::v)
    throw std::invalid_argument("bdf needs the Jacobian, which is made for velocities only: take adams for xi or nu");
  for (const std::string& extra : options.extra)
    if (extra != "a" && extra != "nu" && extra != "xi")
      throw std::invalid_argument("'" + extra + "' cannot be recorded" + did_you_mean(extra, {"a", "nu", "xi"}) +
                                  ": a, nu and xi can");
  if (model.nv() == 0) throw std::invalid_argument(model.name() + " has no joint that moves");
}

// rad, m, or nothing for quaternions; divided by s^power.
std::string unit_of(const Coordinate& c, int component, bool position) {
  const JointFacts& facts = facts_of(c.type);
  return position ? facts.position_unit(component) : facts.velocity_unit(component);
}

// unit: of the position.
std::string unit_of_quantity(const std::string& prefix, const std::string& unit) {
  if (prefix == "q") return unit;
  if (prefix == "a") return unit + "/s^2";
  if (prefix == "tau" || prefix == "kappa") return unit == "m" ? "N" : "N m";
  if (prefix == "nu") return "sqrt(J)";
  if (prefix == "epsilon") return "sqrt(J)/s";
  return unit + "/s";  // v, xi
}

}  // namespace

Simulation::Simulation(const Model& model, std::shared_ptr<Controller> controller, const SimulationOptions& options,
                       const ActuationOptions& actuation, std::vector<WrenchTimeSeries> wrenches)
    : model_(model),
      options_(options),
      actuation_(model, std::move(controller), actuation),
      system_(model, options.velocities, actuation_, std::move(wrenches)),
      kinematics_(model),
      q_(model.nq()),
      v_(model.nv()),
      tau_(model.nv()),
      x_(system_.size()),
      trial_(system_.size()) {
  require_sound(model, options);
  if (actuation.period > 0 && options.duration / actuation.period > most_rows)
    throw std::invalid_argument(fmt::format("a sample period of {} s makes {:.3g} samples in {} s: take a longer one",
                                            actuation.period, options.duration / actuation.period, options.duration));
  integrator_ = make_integrator(system_, options.method, options.accuracy);
  // A fixed-step run goes on bit for bit wherever it is resumed: all of it is compiled, or nothing.
  if (is_fixed_step(options.method))
    system_.compile_at(options.duration / options.accuracy.step > 2000 ? 0 : std::numeric_limits<long>::max());
  for (const std::string& extra : options.extra)
    if (extra != "a") form_.emplace(model);
  row_ = Vector::Zero(static_cast<Eigen::Index>(columns().size()));
  collect_events();
}

std::vector<Column> columns_of(const Model& model, const std::string& prefix) {
  std::vector<Column> columns;
  const bool position = prefix == "q";
  const std::vector<std::string> names = position ? model.position_names() : model.velocity_names();
  for (const Coordinate& c : model.coordinates()) {
    for (int i = 0; i < (position ? c.nq : c.nv); ++i) {
      columns.push_back(
          {fmt::format("{}.{}", prefix, names[columns.size()]), unit_of_quantity(prefix, unit_of(c, i, position))});
    }
  }
  return columns;
}

std::vector<Column> columns_of(const Model& model, const SimulationOptions& options) {
  std::vector<Column> columns = {{"time", "s"}};
  const auto add = [&](const std::string& prefix) {
    for (Column& column : columns_of(model, prefix)) columns.push_back(std::move(column));
  };
  add("q"), add("v"), add("tau");
  for (const char* name : energy_names) columns.push_back({fmt::format("energy.{}", name), "J"});
  for (const std::string& extra : options.extra) add(extra);
  return columns;
}

std::string why_no_column(const Model& model, const SimulationOptions& options, const std::string& name) {
  std::vector<std::string> names;
  for (const Column& column : columns_of(model, options)) names.push_back(column.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return "";
  const std::size_t dot = name.find('.');
  const std::string quantity = name.substr(0, dot);
  const std::string joint = dot == std::string::npos ? "" : name.substr(dot + 1);
  if (const std::string leader = read::leader_of(model, joint); !leader.empty())
    return fmt::format("{}: {}; name {}.{}", name, read::why_no_coordinate(model, joint, {}).why, quantity, leader);
  if (quantity == "a" || quantity == "nu" || quantity == "xi") {
    const std::vector<Column> others = columns_of(model, quantity);
    if (std::any_of(others.begin(), others.end(), [&](const Column& column) { return column.name == name; }))
      return fmt::format("{} is not recorded; write record = [\"{}\"]", name, quantity);
  }
  return fmt::format("nothing is called '{}'{}", name, suggestion(name, names));
}

std::vector<Column> Simulation::columns() const { return columns_of(model_, options_); }

int Simulation::column(const std::string& name) const {
  const int found = RecordingHeader{columns(), {}}.column(name);
  if (found < 0) throw std::invalid_argument(why_no_column(model_, options_, name));
  return found;
}

void Simulation::collect_events() {
  const std::vector<std::string> positions = model_.position_names();
  if (options_.at_limit != AtLimit::ignore) {
    for (const Coordinate& c : model_.coordinates()) {
      if (c.nq != 1) continue;
      const Limits& limits = model_.description().joints[static_cast<std::size_t>(c.index)].limits;
      const auto add = [&](double value, bool above, const char* side) {
        if (std::isfinite(value))
          events_.push_back({c.q, c.v, -1, above, value, fmt::format("{} at its {} limit", c.joint, side)});
      };
      add(limits.upper, true, "upper");
      add(limits.lower, false, "lower");
    }
  }
  const RecordingHeader header = {columns(), {}};
  for (const Threshold& stop : options_.stops) {
    const int found = header.column(stop.quantity);
    if (found < 0) throw std::invalid_argument("a stop: " + why_no_column(model_, options_, stop.quantity));
    events_.push_back({-1, -1, found, stop.above, stop.value,
                       fmt::format("{} {} {}", stop.quantity, stop.above ? "above" : "below", stop.value)});
  }
}

void Simulation::start(ConstVector q, ConstVector v) {
  require_configuration(model_, q);
  require_velocity(model_, v, "v");
  for (const Event& event : events_) {
    if (event.q >= 0 && (event.above ? q[event.q] > event.value : q[event.q] < event.value))
      throw std::invalid_argument(
          fmt::format("the run starts beyond {} ({}): start inside, or ignore limits", event.what, event.value));
  }
  q_ = q;
  normalize(model_, q_);
  system_.pack(q_, v, 0, 0, x_);
  kinematics_.update(q_, v);
  initial_energy_ = kinematics_.kinetic_energy() + kinematics_.potential_energy();
  time_ = last_recorded_ = 0;
  actuation_.update(0, q_, v);
  started_ = true, resumed_ = false;
}

void Simulation::resume(ConstVector row, double initial_energy) {
  if (row.size() != row_.size())
    throw std::invalid_argument(
        fmt::format("the row has {} numbers, this simulation needs {}", row.size(), row_.size()));
  const int nq = model_.nq(), nv = model_.nv();
  const Vector q = row.segment(1, nq), v = row.segment(1 + nq, nv), tau = row.segment(1 + nq + nv, nv);
  const Eigen::Index energies = 1 + nq + 2 * nv;
  require_configuration(model_, q);
  system_.pack(q, v, row[energies + 2], row[energies + 3], x_);
  initial_energy_ = initial_energy;
  time_ = last_recorded_ = row[0];
  actuation_.resume(time_, tau);
  started_ = resumed_ = true;
}

void Simulation::fill_row(double time, ConstVector x) {
  const int nq = model_.nq(), nv = model_.nv();
  system_.unpack(x, q_, v_);
  system_.forces(time, q_, v_, tau_);
  kinematics_.update(q_, v_);
  const double kinetic = kinematics_.kinetic_energy(), potential = kinematics_.potential_energy();
  const double work = system_.work(x), dissipated = system_.dissipated(x);
  row_[0] = time;
  row_.segment(1, nq) = q_;
  row_.segment(1 + nq, nv) = v_;
  row_.segment(1 + nq + nv, nv) = tau_;
  Eigen::Index k = 1 + nq + 2 * nv;
  const double balance = (kinetic + potential - initial_energy_) - work + dissipated;
  for (const double energy : {kinetic, potential, work, dissipated, balance}) row_[k++] = energy;
  for (const std::string& extra : options_.extra) {
    if (extra == "a") {
      row_.segment(k, nv) = system_.acceleration(time, q_, v_, tau_);
    } else {
      form_->update(q_);
      row_.segment(k, nv) = extra == "nu" ? form_->nu(v_) : form_->xi(v_);
    }
    k += nv;
  }
}

double Simulation::event_value(const Event& event, double time, ConstVector x) {
  double value = 0;
  if (event.q >= 0) {
    value = x[event.q];
  } else {
    fill_row(time, x);
    value = row_[event.column];
  }
  return event.above ? value - event.value : event.value - value;
}

// x at a time in the last step: by dense output, or by stepping there again.
void Simulation::state_at(double time, double from, const Vector& x_from, VectorRef x) {
  if (integrator_->dense()) {
    integrator_->interpolate(time, x);
    return;
  }
  integrator_->restart(from, x_from);
  while (integrator_->time() < time) integrator_->step(time);
  x = integrator_->state();
}

// The first instant at which the event has happened, to rounding: false position with the Illinois rule.
double Simulation::locate(const Event& event, double from, const Vector& x_from, double to, const Vector& x_to) {
  double low = from, high = to;
  double g_low = event_value(event, from, x_from), g_high = event_value(event, to, x_to);
  int side = 0;
  for (int i = 0; i < 100 && high - low > slack(high); ++i) {
    double middle = g_high > g_low ? high - g_high * (high - low) / (g_high - g_low) : 0.5 * (low + high);
    if (!(middle > low && middle < high) || i % 8 == 7) middle = 0.5 * (low + high);
    state_at(middle, from, x_from, trial_);
    const double g = event_value(event, middle, trial_);
    if (g > 0) {
      high = middle, g_high = g;
      if (side == 1) g_low *= 0.5;
      side = 1;
    } else {
      low = middle, g_low = g;
      if (side == -1) g_high *= 0.5;
      side = -1;
    }
  }
  return high;
}

std::optional<Simulation::Crossing> Simulation::first_crossing(const Vector& from) {
  std::optional<Crossing> first;
  const double t_from = integrator_->previous_time(), t_to = integrator_->time();
  const Vector x_to = integrator_->state();
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const Event& event = events_[i];
    if (event_value(event, t_to, x_to) <= 0 || event_value(event, t_from, from) > 0) continue;
    const double time = locate(event, t_from, from, t_to, x_to);
    if (!first || time < first->time) first = Crossing{i, time};
  }
  return first;
}

// At time_, x_.
void Simulation::bounce(const Event& event, Outcome& outcome) {
  system_.unpack(x_, q_, v_);
  q_[event.q] = event.value;
  const double before = v_[event.v];
  double lost = 0;
  if (event.above ? before > 0 : before < 0) lost = strike(model_, q_, event.v, options_.restitution, v_);
  system_.pack(q_, v_, system_.work(x_), system_.dissipated(x_) + lost, x_);
  if (outcome.events.size() < 1000)
    outcome.events.push_back(
        {time_, fmt::format("{}: speed {:.4g} before, {:.4g} after", event.what, before, v_[event.v])});
}

void Simulation::emit(double time, ConstVector x, const Record& record, Outcome& outcome) {
  fill_row(time, x);
  const Eigen::Index k = 1 + model_.nq() + 2 * model_.nv();
  outcome.energies = {row_[k], row_[k + 1], row_[k + 2], row_[k + 3], row_[k + 4]};
  const Energies& e = outcome.energies;
  moved_energy_ = std::max(
      {moved_energy_, e.kinetic, std::abs(e.work), e.dissipated, std::abs(e.kinetic + e.potential - initial_energy_)});
  if (moved_energy_ > 0) outcome.drift = std::max(outcome.drift, std::abs(e.balance) / moved_energy_);
  last_recorded_ = time;
  ++outcome.rows;
  if (record) record(row_);
}

void Simulation::warn_of_clipping(Outcome& outcome) const {
  constexpr std::size_t most_told = 10;
  const std::vector<Column> columns = columns_of(model_, "tau");
  const std::vector<Actuation::Clipping> list = actuation_.clipped();
  for (std::size_t i = 0; i < std::min(list.size(), most_told); ++i) {
    const Actuation::Clipping& clipping = list[i];
    const auto& [name, unit] = columns[static_cast<std::size_t>(clipping.component)];
    outcome.warnings.push_back(
        fmt::format("the force of {} was clipped at its effort limit of {:.6g} {}: first at t = {:.6g} s, in {} of {} "
                    "{}, by up to {:.6g} {}",
                    name.substr(name.find('.') + 1), clipping.limit, unit, clipping.first, clipping.times,
                    actuation_.occasions(), actuation_.sampled() ? "samples" : "steps", clipping.most, unit));
  }
  if (list.size() > most_told)
    outcome.warnings.push_back(
        fmt::format("… and {} more forces were clipped at their effort limits", list.size() - most_told));
}

void Simulation::conclude(Outcome& outcome) {
  outcome.time = time_;
  outcome.steps = integrator_->steps();
  outcome.rejected = integrator_->rejected();
  outcome.evaluations = system_.evaluations();
  warn_of_clipping(outcome);
  const bool fixed = is_fixed_step(options_.method);
  const double expected = fixed ? 1e-3 : 1e3 * options_.accuracy.rtol + 1e-11;
  if (outcome.drift > expected)
    outcome.warnings.push_back(fmt::format("the energy balance is off by {:.1e} of the energy that moved: {}",
                                           outcome.drift, fixed ? "take a smaller step" : "tighten the tolerance"));
}

namespace {

void interrupt(Outcome& outcome) {
  outcome.reason = "interrupted";
  outcome.finished = false;
}

}  // namespace

Outcome Simulation::run(Recording& rows, const GoOn& go_on) {
  std::vector<Vector> all;
  Outcome outcome = run([&](ConstVector row) { all.push_back(row); }, go_on);
  rows.header = {columns(), {}};
  rows.values.resize(static_cast<Eigen::Index>(all.size()), static_cast<Eigen::Index>(rows.header.columns.size()));
  for (std::size_t k = 0; k < all.size(); ++k) rows.values.row(static_cast<Eigen::Index>(k)) = all[k].transpose();
  return outcome;
}

Outcome Simulation::run(const Record& record, const GoOn& go_on) {
  if (!started_) throw std::invalid_argument("the simulation has not been started: call start() first");
  Outcome outcome;
  const double end = std::min(options_.duration, actuation_.end());
  const bool fixed = is_fixed_step(options_.method);
  const double same = fixed ? 1e-6 * options_.accuracy.step : 0;
  const auto slack_at = [&](double t) { return std::max(slack(t), same); };
  outcome.reason = actuation_.end() < options_.duration ? "the input data ends" : "the duration is over";
  if (!resumed_) emit(time_, x_, record, outcome);
  long next_row = static_cast<long>(std::floor(time_ / options_.every * (1 + 1e-14) + 1e-9)) + 1;
  const auto row_time = [&] { return static_cast<double>(next_row) * options_.every; };
  integrator_->restart(time_, x_);
  Vector from = x_;
  double last_impact = -1;

  while (time_ < end - slack_at(end)) {
    const double pause = std::min(system_.next_break(time_), end);
    system_.stay_before(pause);
    const double limit = integrator_->dense() || fixed ? pause : std::min(pause, row_time());
    from = integrator_->state();
    actuation_.begin_step();
    try {
      integrator_->step(limit);
    } catch (const std::invalid_argument& error) {
      throw NumericalError(fmt::format("the state is no longer sound at t = {} s: {}", time_, error.what()), "");
    }
    double now = integrator_->time();
    const Event* hit = nullptr;
    if (!events_.empty()) {
      if (const auto crossing = first_crossing(from)) {
        hit = &events_[crossing->event];
        now = crossing->time;
      }
    }
    bool stopped = false;
    while (!stopped && row_time() < now - slack_at(now)) {  // many rows may lie in one step
      state_at(row_time(), integrator_->previous_time(), from, trial_);
      emit(row_time(), trial_, record, outcome);
      ++next_row;
      stopped = go_on && !go_on(last_recorded_);
    }
    if (stopped) {
      time_ = last_recorded_, x_ = trial_;
      interrupt(outcome);
      break;
    }
    if (hit) {
      state_at(now, integrator_->previous_time(), from, x_);
    } else {
      x_ = integrator_->state();
    }
    const bool paused = !hit && now >= pause - slack_at(pause);
    time_ = now;
    if (paused) {
      system_.unpack(x_, q_, v_);
      actuation_.update(time_, q_, v_);
    }
    const bool due = row_time() <= time_ + slack_at(time_);
    if (due) {
      emit(time_, x_, record, outcome);
      ++next_row;
    }
    if (hit) {
      const bool impact = hit->q >= 0 && options_.at_limit == AtLimit::bounce;
      const bool rests = impact && time_ - last_impact < 1e-7;
      if (!impact || rests) {
        outcome.reason =
            rests ? hit->what + " comes to rest there (its bounces follow at ever shorter times)" : hit->what;
        outcome.events.push_back({time_, outcome.reason});
        break;
      }
      bounce(*hit, outcome);
      last_impact = time_;
    }
    if (hit || (paused && time_ < end - slack_at(end))) integrator_->restart(time_, x_);
    if (go_on && !go_on(time_)) {
      interrupt(outcome);
      break;
    }
  }
  // An interrupted run ends at its last row, so that resuming it gives the rows that were missing.
  if (outcome.finished && last_recorded_ < time_ - slack_at(time_)) emit(time_, x_, record, outcome);
  conclude(outcome);
  return outcome;
}

}  // namespace catena
