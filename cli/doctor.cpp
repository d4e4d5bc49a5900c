// catena doctor: every finding about a robot file, grouped by severity; on request a mended file.
#include "catena/model/doctor.hpp"
#include "catena/read/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "catena/read/urdf.hpp"
#include "catena/write/read_back.hpp"
#include "catena/write/urdf.hpp"
#include "cli/commands.hpp"
#include "cli/dropped.hpp"
#include "cli/json.hpp"
#include "cli/robot.hpp"
#include "cli/table.hpp"
#include "cli/what_else.hpp"

namespace catena::cli {
namespace {

struct Group {
  Severity severity;
  Tone tone;
  const char* noun;
  const char* meaning;
};

const Group groups[] = {
    {Severity::error, Tone::bad, "error", "the robot cannot be computed with"},
    {Severity::warning, Tone::caution, "warning", "computed with as written, but physics says otherwise"},
    {Severity::note, Tone::faint, "note", "worth knowing"},
};

// Findings of one severity that say the same of several places are told once, in the order of their first place.
std::vector<std::vector<const Finding*>> alike(const Findings& findings, Severity severity) {
  std::vector<std::vector<const Finding*>> lists;
  std::map<std::string, std::size_t> known;
  for (const Finding& finding : findings) {
    if (finding.severity != severity) continue;
    const auto [place, is_new] =
        known.try_emplace(finding.code + '\n' + finding.message + '\n' + finding.remedy, lists.size());
    if (is_new) lists.emplace_back();
    lists[place->second].push_back(&finding);
  }
  return lists;
}

void print_findings(Output& out, const Findings& findings) {
  constexpr std::size_t shown = 6;
  for (const Group& group : groups) {
    const int count = count_of(findings, group.severity);
    if (count == 0) continue;
    out.line();
    out.line(out.paint(group.tone,
                       fmt::format("{}: {}", counted(static_cast<std::size_t>(count), group.noun), group.meaning)));
    for (const auto& list : alike(findings, group.severity)) {
      for (std::size_t i = 0; i < std::min(list.size(), shown); ++i) {
        const std::string place = list[i]->source.text();
        out.line(printable(fmt::format("  {}{}{} [{}]", place, place.empty() || list[i]->body.empty() ? "" : "  ",
                                       list[i]->body, list[i]->code)));
      }
      if (list.size() > shown) out.line(fmt::format("  … and {} more places (--json lists all)", list.size() - shown));
      out.line(printable(fmt::format("      {}", list.front()->message)));
      if (!list.front()->remedy.empty())
        out.line(out.paint(Tone::faint, printable(fmt::format("      remedy: {}", list.front()->remedy))));
    }
  }
}

Json json_of(const Finding& finding) {
  return Json()
      .add("severity", name_of(finding.severity))
      .add("code", finding.code)
      .add("file", finding.source.file)
      .add_int("line", finding.source.line)
      .add("body", finding.body)
      .add("message", finding.message)
      .add("remedy", finding.remedy);
}

// The mended robot can be written, and differs from what was read.
bool mends_something(const read::Reading& reading) {
  Description mended = reading.description;
  const bool rounded = std::any_of(reading.findings.begin(), reading.findings.end(), [](const Finding& finding) {
    return finding.code == "rotation-rounded";
  });  // by the reader
  if (mended.bodies.empty() || (mend(mended).empty() && !rounded)) return false;
  try {
    const std::string name = "mended.urdf";  // for messages: none is written
    write::require_same(mended, read::urdf(write::urdf(mended), name), name);
    return true;
  } catch (const std::exception&) {  // numbers that could not be read, names that nothing can hold
  }
  return false;
}

std::string free_name() {
  std::string name = "mended.urdf";
  for (int k = 2; read::file_exists(name); ++k) name = fmt::format("mended_{}.urdf", k);
  return name;
}

}  // namespace

int run_doctor(const Options& options, Output& out) {
  std::optional<write::Claim> claim;
  if (!options.fix.empty()) {
    require_writable_format(options.fix);
    claim = claim_file(options.fix, options.force);
  }
  read::Reading reading = read_robot(options.model, {.floating = options.floating, .leftovers = !options.fix.empty()});
  const Findings& findings = reading.findings;
  const int errors = count_of(findings, Severity::error), warnings = count_of(findings, Severity::warning);
  const int code = errors > 0 || (options.strict && warnings > 0) ? data_failure : success;

  std::vector<Change> changes;
  read::Reading mended;
  read::Leftovers lost;
  if (!options.fix.empty()) {
    if (reading.description.bodies.empty())
      throw DataError(
          fmt::format("{} cannot be read far enough to be mended: run `catena doctor` without --fix", options.model));
    changes = mend(reading.description);
    write_robot(reading.description, *claim);
    mended = read_robot(options.fix);
    lost = dropped(reading.leftovers, reading.description, mended.description);
  }

  if (out.json()) {
    Json json;
    std::vector<Json> list, changed;
    for (const Finding& finding : findings) list.push_back(json_of(finding));
    json.add("findings", list);
    for (const Change& change : changes)
      changed.push_back(Json()
                            .add("file", change.source.file)
                            .add_int("line", change.source.line)
                            .add("body", change.body)
                            .add("what", change.what));
    if (!options.fix.empty()) {
      json.add("fixed", options.fix).add("changes", changed);
      add_dropped(json, lost);
    }
    out.line(json.text());
    return code;
  }

  out.line(out.paint(Tone::title, fmt::format("Doctor: {}", printable(options.model))) +
           fmt::format("  ({}, {})", counted(reading.description.bodies.size(), "body"),
                       counted(reading.description.joints.size(), "joint")));
  print_findings(out, findings);
  if (findings.empty()) out.line(out.paint(Tone::good, "  healthy: no findings"));
  if (!options.fix.empty()) {
    out.title(fmt::format("Mended file {}: {}", options.fix, counted(changes.size(), "change")));
    for (const Change& change : changes) {
      const std::string place = change.source.text();
      out.line(printable(fmt::format("  {}{}{}: {}", place, place.empty() ? "" : "  ", change.body, change.what)));
    }
    out.explain(
        "Inertias become the nearest valid ones: Frobenius norm on the second moment of mass. Check the changes "
        "against the "
        "real robot; the doctor restores physics, not the truth.");
    print_dropped(out, lost, options.fix);
    const int still = count_of(mended.findings, Severity::error), warned = count_of(mended.findings, Severity::warning);
    out.line(fmt::format("  the mended file has {} and {} left", counted(static_cast<std::size_t>(still), "error"),
                         counted(static_cast<std::size_t>(warned), "warning")));
  } else if (errors + warnings > 0 && mends_something(reading)) {
    out.line();
    out.line(printable(fmt::format("  mend what can be mended: catena doctor {}{} --fix {}", shell_word(options.model),
                                   options.floating ? " --floating" : "", free_name())));
  }
  return code;
}

}  // namespace catena::cli
