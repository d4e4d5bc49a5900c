// Recordings when writing fails: the disk is full, or files may not become larger. What was flushed opens, what was there
// before stays, nothing crashes, and no signal ends the program. Each run is a process of its own.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#ifdef __linux__
#include <sched.h>
#endif

#include "recording_support.hpp"
#include "tool_support.hpp"

namespace catena {
namespace {

using test::arm_header;
using test::expect_rows;
using test::Folder;
using test::row_of;
using test::slurp;

void limit_files(std::size_t bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

// What a run in a child said before it ended: rows flushed, and the error.
struct Report {
  long flushed = 0;
  bool failed = false;  // with a ModelError
  char message[2000] = {};
};

// Exit code 0 only if the work came to an end and was told of.
template <class Work>
Report in_child(const Work& work) {
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_DFL);
    Report report;
    try {
      work(report);
    } catch (const ModelError& error) {
      report.failed = true;
      std::strncpy(report.message, error.what(), sizeof report.message - 1);
    }
    limit_files(RLIM_INFINITY);
    ::_exit(::write(ends[1], &report, sizeof report) == sizeof report ? 0 : 1);
  }
  ::close(ends[1]);
  Report report;
  const bool told = ::read(ends[0], &report, sizeof report) == sizeof report;
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(told && WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  return report;
}

void record(Recorder& recorder, long rows, Report& report) {
  for (long k = 0; k < rows; ++k) {
    recorder.append(row_of(k, 5));
    if (k % 50 == 49) recorder.flush(), report.flushed = k + 1;
  }
  recorder.finish();
  report.flushed = rows;
}

class FullDisk : public ::testing::TestWithParam<const char*> {
 protected:
  std::string path() const { return folder.path(std::string("run.") + GetParam()); }
  // The file that is not run.*, if there is one.
  std::string beside() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder.path("")))
      if (entry.path().string() != path()) return entry.path().string();
    return "";
  }
  Folder folder;
};

INSTANTIATE_TEST_SUITE_P(Formats, FullDisk, ::testing::Values("csv", "h5"),
                         [](const auto& format) { return std::string(format.param); });

// From a limit that does not even let the file begin to one that lets it end.
TEST_P(FullDisk, LosesNothingThatWasFlushed) {
  int failures = 0, successes = 0;
  for (std::size_t limit = 100; limit < 250000; limit += limit < 40000 ? 2555 : 17001) {
    std::filesystem::remove(path());
    const Report report = in_child([&](Report& told) {
      limit_files(limit);
      record(*create_recording(path(), arm_header()), 2000, told);
    });
    const std::string what = "limit " + std::to_string(limit) + ": " + report.message;
    EXPECT_EQ(report.failed, report.flushed < 2000) << what;
    (report.failed ? failures : successes) += 1;
    if (report.failed) {
      EXPECT_EQ(std::string(report.message).find(path() + ": error: cannot be written"), 0u) << what;
    }
    if (std::filesystem::exists(path())) {
      const Recording left = read_recording(path());
      EXPECT_GE(left.values.rows(), report.flushed) << what;
      if (report.failed && report.flushed > 0) {
        EXPECT_NE(std::string(report.message).find("rows written before are safe in " + path()), std::string::npos)
            << what;
      }
      expect_rows(left, left.values.rows(), what);
      const Resumed resumed = resume_recording(path());  // with space again
      for (long k = resumed.rows; k < 2000; ++k) resumed.recorder->append(row_of(k, 5));
      resumed.recorder->finish();
      expect_rows(read_recording(path()), 2000, what);
    } else {
      EXPECT_EQ(report.flushed, 0) << what;
    }
    EXPECT_LE(folder.count(), 1u) << what;
  }
  EXPECT_GT(failures, 5);
  EXPECT_GT(successes, 0);
}

TEST_P(FullDisk, LeavesTheOldRecordingAndSaysWhereTheNewRowsAre) {
  { create_recording(path(), arm_header())->append(row_of(0, 5)); }
  const std::string before = slurp(path());
  bool rows_beside = false;
  for (std::size_t limit = 100; limit < 90000; limit += 6007) {
    const Report report = in_child([&](Report& told) {
      limit_files(limit);
      record(*create_recording(path(), arm_header()), 2000, told);
    });
    const std::string what = "limit " + std::to_string(limit) + ": " + report.message;
    EXPECT_TRUE(report.failed) << what;
    EXPECT_EQ(slurp(path()), before) << what;
    if (report.flushed == 0) continue;
    rows_beside = true;
    ASSERT_EQ(folder.count(), 2u) << what;
    EXPECT_NE(std::string(report.message).find(beside()), std::string::npos) << what;
    EXPECT_TRUE(beside().ends_with(GetParam())) << what;
    const Recording left = read_recording(beside());
    EXPECT_GE(left.values.rows(), report.flushed) << what;
    expect_rows(left, left.values.rows(), what);
    std::filesystem::remove(beside());
  }
  EXPECT_TRUE(rows_beside);
}

TEST_P(FullDisk, IsNoticedWhenTheFileIsClosed) {
  { create_recording(path(), arm_header())->append(row_of(0, 5)); }
  const std::string before = slurp(path());
  const Report report = in_child([&](Report&) {
    const auto recorder = create_recording(path(), arm_header());
    for (long k = 0; k < 200; ++k) recorder->append(row_of(k, 5));
    limit_files(100);
    recorder->finish();
  });
  EXPECT_TRUE(report.failed);
  EXPECT_EQ(slurp(path()), before);
}

// A file system of 3 MB with hardly any space left; needs the right to mount one.
TEST_P(FullDisk, OnARealFileSystem) {
#ifdef __linux__
  bool mounted = false;
  for (const std::size_t free : {0, 8192, 16384, 24576, 65536, 150000}) {
    int status = 0;
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string disk = folder.path("disk"), good = disk + "/run." + GetParam();
      std::filesystem::create_directories(disk);
      if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          ::mount("none", disk.c_str(), "tmpfs", 0, "size=3m") != 0)
        ::_exit(77);
      { create_recording(good, arm_header())->append(row_of(0, 5)); }
      const std::string before = slurp(good), fill = disk + "/fill";
      const int file = ::open(fill.c_str(), O_CREAT | O_WRONLY, 0600);
      const std::string block(4096, 'x');
      off_t size = 0;
      for (ssize_t n = 0; (n = ::write(file, block.data(), block.size())) > 0;) size += n;
      if (free > 0 && ::ftruncate(file, size - static_cast<off_t>(free)) != 0) ::_exit(2);
      Report report;
      try {
        record(*create_recording(good, arm_header()), 20000, report);
        ::_exit(3);  // it cannot have had the space
      } catch (const ModelError&) {
      }
      if (slurp(good) != before) ::_exit(4);
      for (const auto& entry : std::filesystem::directory_iterator(disk)) {
        if (entry.path() == good || entry.path() == fill) continue;
        if (read_recording(entry.path().string()).values.rows() < report.flushed) ::_exit(5);
        report.flushed = 0;
      }
      ::_exit(report.flushed > 0 ? 6 : 0);
    }
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) continue;
    mounted = true;
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << free << " bytes free: status " << status;
  }
  if (!mounted) GTEST_SKIP() << "no right to mount a file system";
#else
  GTEST_SKIP() << "mounts are the system's own";
#endif
}

class RecordingTool : public test::ToolTest {};

TEST_F(RecordingTool, SurvivesALimitOnTheSizeOfFiles) {
  for (const std::string name : {"g.h5", "g.csv"}) {
    const std::string command = "cd \"" + path("") +
                                "\" && ulimit -f 400 && \"" CATENA_BINARY
                                "\" simulate arm7 --integrator rk4 --duration 20 --every 0.001 --output " +
                                name + " >out.txt 2>err.txt";
    const int status = std::system(("exec bash -c '" + command + "'").c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status << slurp(path("err.txt"));
    const std::string error = slurp(path("err.txt"));
    EXPECT_NE(error.find(name + ": cannot be written: File too large"), std::string::npos) << error;
    EXPECT_GT(read_recording(path(name)).values.rows(), 100) << name;
  }
}

TEST_F(RecordingTool, TellsAllWritersButOne) {
  for (const std::string name : {"run.h5", "run.csv"}) {
    const auto recorder = create_recording(path(name), arm_header());
    expect_failure("simulate arm7 --duration 0.01 --force --output " + name, 3, "another program is writing to it");
    recorder->finish();
  }
  const test::ToolResult after = run("simulate arm7 --duration 0.01 --force --output other.h5");
  EXPECT_EQ(after.code, 0) << after.err;
}

TEST_F(RecordingTool, RefusesMoreRowsThanAnyRunNeeds) {
  write("every.toml", "model = \"gantry\"\nduration = 0.1\nevery = 1e-300\n");
  expect_failure("simulate every.toml", 3, "record less often");
  expect_failure("simulate gantry --duration 1 --every 1e-300", 3, "record less often");
  expect_failure("simulate gantry --duration 1e6 --every 1e-4", 3, "record less often");
}

}  // namespace
}  // namespace catena
