// Pictures of tables of numbers: a coloured cell for each, orange above zero and blue below, the deeper the larger.
#pragma once

#include "catena/kinematics/configuration.hpp"
#include "cli/picture.hpp"

namespace catena::cli {

struct NumberTable {
  std::string title, note;  // note: a line below the title, in small letters
  std::string row_heading, column_heading;
  std::vector<std::string> rows, columns;
  Matrix values;               // rows x columns
  std::vector<double> below;   // a last row set apart, one for each column; or empty
  std::vector<double> beside;  // a last column set apart, one for each row and, with `below`, one more; or empty
  std::string below_name, beside_name;
};

struct TableFigure {
  std::string title;
  std::vector<std::string> lines;  // in whole sentences, below the title
  std::vector<NumberTable> tables;
};

// Small tables show their numbers, larger ones colours alone. What is noise (below 1e-13 of the largest) is left empty.
// Throws DataError for a table of more cells than a picture can show.
Picture draw(const TableFigure& figure, PictureFormat format);

}  // namespace catena::cli
