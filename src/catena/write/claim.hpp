// The right to write a file: of several programs that want to write the same one, one goes on and the others are told.
#pragma once

#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace catena::write {

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int number() const { return number_; }

 private:
  int number_;
};

// Keeps other writers out until the descriptor is closed; false: another one has it. Where the file system has no locks,
// there is none.
bool lock(int file);

// Opens for writing at the end, and locks. Throws ModelError.
Descriptor open_to_append(const std::string& path);

// To be taken as soon as a program knows what it will write, and held until that has its name. What is there before is
// locked meanwhile; where there is nothing, the first that takes the name has it.
class Claim {
 public:
  // Throws ModelError: a folder, a link to nothing, a file that may not be written or that another program writes to.
  Claim(std::string path);  // also where only a name is given: then nothing happens before the writing

  const std::string& path() const { return path_; }      // as it was given
  const std::string& target() const { return target_; }  // what a link points to, so that the link stays
  bool replaces() const { return old() >= 0; }
  int old() const { return old_.number(); }  // what is to be replaced, or -1
  bool stream() const { return stream_; }    // a pipe or device, which cannot be replaced, only written to

  // The file of that name, in the same folder, becomes the target. Throws ModelError; it then keeps its name.
  void show(const std::string& temporary) const;
  void release() { old_ = Descriptor(); }  // others may write now

 private:
  std::string path_, target_;
  Descriptor old_;
  bool stream_ = false;
};

// "cannot be written", with the reason (strerror).
[[noreturn]] void fail_unwritable(const std::string& path, int error);
// Another program is at it; what it does is said.
[[noreturn]] void fail_busy(const std::string& path, const char* what);

}  // namespace catena::write
#pragma GCC visibility pop
