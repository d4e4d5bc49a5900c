// Reading a text file: in pieces, so that a device or a pipe without an end is stopped by the size limit too.
#include "catena/read/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "catena/model/text.hpp"

namespace catena::read {
namespace {

[[noreturn]] void fail(const char* code, const std::string& path, std::string message, std::string remedy) {
  throw_finding(Finding{Severity::error, code, {path, 0}, "", std::move(message), std::move(remedy)});
}

}  // namespace

std::string raw_file(const std::string& path, std::size_t max_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    fail("file-directory", path, "is a directory, not a file", "name a file in it");
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!in) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    fail(missing ? "file-missing" : "file-unreadable", path,
         missing ? "there is no such file" : std::string("cannot be opened: ") + std::strerror(errno),
         missing ? "check the name and the folder" : "check its permissions");
  }

  std::string text;
  constexpr std::size_t piece = megabyte;
  for (std::size_t size = 0;;) {
    text.resize(size + piece);
    const std::size_t got = std::fread(text.data() + size, 1, piece, in.get());
    size += got;
    text.resize(size);
    if (size > max_bytes) {
      fail("file-too-large", path, "is larger than " + std::to_string(max_bytes / megabyte) + " MB",
           "check that this is the right file; a robot needs about a kilobyte per body");
    }
    if (got < piece) break;
  }
  if (std::ferror(in.get())) fail("file-unreadable", path, "cannot be read to its end", "check the disk");

  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    fail("file-encoding", path, "is UTF-16 text", "save it as UTF-8");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    fail("file-empty", path, "is empty", "check that it was written to its end");
  }
  return text;
}

std::string text_file(const std::string& path, std::size_t max_bytes) {
  std::string text = raw_file(path, max_bytes);
  if (text.find('\0') != std::string::npos) {
    fail("file-binary", path, "is binary, not text (it contains zero bytes)", "check that this is the right file");
  }
  return text;
}

bool file_exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool is_text(std::string_view text, Log& log) {
  const auto bad = find_bad(text);
  if (!bad) return true;
  const std::string place = " at column " + std::to_string(bad->column);
  switch (bad->kind) {
    case BadText::Kind::encoding:
      log.error("file-encoding", bad->line, "", bad->what + place + " is not UTF-8",
                "save the file as UTF-8; if it is Latin-1: iconv -f LATIN1 -t UTF-8 " + log.file() + " > new_file");
      break;
    case BadText::Kind::zero:
      log.error("file-binary", bad->line, "", "is binary, not text (it contains " + bad->what + place + ")",
                "check that this is the right file");
      break;
    case BadText::Kind::direction:
      log.error("file-direction", bad->line, "",
                "the character " + bad->what + place +
                    " changes the direction of writing, so that text can look like other text",
                "remove it");
      break;
  }
  return false;
}

}  // namespace catena::read
