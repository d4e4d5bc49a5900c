// Text, lines and curves on cairo.
#include "cli/canvas.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace catena::cli {
namespace {

// Okabe and Ito's colours, which people with any kind of colour vision tell apart; yellow is too light for lines.
constexpr Colour palette[] = {rgb(0x0072B2), rgb(0xD55E00), rgb(0x009E73), rgb(0xCC79A7),
                              rgb(0xE69F00), rgb(0x56B4E9), rgb(0x333333)};
constexpr int colours = 7, dash_kinds = 6;

std::vector<double> dashes(int kind) {  // drawn and left out, in turn
  switch (kind) {
    case 1: return {6, 3};
    case 2: return {1.5, 2.5};
    case 3: return {8, 2.5, 1.5, 2.5};
    case 4: return {13, 4};
    case 5: return {6, 2, 1.5, 2, 1.5, 2};
    default: return {};
  }
}

void paint_with(cairo_t* cr, const Colour& c) { cairo_set_source_rgb(cr, c.r, c.g, c.b); }

}  // namespace

Canvas::Canvas(cairo_surface_t* surface) : context_(cairo_create(surface)) {
  cairo_font_options_t* options = cairo_font_options_create();  // unhinted: both back ends measure alike
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(cairo(), options);
  cairo_font_options_destroy(options);
  cairo_set_line_join(cairo(), CAIRO_LINE_JOIN_ROUND);
}

void Canvas::font(double size, bool bold) const {
  cairo_select_font_face(cairo(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo(), size);
}

double Canvas::width(const std::string& text, double size, bool bold) const {
  font(size, bold);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo(), text.c_str(), &extents);
  return extents.x_advance;
}

void Canvas::text(double x, double y, const std::string& text, double size, const Colour& colour, Align align,
                  bool bold) const {
  const double length = width(text, size, bold);
  paint_with(cairo(), colour);
  cairo_move_to(cairo(), align == Align::left ? x : align == Align::right ? x - length : x - length / 2, y);
  cairo_show_text(cairo(), text.c_str());
  cairo_new_path(cairo());
}

void Canvas::text_upwards(double x, double y, const std::string& words, double size, const Colour& colour) const {
  cairo_save(cairo());
  cairo_translate(cairo(), x, y);
  cairo_rotate(cairo(), -std::numbers::pi / 2);
  text(0, 0, words, size, colour, Align::centre);
  cairo_restore(cairo());
}

void Canvas::line(const Point& from, const Point& to, const Colour& colour, double width) const {
  paint_with(cairo(), colour);
  cairo_set_dash(cairo(), nullptr, 0, 0);
  cairo_set_line_cap(cairo(), CAIRO_LINE_CAP_BUTT);
  cairo_set_line_width(cairo(), width);
  cairo_move_to(cairo(), from.x, from.y);
  cairo_line_to(cairo(), to.x, to.y);
  cairo_stroke(cairo());
}

// In pieces: one path of a million segments that cross each other would take cairo minutes.
void Canvas::curve(const std::vector<Point>& points, int style, double width) const {
  constexpr std::size_t piece = 500;
  const std::vector<double> dash = dashes(style / colours % dash_kinds);
  paint_with(cairo(), palette[style % colours]);
  cairo_set_line_width(cairo(), width);
  cairo_set_line_cap(cairo(), dash.empty() ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  double length = 0;  // dashes go on from piece to piece
  for (std::size_t begin = 0; begin + 1 < points.size(); begin += piece) {
    cairo_set_dash(cairo(), dash.data(), static_cast<int>(dash.size()), length);
    cairo_move_to(cairo(), points[begin].x, points[begin].y);
    for (std::size_t i = begin + 1; i < points.size() && i <= begin + piece; ++i) {
      cairo_line_to(cairo(), points[i].x, points[i].y);
      length += std::hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y);
    }
    cairo_stroke(cairo());
  }
}

void Canvas::dot(const Point& centre, int style) const {
  paint_with(cairo(), palette[style % colours]);
  cairo_new_path(cairo());
  if (style / colours % 2 == 0)
    cairo_arc(cairo(), centre.x, centre.y, 2.8, 0, 2 * std::numbers::pi);
  else
    cairo_rectangle(cairo(), centre.x - 2.6, centre.y - 2.6, 5.2, 5.2);
  cairo_fill(cairo());
}

}  // namespace catena::cli
