// catena: the command line tool. Parses, runs one command, turns every failure into one line and an exit code.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>
#include <string_view>

#include "catena/model/finding.hpp"
#include "cli/arguments.hpp"
#include "cli/what_else.hpp"

namespace {

using namespace catena::cli;

int fail(int code, const std::string& message) {
  const bool colour = colour_on(STDERR_FILENO);
  const std::string line =
      fmt::format("{}catena: error:{} {}\n", colour ? "\033[31m" : "", colour ? "\033[0m" : "", printable(message));
  std::fputs(line.c_str(), stderr);
  return code;
}

std::string told(const catena::Finding& finding) {
  std::string text = finding.source.text();
  if (!text.empty()) text += ": ";
  if (!finding.body.empty()) text += fmt::format("'{}': ", finding.body);
  text += finding.message;
  if (!finding.remedy.empty()) text += fmt::format("; {}", finding.remedy);
  return text;
}

// Errors of the robot's file: the first, for the rest is the doctor's to tell. Of other files (scenarios, motions, states),
// which no command looks at alone: all, a line each.
int fail(const catena::ModelError& error, const std::string& model, bool reads_recordings) {
  constexpr std::size_t most = 50;
  std::vector<const catena::Finding*> errors;
  bool of_robot = true;
  for (const catena::Finding& finding : error.findings()) {
    if (finding.severity != catena::Severity::error) continue;
    errors.push_back(&finding);
    of_robot = of_robot && finding.source.file == model;
  }
  if (errors.empty()) return fail(data_failure, error.what());
  std::string first = told(*errors[0]);
  const std::size_t others = errors.size() - 1;
  if (others > 0 && of_robot && !reads_recordings && !what_else(model)) {
    return fail(data_failure, fmt::format("{} (and {} more: run `catena doctor {}`)", first, others, model));
  }
  fail(data_failure, first);
  for (std::size_t k = 1; k < std::min(errors.size(), most); ++k) fail(data_failure, told(*errors[k]));
  if (errors.size() > most) fail(data_failure, fmt::format("... and {} more", errors.size() - most));
  return data_failure;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error like a full disk
  Request request;
  try {
    request = parse_arguments(argc, argv);
    Output out(request.options);
    if (!request.text.empty()) {
      out.text(request.text);
      out.deliver();
      return success;
    }
    const int code = request.command->run(request.options, out);
    out.deliver();
    return code;
  } catch (const UsageError& error) {
    return fail(usage_failure, error.what());
  } catch (const catena::ModelError& error) {
    return fail(error, request.options.model, std::string_view(request.command->name) == "plot");
  } catch (const catena::NumericalError& error) {
    return fail(numerical_failure, error.what());
  } catch (const std::bad_alloc&) {
    return fail(data_failure, "out of memory: the robot or the file is too large for this machine");
  } catch (const std::exception& error) {  // DataError, std::invalid_argument: a state that does not fit the robot
    return fail(data_failure, error.what());
  }
}
