#include "catena/machine/code_memory.hpp"

#if defined(__unix__)

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace catena::compile {

namespace {

bool write_all(int file, std::span<const std::uint8_t> code) {
  while (!code.empty()) {
    const ssize_t written = ::write(file, code.data(), code.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    code = code.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

CodeMemory::~CodeMemory() {
  if (begin_ != nullptr) ::munmap(begin_, size_);
}

const void* CodeMemory::reserve(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  size_ = (bytes + page - 1) / page * page;
  void* const at = ::mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  begin_ = at == MAP_FAILED ? nullptr : at;
  return begin_;
}

bool CodeMemory::run(std::span<const std::uint8_t> code) {
  if (begin_ == nullptr || code.size() > size_) return false;
  return run_from_file(code) || run_from_memory(code);
}

// A file without a name, written and then mapped: no mapping of the code is ever writable. This also works where pages
// that were once writable may not be run (MemoryDenyWriteExecute of systemd).
bool CodeMemory::run_from_file(std::span<const std::uint8_t> code) {
#if defined(MFD_ALLOW_SEALING) && defined(F_ADD_SEALS)
  const int file = ::memfd_create("catena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return false;
  constexpr int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  const bool good = write_all(file, code) && ::ftruncate(file, static_cast<off_t>(size_)) == 0 &&
                    ::fcntl(file, F_ADD_SEALS, seals) == 0 &&
                    ::mmap(begin_, size_, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0) == begin_;
  ::close(file);
  return good;
#else
  static_cast<void>(code);
  return false;
#endif
}

bool CodeMemory::run_from_memory(std::span<const std::uint8_t> code) {
  if (::mprotect(begin_, size_, PROT_READ | PROT_WRITE) != 0) return false;
  std::memcpy(begin_, code.data(), code.size());
  return ::mprotect(begin_, size_, PROT_READ | PROT_EXEC) == 0;
}

}  // namespace catena::compile

#else

namespace catena::compile {

CodeMemory::~CodeMemory() = default;
const void* CodeMemory::reserve(std::size_t) { return nullptr; }
bool CodeMemory::run(std::span<const std::uint8_t>) { return false; }

}  // namespace catena::compile

#endif
