// Findings as text, and the error that carries them.
// One finding reads "file:line: severity: 'body': message [code]; remedy" and never breaks the line.
#include "catena/model/finding.hpp"

#include <algorithm>

#include "catena/model/text.hpp"

namespace catena {
namespace {

std::string headline(const Findings& findings) {
  if (findings.empty()) return "the robot's description is not valid";
  const auto is_error = [](const Finding& f) { return f.severity == Severity::error; };
  const auto first = std::find_if(findings.begin(), findings.end(), is_error);
  const auto errors = std::count_if(findings.begin(), findings.end(), is_error);
  std::string text = (first == findings.end() ? findings.front() : *first).text();
  if (errors > 1) text += " (and " + std::to_string(errors - 1) + (errors == 2 ? " more error)" : " more errors)");
  return text;
}

}  // namespace

std::string Source::text() const {
  if (file.empty()) return line > 0 ? "line " + std::to_string(line) : "";
  return line > 0 ? file + ":" + std::to_string(line) : file;
}

const char* name_of(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "error";
}

std::string Finding::text() const {
  std::string line = source.text();
  if (!line.empty()) line += ": ";
  line += name_of(severity);
  line += ": ";
  if (!body.empty()) line += "'" + body + "': ";
  line += message;
  if (!code.empty()) line += " [" + code + "]";
  if (!remedy.empty()) line += "; " + remedy;
  return printable(line);  // names come from files: no line break or escape code of theirs reaches a terminal
}

bool has_errors(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.severity == Severity::error; });
}

ModelError::ModelError(Findings findings) : std::runtime_error(headline(findings)), findings_(std::move(findings)) {}

void throw_finding(Finding finding) {
  for (const char* const code : {"file-directory", "file-missing", "file-unreadable", "file-unwritable", "file-busy"}) {
    if (finding.code == code) throw FileError(std::move(finding));
  }
  throw ModelError(std::move(finding));
}

}  // namespace catena
