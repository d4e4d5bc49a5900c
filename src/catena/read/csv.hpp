// Tables of numbers with a header line: comma-separated values.
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

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

// The names in a header line; double quotes around one are taken off, and its doubled quotes are single ones.
std::vector<std::string> csv_names(std::string_view line);

}  // namespace catena::read
