// Atomic replacement by rename, which POSIX promises within one folder.
#include "catena/write/file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <random>

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

void replace_file(const Claim& claim, std::string_view text) {
  if (claim.stream()) return write_stream(claim.path(), text);
  const Temporary temporary = make_temporary(claim.target());
  if (temporary.file < 0) fail_unwritable(claim.path(), errno == EEXIST ? EACCES : errno);
  std::size_t written = 0;
  int error = write_all(temporary.file, text, written);
  if (error == 0) error = synchronize(temporary.file);
  if (::close(temporary.file) != 0 && error == 0) error = errno;
  try {
    if (error != 0) fail_unwritable(claim.path(), error);
    claim.show(temporary.path);
  } catch (...) {
    ::unlink(temporary.path.c_str());
    throw;
  }
}

}  // namespace catena::write
