// Recordings as comma-separated values: notes and units in lines that start with #, the header line, a row per line in
// the shortest digits that read back bit for bit. A row counts once its line end is in the file.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>

#include "catena/model/finding.hpp"
#include "catena/read/csv.hpp"
#include "catena/read/file.hpp"
#include "catena/read/number.hpp"
#include "catena/record/recording_files.hpp"
#include "catena/write/file.hpp"

namespace catena::recording {
namespace {

constexpr std::size_t longest_csv = 4096 * read::megabyte;

// Text on one line: \n, \r and \\ for what they say, \xNN for other control characters, blanks at the ends (which
// editors drop) and, in keys, colons.
std::string escaped(std::string_view text, bool key) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto c = static_cast<unsigned char>(text[k]);
    const bool at_end = k == 0 || k + 1 == text.size();
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if ((c < 0x20 && c != '\t') || ((c == ' ' || c == '\t') && at_end) || (key && c == ':'))
      out += fmt::format("\\x{:02x}", c);
    else
      out += text[k];
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char next = text[k] == '\\' && k + 1 < text.size() ? text[k + 1] : '\0';
    unsigned code = 0;
    if (next == '\\' || next == 'n' || next == 'r') {
      out += next == 'n' ? '\n' : next == 'r' ? '\r' : '\\';
      k += 1;
    } else if (next == 'x' && k + 3 < text.size() &&
               std::from_chars(&text[k + 2], &text[k + 4], code, 16).ptr == &text[k + 4]) {
      out += static_cast<char>(code);
      k += 3;
    } else {
      out += text[k];
    }
  }
  return out;
}

std::string cell(const std::string& name) {
  const bool plain = name.find_first_of(",\"#") == std::string::npos && !name.starts_with(' ') && !name.ends_with(' ');
  if (plain) return name;
  std::string out = "\"";
  for (char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

std::string line_of(const std::vector<Column>& columns, std::string Column::*part) {
  std::string out;
  for (const Column& column : columns) out += cell(column.*part) + ',';
  out.back() = '\n';
  return out;
}

std::string text_of(const RecordingHeader& header) {
  std::string out;
  for (const auto& [key, text] : header.notes) out += "# " + escaped(key, true) + ": " + escaped(text, false) + "\n";
  return out + "# units: " + line_of(header.columns, &Column::unit) + line_of(header.columns, &Column::name);
}

// The lines up to and with the header line.
struct Top {
  RecordingHeader header;
  bool has_units = false;  // only Catena writes them: the file is a recording
  int line = 0;            // of the header
  std::size_t end = 0;     // where the rows begin
};

std::optional<Top> top_of(std::string_view text, const std::string& path) {
  Top top;
  while (top.end < text.size()) {
    const std::size_t begin = top.end, stop = text.find('\n', begin);
    if (stop == std::string_view::npos) return std::nullopt;
    std::string_view line = text.substr(begin, stop - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    top.end = stop + 1;
    ++top.line;
    if (line.starts_with('#')) {
      const std::size_t colon = line.find(": ");
      if (!line.starts_with("# ") || colon == std::string_view::npos || colon < 3) continue;
      top.header.notes.emplace_back(unescaped(line.substr(2, colon - 2)), line.substr(colon + 2));
    } else if (!read::trimmed(line).empty()) {
      for (const std::string& name : read::csv_from_text(line, path).names) top.header.columns.push_back({name, ""});
      break;
    }
  }
  auto& [columns, notes] = top.header;
  if (columns.empty()) return std::nullopt;
  // The last line above the header; a note of that name would come before.
  if (!notes.empty() && notes.back().first == "units") {
    const std::vector<std::string> units = read::csv_names(notes.back().second);
    top.has_units = units.size() == columns.size();
    if (top.has_units) {
      for (std::size_t k = 0; k < units.size(); ++k) columns[k].unit = units[k];
      notes.pop_back();
    }
  }
  for (auto& note : notes) note.second = unescaped(note.second);
  return top;
}

// Without a last line that a killed program did not finish.
std::string_view whole_rows(std::string_view rows, std::size_t columns) {
  rows = rows.substr(0, rows.rfind('\n') + 1);  // npos + 1 is 0: no whole line
  if (rows.empty()) return rows;
  const std::size_t before = rows.size() < 2 ? 0 : rows.rfind('\n', rows.size() - 2) + 1;
  const std::string_view last = rows.substr(before);
  const auto commas = static_cast<std::size_t>(std::count(last.begin(), last.end(), ','));
  return !last.starts_with('#') && commas + 1 < columns ? rows.substr(0, before) : rows;
}

class CsvRecorder final : public Recorder {
 public:
  // In a file of its own, or at the end of one that is resumed.
  CsvRecorder(Place place, std::string path, RecordingHeader header)
      : place_(std::move(place)), path_(std::move(path)), header_(std::move(header)), check_(header_) {
    const std::string top = text_of(header_);
    std::size_t written = 0;
    if (const int error = write::write_all(file(), top, written)) fail_unwritable(path_, std::strerror(error));
    if (place_->old() < 0) place_->show();
  }
  CsvRecorder(Descriptor resumed, std::string path, RecordingHeader header, const Eigen::VectorXd& last, long rows)
      : resumed_(std::move(resumed)), path_(std::move(path)), header_(std::move(header)), check_(header_), rows_(rows) {
    if (last.size() > 0) check_.require(last);
  }

  ~CsvRecorder() override {
    try {
      leave();
    } catch (...) {  // nobody left to tell
    }
  }

  void append(const Eigen::Ref<const Eigen::VectorXd>& row) override {
    if (finished_) throw std::invalid_argument("the recording is finished: nothing can be appended");
    check_.require(row);
    for (Eigen::Index k = 0; k < row.size(); ++k) {
      fmt::format_to(std::back_inserter(pending_), "{}", row[k]);
      pending_.push_back(k + 1 == row.size() ? '\n' : ',');
    }
    if (pending_.size() > full) flush();
  }

  void flush() override {
    if (finished_) return;
    if (const int error = write_out()) fail_writing(error);
    failed_ = false;
  }

  void finish() override {
    if (finished_) return;
    settle();
    if (place_) place_->show();
    close();
  }

  std::string leave() override {
    if (finished_) return place_ ? place_->where() : path_;
    if (failed_) return "";  // all stays as the message said
    settle();
    const bool aside = place_ && !place_->shown();
    if (aside && rows_ > 0) place_->set_aside();
    close();
    if (aside) return rows_ > 0 ? place_->where() : "";
    return path_;
  }

 private:
  static constexpr std::size_t full = std::size_t(1) << 18;

  int file() const { return place_ ? place_->file() : resumed_.number(); }

  [[noreturn]] void fail_writing(int error) {
    failed_ = true;
    if (place_) fail_unwritable(path_, std::strerror(error), rows_, *place_);
    fail_unwritable(path_, std::strerror(error), rows_);
  }

  void settle() {
    flush();
    if (const int error = write::synchronize(file())) fail_writing(error);
  }

  void close() {
    if (place_) place_->close();
    resumed_ = Descriptor();
    finished_ = true;
  }

  // 0, or the error; what could not be written is kept, so that a later flush goes on exactly there.
  int write_out() {
    std::size_t done = 0;
    const int error = write::write_all(file(), {pending_.data(), pending_.size()}, done);
    rows_ += std::count(pending_.begin(), pending_.begin() + done, '\n');
    std::copy(pending_.begin() + done, pending_.end(), pending_.begin());
    pending_.resize(pending_.size() - done);
    return error;
  }

  std::optional<Place> place_;
  Descriptor resumed_;
  std::string path_;
  RecordingHeader header_;
  RowCheck check_;
  fmt::memory_buffer pending_;
  long rows_ = 0;  // in the file
  bool failed_ = false, finished_ = false;
};

// The file as it is, without copying it: only the ends of it are looked at closely.
class Mapped {
 public:
  Mapped(int file, const std::string& path) {
    struct stat status {};
    if (::fstat(file, &status) != 0) fail_unreadable(path, errno);
    if (!S_ISREG(status.st_mode) || status.st_size == 0) return;
    size_ = static_cast<std::size_t>(status.st_size);
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (data_ == MAP_FAILED) fail_unreadable(path, errno);
  }
  ~Mapped() {
    if (size_ > 0 && data_ != MAP_FAILED) ::munmap(data_, size_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

[[noreturn]] void fail_no_header(const std::string& path) {
  fail("recording-format", path, "there is no header line that names the columns", "check that this is a recording");
}

// Rows of a text that begins after so many lines.
read::Csv rows_in(std::string_view text, const std::string& names, int lines_before, const std::string& path) {
  const auto moved = [&](int line) { return line - 1 + lines_before; };  // the names are a line
  try {
    read::Csv table = read::csv_from_text(names + std::string(text), path);
    for (int& line : table.lines) line = moved(line);
    return table;
  } catch (const ModelError& error) {
    Findings findings = error.findings();
    for (Finding& finding : findings) finding.source.line = moved(finding.source.line);
    throw ModelError(findings);
  }
}

void check_rows(RowCheck& check, const read::Csv& table, const std::string& path) {
  const RowCheck::Fault fault = check.check(table.values);
  if (fault.row < 0) return;
  throw ModelError(Finding{Severity::error,
                           "recording-damaged",
                           {path, table.lines[static_cast<std::size_t>(fault.row)]},
                           "",
                           fault.what,
                           "check that this is one recording, in the order in which it was written"});
}

}  // namespace

std::unique_ptr<Recorder> create_csv(write::Claim claim, const RecordingHeader& header) {
  const std::string path = claim.path();
  return std::make_unique<CsvRecorder>(Place(std::move(claim)), path, header);
}

Recording read_csv(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) && std::filesystem::file_size(path, ignored) > longest_csv) {
    fail("file-too-large", path, "is larger than 4 GB", "record to HDF5 (.h5), or record less often");
  }
  std::string text = read::raw_file(path, longest_csv);
  Recording out;
  if (std::optional<Top> top = top_of(text, path)) {
    if (top->has_units) {
      const std::string_view rows(text.data() + top->end, text.size() - top->end);
      text.resize(top->end + whole_rows(rows, top->header.columns.size()).size());
    }
    out.header = std::move(top->header);
  }
  read::Csv table = read::csv_from_text(text, path);
  if (out.header.columns.empty()) {  // one line without an end
    for (const std::string& name : table.names) out.header.columns.push_back({name, ""});
  }
  RowCheck check(out.header);
  check_rows(check, table, path);
  out.values = std::move(table.values);
  return out;
}

Resumed resume_csv(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) fail_unreadable(path, errno);
  Descriptor file = write::open_to_append(path);
  Resumed out;
  std::size_t size = 0, whole = 0;
  {
    const Mapped mapped(file.number(), path);
    const std::string_view text = mapped.text();
    std::optional<Top> top = top_of(text, path);
    if (!top) fail_no_header(path);
    read::Log log(path);
    if (!read::is_text(text.substr(0, top->end), log)) throw ModelError(log.findings());
    if (!top->has_units) {
      fail("recording-format", path, "has no line of units: Catena did not write it", "record to another file");
    }
    const std::string_view rows = whole_rows(text.substr(top->end), top->header.columns.size());
    size = text.size();
    whole = top->end + rows.size();
    const std::string names = line_of(top->header.columns, &Column::name);
    RowCheck check(top->header);
    int line = top->line;
    for (std::size_t begin = 0; begin < rows.size();) {  // in blocks, so that memory does not grow with the file
      const std::size_t end = rows.find('\n', std::min(begin + (std::size_t(1) << 20), rows.size() - 1)) + 1;
      const std::string_view block = rows.substr(begin, end - begin);
      const read::Csv table = rows_in(block, names, line, path);
      check_rows(check, table, path);
      out.rows += table.values.rows();
      if (table.values.rows() > 0) out.last = table.values.row(table.values.rows() - 1).transpose();
      line += static_cast<int>(std::count(block.begin(), block.end(), '\n'));
      begin = end;
    }
    out.header = std::move(top->header);
  }
  if (whole < size && ::ftruncate(file.number(), static_cast<off_t>(whole)) != 0) {
    fail_unwritable(path, std::strerror(errno));
  }
  out.recorder = std::make_unique<CsvRecorder>(std::move(file), path, out.header, out.last, out.rows);
  return out;
}

}  // namespace catena::recording
