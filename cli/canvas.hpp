// What pictures are made of, on cairo: text, lines, curves in colours that everybody can tell apart. y grows downwards.
#pragma once

#include <cairo.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/axes.hpp"

namespace catena::cli {

struct Colour {
  double r, g, b;
};
constexpr Colour rgb(unsigned hex) {
  return {(hex >> 16 & 255) / 255.0, (hex >> 8 & 255) / 255.0, (hex & 255) / 255.0};
}

struct Release {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, Release>;

enum class Align { left, centre, right };

class Canvas {
 public:
  explicit Canvas(cairo_surface_t* surface);
  cairo_t* cairo() const { return context_.get(); }

  double width(const std::string& text, double size, bool bold = false) const;
  void text(double x, double y, const std::string& text, double size, const Colour& colour, Align align = Align::left,
            bool bold = false) const;
  void text_upwards(double x, double y, const std::string& text, double size, const Colour& colour) const;
  void line(const Point& from, const Point& to, const Colour& colour, double width) const;
  // A style is a colour and a kind of dashes: 42 different ones, then they repeat.
  void curve(const std::vector<Point>& points, int style, double width) const;
  void dot(const Point& centre, int style) const;  // round, then square when the colours repeat

 private:
  void font(double size, bool bold) const;

  std::unique_ptr<cairo_t, Release> context_;
};

}  // namespace catena::cli
