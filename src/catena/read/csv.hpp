// Tables of numbers with a header line: comma-separated values.
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "catena/read/reading.hpp"

namespace catena::read {

struct Csv {
  std::string file;
  std::vector<std::string> names;  // of the columns, each once
  int header_line = 1;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values;  // a row per line
  std::vector<int> lines;                                                         // of the rows in the file

  int column(std::string_view name) const;  // -1 if there is none
};

// Blank lines and lines that start with # are skipped. Throws ModelError naming the line: bad or missing numbers,
// columns without a name or with the same name.
Csv csv(const std::string& path);
Csv csv_from_text(std::string_view text, const std::string& file);

// The same with the mistakes in the log, for a reader that has more to say of the file. A number that could not be read
// is NaN; the table may be empty.
Csv csv(const std::string& path, Log& log);
Csv csv_from_text(std::string_view text, Log& log);

// Every row whose time is before that of the row above it, or equal to it unless times may repeat.
void check_times(const Csv& table, int column, bool may_repeat, Log& log);

// The names in a header line; double quotes around one are taken off, and its doubled quotes are single ones.
std::vector<std::string> csv_names(std::string_view line);

}  // namespace catena::read
