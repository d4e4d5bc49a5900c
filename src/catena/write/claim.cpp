#include "catena/write/claim.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "catena/model/finding.hpp"
#include "catena/model/text.hpp"
#include "catena/write/file.hpp"

namespace catena::write {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* code, const std::string& path, const std::string& message, const char* remedy) {
  throw_finding(Finding{Severity::error, code, {path, 0}, "", printable(message), remedy});
}

}  // namespace

void fail_busy(const std::string& path, const char* what) {
  fail("file-busy", path, what, "wait until it ends, or write to another file");
}

void fail_unwritable(const std::string& path, int error) {
  fail("file-unwritable", path, std::string("cannot be written: ") + std::strerror(error),
       "check the folder, its permissions and the free space");
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

// The lock belongs to the descriptor, not to the process.
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

Descriptor open_to_append(const std::string& path) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
    if (file.number() < 0) fail_unwritable(path, errno);
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

Claim::Claim(std::string path) : path_(std::move(path)), target_(path_) {
  if (path_.empty()) fail_unwritable(path_, ENOENT);
  std::error_code ignored;
  const bool link = fs::is_symlink(fs::symlink_status(path_, ignored));
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    if (errno != ENOENT) fail_unwritable(path_, errno);
    if (link) {
      fail("file-unwritable", path_,
           "is a symbolic link to " + fs::read_symlink(path_, ignored).string() + ", which does not exist",
           "remove the link, make what it points to, or write to another file");
    }
    return;
  }
  if (S_ISDIR(status.st_mode)) fail_unwritable(path_, EISDIR);
  stream_ = !S_ISREG(status.st_mode);
  if (stream_) return;
  if (link) {
    const std::string behind = fs::canonical(path_, ignored).string();
    if (!behind.empty()) target_ = behind;
  }
  old_ = open_to_append(target_);
}

void Claim::show(const std::string& temporary) const {
  const int error = take_name(temporary, target_, replaces() ? Existing::replace : Existing::keep);
  if (error == EEXIST) fail_busy(path_, "another program has just made it");
  if (error != 0) fail_unwritable(path_, error);
}

}  // namespace catena::write
