#include "catena/simulate/scenario.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "catena/control/inputs.hpp"
#include "catena/read/file.hpp"
#include "catena/read/number.hpp"
#include "catena/read/robot.hpp"
#include "catena/read/state.hpp"
#include "catena/simulate/scenario_parts.hpp"

namespace catena {

using read::Fields;
using read::Log;
using read::Value;

namespace scenario {

std::string beside(const std::string& file, const std::string& name) {
  const std::filesystem::path path(name);
  if (path.is_absolute()) return name;
  return (std::filesystem::path(file).parent_path() / path).string();
}

std::optional<bool> flag(Fields& fields, const char* key) {
  const Value* found = fields.value(key);
  if (!found) return std::nullopt;
  if (found->kind != Value::Kind::boolean) {
    fields.error("wrong-type", found->line, std::string(key) + " must be true or false", "write true or false");
    return std::nullopt;
  }
  return found->boolean;
}

namespace {

void read_positive(Fields& fields, const char* key, double& into) {
  const auto value = fields.number(key);
  if (!value) return;
  if (!(*value > 0)) {
    fields.error("not-positive", fields.line(key), std::string(key) + " must be positive", "write a positive number");
    return;
  }
  into = *value;
}

void read_integrator(SimulationOptions& options, const Value& table, Log& log) {
  Fields fields(table, log);
  static constexpr const char* methods[] = {"dopri5", "fehlberg78", "cash_karp", "adams",
                                            "bdf",    "verner65",   "rk4",       "euler"};
  if (const auto k = choice(fields, "method", methods)) options.method = *method_from(methods[*k]);
  static constexpr const char* coordinates[] = {"v", "xi", "nu", "velocities"};
  if (const auto k = choice(fields, "coordinates", coordinates)) options.velocities = static_cast<Velocities>(*k % 3);
  read_positive(fields, "rtol", options.accuracy.rtol);
  options.accuracy.atol = options.accuracy.rtol;
  read_positive(fields, "atol", options.accuracy.atol);
  read_positive(fields, "step", options.accuracy.step);
  fields.finish(Severity::error);
}

void read_limits(SimulationOptions& options, const Value& table, Log& log) {
  Fields fields(table, log);
  static constexpr const char* words[] = {"ignore", "stop", "bounce"};
  if (const auto k = choice(fields, "at", words)) options.at_limit = static_cast<AtLimit>(*k);
  if (const auto e = fields.number("restitution")) {
    if (!(*e >= 0 && *e <= 1))
      fields.error("restitution", fields.line("restitution"), "restitution must lie between 0 and 1",
                   "0: no bounce, 1: no loss");
    options.restitution = *e;
  }
  fields.finish(Severity::error);
}

void read_stops(SimulationOptions& options, const Value& list, Log& log) {
  for (const Value& item : list.items) {
    Fields fields(item, log);
    Threshold stop;
    const auto quantity = fields.text("quantity");
    const auto above = fields.number("above"), below = fields.number("below");
    if (!quantity || above.has_value() == below.has_value()) {
      fields.error("stop-incomplete", item.line, "a stop needs a quantity and either above or below",
                   "for example: quantity = \"q.elbow\", above = 1.2");
    } else {
      options.stops.push_back({*quantity, above.has_value(), above ? *above : *below});
    }
    fields.finish(Severity::error);
  }
}

// What does not need the robot.
SimulationOptions read_options(Fields& fields, Log& log) {
  SimulationOptions options;
  read_positive(fields, "duration", options.duration);
  if (!fields.has("duration"))
    fields.error("duration-missing", 0, "the scenario has no duration", "write duration = 1 (seconds)");
  options.every = options.duration / 100;
  read_positive(fields, "every", options.every);
  if (const Value* record = fields.list("record")) {
    for (const Value& item : record->items) {
      if (item.kind == Value::Kind::text && (item.text == "a" || item.text == "nu" || item.text == "xi")) {
        options.extra.push_back(item.text);
      } else {
        fields.error("word-unknown", item.line, "record cannot have " + read::quote(item.text),
                     "write some of: \"a\", \"nu\", \"xi\"");
      }
    }
  }
  if (const Value* table = fields.table("integrator")) read_integrator(options, *table, log);
  if (const Value* table = fields.table("limits")) read_limits(options, *table, log);
  if (const Value* list = fields.list("stop")) read_stops(options, *list, log);
  return options;
}

void read_start(Scenario& scenario, const Value& table, Log& log) {
  Fields fields(table, log);
  if (const Value* q = fields.value("q")) scenario.q = quantity(scenario, *q, "q", "q", log);
  if (const Value* v = fields.value("v")) scenario.v = quantity(scenario, *v, "v", "v", log);
  if (const auto name = fields.text("file")) {
    try {
      const read::State state = read::state(scenario.model, beside(log.file(), *name));
      if (state.q) scenario.q = *state.q;
      if (state.v) scenario.v = *state.v;
    } catch (const ModelError& error) {
      for (const Finding& finding : error.findings()) {
        const bool doubtful = finding.code == "joint-unknown" || finding.code == "number-count" ||
                              finding.code == "key-unknown" || finding.code.starts_with("column-");
        if (robot_known(scenario) || !doubtful) log.add(placed(finding, fields, "file"));
      }
    }
  }
  if (const auto seed = fields.number("random")) {
    if (std::abs(*seed) < 0x1p53 && *seed == std::floor(*seed)) {
      scenario.q = random_configuration(scenario.model, static_cast<std::uint64_t>(std::abs(*seed)));
    } else {
      fields.error("seed", fields.line("random"), "random must be a whole number, at most 2^53", "write random = 1");
    }
  }
  fields.finish(Severity::error);
  if (!robot_known(scenario)) return;
  try {
    require_configuration(scenario.model, scenario.q);
  } catch (const std::invalid_argument& error) {
    log.error("start", table.line, "", error.what(), "correct [start]");
  }
}

// Names of what to stop at, which the robot decides.
void check_stops(const Scenario& scenario, const Value& list, Log& log) {
  for (const Value& item : list.items) {
    const Value* quantity = item.find("quantity");
    if (!quantity || quantity->kind != Value::Kind::text) continue;  // told already
    const std::string why = why_no_column(scenario.model, scenario.options, quantity->text);
    if (!why.empty()) log.error("stop-unknown", quantity->line, "", why, "correct the name");
  }
}

// What only shows when everything is put together. After other mistakes: of the options alone.
void try_out(const Scenario& scenario, Log& log) {
  SimulationOptions options = scenario.options;
  try {
    if (has_errors(log.findings())) {
      options.stops.clear();
      const Simulation only_options(scenario.model, zero_input(scenario.model), options);
    } else {
      Simulation(scenario.model, scenario.controller, options, scenario.actuation, scenario.wrenches)
          .start(scenario.q, scenario.v);
    }
  } catch (const std::invalid_argument& error) {
    log.error("scenario", 0, "", error.what(), "correct the scenario");
  }
}

}  // namespace
}  // namespace scenario

Scenario scenario_from_text(const std::string& text, const std::string& file, const Model* robot) {
  using namespace scenario;
  Log log(file);
  const Value document = read::toml_document(text, log);
  if (has_errors(log.findings())) throw ModelError(log.findings());
  Fields fields(document, log);
  Findings findings;
  const RobotRecipe recipe = read_recipe(fields, log, robot);
  const std::optional<Model> model = read_robot(recipe, fields, findings);
  const SimulationOptions options = read_options(fields, log);
  const bool sound_options = !has_errors(log.findings());
  // Without its robot the rest is read with another one, so that everything else is told at once.
  Scenario out{model ? fields.text("model").value_or(model->name()) : "",
               model ? *model : read::load("planar_3r"),
               {},
               {},
               nullptr,
               {},
               {},
               options,
               nullptr,
               text,
               {}};
  if (model) out.findings = out.model.findings();
  out.q = neutral_configuration(out.model);
  out.v = Vector::Zero(out.model.nv());
  out.controller = zero_input(out.model);

  if (const Value* table = fields.table("start")) read_start(out, *table, log);
  if (const Value* table = fields.table("motion")) {
    out.motion = read_motion(out, *table, log);
    const Value* start = document.find("start");
    if (out.motion && !(start && (start->find("q") || start->find("file") || start->find("random")))) {
      Vector a(out.model.nv());
      out.motion->at(0, out.q, out.v, a);
    }
  }
  if (const Value* table = fields.table("input")) read_input(out, recipe, *table, log);
  if (const Value* list = fields.list("wrench")) out.wrenches = read_wrenches(out, *list, log);
  if (const Value* list = document.find("stop"); list && model) check_stops(out, *list, log);
  fields.finish(Severity::error);
  if (model && sound_options) try_out(out, log);
  out.findings.insert(out.findings.end(), findings.begin(), findings.end());  // of the robot: first
  // What the file says and nobody understands would be left out in silence: no run without it.
  for (Finding finding : log.findings()) {
    finding.severity = Severity::error;
    out.findings.push_back(std::move(finding));
  }
  if (has_errors(out.findings)) throw ModelError(out.findings);
  return out;
}

Scenario read_scenario(const std::string& path) {
  return scenario_from_text(read::text_file(path, 16 * read::megabyte), path);
}

bool is_scenario(const std::string& path) {
  std::error_code ignored;
  const bool named_so = path.ends_with(".toml");
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  for (const char* other : {".urdf", ".xml", ".xacro", ".json", ".csv", ".h5", ".hdf5"})
    if (path.ends_with(other)) return false;
  try {
    Log log(path);
    const std::string text = read::text_file(path, 16 * read::megabyte);
    const std::string_view begin = read::trimmed(text);
    if (begin.starts_with('<') || begin.starts_with('{')) return false;
    const Value document = read::toml_document(text, log);
    const Value* model = document.find("model");
    if (document.find("duration") != nullptr || (model != nullptr && model->kind == Value::Kind::text)) return true;
    if (!named_so) return false;
    for (const char* key : {"body", "bodies", "dh", "q", "v", "a", "tau"})
      if (document.find(key)) return false;  // a robot or a state
    static const std::vector<std::string> keys = {"duration", "model",  "every",  "record", "integrator",
                                                  "limits",   "stop",   "start",  "motion", "input",
                                                  "wrench",   "losses", "payload"};
    return std::any_of(document.keys.begin(), document.keys.end(),
                       [](const std::string& key) { return !near_names(key, keys).empty(); });
  } catch (const ModelError&) {  // who reads it will say why
    return false;
  }
}

}  // namespace catena
