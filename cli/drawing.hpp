// Pictures of curves: a figure is a grid of panels, each with axes, units, a legend outside the axes.
#pragma once

#include <string>
#include <vector>

#include "cli/axes.hpp"
#include "cli/picture.hpp"

namespace catena::cli {

constexpr int solid_styles = 7;  // styles 0 to 6 are colours with whole lines; then dashes join in

struct Series {
  std::string name;  // in the legend; empty: no entry
  std::vector<Point> points;
  int style = 0;  // the same number looks the same in every panel
};

struct Panel {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  double scale = 0;                   // size of the quantity on y, to tell rounding from signal; 0: only the data tell
  bool square = false;                // phase plots: as high as wide, with air on every side
  bool log_x = false, log_y = false;  // the points hold logarithms (base 10); the axis shows the values
  std::vector<std::string> names{};   // of the places 0, 1, 2 ... on x, instead of numbers
  bool dots = false;                  // points stand alone; the legend shows dots
};

struct Figure {
  std::string title;
  std::vector<Panel> panels;
};

// Throws DataError when there is more to draw than a picture can hold.
Picture draw(const Figure& figure, PictureFormat format);

}  // namespace catena::cli
