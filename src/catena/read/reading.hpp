// What a reader gives back, and the log in which it collects what only the file shows.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "catena/model/description.hpp"

#pragma GCC visibility push(default)
namespace catena::read {

// One kind of thing that a file holds and the Description does not, so that no writer can write it again.
struct Leftover {
  std::string what;  // "<gazebo>", "comment", "key 'colour'"
  int count = 0;
  std::vector<int> lines = {};  // of the first few
};
using Leftovers = std::vector<Leftover>;
void add_leftover(Leftovers& list, const std::string& what, int line);

// The robot as far as it could be read, and every finding made meanwhile. Errors among the findings mean: do not use
// it.
struct Reading {
  Description description;
  Findings findings;
  Leftovers leftovers = {};  // only where they are asked for
};

// Collects findings of one file.
// Threads: one at a time.
class Log {
 public:
  explicit Log(std::string file) : file_(std::move(file)) {}

  void add(Severity severity, const char* code, int line, std::string body, std::string message, std::string remedy) {
    findings_.push_back({severity, code, at(line), std::move(body), std::move(message), std::move(remedy)});
  }
  // Of another file that this one names.
  void add(Finding finding) { findings_.push_back(std::move(finding)); }
  void error(const char* code, int line, std::string body, std::string message, std::string remedy) {
    add(Severity::error, code, line, std::move(body), std::move(message), std::move(remedy));
  }
  void warning(const char* code, int line, std::string body, std::string message, std::string remedy) {
    add(Severity::warning, code, line, std::move(body), std::move(message), std::move(remedy));
  }
  void note(const char* code, int line, std::string body, std::string message, std::string remedy) {
    add(Severity::note, code, line, std::move(body), std::move(message), std::move(remedy));
  }

  // An account of the parts of the document (elements, attributes, values: by address) that end up in the Description,
  // kept by whoever reads one of them; what nobody has used is left over. Off unless asked for.
  void keep_account() { accounting_ = true; }
  bool accounting() const { return accounting_; }
  void use(const void* part) {
    if (accounting_) used_.insert(part);
  }
  void leave(const void* part) { used_.erase(part); }  // read, but of no effect
  bool used(const void* part) const { return used_.count(part) > 0; }

  // True the first time something is met: what repeats through a file is worth one note.
  bool first(const std::string& what) { return met_.insert(what).second; }

  Source at(int line) const { return {file_, line}; }
  const std::string& file() const { return file_; }
  const Findings& findings() const { return findings_; }

 private:
  std::string file_;
  Findings findings_;
  std::unordered_set<std::string> met_;
  std::unordered_set<const void*> used_;
  bool accounting_ = false;
};

}  // namespace catena::read
#pragma GCC visibility pop
