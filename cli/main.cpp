// catena: the command line tool. Parses, runs one command, turns every failure into one line and an exit code.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <new>

#include "catena/model/finding.hpp"
#include "cli/arguments.hpp"

namespace {

using namespace catena::cli;

int fail(int code, const std::string& message) {
  const bool colour = colour_on(STDERR_FILENO);
  const std::string line =
      fmt::format("{}catena: error:{} {}\n", colour ? "\033[31m" : "", colour ? "\033[0m" : "", printable(message));
  std::fputs(line.c_str(), stderr);
  return code;
}

// The first error; the rest is the doctor's to tell.
int fail(const catena::ModelError& error, const std::string& model) {
  const catena::Finding* first = nullptr;
  int others = -1;
  for (const catena::Finding& finding : error.findings()) {
    if (finding.severity != catena::Severity::error) continue;
    if (first == nullptr) first = &finding;
    ++others;
  }
  if (first == nullptr) return fail(data_failure, error.what());
  std::string text = first->source.text();
  if (!text.empty()) text += ": ";
  if (!first->body.empty()) text += fmt::format("'{}': ", first->body);
  text += first->message;
  if (!first->remedy.empty()) text += fmt::format("; {}", first->remedy);
  if (others > 0) text += fmt::format(" (and {} more: run `catena doctor {}`)", others, model);
  return fail(data_failure, text);
}

}  // namespace

int main(int argc, char** argv) {
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
    return fail(error, request.options.model);
  } catch (const catena::NumericalError& error) {
    return fail(numerical_failure, error.what());
  } catch (const std::bad_alloc&) {
    return fail(data_failure, "out of memory: the robot or the file is too large for this machine");
  } catch (const std::exception& error) {  // DataError, std::invalid_argument: a state that does not fit the robot
    return fail(data_failure, error.what());
  }
}
