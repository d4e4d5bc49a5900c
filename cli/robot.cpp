// Reading, changing and writing robots for the commands.
#include "cli/robot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catena/read/robot.hpp"
#include "catena/write/toml.hpp"
#include "catena/write/urdf.hpp"
#include "cli/output.hpp"
#include "cli/state.hpp"
#include "cli/what_else.hpp"

namespace catena::cli {
namespace {

void apply_flags(Description& description, const Options& options) {
  if (!options.gravity.empty()) description.gravity = parse_exactly(options.gravity, 3, "--gravity");
  for (Joint& joint : description.joints) {
    if (options.no_friction) joint.terms.friction = 0;
    if (options.no_damping) joint.terms.damping = 0;
  }
  if (options.no_joint_terms) description = without_joint_terms(std::move(description));
}

}  // namespace

Robot load_robot(const Options& options, bool with_leftovers) {
  const read::Options how = {.floating = options.floating, .strict = options.strict, .leftovers = with_leftovers};
  try {
    read::Reading reading = read::robot(options.model, how);
    if (!has_errors(reading.findings)) apply_flags(reading.description, options);
    const Model model = read::build(reading, how);
    return {model, model.findings(), std::move(reading.leftovers)};
  } catch (const ModelError&) {
    if (auto other = what_else(options.model)) throw ModelError(std::move(*other));
    throw;
  }
}

read::Reading read_robot(const std::string& model, const read::Options& how) {
  read::Reading reading;
  try {
    reading = read::examine(model, how);
  } catch (const ModelError& error) {
    reading = {{}, error.findings()};
  }
  if (reading.description.bodies.empty())
    if (auto other = what_else(model)) return {{}, {std::move(*other)}};
  return reading;
}

void write_robot(const Description& description, const write::Claim& claim, const write::Judge& judge) {
  require_writable_format(claim.path());
  claim.path().ends_with(".urdf") ? write::urdf_file(description, claim, judge)
                                  : write::toml_file(description, claim, judge);
}

bool is_recording(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".h5") || path.ends_with(".hdf5");
}

void require_writable_format(const std::string& path) {
  if (!path.ends_with(".urdf") && !path.ends_with(".toml"))
    throw UsageError(fmt::format("{}: the ending says the format; it can be .urdf or .toml", path));
}

std::vector<Function> asked_functions(const Options& options, const Model& model,
                                      const std::vector<Function>& otherwise) {
  std::vector<Function> asked;
  for (const std::string& name : options.functions) {
    if (name == "all") return functions(model);
    try {
      asked.push_back(function_from_name(name));
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("--function: {}, all", error.what()));
    }
  }
  return asked.empty() ? otherwise : asked;
}

std::vector<std::string> asked_outputs(const Options& options, const Model& model, Function function) {
  if (!of_frames(function)) return {};
  try {
    signature(model, function, options.frames);
  } catch (const std::invalid_argument& error) {
    throw DataError(fmt::format("--frames: {}", error.what()));
  }
  return options.frames;
}

int count_of(const Findings& findings, Severity severity) {
  return static_cast<int>(
      std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.severity == severity; }));
}

Description without_losses(Description description) {
  for (Joint& joint : description.joints) joint.terms.damping = joint.terms.friction = 0;
  return description;
}

Description without_joint_terms(Description description) {
  for (Joint& joint : description.joints) joint.terms = {};
  return description;
}

}  // namespace catena::cli
