// Lays tables side by side while they fit a page, then below each other. y grows downwards, as in cairo.
#include "cli/number_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/options.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace table_drawing {
namespace {

constexpr Colour ink = rgb(0x222222), soft = rgb(0x555555), line = rgb(0xD9D9D9), empty = rgb(0xF7F7F7),
                 above_zero = rgb(0xD55E00), below_zero = rgb(0x0072B2);
constexpr double title_size = 17, table_title_size = 13.5, note_size = 11.5, label_size = 10.5, number_size = 11;
constexpr double gap = 6, page_margin = 18, table_gap = 30, page_width = 1100;
constexpr Eigen::Index with_numbers = 9, with_labels = 40;  // rows and columns up to which there are any
constexpr Eigen::Index largest_table = 1'000;

struct Cells {
  double width, height;
  bool numbers, labels;
};

Cells cells_of(const NumberTable& table) {
  const Eigen::Index most = std::max(table.values.rows(), table.values.cols());
  if (most > largest_table)
    throw DataError(fmt::format("{}: {} × {} numbers are too many for a picture", table.title, table.values.rows(),
                                table.values.cols()));
  if (most <= with_numbers) return {58, 24, true, true};
  const double size = std::clamp(440.0 / static_cast<double>(most), 1.0, 18.0);
  return {size, size, false, most <= with_labels};
}

// A table measured: where its cells begin, and all the room it takes.
struct Place {
  const NumberTable* table;
  Cells cells;
  double left = 0, top = 0, width = 0, height = 0;
  std::vector<std::string> rows{}, columns{};

  double cells_wide() const { return cells.width * static_cast<double>(table->values.cols()); }
  double cells_high() const { return cells.height * static_cast<double>(table->values.rows()); }
  double beside_width() const { return table->beside.empty() ? 0 : gap + cells.width + 8; }
  double below_height() const { return table->below.empty() ? 0 : gap + cells.height; }
};

double widest(const Canvas& canvas, const std::vector<std::string>& texts) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, canvas.width(text, label_size));
  return width;
}

Place measured(const Canvas& canvas, const NumberTable& table) {
  Place place{&table, cells_of(table)};
  if (place.cells.labels) {
    for (const std::string& name : table.rows) place.rows.push_back(shorten(label_text(name), 18));
    for (const std::string& name : table.columns)
      place.columns.push_back(shorten(label_text(name), place.cells.numbers ? 9 : 18));
    place.left = std::max(widest(canvas, place.rows), widest(canvas, {table.below_name})) + gap;
  }
  if (!table.row_heading.empty()) place.left += note_size + gap;
  place.top = table_title_size + gap + (table.note.empty() ? 0 : note_size + gap) +
              (table.column_heading.empty() ? 0 : note_size + gap);
  if (place.cells.labels) place.top += (place.cells.numbers ? label_size : widest(canvas, place.columns)) + gap;
  const double words = std::max(canvas.width(table.title, table_title_size, true), canvas.width(table.note, note_size));
  place.width = std::max(place.left + place.cells_wide() + place.beside_width(), words);
  place.height = place.top + place.cells_high() + place.below_height();
  return place;
}

Colour shade(double value, double largest) {
  if (!(std::abs(value) > 1e-13 * largest)) return empty;
  const double depth = 0.12 + 0.7 * std::sqrt(std::abs(value) / largest);
  const Colour& deep = value > 0 ? above_zero : below_zero;
  return {1 - depth * (1 - deep.r), 1 - depth * (1 - deep.g), 1 - depth * (1 - deep.b)};
}

void fill(const Canvas& canvas, double x, double y, double width, double height, const Colour& colour) {
  cairo_set_source_rgb(canvas.cairo(), colour.r, colour.g, colour.b);
  cairo_rectangle(canvas.cairo(), x, y, width, height);
  cairo_fill(canvas.cairo());
}

// As few letters as a cell has room for: "0.0112", "5e-5".
std::string short_number(double value, double largest) {
  if (!(std::abs(value) > 1e-13 * largest)) return "0";
  if (std::abs(value) >= 1e-3 && std::abs(value) < 1e5) return number(value, 3);
  const std::string text = fmt::format("{:.0e}", value);  // "5e-05"
  const std::size_t digits = text.find('e') + 2, first = std::min(text.find_first_not_of('0', digits), text.size() - 1);
  return text.substr(0, digits - (text[digits - 1] == '+' ? 1 : 0)) + text.substr(first);
}

void paint_number(const Canvas& canvas, double x, double y, const Cells& cells, double value, double largest,
                  bool bold) {
  const std::string text = short_number(value, largest);
  if (text == "0" && !bold) return;
  canvas.text(x + cells.width / 2, y + cells.height / 2 + number_size * 0.36, text, number_size, ink, Align::centre,
              bold);
}

void paint_cells(const Canvas& canvas, const Place& place, double x, double y) {
  const auto& [width, height, numbers, labels] = place.cells;
  const NumberTable& table = *place.table;
  const double largest = largest_of(table.values);
  const double edge = numbers ? 1.5 : width > 4 ? 0.5 : 0;  // air between cells
  for (Eigen::Index r = 0; r < table.values.rows(); ++r) {
    for (Eigen::Index c = 0; c < table.values.cols(); ++c) {
      const double left = x + width * static_cast<double>(c), top = y + height * static_cast<double>(r);
      fill(canvas, left, top, width - edge, height - edge, shade(table.values(r, c), largest));
      if (numbers) paint_number(canvas, left, top, place.cells, table.values(r, c), largest, false);
    }
  }
  const double right = x + place.cells_wide() + gap + 4, bottom = y + place.cells_high() + gap;
  for (std::size_t c = 0; c < table.below.size(); ++c)
    paint_number(canvas, x + width * static_cast<double>(c), bottom - gap / 2, place.cells, table.below[c], largest,
                 true);
  const double most =
      table.beside.empty()
          ? 0
          : largest_of(Eigen::Map<const Vector>(table.beside.data(), static_cast<Eigen::Index>(table.beside.size())));
  for (std::size_t r = 0; r < table.beside.size(); ++r) {
    const bool corner = static_cast<Eigen::Index>(r) == table.values.rows();
    const double top = corner ? bottom - gap / 2 : y + height * static_cast<double>(r);
    paint_number(canvas, right, top, place.cells, table.beside[r], most, true);
  }
  if (!table.below.empty())
    canvas.line({x, bottom - gap / 2 - 1}, {x + place.cells_wide() + place.beside_width(), bottom - gap / 2 - 1}, line,
                1);
  if (!table.beside.empty())
    canvas.line({right - gap, y}, {right - gap, y + place.cells_high() + place.below_height()}, line, 1);
}

void paint_labels(const Canvas& canvas, const Place& place, double x, double y) {
  const auto& [width, height, numbers, labels] = place.cells;
  for (std::size_t r = 0; r < place.rows.size(); ++r)
    canvas.text(x - gap, y + height * (static_cast<double>(r) + 0.5) + label_size * 0.36, place.rows[r], label_size,
                soft, Align::right);
  for (std::size_t c = 0; c < place.columns.size(); ++c) {
    const double middle = x + width * (static_cast<double>(c) + 0.5);
    if (numbers)
      canvas.text(middle, y - gap, place.columns[c], label_size, soft, Align::centre);
    else
      canvas.text_upwards(middle + label_size * 0.36, y - gap - canvas.width(place.columns[c], label_size) / 2,
                          place.columns[c], label_size, soft);
  }
  const NumberTable& table = *place.table;
  if (!table.below_name.empty())
    canvas.text(x - gap, y + place.cells_high() + gap / 2 + height / 2 + label_size * 0.36, table.below_name,
                label_size, ink, Align::right, true);
  if (!table.beside_name.empty())
    canvas.text(x + place.cells_wide() + gap + 4 + width / 2, y - gap, table.beside_name, label_size, ink,
                Align::centre, true);
}

void paint_table(const Canvas& canvas, const Place& place, double x, double y) {
  const NumberTable& table = *place.table;
  canvas.text(x, y + table_title_size * 0.8, table.title, table_title_size, ink, Align::left, true);
  if (!table.note.empty()) canvas.text(x, y + table_title_size + gap + note_size * 0.8, table.note, note_size, soft);
  const double left = x + place.left, top = y + place.top;
  if (!table.column_heading.empty()) {
    const double names = place.cells.numbers ? label_size : widest(canvas, place.columns);
    canvas.text(left + place.cells_wide() / 2, top - (place.cells.labels ? names + gap : 0) - gap, table.column_heading,
                note_size, ink, Align::centre);
  }
  if (!table.row_heading.empty())
    canvas.text_upwards(x + note_size, top + place.cells_high() / 2, table.row_heading, note_size, ink);
  paint_cells(canvas, place, left, top);
  if (place.cells.labels) paint_labels(canvas, place, left, top);
}

std::string words_of(const TableFigure& figure) {
  std::string words;
  for (const std::string& text : figure.lines) words += text + " ";
  for (const NumberTable& table : figure.tables)
    words += fmt::format("{}{}{}. ", table.title, table.note.empty() ? "" : ": ", table.note);
  return words;
}

TableFigure cleaned(TableFigure figure) {  // cairo stops at the first text that is not UTF-8
  figure.title = shorten(label_text(figure.title), 100);
  for (NumberTable& table : figure.tables) table.title = shorten(label_text(table.title), 60);
  return figure;
}

struct Spot {
  Place place;
  double x, y;
};

Picture draw_tables(const TableFigure& raw, PictureFormat format) {
  const TableFigure figure = cleaned(raw);
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1));
  const Canvas ruler(surface.get());
  std::vector<Spot> spots;
  const double start =
      page_margin + title_size + 2 * gap + (note_size + gap) * static_cast<double>(figure.lines.size()) + gap;
  double x = page_margin, y = start, row_height = 0, width = ruler.width(figure.title, title_size, true);
  for (const std::string& text : figure.lines) width = std::max(width, ruler.width(text, note_size));
  width += 2 * page_margin;
  for (const NumberTable& table : figure.tables) {
    const Place place = measured(ruler, table);
    if (x > page_margin && x + place.width > page_width) x = page_margin, y += row_height + table_gap, row_height = 0;
    spots.push_back({place, x, y});
    x += place.width + table_gap;
    row_height = std::max(row_height, place.height);
    width = std::max(width, x - table_gap + page_margin);
  }
  return render(std::ceil(width), std::ceil(y + row_height + page_margin), format, figure.title, words_of(figure),
                [&](const Canvas& canvas) {
                  canvas.text(page_margin, page_margin + title_size * 0.8, figure.title, title_size, ink, Align::left,
                              true);
                  double below = page_margin + title_size + 2 * gap;
                  for (const std::string& text : figure.lines) {
                    canvas.text(page_margin, below + note_size * 0.8, text, note_size, soft);
                    below += note_size + gap;
                  }
                  for (const Spot& spot : spots) paint_table(canvas, spot.place, spot.x, spot.y);
                });
}

}  // namespace
}  // namespace table_drawing

Picture draw(const TableFigure& figure, PictureFormat format) { return table_drawing::draw_tables(figure, format); }

}  // namespace catena::cli
