// Draws figures with cairo. Lengths are in units of one CSS pixel. The plot areas have fixed sizes; everything around
// them is measured first and the page made to fit, so that nothing can overlap. y grows downwards, as in cairo.
#include "cli/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "cli/canvas.hpp"
#include "cli/options.hpp"

namespace catena::cli {
namespace {

constexpr Colour ink = rgb(0x222222), soft = rgb(0x555555), spine = rgb(0x666666), grid = rgb(0xE6E6E6),
                 zero_line = rgb(0xB4B4B4);
constexpr double title_size = 17, panel_title_size = 13.5, label_size = 12.5, tick_size = 11.5, legend_size = 11.5;
constexpr double tick_length = 4, gap = 6, page_margin = 18, cell_gap = 24, legend_line = 17, swatch = 22;
constexpr std::size_t legend_limit = 100, name_limit = 26, foot_name_limit = 22;

struct LegendEntry {
  std::string name;
  int style = 0;  // -1: a line of text without a curve
  bool dot = false;
};
struct Legend {
  std::vector<LegendEntry> entries;
  double entry_width = 0;
  std::size_t columns = 1;

  double height() const { return legend_line * static_cast<double>((entries.size() + columns - 1) / columns); }
};

struct Cell {
  const Panel* panel = nullptr;
  Axis x, y;
  Legend legend;  // beside the plot
  double plot_width = 0, plot_height = 0;
  double left = 0, right = 0, top = 0, bottom = 0;  // space that the plot needs around it
};

double entry_width(const Canvas& canvas, const Legend& legend) {
  double width = 0;
  for (const LegendEntry& entry : legend.entries)
    width = std::max(width, swatch + gap + canvas.width(entry.name, legend_size));
  return width;
}

// Names as short as they can be told apart, from `most` characters on.
Legend legend_of(const Canvas& canvas, const Panel& panel, std::size_t most) {
  constexpr std::size_t longest = 60;
  Legend legend;
  for (std::set<std::string> names; most <= longest; most += 6) {
    legend.entries.clear(), names.clear();
    for (const Series& series : panel.series) {
      if (series.name.empty()) continue;
      legend.entries.push_back({shorten(series.name, most), series.style, panel.dots});
      names.insert(legend.entries.back().name);
    }
    if (names.size() == legend.entries.size()) break;
  }
  legend.entry_width = entry_width(canvas, legend);
  return legend;
}

void draw_legend(const Canvas& canvas, const Legend& legend, double left, double top) {
  for (std::size_t i = 0; i < legend.entries.size(); ++i) {
    const LegendEntry& entry = legend.entries[i];
    const double x = left + static_cast<double>(i % legend.columns) * (legend.entry_width + 2 * gap);
    const double y = top + (static_cast<double>(i / legend.columns) + 0.5) * legend_line;
    if (entry.dot)
      canvas.dot({x + swatch / 2, y}, entry.style);
    else if (entry.style >= 0)
      canvas.curve({{x, y}, {x + swatch, y}}, entry.style, 1.8);
    canvas.text(x + (entry.style >= 0 ? swatch + gap : 0), y + legend_size * 0.36, entry.name, legend_size, ink);
  }
}

Axis axis_of(const Panel& panel, bool vertical, double length) {
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  for (const Series& series : panel.series)
    for (const Point& p : series.points)
      if (drawable(p)) lo = std::min(lo, vertical ? p.y : p.x), hi = std::max(hi, vertical ? p.y : p.x);
  if (lo > hi) lo = hi = 0;  // nothing to draw
  if (!vertical && !panel.names.empty()) return make_name_axis(panel.names);
  if (vertical ? panel.log_y : panel.log_x) return make_log_axis(lo, hi);
  if (vertical) return make_axis(shown_range(lo, hi, panel.scale, 0.05), static_cast<int>(length / 40));
  if (panel.square) return make_axis(shown_range(lo, hi, 1, 0.05), static_cast<int>(length / 50));
  const double half = std::max(0.5, 1e-6 * std::abs(lo));  // around one instant
  return make_axis(lo == hi ? Range{lo - half, hi + half} : shown_range(lo, hi, 0, 0), static_cast<int>(length / 65));
}

Cell measure(const Canvas& canvas, const Panel& panel, double plot_width, double plot_height) {
  Cell cell;
  cell.panel = &panel;
  cell.plot_width = panel.square ? plot_height : plot_width;
  cell.plot_height = plot_height;
  cell.x = axis_of(panel, false, cell.plot_width);
  cell.y = axis_of(panel, true, plot_height);
  cell.legend = legend_of(canvas, panel, name_limit);
  double numbers = 0;
  for (const std::string& label : cell.y.labels) numbers = std::max(numbers, canvas.width(label, tick_size));
  cell.left = label_size + gap + numbers + tick_length + gap;
  cell.right = cell.x.labels.empty() ? 0 : canvas.width(cell.x.labels.back(), tick_size) / 2;
  // The title may be wider than the plot, where that is small.
  const double note = cell.y.note.empty() ? 0 : canvas.width(cell.y.note, tick_size) + 2 * gap;
  const double title = canvas.width(panel.title, panel_title_size, true) + note;
  cell.right = std::max(cell.right, title - cell.plot_width);
  cell.top = panel_title_size + 2 * gap;
  cell.bottom = tick_length + tick_size + gap + label_size + gap + 2;
  if (cell.legend.height() > plot_height)
    cell.legend.entries.clear();  // goes to the foot of the page
  else if (!cell.legend.entries.empty())
    cell.right = std::max(cell.right, 2 * gap + cell.legend.entry_width);
  return cell;
}

class PlotArea {
 public:
  PlotArea(const Canvas& canvas, const Cell& cell, double x, double y) : c_(canvas), cell_(cell), x_(x), y_(y) {}

  void draw() const {
    grid_and_ticks();
    curves();
    spines_and_labels();
    draw_legend(c_, cell_.legend, right() + 2 * gap, y_);
  }

 private:
  double across(double value) const {
    return x_ + (value - cell_.x.range.lo) / cell_.x.range.span() * cell_.plot_width;
  }
  double down(double value) const {
    return y_ + cell_.plot_height - (value - cell_.y.range.lo) / cell_.y.range.span() * cell_.plot_height;
  }
  double right() const { return x_ + cell_.plot_width; }
  double bottom() const { return y_ + cell_.plot_height; }

  void grid_and_ticks() const {
    for (std::size_t i = 0; i < cell_.x.ticks.size(); ++i) {
      const double x = across(cell_.x.ticks[i]);
      c_.line({x, y_}, {x, bottom()}, grid, 0.8);
      c_.line({x, bottom()}, {x, bottom() + tick_length}, spine, 0.8);
      c_.text(x, bottom() + tick_length + gap / 2 + tick_size, cell_.x.labels[i], tick_size, soft, Align::centre);
    }
    for (std::size_t i = 0; i < cell_.y.ticks.size(); ++i) {
      const double y = down(cell_.y.ticks[i]);
      c_.line({x_, y}, {right(), y}, cell_.y.ticks[i] == 0 ? zero_line : grid, 0.8);
      c_.line({x_ - tick_length, y}, {x_, y}, spine, 0.8);
      c_.text(x_ - tick_length - gap / 2, y + tick_size * 0.36, cell_.y.labels[i], tick_size, soft, Align::right);
    }
  }

  void curves() const {
    const double width = cell_.panel->series.size() > 12 ? 1.1 : 1.6;
    const double column = cell_.panel->square ? 0.1 : 0.5;  // where a curve turns back, half a unit would show
    cairo_save(c_.cairo());
    cairo_rectangle(c_.cairo(), x_ - 3, y_ - 3, cell_.plot_width + 6, cell_.plot_height + 6);  // peaks keep their width
    cairo_clip(c_.cairo());
    for (const Series& series : cell_.panel->series) {
      std::vector<Point> run;  // between gaps in the data
      for (std::size_t i = 0; i <= series.points.size(); ++i) {
        if (i < series.points.size() && drawable(series.points[i])) {
          run.push_back({across(series.points[i].x), down(series.points[i].y)});
          continue;
        }
        if (run.size() == 1) c_.dot(run.front(), series.style);
        if (run.size() > 1) c_.curve(simplify(thin(run, column), 0.04), series.style, width);
        run.clear();
      }
    }
    cairo_restore(c_.cairo());
  }

  void spines_and_labels() const {
    const Panel& panel = *cell_.panel;
    c_.line({x_, y_}, {x_, bottom()}, spine, 0.9);
    c_.line({x_, bottom()}, {right(), bottom()}, spine, 0.9);
    c_.text(x_, y_ - gap - 2, panel.title, panel_title_size, ink, Align::left, true);
    if (!cell_.y.note.empty()) {
      const double after = x_ + c_.width(panel.title, panel_title_size, true) + 2 * gap;
      c_.text(after, y_ - gap - 2, cell_.y.note, tick_size, soft);
    }
    const std::string under = cell_.x.note.empty() ? panel.x_label : panel.x_label + "  " + cell_.x.note;
    c_.text(x_ + cell_.plot_width / 2, bottom() + tick_length + tick_size + gap + label_size, under, label_size, ink,
            Align::centre);
    c_.text_upwards(x_ - cell_.left + label_size - 1, y_ + cell_.plot_height / 2, panel.y_label, label_size, ink);
  }

  const Canvas& c_;
  const Cell& cell_;
  double x_, y_;  // upper left corner of the plot
};

struct Layout {
  std::vector<Cell> cells;
  std::size_t columns = 1;
  std::vector<double> left, width, top, height;  // of columns and rows: space before the plots, whole size
  double page_width = 0, page_height = 0;
  Legend foot;  // curves of panels that have too many for a legend beside them
};

// A style and a name mean the same curve in every panel: one list for all.
Legend foot_legend(const Canvas& canvas, const Figure& figure, const std::vector<Cell>& cells, double width) {
  Legend legend;
  std::set<std::pair<int, std::string>> listed;
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].legend.entries.empty()) continue;
    for (const LegendEntry& entry : legend_of(canvas, figure.panels[i], foot_name_limit).entries) {
      if (!listed.insert({entry.style, entry.name}).second) continue;
      if (legend.entries.size() < legend_limit)
        legend.entries.push_back(entry);
      else
        ++hidden;
    }
  }
  if (hidden > 0) legend.entries.push_back({fmt::format("and {} more", hidden), -1});
  legend.entry_width = entry_width(canvas, legend);
  legend.columns =
      std::max<std::size_t>(1, static_cast<std::size_t>((width + 2 * gap) / (legend.entry_width + 2 * gap)));
  return legend;
}

Layout arrange(const Canvas& canvas, const Figure& figure) {
  Layout layout;
  const std::size_t n = figure.panels.size();
  const bool all_square =
      std::all_of(figure.panels.begin(), figure.panels.end(), [](const Panel& p) { return p.square; });
  layout.columns = n <= 3 ? 1 : 2;
  if (all_square) layout.columns = n <= 3 ? n : n == 4 ? 2 : n <= 9 ? 3 : 4;
  const double plot_width = layout.columns == 1 ? 560 : 350, plot_height = n == 1 ? 320 : 200;
  const std::size_t rows = (n + layout.columns - 1) / layout.columns;
  std::vector<double> right(layout.columns), bottom(rows);
  layout.left.resize(layout.columns), layout.width.resize(layout.columns);
  layout.top.resize(rows), layout.height.resize(rows);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t column = i % layout.columns, row = i / layout.columns;
    layout.cells.push_back(measure(canvas, figure.panels[i], plot_width, plot_height));
    const Cell& cell = layout.cells.back();
    layout.left[column] = std::max(layout.left[column], cell.left);
    right[column] = std::max(right[column], cell.plot_width + cell.right);
    layout.top[row] = std::max(layout.top[row], cell.top);
    bottom[row] = std::max(bottom[row], cell.plot_height + cell.bottom);
  }
  for (std::size_t c = 0; c < layout.columns; ++c) {
    layout.width[c] = layout.left[c] + right[c];
    layout.page_width += layout.width[c] + (c > 0 ? cell_gap : 0);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    layout.height[r] = layout.top[r] + bottom[r];
    layout.page_height += layout.height[r] + (r > 0 ? gap * 2 : 0);
  }
  layout.foot = foot_legend(canvas, figure, layout.cells, layout.page_width - layout.left.front());
  if (!layout.foot.entries.empty()) layout.page_height += 2 * gap + layout.foot.height();
  const double title = figure.title.empty() ? 0 : canvas.width(figure.title, title_size, true);
  layout.page_width = std::ceil(std::max(layout.page_width, title) + 2 * page_margin);
  layout.page_height = std::ceil(layout.page_height + (title > 0 ? title_size + 2 * gap : 0) + 2 * page_margin);
  return layout;
}

void paint(const Canvas& canvas, const Figure& figure, const Layout& layout) {
  double y = page_margin;
  if (!figure.title.empty()) {
    canvas.text(page_margin, y + title_size * 0.8, figure.title, title_size, ink, Align::left, true);
    y += title_size + 2 * gap;
  }
  for (std::size_t i = 0, row = 0; i < layout.cells.size(); ++row) {
    double x = page_margin;
    for (std::size_t c = 0; c < layout.columns && i < layout.cells.size(); ++c, ++i) {
      PlotArea(canvas, layout.cells[i], x + layout.left[c], y + layout.top[row]).draw();
      x += layout.width[c] + cell_gap;
    }
    y += layout.height[row] + 2 * gap;
  }
  draw_legend(canvas, layout.foot, page_margin + layout.left.front(), y);
}

std::string description(const Figure& figure) {
  std::string words;
  for (const Panel& panel : figure.panels) {
    words += fmt::format("{}{}: {} over {}", words.empty() ? "" : ". ", panel.title, panel.y_label, panel.x_label);
    std::string names;
    for (const Series& series : panel.series)
      if (!series.name.empty()) names += (names.empty() ? " (" : ", ") + series.name;
    if (!names.empty()) words += names + ")";
  }
  return words;
}

Figure cleaned(Figure figure) {  // cairo stops at the first text that is not UTF-8
  figure.title = shorten(label_text(figure.title), 100);
  for (Panel& panel : figure.panels) {
    panel.title = shorten(label_text(panel.title), panel.square ? 36 : 50);
    for (std::string* text : {&panel.x_label, &panel.y_label}) *text = shorten(label_text(*text), 35);
    for (Series& series : panel.series) series.name = label_text(series.name);
  }
  return figure;
}

}  // namespace

Picture draw(const Figure& raw, PictureFormat format) {
  const Figure figure = cleaned(raw);
  const Surface ruler(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
  const Layout layout = arrange(Canvas(ruler.get()), figure);
  if (std::max(layout.page_width, layout.page_height) > largest_image)
    throw DataError(fmt::format("{} panels are too many for one picture: choose with --show", figure.panels.size()));
  return render(layout.page_width, layout.page_height, format, figure.title, description(figure),
                [&](const Canvas& canvas) { paint(canvas, figure, layout); });
}

}  // namespace catena::cli
