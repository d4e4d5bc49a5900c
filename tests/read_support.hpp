// What the tests of readers and writers share: findings by code, files that vanish with the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catena/model/finding.hpp"

namespace catena::test {

inline std::string all(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.text() + "\n";
  return text;
}

// The first finding with this code; the test fails if there is none.
inline Finding finding_with(const Findings& findings, const std::string& code) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.code == code; });
  if (found != findings.end()) return *found;
  ADD_FAILURE() << "no finding " << code << " among:\n" << all(findings);
  return {};
}

#define EXPECT_FINDING(findings, wanted_severity, wanted_code, wanted_line)                           \
  do {                                                                                                \
    const ::catena::Finding found_ = ::catena::test::finding_with(findings, wanted_code);             \
    EXPECT_EQ(found_.severity, ::catena::Severity::wanted_severity) << ::catena::test::all(findings); \
    EXPECT_EQ(found_.source.line, wanted_line) << ::catena::test::all(findings);                      \
    EXPECT_FALSE(found_.remedy.empty());                                                              \
  } while (false)

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "catena-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The block of docs/formats.md that follows "<!-- tested: name -->".
inline std::string documented(const std::string& name) {
  const std::string page = slurp(std::string(CATENA_TEST_DATA) + "/../../docs/formats.md");
  const std::size_t mark = page.find("<!-- tested: " + name + " -->");
  const std::size_t fence = page.find("```", mark), begin = page.find('\n', fence) + 1;
  if (mark == std::string::npos || fence == std::string::npos) ADD_FAILURE() << "docs/formats.md has no block " << name;
  return page.substr(begin, page.find("```", begin) - begin);
}

}  // namespace catena::test
