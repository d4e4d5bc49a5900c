// The command line tool inside of Python: what a command would print, as a text, with its exit code.
#include <pybind11/stl.h>

#include <map>

#include "cli/arguments.hpp"
#include "robot.hpp"

namespace catena::python {

namespace {

// (exit code, text)
std::pair<int, std::string> run(const std::vector<std::string>& words) {
  std::vector<const char*> argv = {"catena"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  const py::gil_scoped_release unlocked;
  const cli::Request request = cli::parse_arguments(static_cast<int>(argv.size()), argv.data());
  if (!request.text.empty()) return {cli::success, request.text};
  cli::Output out(request.options);
  const int code = request.command->run(request.options, out);
  if (!out.to_file()) return {code, out.collected()};
  out.deliver();
  return {code, ""};
}

// The options of a command: whether each takes a value.
std::map<std::string, bool> options_of(const std::string& name) {
  std::map<std::string, bool> out;
  for (const cli::Command& command : cli::commands()) {
    if (command.name != name) continue;
    for (const cli::Flag& flag : cli::flags_of(command)) out[flag.name] = flag.takes_value;
  }
  return out;
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const cli::Command& command : cli::commands()) out.emplace_back(command.name);
  return out;
}

}  // namespace

void define_tool(py::module_& module) {
  module.def("_run_tool", &run, py::arg("words"));
  module.def("_tool_options", &options_of, py::arg("command"));
  module.def("_tool_commands", &names);
}

}  // namespace catena::python
