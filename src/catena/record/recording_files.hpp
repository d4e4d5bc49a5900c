// What the two formats of recordings share: checks, errors, the place of a new file, and one writer at a time.
#pragma once

#include "catena/record/recording.hpp"
#include "catena/write/claim.hpp"

namespace catena::recording {

using write::Descriptor;

std::unique_ptr<Recorder> create_csv(write::Claim claim, const RecordingHeader& header);
std::unique_ptr<Recorder> create_hdf5(write::Claim claim, const RecordingHeader& header);
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

// Where a new recording is written: a file beside its place, under a name that cannot be foreseen, which later takes the
// place.
class Place {
 public:
  explicit Place(write::Claim claim);  // throws ModelError
  ~Place();                            // removes a file that is neither shown nor kept
  Place(Place&& other) noexcept;
  Place& operator=(Place&&) = delete;

  int file() const { return file_.number(); }
  int old() const { return claim_.old(); }  // what is to be replaced, or -1
  bool stream() const { return claim_.stream(); }
  bool shown() const { return shown_; }              // the new file has its name
  const std::string& where() const { return now_; }  // its name now
  void show();                                       // throws ModelError
  void close();                                      // others may write now
  void keep() { kept_ = true; }                      // it holds rows of worth
  void set_aside();  // it is kept, as "run.partial.h5" beside "run.h5"; a number makes the name new

 private:
  write::Claim claim_;
  std::string now_;
  Descriptor file_;
  bool shown_ = false, kept_ = false;
};

// The writer cannot go on; where its rows are is said: in the file itself, which can be resumed...
[[noreturn]] void fail_unwritable(const std::string& path, const std::string& reason, long rows);
// ... or wherever the place has them.
[[noreturn]] void fail_unwritable(const std::string& path, const std::string& reason, long rows, Place& place);

}  // namespace catena::recording
