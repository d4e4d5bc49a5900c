// A robot's functions as standalone source: one header, one source, one self-test with values of the plain library.
// C99 with nothing but math.h, no memory but the stack; or C++ in a namespace.
#pragma once

#include "catena/compile/program.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct SourceOptions {
  std::string name;     // of the files and prefix of the functions; empty: the robot's
  bool single = false;  // float instead of double
  bool cpp = false;     // C++17
  int states = 3;       // of the self-test
};

struct SourceFile {
  std::string name, text;
};

// Header, source, self-test; name: an identifier.
std::vector<std::string> source_names(const std::string& name, bool cpp);
// Those files. Throws std::invalid_argument without programs.
std::vector<SourceFile> write_source(const Model& model, const std::vector<Program>& programs,
                                     const SourceOptions& options = {});

// A name as C spells it: letters, digits and underscores, not beginning with a digit, no name of the
// language or its library (those get "_robot" behind them).
std::string identifier(const std::string& name);

}  // namespace catena
#pragma GCC visibility pop
