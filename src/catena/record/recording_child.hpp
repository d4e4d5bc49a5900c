// Work in a process of its own, for libraries that cannot be trusted with damaged or hostile files: a crash, an endless
// loop or a hunger for memory ends the child, and this program says so.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "catena/record/recording_files.hpp"

namespace catena::recording {

// The child's end of the pipe. If nobody listens any more the child ends.
class Sender {
 public:
  explicit Sender(int pipe) : pipe_(pipe) {}
  void bytes(const void* data, std::size_t size) const;
  void number(std::uint64_t value) const { bytes(&value, sizeof value); }
  void text(std::string_view text) const {
    number(text.size());
    bytes(text.data(), text.size());
  }

 private:
  int pipe_;
};

class Child {
 public:
  // Runs work in a copy of this process that can open no file, write none, and has time and memory for an input of so
  // many bytes. work must not throw, and sees this process's memory as it is now. Throws std::system_error.
  Child(std::uint64_t input, const std::function<void(const Sender&)>& work);
  ~Child();  // ends it
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The next bytes that it sent; false if it ended before, or said nothing for two minutes.
  bool read(void* data, std::size_t size);
  bool number(std::uint64_t& value) { return read(&value, sizeof value); }

  // Waits for its end: empty if it ended well, or what happened to it.
  std::string fate();

 private:
  Descriptor pipe_;
  pid_t id_ = -1;
  bool silent_ = false;
};

}  // namespace catena::recording
