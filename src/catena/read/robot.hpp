// A robot from a file of any known format, or from a built-in name.
#pragma once

#include "catena/model/model.hpp"
#include "catena/read/reading.hpp"

#pragma GCC visibility push(default)
namespace catena::read {

struct Options {
  bool floating = false;   // put a free joint under the root body
  bool strict = false;     // warnings become errors
  bool leftovers = false;  // also say what the file holds beyond the robot
};

// Reads a file (.urdf, .xml, .toml, .json; other endings by content) or, if there is no such file, a built-in robot.
// Findings: those of the reader alone. Throws ModelError only if there is nothing to read.
Reading robot(const std::string& path_or_name, const Options& options = {});
// The same from a text, in the format that the ending of `file` or else the text itself tells; file: the name in findings.
Reading robot_from_text(const std::string& text, const std::string& file, const Options& options = {});

// The same, with the doctor's findings added.
Reading examine(const std::string& path_or_name, const Options& options = {});

// Builds a robot that has been read, and perhaps changed since; the doctor looks at it once, and model.findings() holds
// what both of them found. Throws ModelError carrying every finding. Of the options only strict matters here.
Model build(const Reading& reading, const Options& options = {});

// Reads, checks and builds; throws ModelError carrying every finding.
Model load(const std::string& path_or_name, const Options& options = {});

}  // namespace catena::read
#pragma GCC visibility pop
