// Axes of a picture: which range to show, where the ticks go and how they read; curves thinned to what a pixel can
// show; names made fit for a label. Pure functions, no graphics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace catena::cli {

struct Point {
  double x = 0, y = 0;
};

struct Range {
  double lo = 0, hi = 1;
  double span() const { return hi - lo; }
};

// What is larger than this is no measurement; it would overflow a span.
constexpr double largest_drawn = 1e300;
bool drawable(const Point& p);

// The range to show for data from lo to hi, widened by the fraction `margin` on either side. `scale` is the size of
// the quantity at hand: a span below 1e-12 of it (or of the data itself) is rounding, and shown as the flat line it is.
Range shown_range(double lo, double hi, double scale, double margin);

struct Axis {
  Range range;
  std::vector<double> ticks;
  std::vector<std::string> labels;
  std::string note;  // what the labels leave out: "×10⁻⁶", "+ 1200", or nothing
};

// About `wanted` ticks at multiples of 1, 2 or 5 times a power of ten.
Axis make_axis(const Range& range, int wanted);

// For values whose logarithms (to base 10) lie from lo to hi: ticks at 1, 2 and 5 times a power of ten, or at every power
// where there are many; the labels show the values themselves.
Axis make_log_axis(double lo, double hi);

// A place for each name, in a row: 0, 1, 2 ...
Axis make_name_axis(const std::vector<std::string>& names);

// A curve in pixels, with at most four points for each run within one column of the given width: first, lowest,
// highest, last. What is drawn stays the same; peaks survive.
std::vector<Point> thin(const std::vector<Point>& points, double column);

// The same curve with fewer points: none that is left out is farther than `tolerance` from what stays.
std::vector<Point> simplify(const std::vector<Point>& points, double tolerance);

// Valid UTF-8 without control characters, whatever the file said.
std::string label_text(std::string_view text);
// At most `most` characters: the middle gives way to "…".
std::string shorten(const std::string& text, std::size_t most);

}  // namespace catena::cli
