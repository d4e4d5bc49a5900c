// Recordings, whatever their format: the choice of the format, checks of headers and rows.
#include "catena/record/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "catena/model/finding.hpp"
#include "catena/model/names.hpp"
#include "catena/model/text.hpp"
#include "catena/read/number.hpp"
#include "catena/record/recording_files.hpp"

namespace catena {
namespace recording {

void fail(const char* code, const std::string& path, const std::string& message, std::string remedy) {
  throw_finding(Finding{Severity::error, code, {path, 0}, "", printable(message), std::move(remedy)});
}

std::string remedy_of(const std::string& reason) {
  return reason == std::strerror(EFBIG) ? "record less often, or raise the limit on the size of files (ulimit -f)"
                                        : "check the folder, its permissions and the free space";
}

void fail_unwritable(const std::string& path, const std::string& reason) {
  fail("file-unwritable", path, "cannot be written: " + reason, remedy_of(reason));
}

void fail_unreadable(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR) {
    fail("file-missing", path, "there is no such file", "check the name and the folder");
  }
  fail("file-unreadable", path, std::string("cannot be opened: ") + std::strerror(error), "check its permissions");
}

std::string RowCheck::backwards(double now) const {
  return begun_ && now < last_ ? fmt::format("time runs backwards, from {} s to {} s", last_, now) : std::string();
}

void RowCheck::require(const Eigen::Ref<const Eigen::VectorXd>& row) {
  const auto columns = static_cast<Eigen::Index>(header_->columns.size());
  if (row.size() != columns) {
    throw std::invalid_argument(fmt::format("a row of {} numbers for {} columns", row.size(), columns));
  }
  for (Eigen::Index k = 0; k < columns && !row.allFinite(); ++k) {
    if (std::isfinite(row[k])) continue;
    const std::string& name = header_->columns[static_cast<std::size_t>(k)].name;
    throw NumericalError(fmt::format("\"{}\" became {}{}", name, row[k],
                                     time_ >= 0 && time_ != k ? fmt::format(" at time {}", row[time_]) : std::string()),
                         name);
  }
  if (time_ < 0) return;
  if (const std::string what = backwards(row[time_]); !what.empty()) throw std::invalid_argument(what);
  last_ = row[time_];
  begun_ = true;
}

RowCheck::Fault RowCheck::check(const Eigen::Ref<const Rows>& block) {
  for (Eigen::Index k = 0; k < block.rows(); ++k) {
    for (Eigen::Index c = 0; c < block.cols(); ++c) {
      if (!std::isfinite(block(k, c)))
        return {k, fmt::format("\"{}\" is {}", header_->columns[static_cast<std::size_t>(c)].name, block(k, c))};
    }
    if (time_ < 0) continue;
    if (std::string what = backwards(block(k, time_)); !what.empty()) return {k, std::move(what)};
    last_ = block(k, time_);
    begun_ = true;
  }
  return {};
}

namespace {

bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

void refuse_bad(const std::string& text, const char* what) {
  if (const auto bad = find_bad(text)) throw std::invalid_argument(fmt::format("{} holds {}", what, bad->what));
}

void check_texts(const RecordingHeader& header) {
  for (const Column& column : header.columns) {
    refuse_bad(column.name, "the name of a column");
    refuse_bad(column.unit, "the unit of a column");
  }
  for (const auto& [key, text] : header.notes) {
    refuse_bad(key, "the key of a note");
    refuse_bad(text, "a note");
  }
}

}  // namespace

void check_header(const RecordingHeader& header) {
  const auto refuse = [](const std::string& message) { throw std::invalid_argument(message); };
  if (header.columns.empty()) refuse("a recording needs a column");
  check_texts(header);
  std::set<std::string> seen;
  for (const Column& column : header.columns) {
    if (column.name.empty()) refuse("a column has no name");
    if (has_control_characters(column.name) || has_control_characters(column.unit)) {
      refuse("line breaks or control characters in the name or unit of column " + read::quote(column.name));
    }
    if (read::parse_number(read::trimmed(column.name)).ok()) {
      refuse("column " + read::quote(column.name) + " is called like a number");
    }
    if (!seen.insert(column.name).second) refuse("two columns are called " + read::quote(column.name));
  }
  seen.clear();
  for (const auto& [key, text] : header.notes) {
    if (key.empty()) refuse("a note has no key");
    if (key.find('\0') != std::string::npos || text.find('\0') != std::string::npos) {
      refuse("zero byte in note " + read::quote(key));
    }
    if (!seen.insert(key).second) refuse("two notes are called " + read::quote(key));
  }
}

namespace {

bool called_hdf5(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".h5" || ending == ".hdf5";
}

void check_name(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending.empty() || ending == ".csv" || called_hdf5(path)) return;
  fail("recording-format", path, "recordings are CSV or HDF5", "let its name end in .csv or .h5");
}

bool is_hdf5(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // a pipe can be read only once
  char start[8] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  if (std::memcmp(start, "\x89HDF\r\n\x1a\n", sizeof start) == 0) return true;
  if (called_hdf5(path)) {
    fail("recording-format", path, "is not an HDF5 file", "check that it was copied whole and not opened as text");
  }
  return false;
}

}  // namespace
}  // namespace recording

const std::string* RecordingHeader::note(const std::string& key) const {
  for (const auto& [name, text] : notes) {
    if (name == key) return &text;
  }
  return nullptr;
}

int RecordingHeader::column(const std::string& name) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

Eigen::VectorXd Recording::column(const std::string& name) const {
  const int found = header.column(name);
  if (found >= 0) return values.col(found);
  std::vector<std::string> names;
  for (const Column& column : header.columns) names.push_back(column.name);
  throw std::invalid_argument("no column \"" + name + "\"" + suggestion(name, names));
}

Eigen::MatrixXd Recording::columns(const std::string& prefix) const {
  std::vector<int> found;
  std::vector<std::string> prefixes;
  for (std::size_t k = 0; k < header.columns.size(); ++k) {
    const std::string& name = header.columns[k].name;
    const std::string own = name.substr(0, name.find('.'));
    if (own.size() == name.size()) continue;
    if (own == prefix) found.push_back(static_cast<int>(k));
    if (prefixes.empty() || prefixes.back() != own) prefixes.push_back(own);
  }
  if (found.empty()) throw std::invalid_argument("no columns \"" + prefix + ".\"" + suggestion(prefix, prefixes));
  return values(Eigen::all, found);
}

std::unique_ptr<Recorder> create_recording(const std::string& path, const RecordingHeader& header) {
  recording::check_name(path);
  recording::check_header(header);
  return create_recording(write::Claim(path), header);
}

std::unique_ptr<Recorder> create_recording(write::Claim claim, const RecordingHeader& header) {
  recording::check_name(claim.path());
  recording::check_header(header);
  const bool hdf5 = recording::called_hdf5(claim.path());
  return hdf5 ? recording::create_hdf5(std::move(claim), header) : recording::create_csv(std::move(claim), header);
}

Recording read_recording(const std::string& path) {
  return recording::is_hdf5(path) ? recording::read_hdf5(path) : recording::read_csv(path);
}

Resumed resume_recording(const std::string& path) {
  return recording::is_hdf5(path) ? recording::resume_hdf5(path) : recording::resume_csv(path);
}

}  // namespace catena
