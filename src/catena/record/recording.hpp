// Recordings: a table of numbers that grows row by row, with names and units of its columns and notes (model, hash,
// settings) inside. CSV or HDF5 by the ending of the name. A program killed while writing leaves a file that opens and
// holds every row up to the last flush. Layout: docs/formats.md.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace catena {
namespace write {
class Claim;
}

struct Column {
  std::string name;  // "time", "q.elbow", "v.ball.0", "tau.elbow", "energy.kinetic"
  std::string unit;  // "s", "rad", "rad/s", "N m", "J"; "" for quaternions

  bool operator==(const Column&) const = default;
};

struct RecordingHeader {
  std::vector<Column> columns;
  std::vector<std::pair<std::string, std::string>> notes;  // in order: "model", "hash", "scenario", ...; any text

  const std::string* note(const std::string& key) const;  // nullptr if there is none
  int column(const std::string& name) const;              // -1 if there is none
};

// Writing. A recorder that is let go before it has finished leaves what it has, but cannot say where.
// Threads: one at a time; recorders of different files do not know of each other.
class Recorder {
 public:
  virtual ~Recorder() = default;
  Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Throws std::invalid_argument (wrong size; time that runs backwards) and NumericalError (a number that is not finite;
  // names the column), and then appends nothing; ModelError if the file cannot be written.
  virtual void append(const Eigen::Ref<const Eigen::VectorXd>& row) = 0;
  // What was appended before outlives this program from now on, however it ends. Throws ModelError (disk full).
  virtual void flush() = 0;
  // Writes what is left and closes the file; nothing can be appended any more. A file that was there before is replaced
  // now, by one that was read back. Throws ModelError, which says where the rows are that were flushed.
  virtual void finish() = 0;
  // Instead of that, for a run that was cut short: the same, but a file that was there before stays, and the rows go
  // beside it ("run.partial.h5" for "run.h5", or a number more if that is taken). The file that has them, which can be
  // resumed; empty if there is none. Throws ModelError.
  virtual std::string leave() = 0;
};

// A new file: HDF5 if its name ends in .h5 or .hdf5, CSV if it ends in .csv or has no ending. It takes its name at once; an
// existing file is replaced when the recorder has finished (callers ask first), and until then rows go to a file beside
// it. Throws ModelError if it cannot be written or another program is writing to it, std::invalid_argument for names that
// are empty, double, numbers or contain control characters, and for notes with an empty or double key or a zero byte.
std::unique_ptr<Recorder> create_recording(const std::string& path, const RecordingHeader& header);
std::unique_ptr<Recorder> create_recording(write::Claim claim, const RecordingHeader& header);  // of that path

struct Recording {
  RecordingHeader header;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values;  // a row per instant

  // Throw std::invalid_argument with near names.
  Eigen::VectorXd column(const std::string& name) const;     // "q.elbow"
  Eigen::MatrixXd columns(const std::string& prefix) const;  // "q": those of "q.shoulder", "q.elbow", ..., side by side
};

// Reads what a finished, a killed or a running program has written so far; the format follows from the content. Any CSV
// with a header line will do: without units in the file, units are empty. Throws ModelError, also for numbers that are not
// finite and for times that run backwards. HDF5 files are read in a child process (docs/formats.md).
Recording read_recording(const std::string& path);

// Goes on with a file that a stopped or killed run left: a last row that is not whole is cut off. Gives the header and
// the last whole row (empty if there is none) without keeping the rest. An HDF5 file is copied, and replaced by the copy
// when new rows are flushed. Throws ModelError, also if another program is writing to the file.
struct Resumed {
  RecordingHeader header;
  Eigen::VectorXd last;
  long rows = 0;
  std::unique_ptr<Recorder> recorder;
};
Resumed resume_recording(const std::string& path);

}  // namespace catena
#pragma GCC visibility pop
