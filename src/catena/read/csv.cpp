// Comma-separated values with strict numbers. A name in the header may stand in double quotes.
#include "catena/read/csv.hpp"

#include <algorithm>
#include <unordered_set>

#include "catena/read/file.hpp"
#include "catena/read/number.hpp"
#include "catena/read/reading.hpp"

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

void read_header(std::string_view line, int number, Csv& table, Log& log) {
  table.header_line = number;
  std::unordered_set<std::string> seen;
  for (std::string_view cell : cells(line)) {
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = trimmed(cell.substr(1, cell.size() - 2));
    const std::string column = "column " + std::to_string(table.names.size() + 1);
    table.names.emplace_back(cell);
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
  }
}

void read_row(std::string_view line, int number, const Csv& table, std::vector<double>& values, Log& log) {
  const auto row = cells(line);
  if (row.size() != table.names.size()) {
    log.error("csv-count", number, "",
              "has " + std::to_string(row.size()) + " entries; the header names " + std::to_string(table.names.size()) +
                  " columns",
              "write one number for each column");
    return;
  }
  for (std::size_t k = 0; k < row.size(); ++k) {
    const Number parsed = parse_number(row[k]);
    if (!parsed.ok()) {
      log.error(parsed.code, number, table.names[k], quote(row[k]) + " " + parsed.problem, "write a finite number");
    }
    values.push_back(parsed.value);
  }
}

}  // namespace

int Csv::column(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

Csv csv_from_text(std::string_view text, const std::string& file) {
  Csv table;
  table.file = file;
  Log log(file);
  std::vector<double> values;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size() && log.findings().size() < most_findings;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (table.names.empty()) {
      read_header(line, number, table, log);
      if (!log.findings().empty()) break;
    } else {
      read_row(line, number, table, values, log);
      table.lines.push_back(number);
    }
  }
  if (table.names.empty())
    log.error("csv-header", 0, "", "there is no header line", "name the columns in the first line");
  if (!log.findings().empty()) throw ModelError(log.findings());
  const auto rows = static_cast<Eigen::Index>(table.lines.size()),
             columns = static_cast<Eigen::Index>(table.names.size());
  table.values = Eigen::Map<const decltype(table.values)>(values.data(), rows, columns);
  return table;
}

Csv csv(const std::string& path) { return csv_from_text(text_file(path, longest_table), path); }

}  // namespace catena::read
