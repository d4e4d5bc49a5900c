// Comma-separated values with strict numbers. A name in the header may stand in double quotes, and must if it contains a
// comma; a quote in it is then doubled.
#include "catena/read/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "catena/read/file.hpp"
#include "catena/read/number.hpp"

namespace catena::read {
namespace {

constexpr std::size_t longest_table = 512 * megabyte;
constexpr std::size_t most_findings = 20;

std::vector<std::string_view> cells(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = line.find(',', begin);
    out.push_back(trimmed(line.substr(begin, comma == std::string_view::npos ? comma : comma - begin)));
    if (comma == std::string_view::npos) return out;
    begin = comma + 1;
  }
}

// False where no row below it can be told apart.
bool read_header(std::string_view line, int number, Csv& table, Log& log) {
  table.header_line = number;
  std::unordered_set<std::string> seen;
  for (const std::string& cell : csv_names(line)) {
    const std::string column = "column " + std::to_string(table.names.size() + 1);
    table.names.push_back(cell);
    if (cell.empty()) {
      log.error("csv-header", number, "", column + " has no name", "the first line names the columns");
    } else if (parse_number(cell).ok()) {
      log.error("csv-header", number, "", column + " is called " + quote(cell) + ", a number",
                "the first line names the columns: time,q.joint1,...");
    } else if (!seen.emplace(cell).second) {
      log.error("csv-header", number, "", "two columns are called " + quote(cell), "rename or remove one of them");
    }
  }
  if (table.names.size() == 1 && line.find(';') != std::string_view::npos) {
    log.error("csv-separator", number, "", "the columns are separated by semicolons",
              "separate them by commas, with decimal points in the numbers");
    return false;
  }
  return true;
}

// The plain case, which nearly every row is: no memory is taken for it. False, and nothing added, if anything is unusual.
bool read_quickly(std::string_view line, std::size_t columns, std::vector<double>& values) {
  const std::size_t before = values.size();
  const char *at = line.data(), *const end = at + line.size();
  for (std::size_t k = 0; k < columns; ++k) {
    while (at != end && *at == ' ') ++at;
    double value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    const bool last = k + 1 == columns;
    if (error != std::errc() || !std::isfinite(value) || (last ? stop != end : stop == end || *stop != ',')) {
      values.resize(before);
      return false;
    }
    values.push_back(value);
    at = last ? stop : stop + 1;
  }
  return true;
}

void read_row(std::string_view line, int number, const Csv& table, std::vector<double>& values, Log& log) {
  const auto row = cells(line);
  if (row.size() != table.names.size()) {
    log.error("csv-count", number, "",
              "has " + std::to_string(row.size()) + " entries; the header names " + std::to_string(table.names.size()) +
                  " columns",
              "write one number for each column");
    values.resize(values.size() + table.names.size(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  for (std::size_t k = 0; k < row.size(); ++k) {
    const Number parsed = parse_number(row[k]);
    if (!parsed.ok()) {
      log.error(parsed.code, number, table.names[k], quote(row[k]) + " " + parsed.problem, "write a finite number");
    }
    values.push_back(parsed.ok() ? parsed.value : std::numeric_limits<double>::quiet_NaN());
  }
}

std::string written(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

}  // namespace

int Csv::column(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

std::vector<std::string> csv_names(std::string_view line) {
  std::vector<std::string> out;
  for (std::string_view rest = line;;) {
    while (rest.starts_with(' ') || rest.starts_with('\t')) rest.remove_prefix(1);
    std::string name;
    std::size_t after = 1;
    bool closed = false;
    if (rest.starts_with('"')) {
      for (; after < rest.size() && !closed; ++after) {
        if (rest[after] != '"') {
          name += rest[after];
        } else if (after + 1 < rest.size() && rest[after + 1] == '"') {
          name += rest[after++];
        } else {
          closed = true;
        }
      }
    }
    std::size_t comma = closed ? rest.find_first_not_of(" \t\r", after) : rest.find(',');
    if (closed && comma != std::string_view::npos && rest[comma] != ',') closed = false, comma = rest.find(',');
    out.push_back(closed ? name : std::string(trimmed(rest.substr(0, comma))));
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

Csv csv_from_text(std::string_view text, const std::string& file) {
  Log log(file);
  Csv table = csv_from_text(text, log);
  if (!log.findings().empty()) throw ModelError(log.findings());
  return table;
}

Csv csv_from_text(std::string_view text, Log& log) {
  Csv table;
  table.file = log.file();
  if (!is_text(text, log)) return table;
  std::vector<double> values;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    if (log.findings().size() >= most_findings) {
      log.error("csv-more", number, "", "the rest of the file was not read after so many mistakes",
                "correct these, then read it again");
      break;
    }
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (table.names.empty()) {
      if (!read_header(line, number, table, log)) break;
    } else {
      if (!read_quickly(line, table.names.size(), values)) read_row(line, number, table, values, log);
      table.lines.push_back(number);
    }
  }
  if (table.names.empty())
    log.error("csv-header", 0, "", "there is no header line", "name the columns in the first line");
  const auto rows = static_cast<Eigen::Index>(table.lines.size()),
             columns = static_cast<Eigen::Index>(table.names.size());
  table.values = Eigen::Map<const decltype(table.values)>(values.data(), rows, columns);
  return table;
}

Csv csv(const std::string& path) { return csv_from_text(text_file(path, longest_table), path); }
Csv csv(const std::string& path, Log& log) { return csv_from_text(text_file(path, longest_table), log); }

void check_times(const Csv& table, int column, bool may_repeat, Log& log) {
  double before = std::numeric_limits<double>::quiet_NaN();  // of the row above, if that could be read
  std::size_t wrong = 0;
  for (Eigen::Index r = 0; r < table.values.rows(); ++r) {
    const double now = table.values(r, column);
    const bool backwards = now < before, repeats = now == before && !may_repeat;
    if ((backwards || repeats) && ++wrong <= most_findings) {
      log.error("time-order", table.lines[static_cast<std::size_t>(r)], table.names[static_cast<std::size_t>(column)],
                backwards ? "time runs backwards, from " + written(before) + " s to " + written(now) + " s"
                          : "the time " + written(now) + " s is that of the row before",
                may_repeat ? "put the rows in the order of time"
                           : "put the rows in the order of time, one row for each time");
    }
    before = now;
  }
  if (wrong > most_findings)
    log.error("time-order", 0, "", "time runs backwards or repeats in " + std::to_string(wrong) + " rows in all",
              "put the rows in the order of time");
}

}  // namespace catena::read
