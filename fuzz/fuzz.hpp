// What the targets share. A target is one file, NAME.cpp, with LLVMFuzzerTestOneInput; targets.cmake lists it and
// tools/fuzz builds and runs it. ModelError is the readers' answer to bad input; anything else that leaves them, a
// sanitizer's report or a broken FUZZ_REQUIRE is a finding.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "catena/model/doctor.hpp"
#include "catena/model/model.hpp"
#include "catena/model/text.hpp"
#include "catena/read/reading.hpp"
#include "catena/read/robot.hpp"
#include "catena/read/toml.hpp"
#include "catena/read/urdf.hpp"
#include "catena/write/toml.hpp"
#include "catena/write/urdf.hpp"

#define FUZZ_REQUIRE(condition)                                            \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                        \
    }                                                                      \
  } while (false)

namespace catena::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The bytes as a file, for readers that take a path; its ending may decide how it is read.
inline std::string file_of(std::string_view bytes, const std::string& ending) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("catena-fuzz-" + std::to_string(::getpid()) + ending);
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path.string();
}

// Each finding is one line of plain text with a remedy.
inline void judge(const Findings& findings) {
  for (const Finding& finding : findings) {
    const std::string text = finding.text();
    FUZZ_REQUIRE(!find_bad(text));
    FUZZ_REQUIRE(text.find('\n') == std::string::npos);
    if (finding.severity == Severity::error) FUZZ_REQUIRE(!finding.remedy.empty());
  }
}

// A robot that was read without an error can be computed with, and what is written of it is read without an error.
inline void judge(const read::Reading& reading) {
  judge(reading.findings);
  const Findings checked = check(reading.description);
  judge(checked);
  if (has_errors(reading.findings) || has_errors(checked)) return;
  const Model model(reading.description);
  const auto judge_written = [&](const read::Reading& back) {
    for (const Finding& finding : back.findings)
      if (finding.severity == Severity::error) std::fprintf(stderr, "%s\n", finding.text().c_str());
    FUZZ_REQUIRE(!has_errors(back.findings));
    const Model again(back.description);
    FUZZ_REQUIRE(again.position_names() == model.position_names());
    FUZZ_REQUIRE(again.velocity_names() == model.velocity_names());
  };
  judge_written(read::toml(write::toml(reading.description), "f"));
  judge_written(read::urdf(write::urdf(reading.description), "f"));
}

// A robot with every type of joint.
inline const Model& robot() {
  static const Model model = read::load("joints");
  return model;
}

}  // namespace catena::fuzz
