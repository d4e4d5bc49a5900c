// The place of a new recording: what was there before stays until the new file is fit to be seen.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "catena/simulate/recording_files.hpp"
#include "catena/write/file.hpp"

namespace catena::recording {
namespace {

[[noreturn]] void fail_busy(const std::string& path, const char* what) {
  fail("recording-busy", path, what, "wait until it ends, or record to another file");
}

// Belongs to the descriptor, not to the process. Where the file system has no locks, there is none.
bool lock(int file) {
#ifdef F_OFD_SETLK
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(file, F_OFD_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES);
#else
  return file >= 0;
#endif
}

// What a link points to, so that the link stays when it is replaced.
std::string behind_links(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_symlink(fs::symlink_status(path, ignored))) return path;
  const std::string target = fs::weakly_canonical(path, ignored).string();
  return target.empty() || !fs::is_regular_file(target, ignored) ? path : target;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Descriptor open_to_append(const std::string& path) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
    if (file.number() < 0) fail_unwritable(path, std::strerror(errno));
    if (!lock(file.number())) fail_busy(path, "another program is writing to it");
    // Another writer may have replaced it between the two calls: then this is a file without a name.
    struct stat opened {
    }, named{};
    if (::fstat(file.number(), &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
        opened.st_dev == named.st_dev) {
      return file;
    }
  }
  fail_busy(path, "other programs keep replacing it");
}

Place::Place(const std::string& path) : path_(path), target_(behind_links(path)), now_(target_) {
  struct stat status {};
  const bool there = ::stat(target_.c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode)) fail_unwritable(path, std::strerror(EISDIR));
  if (there && !S_ISREG(status.st_mode)) {
    file_ = Descriptor(::open(target_.c_str(), O_WRONLY | O_CLOEXEC));
    if (file() < 0) fail_unwritable(path, std::strerror(errno));
    stream_ = shown_ = true;
    return;
  }
  if (there) old_ = open_to_append(target_);
  write::Temporary made = write::make_temporary(target_);
  if (made.file < 0) fail_unwritable(path, std::strerror(errno));
  file_ = Descriptor(made.file);
  now_ = std::move(made.path);
  lock(file());
}

Place::Place(Place&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      now_(std::move(other.now_)),
      old_(std::move(other.old_)),
      file_(std::move(other.file_)),
      stream_(other.stream_),
      shown_(std::exchange(other.shown_, true)),
      kept_(other.kept_) {}

Place::~Place() {
  if (!shown_ && !kept_) ::unlink(now_.c_str());
}

void Place::close() {
  old_ = Descriptor();
  file_ = Descriptor();
}

void Place::show() {
  if (shown_) return;
  const auto existing = old() < 0 ? write::Existing::keep : write::Existing::replace;
  const int error = write::take_name(now_, target_, existing);
  if (error == EEXIST) fail_busy(path_, "another program has just made it");
  if (error != 0) fail_unwritable(path_, std::strerror(error));
  now_ = target_;
  shown_ = true;
}

void fail_unwritable(const std::string& path, const std::string& reason, long flushed, Place& place) {
  std::string remedy = remedy_of(reason);
  const std::string rows = flushed == 1 ? "1 row" : fmt::format("{} rows", flushed);
  if (place.shown() && flushed == 0) {
    remedy += "; it has no rows yet";
  } else if (place.shown()) {
    remedy += fmt::format("; the {} flushed before are safe, and resuming the run goes on there", rows);
  } else if (flushed > 0) {
    place.keep();
    remedy += fmt::format("; {} is as it was, and {} of this run are in {}", path, rows, place.where());
  } else {
    remedy += fmt::format("; {} is as it was", path);
  }
  fail("file-unwritable", path, "cannot be written: " + reason, remedy);
}

}  // namespace catena::recording
