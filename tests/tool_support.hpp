// What the tests of the command line tool share: the built binary run through the shell, in a folder that vanishes with
// the test. CATENA_BINARY comes from CMake.
#pragma once

#include <sys/wait.h>

#include <cstdio>

#include "read_support.hpp"

namespace catena::test {

struct ToolResult {
  int code = -1;
  std::string out, err;
};

class ToolTest : public ::testing::Test {
 protected:
  ToolResult run(const std::string& arguments) const {
    const std::string errors = path("stderr.txt"), command = "cd \"" + path("") + "\" && \"" CATENA_BINARY "\" " +
                                                             arguments + " 2>\"" + errors + "\"";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    ToolResult result;
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) result.out.append(buffer, n);
    const int status = ::pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.err = slurp(errors);
    return result;
  }

  // One line on stderr that starts as promised, nothing on stdout.
  void expect_failure(const std::string& arguments, int code, const std::string& part) const {
    const ToolResult result = run(arguments);
    EXPECT_EQ(result.code, code) << arguments << "\n" << result.err;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_EQ(result.err.rfind("catena: error: ", 0), 0u) << arguments << "\n" << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << arguments << "\n" << result.err;
  }

  std::string path(const std::string& name) const { return folder.path(name); }
  std::string write(const std::string& name, const std::string& text) const { return folder.file(name, text); }

  Folder folder;
};

}  // namespace catena::test
