// What a reader gives back, and the log in which it collects what only the file shows.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "catena/model/description.hpp"

namespace catena::read {

// The robot as far as it could be read, and every finding on the way. Errors among the findings mean: do not use it.
struct Reading {
  Description description;
  Findings findings;
};

// Collects findings of one file.
class Log {
 public:
  explicit Log(std::string file) : file_(std::move(file)) {}

  void add(Severity severity, const char* code, int line, std::string body, std::string message, std::string remedy) {
    findings_.push_back({severity, code, at(line), std::move(body), std::move(message), std::move(remedy)});
  }
  void error(const char* code, int line, std::string body, std::string message, std::string remedy) {
    add(Severity::error, code, line, std::move(body), std::move(message), std::move(remedy));
  }
  void warning(const char* code, int line, std::string body, std::string message, std::string remedy) {
    add(Severity::warning, code, line, std::move(body), std::move(message), std::move(remedy));
  }
  void note(const char* code, int line, std::string body, std::string message, std::string remedy) {
    add(Severity::note, code, line, std::move(body), std::move(message), std::move(remedy));
  }

  // True the first time something is met: what repeats through a file is worth one note.
  bool first(const std::string& what) { return met_.insert(what).second; }

  Source at(int line) const { return {file_, line}; }
  const std::string& file() const { return file_; }
  const Findings& findings() const { return findings_; }

 private:
  std::string file_;
  Findings findings_;
  std::unordered_set<std::string> met_;
};

}  // namespace catena::read
