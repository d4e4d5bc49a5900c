// Tables, matrices and units of the command line tool.
#include "cli/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/joints/joints.hpp"

namespace catena::cli {

std::string number(double x, int digits) {
  if (std::isnan(x)) return "nan";  // whatever its sign bit
  return x == 0 ? "0" : fmt::format("{:.{}g}", x, digits);
}

std::string rough(double x, int digits) { return std::isnan(x) ? "nan" : fmt::format("{:.{}e}", x, digits); }

std::string number(double x, int digits, double largest) {
  return number(std::abs(x) <= 1e-13 * largest ? 0 : x, digits);
}

double largest_of(const Eigen::Ref<const Matrix>& numbers) {
  return numbers.size() == 0 ? 0 : numbers.cwiseAbs().maxCoeff();
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for (const char c : utf8) {
    // continuation bytes and combining dots (U+0307: 0xCC 0x87) take no room of their own
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80 && byte != 0xCC) ++width;
  }
  return width;
}

std::string counted(std::size_t count, const char* noun) {
  std::string plural = noun;
  if (count != 1) {
    if (plural.ends_with("y"))
      plural.replace(plural.size() - 1, 1, "ies");
    else
      plural += "s";
  }
  return fmt::format("{} {}", count, plural);
}

Table::Table(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (std::string& heading : headings_) {
    right_.push_back(heading.starts_with('>'));
    if (right_.back()) heading.erase(0, 1);
  }
}

void Table::row(std::vector<std::string> cells, Tone tone) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
  tones_.push_back(tone);
}

void Table::print(Output& out) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < headings_.size(); ++c) {
    std::size_t width = display_width(headings_[c]);
    for (const auto& cells : rows_) width = std::max(width, display_width(cells[c]));
    widths.push_back(width);
  }
  const auto compose = [&](const std::vector<std::string>& cells) {
    std::string line = " ";
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string padding(widths[c] - display_width(cells[c]), ' ');
      line += " ";
      line += right_[c] ? padding + cells[c] : cells[c] + padding;
      line += " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  };
  out.line(out.paint(Tone::faint, compose(headings_)));
  for (std::size_t r = 0; r < rows_.size(); ++r) out.line(out.paint(tones_[r], compose(rows_[r])));
}

void print_matrix(Output& out, const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                  const Matrix& matrix) {
  const double largest = largest_of(matrix);
  std::size_t label = 0, cell = 11;
  for (const std::string& name : rows) label = std::max(label, display_width(name));
  for (const std::string& name : columns) cell = std::max(cell, std::min<std::size_t>(display_width(name), 16));
  const auto room =
      static_cast<std::size_t>(out.width()) > label + 2 ? static_cast<std::size_t>(out.width()) - label - 2 : 0;
  const auto per_block = static_cast<Eigen::Index>(std::max<std::size_t>(1, room / (cell + 1)));
  for (Eigen::Index first = 0; first < matrix.cols(); first += per_block) {
    const Eigen::Index last = std::min(first + per_block, matrix.cols());
    if (first > 0) out.line();
    std::string heading(label + 2, ' ');
    for (Eigen::Index c = first; c < last; ++c) {
      std::string name = columns[static_cast<std::size_t>(c)];
      if (name.size() > cell) name = name.substr(0, cell - 1) + "~";
      heading += fmt::format(" {:>{}}", name, cell);
    }
    out.line(out.paint(Tone::faint, heading));
    for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
      std::string text = fmt::format("  {:<{}}", rows[static_cast<std::size_t>(r)], label);
      for (Eigen::Index c = first; c < last; ++c)
        text += fmt::format(" {:>{}}", number(matrix(r, c), 5, largest), cell);
      out.line(text);
    }
  }
}
void print_matrix(Output& out, const std::vector<std::string>& names, const Matrix& matrix) {
  print_matrix(out, names, names, matrix);
}

namespace {

const Units turning = {"rad", "rad/s", "rad/s²", "N m"};
const Units sliding = {"m", "m/s", "m/s²", "N"};

void append_units(std::vector<Units>& units, JointType type) {
  const JointFacts& facts = facts_of(type);
  for (int i = 0; i < facts.nv; ++i) units.push_back(i < facts.turning ? turning : sliding);
}

}  // namespace

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string unit_per(const std::string& unit, const std::string& other) {
  const auto part = [](const std::string& text) {
    const std::string plain = replaced(text, "²", "^2");
    return plain.find_first_of(" /") == std::string::npos ? plain : "(" + plain + ")";
  };
  return part(unit) + "/" + part(other);
}

std::vector<Units> velocity_units(const Model& model) {
  std::vector<Units> units;
  for (const Coordinate& coordinate : model.coordinates()) append_units(units, coordinate.type);
  return units;
}

std::vector<bool> position_is_angle(const Model& model) {
  std::vector<bool> angles;
  for (const Coordinate& coordinate : model.coordinates()) {
    for (int i = 0; i < coordinate.nq; ++i)
      angles.push_back(std::string_view(facts_of(coordinate.type).position_unit(i)) == "rad");
  }
  return angles;
}

void require_finite(const Eigen::Ref<const Vector>& result, const std::vector<std::string>& names, const char* what) {
  for (Eigen::Index i = 0; i < result.size(); ++i)
    if (!std::isfinite(result(i))) {
      const std::string& name = names[static_cast<std::size_t>(i)];
      throw NumericalError(
          fmt::format("{} of {} is not a finite number: the state is too large for double precision", what, name),
          name);
    }
}

void require_finite(const Matrix& result, const char* what) {
  if (!result.allFinite())
    throw NumericalError(fmt::format("{} is not finite: the state is too large for double precision", what), "");
}

}  // namespace catena::cli
