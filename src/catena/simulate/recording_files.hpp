// What the two formats of recordings share: checks, errors, the place of a new file, and one writer at a time.
#pragma once

#include "catena/simulate/recording.hpp"

namespace catena::recording {

std::unique_ptr<Recorder> create_csv(const std::string& path, const RecordingHeader& header);
std::unique_ptr<Recorder> create_hdf5(const std::string& path, const RecordingHeader& header);
Recording read_csv(const std::string& path);
Recording read_hdf5(const std::string& path);
Resumed resume_csv(const std::string& path);
Resumed resume_hdf5(const std::string& path);

[[noreturn]] void fail(const char* code, const std::string& path, const std::string& message, std::string remedy);
[[noreturn]] void fail_unwritable(const std::string& path, const std::string& reason);
[[noreturn]] void fail_unreadable(const std::string& path, int error);
std::string remedy_of(const std::string& reason);  // of a write that failed

// What Catena writes into the header of a recording; throws std::invalid_argument.
void check_header(const RecordingHeader& header);

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The rows of a recording, in their order: every number is finite, and time ("time", if there is such a column) does not
// run backwards.
class RowCheck {
 public:
  explicit RowCheck(const RecordingHeader& header) : header_(&header), time_(header.column("time")) {}

  // A row to be written. Throws std::invalid_argument or NumericalError naming the column; the row then does not count.
  void require(const Eigen::Ref<const Eigen::VectorXd>& row);

  // Rows that were read: what is wrong with which row of the block (from 0).
  struct Fault {
    Eigen::Index row = -1;  // < 0: none
    std::string what;
  };
  Fault check(const Eigen::Ref<const Rows>& block);

 private:
  std::string backwards(double now) const;  // empty: it is not

  const RecordingHeader* header_;
  int time_;
  double last_ = 0;
  bool begun_ = false;
};

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

// Opens for writing at the end and keeps other recorders out until it is closed. Throws ModelError.
Descriptor open_to_append(const std::string& path);

// Where a new recording is written: a file beside its place, under a name that cannot be foreseen, which later takes the
// place. What is there before is locked meanwhile, so that of several writers one goes on and the others are told.
class Place {
 public:
  explicit Place(const std::string& path);  // throws ModelError
  ~Place();                                 // removes a file that is neither shown nor kept
  Place(Place&& other) noexcept;
  Place& operator=(Place&&) = delete;

  int file() const { return file_.number(); }
  int old() const { return old_.number(); }          // what is to be replaced, or -1
  bool stream() const { return stream_; }            // a pipe or device, which cannot be replaced
  bool shown() const { return shown_; }              // the new file has its name
  const std::string& where() const { return now_; }  // its name now
  void show();                                       // throws ModelError
  void close();                                      // others may write now
  void keep() { kept_ = true; }                      // it holds rows of worth

 private:
  std::string path_, target_, now_;
  Descriptor old_, file_;
  bool stream_ = false, shown_ = false, kept_ = false;
};

// The writer cannot go on; what it had flushed is said with its place.
[[noreturn]] void fail_unwritable(const std::string& path, const std::string& reason, long flushed, Place& place);

}  // namespace catena::recording
