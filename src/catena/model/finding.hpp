// What is wrong, or worth knowing, about a robot: findings with a place, a meaning and a remedy; and the errors
// the library throws. The library never prints.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace catena {

struct Source {
  std::string file;
  int line = 0;  // 1-based; 0 where there is none

  std::string text() const;  // "file:line", "file", or ""
};

enum class Severity { note, warning, error };

const char* name_of(Severity severity);

struct Finding {
  Severity severity = Severity::error;
  std::string code;  // short and stable, for scripts: "inertia-indefinite", "mimic-dangling", ...
  Source source;
  std::string body;  // body or joint concerned; may be empty
  std::string message;
  std::string remedy;

  std::string text() const;  // one line
};

using Findings = std::vector<Finding>;

bool has_errors(const Findings& findings);

// Bad input from outside: a file or description that is no robot. Carries every finding; what() is the first error
// (and says how many follow).
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(Findings findings);
  explicit ModelError(Finding finding) : ModelError(Findings{std::move(finding)}) {}
  const Findings& findings() const { return findings_; }

 private:
  Findings findings_;
};

// The file itself: it is missing, a directory, not readable, not writable, or another program writes it.
class FileError : public ModelError {
 public:
  using ModelError::ModelError;
};

// Throws a FileError for a finding about the file itself, otherwise a ModelError.
[[noreturn]] void throw_finding(Finding finding);

// The numbers leave no answer (singular mass matrix); names the body.
class NumericalError : public std::runtime_error {
 public:
  NumericalError(const std::string& message, std::string body) : std::runtime_error(message), body_(std::move(body)) {}
  const std::string& body() const { return body_; }

 private:
  std::string body_;
};

}  // namespace catena
#pragma GCC visibility pop
