#include "cli/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catena/joints/joints.hpp"
#include "catena/model/text.hpp"
#include "catena/simulate/sensitivity.hpp"
#include "catena/trajectory/slack.hpp"
#include "catena/write/toml.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t most_parameters = 60;  // of parameters on the screen; JSON has all
constexpr double most_derivatives = 5e7;     // of a run's sensitivities in memory

void require_smooth(const Scenario& scenario) {
  if (scenario.options.at_limit != AtLimit::ignore)
    throw UsageError(
        "--sensitivity: limits that stop or deflect the motion have no derivative here: give --limits ignore");
  if (!scenario.options.stops.empty())
    throw UsageError("--sensitivity: the run has to end at a fixed time: leave out the conditions that stop it");
  if (scenario.actuation.period > 0)
    throw UsageError("--sensitivity: the controller has to be continuous: leave out its sample period");
}

SensitivityProblem problem_of(const Scenario& scenario, const std::vector<std::string>& words) {
  SensitivityProblem problem{scenario.model, scenario.controller, scenario.q, scenario.v, scenario.options.duration};
  problem.duration = std::min(problem.duration, scenario.controller->end());
  problem.actuation = scenario.actuation;
  problem.wrenches = scenario.wrenches;
  if (!is_fixed_step(scenario.options.method)) problem.accuracy.rtol = scenario.options.accuracy.rtol;
  try {
    differentiate_by(problem, words);
    sensitivity_names(problem);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--sensitivity: {}", error.what()));
  }
  return problem;
}

std::string unit_of_term(const Model& model, const std::string& joint, ParameterKind kind) {
  for (const Joint& other : model.description().joints) {
    if (other.name != joint) continue;
    const JointFacts& facts = facts_of(other.type);
    const bool slides = facts.turning == 0, turns = facts.turning == facts.nv;
    if (!slides && !turns) return "SI";
    switch (kind) {
      case ParameterKind::armature: return slides ? "kg" : "kg m²";
      case ParameterKind::damping: return slides ? "N s/m" : "N m s/rad";
      case ParameterKind::friction: return slides ? "N" : "N m";
      case ParameterKind::friction_scale: return slides ? "m/s" : "rad/s";
      case ParameterKind::stiffness: return slides ? "N/m" : "N m/rad";
      default: return slides ? "m" : "rad";
    }
  }
  return "SI";
}

std::string unit_of(const Model& model, const std::string& name, ParameterKind kind) {
  const std::string part = name.substr(name.rfind('.') + 1);
  switch (kind) {
    case ParameterKind::inertia: return part == "m" ? "kg" : part[0] == 'm' ? "kg m" : "kg m²";
    case ParameterKind::placement:
    case ParameterKind::body_pose: return part[0] == 'r' ? "rad" : "m";
    case ParameterKind::gravity: return "m/s²";
    default: return unit_of_term(model, name.substr(0, name.rfind('.')), kind);
  }
}

// In the order of the parameters.
std::vector<std::string> parameter_units(const SensitivityProblem& problem) {
  const std::vector<Units> units = velocity_units(problem.model);
  std::vector<std::string> out;
  const auto add = [&](std::string Units::*unit) {
    for (const Units& u : units) out.push_back(u.*unit);
  };
  if (problem.initial_q) add(&Units::position);
  if (problem.initial_v) add(&Units::velocity);
  if (!problem.inputs.empty()) add(&Units::force);
  for (const ParameterKind kind : problem.robot) {
    SensitivityProblem one = problem;
    one.initial_q = one.initial_v = false;
    one.inputs.clear();
    one.robot = {kind};
    one.named.clear();
    for (const std::string& name : sensitivity_names(one)) out.push_back(unit_of(problem.model, name, kind));
  }
  for (const Parameter& parameter : parameters(problem.model, problem.named))
    out.push_back(replaced(parameter.unit, "^2", "²"));
  return out;
}

// The instants of the run's rows: multiples of `every`, and its end.
std::vector<double> row_times(const Scenario& scenario, double end) {
  std::vector<double> out;
  for (long k = 0; static_cast<double>(k) * scenario.options.every < end - slack(end); ++k)
    out.push_back(static_cast<double>(k) * scenario.options.every);
  out.push_back(end);
  return out;
}

void record(const Scenario& scenario, const std::vector<std::string>& words, const TrajectorySensitivity& result,
            const std::vector<std::string>& row_units, const std::vector<std::string>& units, write::Claim claim) {
  const Model& model = scenario.model;
  RecordingHeader header;
  header.columns = {{"time", "s"}};
  for (const char* prefix : {"q", "v"})
    for (Column& column : columns_of(model, prefix)) header.columns.push_back(std::move(column));
  for (std::size_t r = 0; r < result.rows.size(); ++r)
    for (std::size_t c = 0; c < units.size(); ++c)
      header.columns.push_back(
          {fmt::format("d{}.per.{}", result.rows[r], result.parameters[c]), unit_per(row_units[r], units[c])});
  header.notes = {{"catena", CATENA_VERSION},
                  {"model", catena::printable(scenario.robot)},
                  {"hash", fmt::format("{:016x}", model.hash())},
                  {"settings", fmt::format("sensitivities by {}", fmt::join(words, ","))},
                  {"scenario", scenario.text},
                  {"robot", write::toml(model.description())}};
  const std::unique_ptr<Recorder> recorder = create_recording(std::move(claim), header);
  Vector row(static_cast<Eigen::Index>(header.columns.size()));
  for (std::size_t k = 0; k < result.times.size(); ++k) {
    const Matrix by_rows = result.S[k].transpose();  // a row of S after the other
    row << result.times[k], result.q[k], result.v[k], by_rows.reshaped();
    row.array() += 0.0;  // no -0
    recorder->append(row);
  }
  recorder->finish();
}

void print_tables(Output& out, const SensitivityProblem& problem, const TrajectorySensitivity& result,
                  const std::vector<std::string>& row_units, const std::vector<std::string>& units) {
  const Matrix& S = result.S.back();
  out.title(fmt::format("How the end, at t = {} s, changes", number(result.times.back())));
  out.explain(
      "Each number: the change of the quantity above it for a small change of the parameter on its left, per unit of "
      "that parameter, everything else held. q0 and v0 are the start, tau a constant force on top of the others. "
      "Joints "
      "that turn in several directions: changes about and along their body's axes.");
  const std::size_t shown = std::min(most_parameters, result.parameters.size()), block = 6;
  const auto count = static_cast<std::size_t>(problem.model.nv());
  for (std::size_t first = 0; first < 2 * count;) {
    const std::size_t last = std::min(first + block, first < count ? count : 2 * count);
    std::vector<std::string> headings = {"by", "per"};
    for (std::size_t r = first; r < last; ++r)
      headings.push_back(fmt::format(">{} [{}]", printable(result.rows[r]), row_units[r]));
    Table table(headings);
    for (std::size_t c = 0; c < shown; ++c) {
      std::vector<std::string> cells = {printable(result.parameters[c]), units[c]};
      const auto column = S.col(static_cast<Eigen::Index>(c));
      for (std::size_t r = first; r < last; ++r)
        cells.push_back(number(column[static_cast<Eigen::Index>(r)], 6, largest_of(column)));
      table.row(cells);
    }
    table.print(out);
    out.line();
    first = last;
  }
  if (shown < result.parameters.size())
    out.line(fmt::format("  … and {} more parameters; --json has all of them", result.parameters.size() - shown));
}

}  // namespace

void require_sensitivity(const Scenario& scenario, const std::vector<std::string>& words) {
  require_smooth(scenario);
  problem_of(scenario, words);
}

void report_sensitivity(const Scenario& scenario, const std::vector<std::string>& words,
                        std::optional<write::Claim> claim, const std::string& file, Output& out, Json* json) {
  SensitivityProblem problem = problem_of(scenario, words);
  problem.method = scenario.options.method == Method::bdf ? Method::bdf : suggested_method(problem);
  std::vector<double> times = {problem.duration};
  if (claim) {
    const double rows = problem.duration / scenario.options.every + 2;
    const double numbers = rows * 2 * scenario.model.nv() * static_cast<double>(sensitivity_names(problem).size());
    if (numbers > most_derivatives)
      throw UsageError(fmt::format("{}: {} numbers are too many: give a longer --every, or fewer parameters", file,
                                   rough(numbers, 1)));
    times = row_times(scenario, problem.duration);
  }
  const TrajectorySensitivity result = trajectory_sensitivity(problem, times);
  for (const Matrix& S : result.S) require_finite(S, "the sensitivity");
  std::vector<std::string> row_units;
  for (const Units& u : velocity_units(scenario.model)) row_units.push_back(u.position);
  for (const Units& u : velocity_units(scenario.model)) row_units.push_back(u.velocity);
  const std::vector<std::string> units = parameter_units(problem);
  if (claim) record(scenario, words, result, row_units, units, std::move(*claim));
  if (json == nullptr) {
    print_tables(out, problem, result, row_units, units);
    if (!file.empty())
      out.line(fmt::format("  the same at {} in {}; next: catena plot {} --show dq",
                           counted(result.times.size(), "instant"), file, file));
    return;
  }
  Json object;
  object.add("time", result.times.back()).add("rows", result.rows).add("row_units", row_units);
  object.add("parameters", result.parameters).add("parameter_units", units).add_matrix("matrix", result.S.back());
  if (!file.empty()) object.add("file", file).add_int("instants", static_cast<long>(result.times.size()));
  json->add("sensitivity", object);
}

}  // namespace catena::cli
