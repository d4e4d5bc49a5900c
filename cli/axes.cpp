// Ranges, ticks, thinning and labels.
#include "cli/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace catena::cli {
namespace {

constexpr double rounding = 1e-12;  // relative size below which a difference is noise
constexpr double slack = 1e-9;      // of a step: a tick on the border is inside

std::string with_minus(std::string text) {  // a typographic minus is as wide as a plus
  const std::size_t at = text.find('-');
  return at == std::string::npos ? text : text.replace(at, 1, "−");
}

std::string superscript(int exponent) {
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(exponent))) text += digits[c - '0'];
  return text;
}

struct Step {
  int digit = 1, power = 0;  // digit · 10^power
  double size() const { return digit * std::pow(10.0, power); }
};

// The step that gives a number of ticks nearest to the wanted one, but at least three (or two where two is wanted).
Step nice_step(const Range& range, int wanted) {
  const int least = std::min(wanted, 3);
  const int decade = static_cast<int>(std::floor(std::log10(range.span())));
  Step best;
  double distance = std::numeric_limits<double>::infinity();
  for (int power = decade - 2; power <= decade; ++power)
    for (const int digit : {1, 2, 5}) {
      const Step step{digit, power};
      const double count = std::floor(range.hi / step.size() + slack) - std::ceil(range.lo / step.size() - slack) + 1;
      if (count < least || std::abs(count - wanted) > distance) continue;
      distance = std::abs(count - wanted);
      best = step;
    }
  return best;
}

// Of p from the straight piece between a and b.
double distance(const Point& p, const Point& a, const Point& b) {
  const double x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
  const double along = square > 0 ? std::clamp(((p.x - a.x) * x + (p.y - a.y) * y) / square, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - along * x, p.y - a.y - along * y);
}

// Number of bytes of the UTF-8 character at i; 0 where it is broken.
std::size_t character(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char c = byte(i);
  const std::size_t length = c < 0x80                ? 1
                             : c >= 0xC2 && c < 0xE0 ? 2
                             : c >= 0xE0 && c < 0xF0 ? 3
                             : c >= 0xF0 && c < 0xF5 ? 4
                                                     : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  // overlong forms, surrogates, beyond U+10FFFF
  if ((c == 0xE0 && byte(i + 1) < 0xA0) || (c == 0xED && byte(i + 1) >= 0xA0)) return 0;
  if ((c == 0xF0 && byte(i + 1) < 0x90) || (c == 0xF4 && byte(i + 1) >= 0x90)) return 0;
  return length;
}

}  // namespace

bool drawable(const Point& p) {  // false for NaN too
  return std::abs(p.x) <= largest_drawn && std::abs(p.y) <= largest_drawn;
}

Range shown_range(double lo, double hi, double scale, double margin) {
  const double size = std::max({std::abs(lo), std::abs(hi), scale, 1 / largest_drawn});
  if (hi - lo > rounding * size) return {lo - margin * (hi - lo), hi + margin * (hi - lo)};
  const double middle = lo + (hi - lo) / 2;
  if (std::abs(middle) > rounding * size) return {middle - 0.1 * std::abs(middle), middle + 0.1 * std::abs(middle)};
  const double half = scale > 0 ? scale : 1;
  return {-half, half};
}

Axis make_axis(const Range& range, int wanted) {
  Axis axis;
  axis.range = range;
  const Step step = nice_step(range, std::max(2, wanted));
  const double size = step.size();
  const auto first = static_cast<long long>(std::ceil(range.lo / size - slack));
  const auto last = static_cast<long long>(std::floor(range.hi / size + slack));

  // Every tick is n · 10^power with an integer n. Where n has too many digits, a round number is taken off.
  const long long low = first * step.digit, high = last * step.digit;
  long long offset = 0;
  if (std::max(std::abs(low), std::abs(high)) >= 100'000) {
    long long round = 1;
    while (round < high - low) round *= 10;
    offset = low / round * round;
  }
  const double largest = static_cast<double>(std::max(std::abs(low - offset), std::abs(high - offset)));
  int exponent = 0;  // of the common factor, a multiple of three
  if (largest > 0) {
    const double decade = std::log10(largest) + step.power;
    if (decade >= 5 || decade < -3 + 1e-9) exponent = 3 * static_cast<int>(std::floor((decade + 1e-9) / 3));
  }
  const int decimals = std::max(0, exponent - step.power);
  for (long long k = first; k <= last; ++k) {
    axis.ticks.push_back(static_cast<double>(k) * size);
    const auto n = static_cast<double>(k * step.digit - offset);
    axis.labels.push_back(with_minus(fmt::format("{:.{}f}", n * std::pow(10.0, step.power - exponent), decimals)));
  }
  if (exponent != 0) axis.note = fmt::format("×10{}", superscript(exponent));
  if (offset != 0) {
    const double value = static_cast<double>(offset) * std::pow(10.0, step.power);
    axis.note += fmt::format("{}{} {:.15g}", axis.note.empty() ? "" : " ", offset < 0 ? "−" : "+", std::abs(value));
  }
  return axis;
}

Axis make_log_axis(double lo, double hi) {
  constexpr double air = 0.08;
  Axis axis;
  axis.range = {lo - air, hi + air};
  const bool only_powers = axis.range.span() > 3.5;
  for (int power = static_cast<int>(std::floor(axis.range.lo)); power <= axis.range.hi; ++power)
    for (const int digit : {1, 2, 5}) {
      const double tick = power + std::log10(digit);
      if (tick < axis.range.lo || tick > axis.range.hi || (only_powers && digit > 1)) continue;
      axis.ticks.push_back(tick);
      axis.labels.push_back(
          std::abs(power) < 4 ? fmt::format("{:g}", digit * std::pow(10.0, power))
                              : fmt::format("{}10{}", digit > 1 ? fmt::format("{}·", digit) : "", superscript(power)));
    }
  return axis;
}

Axis make_name_axis(const std::vector<std::string>& names) {
  Axis axis;
  axis.range = {-0.5, static_cast<double>(names.size()) - 0.5};
  for (std::size_t i = 0; i < names.size(); ++i) axis.ticks.push_back(static_cast<double>(i));
  axis.labels = names;
  return axis;
}

std::vector<Point> thin(const std::vector<Point>& points, double column) {
  std::vector<Point> kept;
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end) {
    const double cell = std::floor(points[begin].x / column);
    std::size_t lowest = begin, highest = begin;
    for (end = begin; end < points.size() && std::floor(points[end].x / column) == cell; ++end) {
      if (points[end].y < points[lowest].y) lowest = end;
      if (points[end].y > points[highest].y) highest = end;
    }
    std::size_t chosen[] = {begin, std::min(lowest, highest), std::max(lowest, highest), end - 1};
    for (std::size_t k = 0; k < 4; ++k)
      if (k == 0 || chosen[k] != chosen[k - 1]) kept.push_back(points[chosen[k]]);
  }
  return kept;
}

// Ramer, Douglas and Peucker's: the farthest point splits a stretch, as long as it is too far off. In windows, so that
// the effort grows with the number of points only.
std::vector<Point> simplify(const std::vector<Point>& points, double tolerance) {
  if (points.size() < 3) return points;
  constexpr std::size_t window = 256;
  std::vector<bool> keep(points.size(), false);
  keep.front() = keep.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> stretches;
  for (std::size_t begin = 0; begin + 1 < points.size(); begin += window) {
    stretches.push_back({begin, std::min(begin + window, points.size() - 1)});
    keep[begin] = true;
    while (!stretches.empty()) {
      const auto [first, last] = stretches.back();
      stretches.pop_back();
      double farthest = tolerance;
      std::size_t split = first;
      for (std::size_t i = first + 1; i < last; ++i)
        if (const double d = distance(points[i], points[first], points[last]); d > farthest) farthest = d, split = i;
      if (split == first) continue;
      keep[split] = true;
      stretches.push_back({first, split});
      stretches.push_back({split, last});
    }
  }
  std::vector<Point> kept;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (keep[i]) kept.push_back(points[i]);
  return kept;
}

std::string label_text(std::string_view text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character(text, i);
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = length == 1 ? c < 0x20 || c == 0x7F
                                     : length == 2 && c == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    // XML knows no U+FFFE and U+FFFF
    const bool outside =
        length == 3 && text.substr(i, 2) == "\xEF\xBF" && static_cast<unsigned char>(text[i + 2]) >= 0xBE;
    if (length == 0 || outside)
      clean += "\uFFFD";
    else if (control)
      clean += ' ';
    else
      clean += text.substr(i, length);
    i += std::max<std::size_t>(length, 1);
  }
  return clean;
}

std::string shorten(const std::string& text, std::size_t most) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  if (starts.size() <= most) return text;
  const std::size_t tail = (most - 1) / 2, head = most - 1 - tail;
  return text.substr(0, starts[head]) + "…" + text.substr(tail == 0 ? text.size() : starts[starts.size() - tail]);
}

}  // namespace catena::cli
