// catena inverse --trajectory: joint forces along a whole motion, from a CSV file or a motion profile; CSV or JSON out.
// Per joint: peak and rms force, power, energy, and where the motion passes the joint's limits.
#include "cli/trajectory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "catena/dynamics/inverse.hpp"
#include "catena/model/names.hpp"
#include "catena/model/text.hpp"
#include "catena/read/file.hpp"
#include "catena/read/number.hpp"
#include "catena/trajectory/trajectories.hpp"
#include "catena/write/toml.hpp"
#include "cli/limits.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

const std::vector<std::string> laws = {"cycloidal", "minimum_jerk", "trapezoidal"};
constexpr double most_samples = 1e7;

// Rows to compute at; computed: q, v, a are not what the user wrote, so they belong into the output.
struct Samples {
  read::TrajectoryRows rows;
  bool computed = false;
  std::string note;
  std::vector<bool> in_degrees;  // of a profile: numbers of q that were typed as 90deg
};

struct Law {
  std::string name;
  double duration = 0;
};

// "cycloidal:10". Nothing if the argument is a file.
std::optional<Law> law_of(const std::string& argument) {
  const std::size_t colon = argument.find(':');
  const std::string name = argument.substr(0, colon);
  const bool known = std::find(laws.begin(), laws.end(), name) != laws.end();
  if (!known) {
    const bool meant = colon != std::string::npos && !near_names(name, laws).empty();
    if (!meant || read::file_exists(argument)) return std::nullopt;
    throw UsageError(fmt::format("--trajectory: there is no profile \"{}\"{}", name, suggestion(name, laws)));
  }
  if (colon == std::string::npos) {
    if (read::file_exists(argument)) return std::nullopt;
    throw UsageError(fmt::format("--trajectory {0}: how long? Write {0}:T with T in seconds", name));
  }
  const read::Number duration = read::parse_number(argument.substr(colon + 1));
  if (!duration.ok() || !(duration.value > 0) || !std::isfinite(duration.value))
    throw UsageError(fmt::format("--trajectory {}: the duration must be a positive number of seconds", argument));
  return Law{name, duration.value};
}

Samples sample(const Trajectory& motion, const Model& model, double every) {
  const double T = motion.duration();
  if (!(every > 0)) throw UsageError("--every must be positive");
  if (T / every > most_samples)
    throw UsageError(fmt::format("--every {} makes more than {} samples: take a longer one", every, most_samples));
  // The last sample is the end, also where `every` does not divide T.
  const auto steps = static_cast<Eigen::Index>(std::ceil(T / every * (1 - 1e-12)));
  Samples out;
  out.computed = true;
  out.rows.time.resize(steps + 1);
  out.rows.q.resize(steps + 1, model.nq());
  out.rows.v.resize(steps + 1, model.nv()), out.rows.a.resize(steps + 1, model.nv());
  Vector q(model.nq()), v(model.nv()), a(model.nv());
  for (Eigen::Index k = 0; k <= steps; ++k) {
    out.rows.time(k) = k == steps ? T : every * static_cast<double>(k);
    motion.at(out.rows.time(k), q, v, a);
    out.rows.q.row(k) = q, out.rows.v.row(k) = v, out.rows.a.row(k) = a;
  }
  return out;
}

Samples samples_of_law(const Law& law, const Options& options, const Model& model) {
  if (!options.v.empty() || !options.a.empty())
    throw UsageError("--trajectory brings its own v and a: leave out --v and --a");
  if (options.to.empty()) throw UsageError(fmt::format("--trajectory {}:… needs --to, where it ends", law.name));
  const State start = read_state(model, options);
  const Vector& from = start.q;
  Vector to = from;
  std::vector<bool> in_degrees = fill_positions(model, options.to, "--to", to);
  for (std::size_t i = 0; i < start.in_degrees.size(); ++i) in_degrees[i] = in_degrees[i] || start.in_degrees[i];
  try {
    require_configuration(model, to);
  } catch (const std::invalid_argument& error) {
    throw DataError(fmt::format("--to: {}", error.what()));
  }
  const auto motion = law.name == "cycloidal"      ? cycloidal(model, from, to, law.duration)
                      : law.name == "minimum_jerk" ? minimum_jerk(model, from, to, law.duration)
                                                   : trapezoidal(model, from, to, law.duration);
  Samples out = sample(*motion, model, options.every.value_or(law.duration / 100));
  out.in_degrees = in_degrees;
  return out;
}

// v and a of a file with time and q alone: those of the spline through its rows.
void differentiate(read::TrajectoryRows& rows, const Options& options, const Model& model) {
  read::TrajectoryRows shifted = rows;
  shifted.time.array() -= rows.time(0);
  try {
    const auto motion = sampled(model, shifted);
    rows.v.resize(rows.size(), model.nv()), rows.a.resize(rows.size(), model.nv());
    Vector q(model.nq()), v(model.nv()), a(model.nv());
    for (int k = 0; k < rows.size(); ++k) {
      motion->at(shifted.time(k), q, v, a);
      rows.v.row(k) = v, rows.a.row(k) = a;
    }
  } catch (const std::invalid_argument& error) {
    throw DataError(fmt::format("{}: {}", options.trajectory, error.what()));
  }
}

Samples samples_of_file(const Options& options, const Model& model) {
  if (!options.q.empty() || !options.v.empty() || !options.a.empty() || !options.state_file.empty() || options.random)
    throw UsageError("--trajectory brings its own q, v and a: leave out --q, --v, --a, --state and --random");
  if (!options.to.empty() || options.every)
    throw UsageError("--to and --every are for a profile such as cycloidal:T, not for a file");
  Samples out;
  out.rows = read::trajectory(model, options.trajectory, {"q", "v", "a"}, read::Times::rise_without_rates);
  if (out.rows.v.rows() == 0) {
    differentiate(out.rows, options, model);
    out.computed = true;
    out.note = "The file has no v and a: they are those of the twice differentiable spline through its rows.";
  }
  return out;
}

Samples samples_of(const Options& options, const Model& model) {
  const std::optional<Law> law = law_of(options.trajectory);
  Samples out = law ? samples_of_law(*law, options, model) : samples_of_file(options, model);
  if (out.rows.q.rows() == 0) throw DataError(fmt::format("{}: no rows below the header", options.trajectory));
  return out;
}

// One row of tau per row of the motion.
Matrix forces_along(const read::TrajectoryRows& motion, const Options& options, const Model& model,
                    const ExternalLoads& loads) {
  const Eigen::Index count = motion.q.rows();
  Matrix tau(count, model.nv());
  Workspace workspace(model);
  Vector q(model.nq()), v(model.nv()), a(model.nv()), forces(model.nv());
  Progress progress("inverse dynamics", count);
  for (Eigen::Index k = 0; k < count; ++k) {
    q = motion.q.row(k), v = motion.v.row(k), a = motion.a.row(k);
    const auto place = [&] { return place_of_row(options, motion, k); };
    try {
      inverse_dynamics(model, workspace, q, v, a, forces, loads);
    } catch (const std::invalid_argument& error) {
      throw DataError(fmt::format("{}: {}", place(), error.what()));
    }
    if (!forces.allFinite())
      throw NumericalError(fmt::format("{}: the forces are not finite: the state is too large", place()), "");
    tau.row(k) = forces;
    if (k % 1024 == 0) progress.step(k);
  }
  return tau;
}

// What the drives have to give, per component of v.
struct Demand {
  Vector peak, rms, peak_power;
  std::optional<Vector> energy_given, energy_taken;  // J, with times that increase
};

Demand demand_of(const read::TrajectoryRows& motion, const Matrix& tau) {
  const Matrix power = tau.cwiseProduct(motion.v);
  Demand out;
  out.peak = tau.cwiseAbs().colwise().maxCoeff().transpose();
  out.rms = (tau.colwise().norm() / std::sqrt(double(tau.rows()))).transpose();
  out.peak_power = power.cwiseAbs().colwise().maxCoeff().transpose();
  const Eigen::Index pieces = motion.time.size() - 1;
  if (pieces < 1) return out;
  const Vector step = motion.time.tail(pieces) - motion.time.head(pieces);
  if (!(step.array() > 0).all()) return out;
  const auto integral = [&](const Matrix& rate) {
    return Vector(0.5 * (rate.topRows(pieces) + rate.bottomRows(pieces)).transpose() * step);
  };
  out.energy_given = integral(power.cwiseMax(0));
  out.energy_taken = integral(power.cwiseMin(0));
  return out;
}

std::vector<Excess> limits_exceeded(const Model& model, const Samples& samples, const Matrix& tau) {
  std::vector<Excess> list = positions_exceeded(model, samples.rows.q);
  for (Excess& excess : list)
    if (excess.q >= 0 && !samples.in_degrees.empty() && samples.in_degrees[static_cast<std::size_t>(excess.q)])
      excess.degrees = false;
  const std::vector<Excess> rates = rates_exceeded(model, samples.rows.v, tau);
  list.insert(list.end(), rates.begin(), rates.end());
  return list;
}

// The columns of the output. A file of its own carries the whole motion, so that it can be drawn and replayed; on
// the screen only what the user did not write.
struct Block {
  const char* prefix;
  const Matrix* values;
};
std::vector<Block> blocks_of(const Samples& samples, const Matrix& tau, bool whole) {
  const read::TrajectoryRows& rows = samples.rows;
  if (!whole && !samples.computed) return {{"tau", &tau}};
  return {{"q", &rows.q}, {"v", &rows.v}, {"a", &rows.a}, {"tau", &tau}};
}

bool timed(const Samples& samples) { return samples.rows.time.size() > 0; }

double instant_of(const Samples& samples, Eigen::Index row) {
  return timed(samples) ? samples.rows.time(row) : static_cast<double>(row);
}

// As `catena simulate` records: names, units and the robot inside.
void record(const Options& options, const Model& model, const Samples& samples, const Matrix& tau, write::Claim claim) {
  const std::vector<Block> blocks = blocks_of(samples, tau, true);
  RecordingHeader header;
  header.columns = {timed(samples) ? Column{"time", "s"} : Column{"row", ""}};
  Eigen::Index width = 1;
  for (const Block& block : blocks) {
    for (Column& column : columns_of(model, block.prefix)) header.columns.push_back(std::move(column));
    width += block.values->cols();
  }
  header.notes = {{"catena", CATENA_VERSION},
                  {"model", catena::printable(options.model)},
                  {"hash", fmt::format("{:016x}", model.hash())},
                  {"settings", catena::printable(fmt::format("inverse dynamics along {}", options.trajectory))},
                  {"robot", write::toml(model.description())}};
  const std::unique_ptr<Recorder> recorder = create_recording(std::move(claim), header);
  Vector row(width);
  for (Eigen::Index k = 0; k < tau.rows(); ++k) {
    row[0] = instant_of(samples, k);
    Eigen::Index at = 1;
    for (const Block& block : blocks) {
      row.segment(at, block.values->cols()) = block.values->row(k).transpose().array() + 0.0;  // no -0
      at += block.values->cols();
    }
    recorder->append(row);
  }
  recorder->finish();
}

void write_csv(Output& out, const Samples& samples, const Matrix& tau, const Model& model) {
  const std::vector<Block> blocks = blocks_of(samples, tau, false);
  std::string line = timed(samples) ? "time" : "row";
  for (const Block& block : blocks)
    for (const Column& column : columns_of(model, block.prefix)) line += fmt::format(",{}", csv_cell(column.name));
  out.line(line);
  for (Eigen::Index k = 0; k < tau.rows(); ++k) {
    line = fmt::format("{}", instant_of(samples, k));
    for (const Block& block : blocks)
      for (Eigen::Index i = 0; i < block.values->cols(); ++i)
        fmt::format_to(std::back_inserter(line), ",{}", (*block.values)(k, i) + 0.0);  // no -0
    out.line(line);
  }
}

std::string instant(const read::TrajectoryRows& rows, Eigen::Index row) {
  return rows.time.size() > 0 ? fmt::format("{} s", number(rows.time(row))) : fmt::format("row {}", row);
}

std::string sentence(const Samples& samples, const Excess& excess) {
  return fmt::format("{} of {} passes {} {} by up to {} {}, first at {}{}", excess.quantity, excess.name,
                     number(excess.limit), excess.unit, number(excess.by), excess.unit,
                     instant(samples.rows, excess.first), degrees_hint(excess, !samples.rows.lines.empty()));
}

// On stderr, so that the CSV on stdout stays clean.
void print_summary(const Model& model, const Samples& samples, const Demand& demand, const std::vector<Excess>& list) {
  const std::vector<std::string> names = model.velocity_names();
  const std::vector<Units> units = velocity_units(model);
  std::size_t width = 5;
  for (const std::string& name : names) width = std::max(width, display_width(printable(name)));
  fmt::print(stderr,
             "{} of {}; largest and root mean square force per joint, power, and energy given and taken back:\n",
             counted(static_cast<std::size_t>(samples.rows.q.rows()), "row"), printable(model.name()));
  if (!samples.note.empty()) fmt::print(stderr, "{}\n", samples.note);
  // What a joint at rest gives and takes is rounding noise.
  double largest = least_energy;
  if (demand.energy_given)
    largest = std::max({largest, largest_of(*demand.energy_given), largest_of(*demand.energy_taken)});
  for (int i = 0; i < model.nv(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const std::string name = printable(names[k]);
    fmt::print(stderr, "  {}{}  peak {:>11}  rms {:>11}  {:<3}  power {:>11} W", name,
               std::string(width - display_width(name), ' '), number(demand.peak(i)), number(demand.rms(i)),
               units[k].force, number(demand.peak_power(i)));
    if (demand.energy_given)
      fmt::print(stderr, "  energy {:>11} {:>11} J", "+" + number((*demand.energy_given)(i), 6, largest),
                 number((*demand.energy_taken)(i), 6, largest));
    fmt::print(stderr, "\n");
  }
  for (const Excess& excess : list) fmt::print(stderr, "limit exceeded: {}\n", printable(sentence(samples, excess)));
}

std::string json_report(const Model& model, const Samples& samples, const Matrix& tau, const Demand& demand,
                        const std::vector<Excess>& list) {
  const read::TrajectoryRows& rows = samples.rows;
  Json json;
  add_joints(json, model);
  if (rows.time.size() > 0) json.add("time", rows.time);
  if (samples.computed) json.add_matrix("q", rows.q).add_matrix("v", rows.v).add_matrix("a", rows.a);
  json.add_matrix("tau", tau).add("peak", demand.peak).add("rms", demand.rms).add("peak_power", demand.peak_power);
  if (demand.energy_given) {
    json.add("energy", Json().add("given", *demand.energy_given).add("taken", *demand.energy_taken));
  } else {
    json.add_null("energy");
  }
  std::vector<Json> exceeded;
  for (const Excess& excess : list) {
    Json one;
    one.add("joint", excess.name).add("quantity", excess.quantity).add("limit", excess.limit).add("by", excess.by);
    one.add_int("first_row", excess.first);
    if (rows.time.size() > 0) one.add("first_time", rows.time(excess.first));
    exceeded.push_back(one);
  }
  std::vector<std::string> warnings;
  for (const Excess& excess : list) warnings.push_back("limit exceeded: " + sentence(samples, excess));
  json.add("limits_exceeded", exceeded).add("warnings", warnings);
  if (!samples.note.empty()) json.add("note", samples.note);
  return json.text();
}

}  // namespace

std::string csv_cell(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string place_of_row(const Options& options, const read::TrajectoryRows& rows, Eigen::Index k) {
  return rows.lines.empty() ? fmt::format("{} at {} s", options.trajectory, rows.time(k))
                            : fmt::format("{}:{}", options.trajectory, rows.lines[static_cast<std::size_t>(k)]);
}

read::TrajectoryRows trajectory_rows(const Options& options, const Model& model, Output& out) {
  Samples samples = samples_of(options, model);
  if (!samples.note.empty()) out.warn(samples.note);
  for (const Coordinate& c : model.coordinates()) {
    if (c.nq != 1) continue;
    const Limits& limits = model.description().joints[static_cast<std::size_t>(c.index)].limits;
    const auto q = samples.rows.q.col(c.q);
    if (q.minCoeff() < limits.lower || q.maxCoeff() > limits.upper)
      out.warn(fmt::format("{} passes its limits along the motion: {} to {}, limits {} to {}", c.joint,
                           number(q.minCoeff()), number(q.maxCoeff()), number(limits.lower), number(limits.upper)));
  }
  return std::move(samples.rows);
}

int run_trajectory(const Options& options, const Model& model, const ExternalLoads& loads, Output& out) {
  if (options.joint_wrenches) throw UsageError("--wrenches is for a single state, not for --trajectory");
  const Samples samples = samples_of(options, model);
  const Matrix tau = forces_along(samples.rows, options, model, loads);
  const Demand demand = demand_of(samples.rows, tau);
  require_finite(demand.rms, model.velocity_names(), "the root mean square force");
  require_finite(demand.peak_power, model.velocity_names(), "the power");
  if (demand.energy_given)
    require_finite(*demand.energy_given - *demand.energy_taken, model.velocity_names(), "the energy");
  const std::vector<Excess> exceeded = limits_exceeded(model, samples, tau);
  if (out.json()) {
    out.line(json_report(model, samples, tau, demand, exceeded));
    return success;
  }
  if (is_recording(options.output)) {
    std::optional<write::Claim> claim = out.use_screen();
    record(options, model, samples, tau, claim ? std::move(*claim) : claim_file(options.output, options.force));
  } else {
    write_csv(out, samples, tau, model);
  }
  print_summary(model, samples, demand, exceeded);
  return success;
}

}  // namespace catena::cli
