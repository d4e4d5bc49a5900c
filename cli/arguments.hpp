// From argv to Options. The table of commands is here: help, completion and "did you mean" all come from it.
#pragma once

#include <optional>

#include "cli/commands.hpp"

namespace catena::cli {

struct Command {
  const char* name;
  const char* summary;   // one line, for the list of commands
  const char* about;     // a sentence or two, for its own help
  const char* examples;  // lines of "command  # what it does"
  int (*run)(const Options&, Output&);
};

const std::vector<Command>& commands();

// What to do: a command with its options, or a text to print (help, version).
struct Request {
  const Command* command = nullptr;
  Options options;
  std::string text;
};

// Throws UsageError: one line with the place and the remedy.
Request parse_arguments(int argc, const char* const* argv);

// Flags of a command, "--json" ..., for shell completion.
struct Flag {
  std::string name, description;
  bool takes_value = false;
};
std::vector<Flag> flags_of(const Command& command);

std::string overview();      // catena --help
std::string version_text();  // catena --version

}  // namespace catena::cli
