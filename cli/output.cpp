// Output, colours, files and progress of the command line tool.
#include "cli/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "catena/model/text.hpp"
#include "catena/write/file.hpp"

namespace catena::cli {

bool colour_on(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) != 0 && (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

Output::Output(const Options& options) : json_(options.json) {
  if (options.output.empty()) {
    use_screen();
  } else if (!options.resume) {
    claim_ = claim_file(options.output, options.force);
  }
}

std::optional<write::Claim> Output::use_screen() {
  std::optional<write::Claim> claim = std::move(claim_);
  claim_.reset();
  colour_ = colour_on(STDOUT_FILENO) && !json_;
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    width_ = size.ws_col;
  return claim;
}

void Output::line(std::string_view text) {
  buffer_ += text;
  buffer_ += '\n';
}

void Output::title(std::string_view text) {
  if (!buffer_.empty()) buffer_ += '\n';
  line(paint(Tone::title, text));
}

void Output::explain(std::string_view sentence) {
  const auto limit = static_cast<std::size_t>(std::min(width_, 110)) - 2;
  while (!sentence.empty()) {
    std::size_t end = sentence.size();
    if (end > limit) {
      end = sentence.rfind(' ', limit);
      if (end == std::string_view::npos || end == 0) end = sentence.find(' ', limit);
      if (end == std::string_view::npos) end = sentence.size();
    }
    line(paint(Tone::faint, fmt::format("  {}", sentence.substr(0, end))));
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
  }
}

std::string Output::paint(Tone tone, std::string_view text) const {
  static constexpr const char* codes[] = {"", "1", "32", "31", "33", "2"};
  const char* code = codes[static_cast<int>(tone)];
  if (!colour_ || *code == '\0') return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

void Output::warn(const std::string& sentence) {
  const bool colour = colour_on(STDERR_FILENO);
  const std::string line =
      fmt::format("{}catena: warning:{} {}\n", colour ? "\033[33m" : "", colour ? "\033[0m" : "", printable(sentence));
  std::fputs(line.c_str(), stderr);
  warnings_.push_back(sentence);
}

void Output::deliver() {
  if (claim_) return write::replace_file(*claim_, buffer_);
  const bool written =
      std::fwrite(buffer_.data(), 1, buffer_.size(), stdout) == buffer_.size() && std::fflush(stdout) == 0;
  if (!written && errno != EPIPE)
    throw DataError(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
}

std::string printable(std::string_view text) { return catena::printable(text); }

write::Claim claim_file(const std::string& path, bool force) {
  struct stat status {};
  const bool there = stat(path.c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode)) throw DataError(fmt::format("{} is a directory: name a file", path));
  const auto refuse = [&] {
    throw DataError(fmt::format("{} exists already: choose another name, or --force to replace it", path));
  };
  if (!force && there && S_ISREG(status.st_mode)) refuse();
  write::Claim claim(path);
  if (!force && claim.replaces()) refuse();  // it was made between the two
  return claim;
}

Progress::Progress(std::string label, long total)
    : label_(std::move(label)),
      total_(total),
      watched_(isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

void Progress::step(long done) {
  if (!watched_ || total_ <= 0) return;
  const auto now = std::chrono::steady_clock::now();
  using std::chrono::milliseconds;
  if (now - start_ < milliseconds(400) || now - last_ < milliseconds(80)) return;
  last_ = now;
  drawn_ = true;
  constexpr int cells = 30;
  const int filled = static_cast<int>(cells * done / total_);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left = done > 0 ? elapsed * static_cast<double>(total_ - done) / static_cast<double>(done) : 0;
  fmt::print(stderr, "\r{} [{}{}] {:3d} %  {:.0f} s left \033[K", label_,
             std::string(static_cast<std::size_t>(filled), '#'),
             std::string(static_cast<std::size_t>(cells - filled), '.'), static_cast<int>(100 * done / total_), left);
  std::fflush(stderr);
}

Progress::~Progress() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

}  // namespace catena::cli
