// Output: collects what a command says and delivers it in one piece to standard output or a file, so that a failed
// command leaves nothing half written. Colours only on a terminal. Also: progress on long work when a person watches.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/write/claim.hpp"
#include "cli/options.hpp"

namespace catena::cli {

enum class Tone { plain, title, good, bad, caution, faint };

class Output {
 public:
  // The file of --output is claimed from here on (not to be resumed: a recorder does that). Throws as claim_file.
  explicit Output(const Options& options);

  // For commands that write the file of --output themselves: the claim is theirs, if there is one, and what they say goes
  // to the screen.
  std::optional<write::Claim> use_screen();

  bool json() const { return json_; }
  int width() const { return width_; }  // columns of the terminal, or 110

  void line(std::string_view text = {});
  void title(std::string_view text);        // a bold line with an empty one before it
  void explain(std::string_view sentence);  // what the numbers mean, wrapped and faint
  void text(std::string_view verbatim) { buffer_ += verbatim; }
  std::string paint(Tone tone, std::string_view text) const;

  // Said at once on stderr, so that what is computed stays clean; commands with --json repeat them as "warnings".
  void warn(const std::string& sentence);
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Writes everything collected; throws ModelError when the file cannot be written. A closed pipe is quiet.
  void deliver();
  // For a program that is its own screen (the Python module): what would go to standard output.
  bool to_file() const { return claim_.has_value(); }
  const std::string& collected() const { return buffer_; }

 private:
  std::string buffer_;
  std::optional<write::Claim> claim_;
  std::vector<std::string> warnings_;
  bool json_ = false, colour_ = false;
  int width_ = 110;
};

// Names come from files: a line break or an escape code in one must not reach a terminal.
std::string printable(std::string_view text);

// For a file that will be written (write::replace_file): from now on no other catena writes to it. Throws DataError for an
// existing file unless forced, ModelError for what cannot be written and for a file that another program writes to.
write::Claim claim_file(const std::string& path, bool force);

bool colour_on(int descriptor);

// A bar on stderr when stderr is a terminal and the work takes longer than a moment.
class Progress {
 public:
  Progress(std::string label, long total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void step(long done);

 private:
  std::string label_;
  long total_;
  bool watched_, drawn_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace catena::cli
