#include "catena/simulate/scenario.hpp"

#include <cmath>
#include <filesystem>

#include "catena/read/file.hpp"
#include "catena/read/number.hpp"
#include "catena/read/robot.hpp"
#include "catena/read/state.hpp"
#include "catena/simulate/inputs.hpp"
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
  static constexpr const char* coordinates[] = {"v", "xi", "nu"};
  if (const auto k = choice(fields, "coordinates", coordinates)) options.velocities = static_cast<Velocities>(*k);
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

// The robot as the scenario changes it; nothing, and the findings, if it cannot be used.
std::optional<Model> read_robot(Fields& fields, const std::string& file, Findings& findings) {
  const auto name = fields.text("model");
  if (!name) {
    fields.error("model-missing", 0, "the scenario names no robot", "write model = \"robot.urdf\" or a built-in name");
    return std::nullopt;
  }
  const std::string near = beside(file, *name);
  const bool floating = flag(fields, "floating").value_or(false);
  const auto gravity = fields.vector("gravity");
  const bool losses = flag(fields, "losses").value_or(true);
  try {
    read::Reading reading = read::robot(std::filesystem::exists(near) ? near : *name, {.floating = floating});
    if (gravity) reading.description.gravity = *gravity;
    if (!losses)
      for (Joint& joint : reading.description.joints) joint.terms.damping = joint.terms.friction = 0;
    return read::build(reading);
  } catch (const ModelError& error) {
    findings = error.findings();
    return std::nullopt;
  }
}

void read_start(Scenario& scenario, const Value& table, Log& log) {
  Fields fields(table, log);
  if (const Value* q = fields.value("q")) scenario.q = read::quantity(scenario.model, *q, "q", log);
  if (const Value* v = fields.value("v")) scenario.v = read::quantity(scenario.model, *v, "v", log);
  if (const auto name = fields.text("file")) {
    try {
      const read::State state = read::state(scenario.model, beside(log.file(), *name));
      if (state.q) scenario.q = *state.q;
      if (state.v) scenario.v = *state.v;
    } catch (const ModelError& error) {
      for (const Finding& finding : error.findings()) scenario.findings.push_back(finding);
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
  try {
    require_configuration(scenario.model, scenario.q);
  } catch (const std::invalid_argument& error) {
    log.error("start", table.line, "", error.what(), "correct [start]");
  }
}

}  // namespace
}  // namespace scenario

Scenario scenario_from_text(const std::string& text, const std::string& file) {
  using namespace scenario;
  Log log(file);
  const Value document = read::toml_document(text, log);
  if (has_errors(log.findings())) throw ModelError(log.findings());
  Fields fields(document, log);
  Findings findings;
  const std::optional<Model> model = read_robot(fields, file, findings);
  const SimulationOptions options = read_options(fields, log);
  if (!model) {  // what needs the robot cannot be read; everything else is told at once
    for (const char* key : {"gravity", "losses", "start", "motion", "input", "wrench"}) fields.value(key);
    fields.finish(Severity::error);
    findings.insert(findings.end(), log.findings().begin(), log.findings().end());
    throw ModelError(findings);
  }
  Scenario out{*fields.text("model"), *model, {}, {}, nullptr, {}, {}, options, nullptr, text, model->findings()};
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
  if (const Value* table = fields.table("input")) read_input(out, *table, log);
  if (const Value* list = fields.list("wrench")) out.wrenches = read_wrenches(out, *list, log);
  fields.finish(Severity::error);

  if (!has_errors(log.findings())) {
    try {
      Simulation(out.model, out.controller, out.options, out.actuation, out.wrenches).start(out.q, out.v);
    } catch (const std::invalid_argument& error) {
      log.error("scenario", 0, "", error.what(), "correct the scenario");
    }
  }
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
  if (!path.ends_with(".toml") || !std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    Log log(path);
    const Value document = read::toml_document(read::text_file(path, 16 * read::megabyte), log);
    const Value* model = document.find("model");
    return document.find("duration") != nullptr || (model != nullptr && model->kind == Value::Kind::text);
  } catch (const ModelError&) {  // who reads it will say why
    return false;
  }
}

}  // namespace catena
