// The place of a new recording: what was there before stays until the new file is fit to be seen.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "catena/record/recording_files.hpp"
#include "catena/write/file.hpp"

namespace catena::recording {

Place::Place(write::Claim claim) : claim_(std::move(claim)), now_(claim_.target()) {
  if (stream()) {
    file_ = Descriptor(::open(now_.c_str(), O_WRONLY | O_CLOEXEC));
    if (file() < 0) fail_unwritable(claim_.path(), std::strerror(errno));
    shown_ = true;
    return;
  }
  write::Temporary made = write::make_temporary(now_);
  if (made.file < 0) fail_unwritable(claim_.path(), std::strerror(errno));
  file_ = Descriptor(made.file);
  now_ = std::move(made.path);
  write::lock(file());
}

Place::Place(Place&& other) noexcept
    : claim_(std::move(other.claim_)),
      now_(std::move(other.now_)),
      file_(std::move(other.file_)),
      shown_(std::exchange(other.shown_, true)),
      kept_(other.kept_) {}

Place::~Place() {
  if (!shown_ && !kept_) ::unlink(now_.c_str());
}

void Place::close() {
  claim_.release();
  file_ = Descriptor();
}

void Place::show() {
  if (shown_) return;
  claim_.show(now_);
  now_ = claim_.target();
  shown_ = true;
}

void Place::set_aside() {
  keep();
  const std::filesystem::path path(claim_.target());
  for (int number = 1; number < 10000; ++number) {
    const std::string name =
        path.stem().string() + ".partial" + (number > 1 ? fmt::format(".{}", number) : "") + path.extension().string();
    const std::string aside = (path.parent_path() / name).string();
    const int error = write::take_name(now_, aside, write::Existing::keep);
    if (error == EEXIST) continue;
    if (error == 0) now_ = aside;
    return;  // else it stays where it is
  }
}

namespace {

std::string in_words(long rows) { return rows == 1 ? "1 row" : fmt::format("{} rows", rows); }

[[noreturn]] void fail_with(const std::string& path, const std::string& reason, const std::string& kept) {
  fail("file-unwritable", path, "cannot be written: " + reason, remedy_of(reason) + kept);
}

}  // namespace

void fail_unwritable(const std::string& path, const std::string& reason, long rows) {
  fail_with(path, reason,
            rows == 0 ? "; it has no rows yet"
                      : fmt::format("; the {} written before are safe in {}, where a run that can be resumed goes on",
                                    in_words(rows), path));
}

void fail_unwritable(const std::string& path, const std::string& reason, long rows, Place& place) {
  if (place.stream()) fail_unwritable(path, reason);
  if (place.shown()) fail_unwritable(path, reason, rows);
  if (rows == 0) fail_with(path, reason, fmt::format("; {} is as it was", path));
  place.keep();
  fail_with(path, reason,
            fmt::format("; {} is as it was, and {} of this run are in {}", path, in_words(rows), place.where()));
}

}  // namespace catena::recording
