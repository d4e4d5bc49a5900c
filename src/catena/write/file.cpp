// Atomic replacement by rename, which POSIX promises within one folder.
#include "catena/write/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <random>
#include <thread>
#include <utility>

namespace catena::write {
namespace {

namespace fs = std::filesystem;

// A pipe or a device cannot be replaced, only written to.
void write_stream(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) fail_unwritable(path, errno);
  std::size_t written = 0;
  int error = write_all(file, text, written);
  if (::close(file) != 0 && error == 0) error = errno;
  if (error != 0) fail_unwritable(path, error);
}

std::string random_letters() {
  static constexpr char letters[] = "0123456789abcdefghijkmnpqrstvwxz";  // 32 of them
  std::random_device random;                                             // the system's
  std::string out;
  for (int k = 0; k < 8; ++k) out += letters[random() % 32];
  return out;
}

}  // namespace

std::size_t largest_file() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(limit.rlim_cur);
}

int write_all(int file, std::string_view text, std::size_t& written) {
  written = 0;
  std::size_t allowed = text.size();
  if (const std::size_t limit = largest_file(); limit != std::numeric_limits<std::size_t>::max()) {
    struct stat status {};
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
      const auto size = static_cast<std::size_t>(status.st_size);
      allowed = std::min(allowed, size < limit ? limit - size : 0);
    }
  }
  while (written < allowed) {
    const ssize_t n = ::write(file, text.data() + written, allowed - written);
    if (n > 0) {
      written += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      return n == 0 ? EIO : errno;
    }
  }
  return allowed < text.size() ? EFBIG : 0;
}

int synchronize(int file) {
  if (::fsync(file) == 0) return 0;
  return errno == EINVAL || errno == ENOTSUP || errno == ENOSYS || errno == EROFS ? 0 : errno;
}

Temporary make_temporary(const std::string& target) {
  mode_t mode = 0666;  // what the user's mask leaves of it
  struct stat before {};
  const bool replaces = ::stat(target.c_str(), &before) == 0;
  if (replaces) mode = before.st_mode & 0777;
  const fs::path path(target);
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string name = path.stem().string() + "." + random_letters() + path.extension().string();
    Temporary out{-1, (path.parent_path() / name).string()};
    out.file = ::open(out.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode | 0600);
    if (out.file < 0 && errno == EEXIST) continue;
    if (out.file >= 0 && replaces && ::fchmod(out.file, before.st_mode & 07777) != 0) {
      const int error = errno;
      ::close(out.file);
      ::unlink(out.path.c_str());
      errno = error;
      out.file = -1;
    }
    return out;
  }
  errno = EEXIST;
  return {};
}

int take_name(const std::string& temporary, const std::string& target, Existing existing) {
  if (existing == Existing::keep) {
#ifdef RENAME_NOREPLACE
    if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
#endif
    if (::link(temporary.c_str(), target.c_str()) == 0) {
      ::unlink(temporary.c_str());
      return 0;
    }
    if (errno == EEXIST) return errno;  // else the file system has no links either
    if (struct stat status{}; ::lstat(target.c_str(), &status) == 0) return EEXIST;
  }
  return ::rename(temporary.c_str(), target.c_str()) == 0 ? 0 : errno;
}

namespace {

// A whole file under a temporary name, which it loses if it is not shown.
class Hidden {
 public:
  Hidden(const Claim& claim, std::string_view text) : claim_(&claim) {
    const Temporary temporary = make_temporary(claim.target());
    if (temporary.file < 0) fail_unwritable(claim.path(), errno == EEXIST ? EACCES : errno);
    path_ = temporary.path;
    std::size_t written = 0;
    int error = write_all(temporary.file, text, written);
    if (error == 0) error = synchronize(temporary.file);
    if (::close(temporary.file) != 0 && error == 0) error = errno;
    if (error == 0) return;
    ::unlink(path_.c_str());
    fail_unwritable(claim.path(), error);
  }
  ~Hidden() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Hidden(Hidden&& other) noexcept : claim_(other.claim_), path_(std::exchange(other.path_, {})) {}
  Hidden& operator=(Hidden&&) = delete;

  void show() {
    claim_->show(path_);
    path_.clear();
  }

 private:
  const Claim* claim_;
  std::string path_;
};

// One program at a time replaces sets of files in a folder: claims on names that nobody has yet lock nothing. Where the
// file system has no such lock, there is none.
Descriptor turn_in(const std::string& folder, const std::string& path) {
  Descriptor opened(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int attempt = 0; opened.number() >= 0 && ::flock(opened.number(), LOCK_EX | LOCK_NB) != 0; ++attempt) {
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    if (attempt == 1000) fail_busy(path, "another program is writing to its folder");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return opened;
}

}  // namespace

void replace_file(const Claim& claim, std::string_view text) {
  if (claim.stream()) return write_stream(claim.path(), text);
  Hidden(claim, text).show();
}

void replace_files(const std::vector<Claim>& claims, const std::vector<std::string>& texts) {
  if (claims.empty()) return;
  const Descriptor turn = turn_in(fs::path(claims[0].target()).parent_path().string(), claims[0].path());
  for (const Claim& claim : claims) {
    struct stat status {};
    if (!claim.stream() && !claim.replaces() && ::lstat(claim.target().c_str(), &status) == 0)
      fail_busy(claim.path(), "another program has just made it");
  }
  std::vector<Hidden> files;
  files.reserve(claims.size());
  for (std::size_t k = 0; k < claims.size(); ++k)
    if (!claims[k].stream()) files.emplace_back(claims[k], texts[k]);
  for (Hidden& file : files) file.show();
  for (std::size_t k = 0; k < claims.size(); ++k)
    if (claims[k].stream()) write_stream(claims[k].path(), texts[k]);
}

}  // namespace catena::write
