// A virtual file driver of HDF5 (1.10 and later) on a descriptor.
#include "catena/record/hdf5_driver.hpp"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>

#include "catena/write/file.hpp"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace catena::hdf5 {

Storage::Storage(int file) : file_(file) {
  struct stat status {};
  if (::fstat(file, &status) == 0) end_ = static_cast<std::uint64_t>(status.st_size);
}

// Writes into reserved space are whole or not at all, and fail before anything was overwritten.
int Storage::reserve(std::uint64_t end) {
  const std::uint64_t limit = write::largest_file();
  if (end > limit) return EFBIG;
  if (end <= reserved_) return 0;
#ifdef FALLOC_FL_KEEP_SIZE
  constexpr std::uint64_t ahead = std::uint64_t(1) << 20;
  for (const std::uint64_t wanted : {std::min(end + ahead, limit), end}) {  // where a lot is too much, what is needed
    if (!can_reserve_) break;
    int result = 0;
    do {
      result = ::fallocate(file_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(reserved_),
                           static_cast<off_t>(wanted - reserved_));
    } while (result != 0 && errno == EINTR);
    if (result == 0) {
      reserved_ = wanted;
      return 0;
    }
    const bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    if (full && wanted == end) return errno;
    if (!full) can_reserve_ = false;  // the file system has no such thing
  }
#endif
  return 0;
}

int Storage::apply(std::uint64_t at, const char* data, std::size_t size) {
  if (const int error = reserve(at + size)) return error;
  while (size > 0) {
    const ssize_t n = ::pwrite(file_, data, size, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    data += n, at += static_cast<std::uint64_t>(n), size -= static_cast<std::size_t>(n);
  }
  return 0;
}

int Storage::apply_size(std::uint64_t size) {
  struct stat status {};
  if (::fstat(file_, &status) != 0) return errno;
  const auto now = static_cast<std::uint64_t>(status.st_size);
  if (size == now) return 0;
  if (size > now) {
    if (const int error = reserve(size)) return error;
  }
  if (::ftruncate(file_, static_cast<off_t>(size)) != 0) return errno;
  if (size < now) reserved_ = std::min(reserved_, size);
  return 0;
}

void Storage::write(std::uint64_t at, const char* data, std::size_t size) {
  if (size == 0) return;
  end_ = std::max(end_, at + size);
  if (waiting_.empty() && apply(at, data, size) == 0) return;
  waiting_.push_back({at, std::vector<char>(data, data + size)});
}

void Storage::resize(std::uint64_t size) {
  end_ = size;
  if (waiting_.empty() && apply_size(size) == 0) return;
  waiting_.push_back({size, {}});
}

bool Storage::read(std::uint64_t at, char* data, std::size_t size) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(file_, data + done, size - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  std::memset(data + done, 0, size - done);  // beyond the end
  for (const Change& change : waiting_) {
    const std::uint64_t from = std::max(at, change.at);
    const std::uint64_t to = std::min<std::uint64_t>(at + size, change.at + change.bytes.size());
    if (from < to) std::memcpy(data + (from - at), change.bytes.data() + (from - change.at), to - from);
  }
  return true;
}

int Storage::settle() {
  std::size_t done = 0;
  int error = 0;
  for (; done < waiting_.size() && error == 0; ++done) {
    const Change& change = waiting_[done];
    error = change.bytes.empty() ? apply_size(change.at) : apply(change.at, change.bytes.data(), change.bytes.size());
    if (error != 0) break;
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(done));
  return error;
}

void Storage::release() {
  if (reserved_ <= end_) return;
  if (::ftruncate(file_, static_cast<off_t>(end_)) == 0) reserved_ = end_;
}

namespace {

struct OpenFile {
  H5FD_t pub{};  // first, as the library wants it
  std::shared_ptr<Storage> storage;
  haddr_t end_of_addresses = 0;
};

OpenFile& of(H5FD_t* file) { return *reinterpret_cast<OpenFile*>(file); }
const OpenFile& of(const H5FD_t* file) { return *reinterpret_cast<const OpenFile*>(file); }

constexpr haddr_t last_address = std::numeric_limits<std::int64_t>::max() >> 1;

bool in_range(haddr_t at, std::size_t size) { return at <= last_address && size <= last_address - at; }

// No exception may pass through the library.
template <class Call>
herr_t guarded(Call call) noexcept {
  try {
    return call() ? 0 : -1;
  } catch (...) {
    return -1;
  }
}

H5FD_t* open_file(const char*, unsigned flags, hid_t access, haddr_t) {
  const void* info = H5Pget_driver_info(access);
  if (info == nullptr) return nullptr;
  Storage* storage = nullptr;
  std::memcpy(&storage, info, sizeof(Storage*));
  auto* file = new (std::nothrow) OpenFile;
  if (file == nullptr) return nullptr;
  file->storage = storage->shared_from_this();
  if ((flags & H5F_ACC_TRUNC) != 0 && guarded([&] { return storage->resize(0), true; }) != 0) {
    delete file;
    return nullptr;
  }
  return &file->pub;
}

herr_t close_file(H5FD_t* file) {
  delete &of(file);
  return 0;
}

// As the library's own driver for POSIX files, without what needs a name.
herr_t features(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO;
  }
  return 0;
}

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* data) {
  return guarded([&] { return in_range(at, size) && of(file).storage->read(at, static_cast<char*>(data), size); });
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* data) {
  return guarded([&] {
    if (!in_range(at, size)) return false;
    of(file).storage->write(at, static_cast<const char*>(data), size);
    return true;
  });
}

herr_t fit_length(H5FD_t* file, hid_t, hbool_t) {
  return guarded([&] {
    OpenFile& open = of(file);
    if (open.storage->end() != open.end_of_addresses) open.storage->resize(open.end_of_addresses);
    return true;
  });
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(300);  // of those for private use
#endif
  driver.name = "catena";
  driver.maxaddr = last_address;
  driver.fc_degree = H5F_CLOSE_STRONG;  // whatever is open in it is closed with it
  driver.fapl_size = sizeof(Storage*);
  driver.open = open_file;
  driver.close = close_file;
  driver.query = features;
  driver.get_eoa = [](const H5FD_t* file, H5FD_mem_t) { return of(file).end_of_addresses; };
  driver.set_eoa = [](H5FD_t* file, H5FD_mem_t, haddr_t end) -> herr_t {
    of(file).end_of_addresses = end;
    return 0;
  };
  driver.get_eof = [](const H5FD_t* file, H5FD_mem_t) -> haddr_t { return of(file).storage->end(); };
  driver.read = read_bytes;
  driver.write = write_bytes;
  driver.truncate = fit_length;
  // Recordings have a lock of their own. But only to files of a driver that can lock does the library give the mark of an
  // open file, by which readers know that its end may be missing.
  driver.lock = [](H5FD_t*, hbool_t) -> herr_t { return 0; };
  driver.unlock = [](H5FD_t*) -> herr_t { return 0; };
  // As H5FD_FLMAP_DICHOTOMY: descriptions and data from separate free lists.
  for (H5FD_mem_t& type : driver.fl_map) type = H5FD_MEM_SUPER;
  driver.fl_map[H5FD_MEM_DRAW] = driver.fl_map[H5FD_MEM_GHEAP] = H5FD_MEM_DRAW;
  return driver;
}

}  // namespace

Handle access_list(Storage& storage) {
  const H5FD_class_t driver = driver_class();
  const Handle registered(H5FDregister(&driver), H5FDunregister);
  Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  Storage* const info = &storage;
  ok(H5Pset_driver(list, registered, &info));
  ok(H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110));  // older ones have no single-writer mode
  ok(H5Pset_metadata_read_attempts(list, 20));  // each waits twice as long as the one before: a millisecond in all
  return list;
}

}  // namespace catena::hdf5
