#include "cli/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catena/joints/joints.hpp"
#include "catena/simulate/sensitivity.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

struct NamedKind {
  const char* name;
  ParameterKind kind;
};
constexpr NamedKind robot_kinds[] = {
    {"inertia", ParameterKind::inertia},
    {"placement", ParameterKind::placement},
    {"body_pose", ParameterKind::body_pose},
    {"armature", ParameterKind::armature},
    {"damping", ParameterKind::damping},
    {"friction", ParameterKind::friction},
    {"friction_scale", ParameterKind::friction_scale},
    {"stiffness", ParameterKind::stiffness},
    {"rest", ParameterKind::rest},
    {"gravity", ParameterKind::gravity},
};

constexpr std::size_t most_parameters = 60;  // of parameters on the screen; JSON has all

void require_smooth(const Scenario& scenario) {
  if (scenario.options.at_limit != AtLimit::ignore)
    throw UsageError(
        "--sensitivity: limits that stop or deflect the motion have no derivative here: give --limits ignore");
  if (!scenario.options.stops.empty())
    throw UsageError("--sensitivity: the run has to end at a fixed time: leave out the conditions that stop it");
  if (scenario.actuation.period > 0)
    throw UsageError("--sensitivity: the controller has to be continuous: leave out its sample period");
}

SensitivityProblem problem_of(const Scenario& scenario, const std::vector<std::string>& kinds) {
  SensitivityProblem problem{scenario.model, scenario.controller, scenario.q, scenario.v, scenario.options.duration};
  problem.duration = std::min(problem.duration, scenario.controller->end());
  problem.actuation = scenario.actuation;
  problem.wrenches = scenario.wrenches;
  problem.initial_q = problem.initial_v = false;
  if (!is_fixed_step(scenario.options.method)) problem.accuracy.rtol = scenario.options.accuracy.rtol;
  for (const std::string& kind : kinds) {
    if (kind == "initial") {
      problem.initial_q = problem.initial_v = true;
      continue;
    }
    if (kind == "tau") {
      problem.inputs = {constant_force(scenario.model)};
      continue;
    }
    const auto* found = std::find_if(std::begin(robot_kinds), std::end(robot_kinds),
                                     [&](const NamedKind& known) { return kind == known.name; });
    if (found == std::end(robot_kinds)) {
      std::string all = "initial, tau";
      for (const NamedKind& known : robot_kinds) all += std::string(", ") + known.name;
      throw UsageError(fmt::format("--sensitivity {}: write some of {}", kind, all));
    }
    if (std::find(problem.robot.begin(), problem.robot.end(), found->kind) == problem.robot.end())
      problem.robot.push_back(found->kind);
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
    for (const std::string& name : sensitivity_names(one)) out.push_back(unit_of(problem.model, name, kind));
  }
  return out;
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

void report_sensitivity(const Scenario& scenario, const std::vector<std::string>& kinds, Output& out, Json* json) {
  require_smooth(scenario);
  SensitivityProblem problem = problem_of(scenario, kinds);
  problem.method = scenario.options.method == Method::bdf ? Method::bdf : suggested_method(problem);
  const TrajectorySensitivity result = trajectory_sensitivity(problem);
  require_finite(result.S.back(), "the sensitivity");
  std::vector<std::string> row_units;
  for (const Units& u : velocity_units(scenario.model)) row_units.push_back(u.position);
  for (const Units& u : velocity_units(scenario.model)) row_units.push_back(u.velocity);
  const std::vector<std::string> units = parameter_units(problem);
  if (json == nullptr) {
    print_tables(out, problem, result, row_units, units);
    return;
  }
  Json object;
  object.add("time", result.times.back()).add("rows", result.rows).add("row_units", row_units);
  object.add("parameters", result.parameters).add("parameter_units", units).add_matrix("matrix", result.S.back());
  json->add("sensitivity", object);
}

}  // namespace catena::cli
