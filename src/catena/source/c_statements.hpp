// A program's instructions as statements of C: one temporary per value that is used more than once, short expressions
// for the rest.
#pragma once

#include "catena/compile/program.hpp"

namespace catena::compile {

struct CDialect {
  bool single = false;  // float
  bool cpp = false;

  const char* type() const { return single ? "float" : "double"; }
  std::string number(double value) const;
  std::string function(const char* name) const;  // sin -> sinf, std::sin
};

// joints: a name for each number of v, for the comments on results.
std::string c_statements(const Program& program, const CDialect& dialect, const std::vector<std::string>& joints);

}  // namespace catena::compile
