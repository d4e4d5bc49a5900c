// catena simulate: RFDSIM for any robot. A scenario file or flags in; what happened, the energy balance and a recording
// out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "catena/control/inputs.hpp"
#include "catena/model/names.hpp"
#include "catena/model/parameter.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/limits.hpp"
#include "cli/robot.hpp"
#include "cli/run.hpp"
#include "cli/sensitivity.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

void require_positive(const std::optional<double>& value, const char* flag) {
  if (value && (!(*value > 0) || !std::isfinite(*value)))
    throw UsageError(fmt::format("{} must be a positive number", flag));
}

// Flags win over the scenario.
std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (int k = 0; k <= static_cast<int>(Method::euler); ++k) names.emplace_back(name_of(static_cast<Method>(k)));
  return names;
}

void apply_flags(SimulationOptions& into, const Options& options) {
  require_positive(options.duration, "--duration");
  require_positive(options.every, "--every");
  require_positive(options.integration_step, "--step");
  require_positive(options.rtol, "--rtol");
  if (options.duration) into.duration = *options.duration;
  if (options.every) into.every = *options.every;
  if (options.integration_step) into.accuracy.step = *options.integration_step;
  if (options.rtol) into.accuracy.rtol = into.accuracy.atol = *options.rtol;
  if (!options.integrator.empty()) {
    const auto method = method_from(options.integrator);
    if (!method)
      throw UsageError(
          fmt::format("--integrator {}: write dopri5, fehlberg78, cash_karp, adams, bdf, verner65, rk4 or euler{}",
                      options.integrator, did_you_mean(options.integrator, method_names())));
    into.method = *method;
  }
  const auto pick = [](const std::string& text, const char* flag, std::initializer_list<const char*> words) {
    int k = 0;
    for (const char* word : words) {
      if (text == word) return k;
      ++k;
    }
    std::string all;
    for (const char* word : words) all += all.empty() ? word : std::string(", ") + word;
    throw UsageError(
        fmt::format("{} {}: write one of {}{}", flag, text, all, did_you_mean(text, {words.begin(), words.end()})));
  };
  if (!options.coordinates.empty())
    into.velocities =
        static_cast<Velocities>(pick(options.coordinates, "--coordinates", {"velocities", "xi", "nu", "v"}) % 3);
  if (!options.at_limits.empty())
    into.at_limit = static_cast<AtLimit>(pick(options.at_limits, "--limits", {"ignore", "stop", "bounce"}));
  for (const std::string& extra : options.record) into.extra.push_back(extra);
}

// The robot with a body on a frame for each --payload: mass, centre of mass and inertia about it, in the frame's axes.
Model with_payloads(const Model& model, const std::vector<std::string>& payloads) {
  std::vector<std::pair<std::string, double>> values;
  for (const std::string& text : payloads) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0)
      throw UsageError(
          fmt::format("--payload '{}': no frame before ':'; write FRAME:MASS[,CX,CY,CZ[,IXX,IYY,IZZ[,IXY,"
                      "IXZ,IYZ]]], for example {}:2",
                      text, model.frame_name(model.frame_count() - 1)));
    const std::vector<double> numbers = parse_numbers(text.substr(colon + 1), "--payload");
    if (numbers.size() != 1 && numbers.size() != 4 && numbers.size() != 7 && numbers.size() != 10)
      throw UsageError(
          fmt::format("--payload '{}': {} instead of 1 (mass), 4 (and centre of mass), 7 or 10 (and inertia)", text,
                      counted(numbers.size(), "number")));
    const std::string frame = model.frame_name(model.frame(text.substr(0, colon)));
    const std::vector<Parameter> ten = parameters(model, {frame + ".payload"});
    for (std::size_t k = 0; k < numbers.size(); ++k) values.emplace_back(ten[k].name, numbers[k]);
  }
  return with_parameters(model, values);
}

Scenario scenario_of(const Options& options, Output& out) {
  if (is_scenario(options.model)) {
    if (!options.q.empty() || !options.v.empty() || !options.tau.empty() || !options.state_file.empty() ||
        options.random || options.floating || !options.gravity.empty() || options.no_friction || options.no_damping ||
        options.no_joint_terms || !options.payloads.empty())
      throw UsageError("a scenario brings its own robot, state and input: leave out the flags for these");
    Scenario scenario = read_scenario(options.model);
    apply_flags(scenario.options, options);
    warn_of_positions(scenario, options.model, out);
    return scenario;
  }
  Robot robot = load_robot(options);
  if (!options.payloads.empty()) robot.model = with_payloads(robot.model, options.payloads);
  const State state = read_state(robot.model, options, out);
  Scenario scenario{options.model, robot.model, state.q, state.v, nullptr, {}, {}, {}, nullptr, {}, robot.findings};
  scenario.controller = constant_input(robot.model, state.tau);
  if (options.every && !options.duration) scenario.options.duration = std::max(1.0, *options.every);
  apply_flags(scenario.options, options);
  if (!options.every) scenario.options.every = scenario.options.duration / 100;
  if (is_fixed_step(scenario.options.method) && !options.every)
    scenario.options.every = std::max(1.0, std::round(scenario.options.every / scenario.options.accuracy.step)) *
                             scenario.options.accuracy.step;
  std::string text = "from flags: q";
  for (const double x : state.q) fmt::format_to(std::back_inserter(text), " {}", x);
  text += "; v";
  for (const double x : state.v) fmt::format_to(std::back_inserter(text), " {}", x);
  text += "; tau";
  for (const double x : state.tau) fmt::format_to(std::back_inserter(text), " {}", x);
  scenario.text = text;
  return scenario;
}

std::string for_shell(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// After an interruption that left rows in a file of the run's own, where it cannot go on.
constexpr const char* starts_anew = "commands under way are not recorded, so that a run with a delay starts anew";

// What the user typed, with another file and --resume.
std::string resume_command(const Options& options, const std::string& file) {
  std::string command = "catena " + options.command;
  for (std::size_t k = 0; k < options.words.size(); ++k) {
    const std::string& word = options.words[k];
    if (word == "--output" || word == "-o") {
      ++k;  // and its value
    } else if (word != "--force" && word != "--resume" && !word.starts_with("--output=") && !word.starts_with("-o")) {
      command += " " + for_shell(word);
    }
  }
  return command + " --resume --output " + for_shell(file);
}

std::string how_to_go_on(const Options& options, const Run& run, bool aside) {
  if (aside) return "";  // a warning has said it
  if (run.resumable)
    return options.output.empty() ? "; with --output FILE a run can be resumed"
                                  : "; the same command with --resume goes on";
  if (options.output.empty()) return "; with --output FILE its rows are kept";
  return run.kept ? fmt::format("; its rows are kept; {}", starts_anew) : "";
}

void print_motion(Output& out, const Model& model, const Run& run) {
  const int shown = std::min(model.nq(), 8);
  std::vector<std::string> headings = {">t [s]"};
  for (int i = 0; i < shown; ++i) {
    const Column& column = run.columns[static_cast<std::size_t>(1 + i)];
    headings.push_back(column.unit.empty() ? fmt::format(">{}", printable(column.name))
                                           : fmt::format(">{} [{}]", printable(column.name), column.unit));
  }
  Table table(headings);
  double largest = 0;
  for (const Vector& row : run.rows) largest = std::max(largest, row.segment(1, shown).cwiseAbs().maxCoeff());
  for (const Vector& row : run.rows) {
    std::vector<std::string> cells = {number(row[0], 4)};
    for (int i = 0; i < shown; ++i) cells.push_back(number(row[1 + i], 6, largest));
    table.row(cells);
  }
  table.print(out);
  if (shown < model.nq())
    out.line(fmt::format("  … and {} more; --output FILE records all of them", model.nq() - shown));
}

void print_energy(Output& out, const Outcome& outcome) {
  out.title("Energy");
  const Energies& e = outcome.energies;
  Table table({"at the end", ">J", ""});
  const double largest =
      std::max({least_energy, std::abs(e.kinetic), std::abs(e.potential), std::abs(e.work), std::abs(e.dissipated)});
  table.row({"kinetic", number(e.kinetic, 6, largest), "of the bodies and rotors"});
  table.row({"potential", number(e.potential, 6, largest), "gravity and springs"});
  table.row({"work", number(e.work, 6, largest), "brought in by forces and external wrenches"});
  table.row({"dissipated", number(e.dissipated, 6, largest), "damping, friction and impacts"});
  // An error may be far below the rounding of what was added up, but not below all of its digits.
  table.row({"balance", number(e.balance, 3, 1e-7 * largest), "energy balance error: that of the integration"});
  table.print(out);
  out.line(fmt::format("  largest error of the balance: {} of the energy that moved", rough(outcome.drift)));
}

}  // namespace

int run_simulate(const Options& options, Output& out) {
  std::optional<write::Claim> claim = out.use_screen();
  if (!options.output.empty() && !options.output.ends_with(".csv") && !options.output.ends_with(".h5") &&
      !options.output.ends_with(".hdf5"))
    throw UsageError(fmt::format("{}: the ending says the format; it can be .csv or .h5", options.output));
  if (options.resume && options.output.empty())
    throw UsageError("--resume needs --output FILE, the file to go on with");
  const Scenario scenario = scenario_of(options, out);
  // Of a robot's file the doctor tells; what it carries in this run alone nobody else looks at.
  for (const Finding& finding : scenario.model.findings())
    if (finding.severity == Severity::warning && (finding.body == "payload" || finding.body.ends_with(".payload")))
      out.warn(fmt::format("'{}': {}; {}", finding.body, finding.message, finding.remedy));
  std::optional<write::Claim> sensitivity_claim;
  if (!options.sensitivity.empty()) require_sensitivity(scenario, options.sensitivity);
  if (!options.sensitivity_file.empty()) {
    const std::string& file = options.sensitivity_file;
    if (options.sensitivity.empty())
      throw UsageError("--sensitivity-file needs --sensitivity NAMES: by what to differentiate");
    if (!file.ends_with(".csv") && !file.ends_with(".h5") && !file.ends_with(".hdf5"))
      throw UsageError(fmt::format("{}: the ending says the format; it can be .csv or .h5", file));
    if (file == options.output) throw UsageError("--sensitivity-file is a file of its own: name another than --output");
    sensitivity_claim.emplace(claim_file(file, options.force));
  }
  const auto sensitivities = [&](Json* json) {
    report_sensitivity(scenario, options.sensitivity, std::move(sensitivity_claim), options.sensitivity_file, out,
                       json);
  };
  Run run;
  try {
    run = run_scenario(scenario, options.output, options.resume, false, std::move(claim));
  } catch (const std::invalid_argument& error) {
    throw DataError(error.what());
  }
  const Outcome& outcome = run.outcome;
  const bool aside = run.file != options.output;
  if (aside)
    out.warn(
        run.file.empty()
            ? fmt::format("interrupted before its first row: {} is as it was", options.output)
            : fmt::format("interrupted: {} is as it was, and {} of this run are in {}; {}", options.output,
                          counted(static_cast<std::size_t>(outcome.rows), "row"), run.file,
                          run.resumable ? "to go on: " + resume_command(options, run.file) : std::string(starts_anew)));

  if (out.json()) {
    Json energy;
    const Energies& e = outcome.energies;
    energy.add("kinetic", e.kinetic).add("potential", e.potential).add("work", e.work);
    energy.add("dissipated", e.dissipated).add("balance", e.balance);
    Json json;
    add_joints(json, scenario.model);
    json.add("reason", outcome.reason).add_bool("finished", outcome.finished).add("time", outcome.time);
    if (!run.rows.empty()) {
      const Vector& last = run.rows.back();
      json.add("q", Vector(last.segment(1, scenario.model.nq())));
      json.add("v", Vector(last.segment(1 + scenario.model.nq(), scenario.model.nv())));
    }
    json.add("energy", energy)
        .add("drift", outcome.drift)
        .add_int("rows", outcome.rows)
        .add_int("steps", outcome.steps);
    json.add_int("rejected", outcome.rejected).add_int("evaluations", outcome.evaluations);
    std::vector<std::string> warnings = out.warnings();
    warnings.insert(warnings.end(), outcome.warnings.begin(), outcome.warnings.end());
    json.add("seconds", run.seconds).add("warnings", warnings);
    std::vector<Json> events;
    for (const SimulationEvent& event : outcome.events)
      events.emplace_back().add("time", event.time).add("what", event.what);
    json.add("events", events);
    if (!run.file.empty()) json.add("file", run.file);
    if (outcome.finished && !options.sensitivity.empty()) sensitivities(&json);
    out.line(json.text());
    return outcome.finished ? success : interrupted;
  }

  out.line(out.paint(Tone::title, fmt::format("{}, {} s with {}", printable(scenario.model.name()),
                                              number(outcome.time), name_of(scenario.options.method))));
  if (run.resumed >= 0) out.line(fmt::format("  went on at t = {} s", number(run.resumed)));
  if (run.rows.empty()) {
    out.line("  the recording was complete already");
  } else {
    print_motion(out, scenario.model, run);
    print_energy(out, outcome);
  }
  for (std::size_t i = 0; i < outcome.events.size() && i < 10; ++i)
    out.line(fmt::format("  t = {:.6f} s: {}", outcome.events[i].time, printable(outcome.events[i].what)));
  if (outcome.events.size() > 10) out.line(fmt::format("  … {} events in all", outcome.events.size()));
  out.line();
  out.line(fmt::format("  ended: {}; {} steps, {} rejected, {} evaluations, {:.3g} s of computing", outcome.reason,
                       outcome.steps, outcome.rejected, outcome.evaluations, run.seconds));
  for (const std::string& warning : outcome.warnings) out.line(out.paint(Tone::caution, "  warning: " + warning));
  if (!run.file.empty()) {
    out.line(fmt::format("  recorded {} in {}", counted(static_cast<std::size_t>(outcome.rows), "row"), run.file));
    if (outcome.finished)
      out.line(fmt::format("  next: catena plot {0}; catena view {0} --output page.html", options.output));
  }
  if (outcome.finished && !options.sensitivity.empty()) sensitivities(nullptr);
  if (!outcome.finished) {
    out.line("  interrupted" + how_to_go_on(options, run, aside));
    return interrupted;
  }
  return success;
}

}  // namespace catena::cli
