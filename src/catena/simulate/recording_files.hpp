// What the two formats of recordings share: checks, errors, and one writer at a time.
#pragma once

#include "catena/simulate/recording.hpp"

namespace catena::recording {

std::unique_ptr<Recorder> create_csv(const std::string& path, const RecordingHeader& header);
std::unique_ptr<Recorder> create_hdf5(const std::string& path, const RecordingHeader& header);
Recording read_csv(const std::string& path);
Recording read_hdf5(const std::string& path);
Resumed resume_csv(const std::string& path);
Resumed resume_hdf5(const std::string& path);

[[noreturn]] void fail(const char* code, const std::string& path, std::string message, std::string remedy);
[[noreturn]] void fail_unwritable(const std::string& path, const std::string& reason);
[[noreturn]] void fail_unreadable(const std::string& path, int error);

// Throws std::invalid_argument or NumericalError naming the column.
void check_row(const RecordingHeader& header, const Eigen::Ref<const Eigen::VectorXd>& row);

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// Opens for writing at the end and keeps other recorders out until it is closed. Throws ModelError.
Descriptor open_to_append(const std::string& path);

std::string behind_links(const std::string& path);  // what a link points to, so that the link stays when it is replaced

}  // namespace catena::recording
