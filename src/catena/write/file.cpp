// Atomic replacement by rename, which POSIX promises within one folder.
#include "catena/write/file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "catena/model/finding.hpp"

namespace catena::write {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw ModelError(Finding{Severity::error,
                           "file-unwritable",
                           {path, 0},
                           "",
                           std::string("cannot be written: ") + std::strerror(error),
                           "check the folder, its permissions and the free space"});
}

// 0, or the error.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

// A pipe or a device cannot be replaced, only written to.
void write_stream(const std::string& path, std::string_view text) {
  std::FILE* out = std::fopen(path.c_str(), "wb");
  if (!out) fail(path, errno);
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (std::fclose(out) != 0 || !written) fail(path, errno);
}

}  // namespace

void replace_file(const std::string& path, std::string_view text) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) fail(path, EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_stream(path, text);
  // Through a link, so that the link stays and its target is replaced.
  const fs::path target =
      fs::is_symlink(fs::symlink_status(path, ignored)) ? fs::weakly_canonical(path, ignored) : fs::path(path);

  std::string temporary = target.string() + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());
  if (file < 0) fail(path, errno);
  mode_t mode = 0;
  struct stat before {};
  if (::stat(target.c_str(), &before) == 0) {
    mode = before.st_mode & 07777;
  } else {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode = 0666 & ~mask;
  }
  int error = write_all(file, text);
  if (error == 0 && ::fchmod(file, mode) != 0) error = errno;
  if (error == 0 && ::fsync(file) != 0) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail(path, error);
  }
}

}  // namespace catena::write
