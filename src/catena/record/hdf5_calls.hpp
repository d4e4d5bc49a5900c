// Calls into the HDF5 library: quiet, one thread at a time, with handles that close themselves and errors that throw.
// Without <hdf5.h>, whose hid_t is std::int64_t and whose herr_t is int.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace catena::hdf5 {

// The library prints its errors and is not made for threads: while one of these lives it does neither.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> alone_;
  int (*print_)(std::int64_t, void*) = nullptr;
  void* data_ = nullptr;
};

struct Failure {  // of a call; becomes a ModelError where the path is known
  std::string reason;
};

[[noreturn]] void fail_call();  // with the innermost reason on the library's stack of errors

template <class T>
T ok(T result) {
  if (result < 0) fail_call();
  return result;
}

class Handle {
 public:
  Handle() = default;
  Handle(std::int64_t id, int (*closer)(std::int64_t)) : id_(ok(id)), close_(closer) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  operator std::int64_t() const { return id_; }
  void close() {  // and say if that fails
    if (id_ >= 0) ok(close_(std::exchange(id_, -1)));
  }

 private:
  std::int64_t id_ = -1;
  int (*close_)(std::int64_t) = nullptr;
};

Handle list_space(std::size_t count);  // the shape of a list

// Text as an attribute of a file or dataset: a list, or a single one.
void write_texts(std::int64_t object, const std::string& name, const std::vector<std::string>& texts, bool single);
// Empty if it holds something else. Throws Failure if it claims to be longer than so many bytes.
std::vector<std::string> read_texts(std::int64_t attribute, std::uint64_t most);

}  // namespace catena::hdf5
