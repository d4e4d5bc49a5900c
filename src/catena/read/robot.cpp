// Choosing the reader, and joining its findings with the doctor's.
#include "catena/read/robot.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "catena/model/doctor.hpp"
#include "catena/model/names.hpp"
#include "catena/read/builtin.hpp"
#include "catena/read/file.hpp"
#include "catena/read/json.hpp"
#include "catena/read/number.hpp"
#include "catena/read/toml.hpp"
#include "catena/read/urdf.hpp"

namespace catena::read {
namespace {

// Parsed XML needs up to thirty times its text in memory; 128 MB hold a robot of some hundred thousand bodies.
constexpr std::size_t longest_robot = 128 * megabyte;

Reading by_format(const std::string& text, const std::string& file, bool leftovers) {
  std::string ending = std::filesystem::path(file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  const std::string_view begin = trimmed(text);
  const char first = begin.empty() ? ' ' : begin.front();
  if (ending == ".json") return json(text, file, leftovers);
  if (ending == ".toml") return toml(text, file, leftovers);
  if (ending == ".urdf" || ending == ".xml" || ending == ".xacro" || first == '<') return urdf(text, file, leftovers);
  return first == '{' ? json(text, file, leftovers) : toml(text, file, leftovers);
}

std::optional<Reading> builtin(const std::string& name, bool leftovers) {
  if (const auto text = builtin_text(name)) return toml(*text, builtin_file_name(name), leftovers);
  if (auto description = builtin_description(name)) return Reading{std::move(*description), {}};
  return std::nullopt;
}

[[noreturn]] void unknown(const std::string& name) {
  std::vector<std::string> names = builtin_names();
  const std::string near = suggestion(std::filesystem::path(name).stem().string(), names);
  throw_finding({Severity::error,
                 "file-missing",
                 {name, 0},
                 "",
                 "there is no such file, and no built-in robot of this name" + near,
                 "check the name and the folder"});
}

Reading read_any(const std::string& name, bool leftovers) {
  std::error_code ignored;
  const auto status = std::filesystem::status(name, ignored);
  const bool file = std::filesystem::exists(status) && !std::filesystem::is_directory(status);
  if (!file) {
    if (auto found = builtin(name, leftovers)) return std::move(*found);
    if (!std::filesystem::exists(status)) unknown(name);
  }
  return by_format(text_file(name, longest_robot), name, leftovers);
}

void make_strict(Findings& findings) {
  for (Finding& finding : findings) {
    if (finding.severity == Severity::warning) finding.severity = Severity::error;
  }
}

Reading changed(Reading reading, const Options& options) {
  if (options.floating && !has_errors(reading.findings)) {
    try {
      make_floating(reading.description);
    } catch (const ModelError& e) {
      reading.findings.insert(reading.findings.end(), e.findings().begin(), e.findings().end());
    }
  }
  if (options.strict) make_strict(reading.findings);
  return reading;
}

// The reading with the doctor's findings added.
Reading examined(Reading reading, const Options& options) {
  const bool unread = has_errors(reading.findings);
  if (unread && reading.description.bodies.empty()) return reading;
  // What the reader could not read it has named; the hole it left in the description is not another defect.
  std::set<std::string> named;
  for (const Finding& finding : reading.findings) {
    if (finding.severity == Severity::error) named.insert(finding.body);
  }
  const std::set<std::string> holes = {"number-not-finite", "name-empty", "child-unknown", "parent-unknown",
                                       "mimic-dangling"};
  for (Finding& finding : check(reading.description)) {
    if (named.count(finding.body) && holes.count(finding.code)) continue;
    reading.findings.push_back(std::move(finding));
  }
  if (options.strict) make_strict(reading.findings);
  return reading;
}

}  // namespace

Reading robot(const std::string& path_or_name, const Options& options) {
  return changed(read_any(path_or_name, options.leftovers), options);
}

Reading robot_from_text(const std::string& text, const std::string& file, const Options& options) {
  return changed(by_format(text, file, options.leftovers), options);
}

Reading examine(const std::string& path_or_name, const Options& options) {
  return examined(robot(path_or_name, options), options);
}

Model build(const Reading& reading, const Options& options) {
  if (has_errors(reading.findings)) throw ModelError(examined(reading, options).findings);
  Findings findings;
  try {
    Model model(reading.description, reading.findings);
    findings = model.findings();
    if (options.strict) make_strict(findings);
    if (!has_errors(findings)) return model;
  } catch (const ModelError& error) {
    findings = error.findings();
    if (options.strict) make_strict(findings);
  }
  throw ModelError(std::move(findings));
}

Model load(const std::string& path_or_name, const Options& options) {
  return build(robot(path_or_name, options), options);
}

}  // namespace catena::read
