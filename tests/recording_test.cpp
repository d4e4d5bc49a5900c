// Recordings in both formats: what is written reads back bit for bit, whatever the names; errors name the file; and a
// program killed at any moment loses nothing it had flushed.
#include "catena/record/recording.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "catena/read/csv.hpp"
#include "recording_support.hpp"

namespace catena {
namespace {

using test::Folder;
using test::slurp;

using test::arm_header;
using test::expect_rows;
using test::message_of;
using test::row_of;

class Recordings : public ::testing::TestWithParam<const char*> {
 protected:
  std::string path() const { return folder.path(std::string("run.") + GetParam()); }
  bool csv() const { return std::string(GetParam()) == "csv"; }
  Folder folder;
};

INSTANTIATE_TEST_SUITE_P(Formats, Recordings, ::testing::Values("csv", "h5"),
                         [](const auto& format) { return std::string(format.param); });

TEST_P(Recordings, ReadBackBitForBit) {
  const RecordingHeader header = arm_header();
  Eigen::Matrix<double, 6, 5> rows = Eigen::Matrix<double, 6, 5>::Zero();
  rows.row(0) << 0.0, -0.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308;
  rows.row(1) << 0.1, 1.0 / 3, -1e-17, 123456789012345680.0, 3e-5;
  std::mt19937_64 random(5);
  for (int k = 2; k < 6; ++k) {
    for (int c = 0; c < 5; ++c) {
      do {
        const std::uint64_t bits = random();
        std::memcpy(&rows(k, c), &bits, sizeof bits);
      } while (!std::isfinite(rows(k, c)));
    }
    rows(k, 0) = 0.1 * k;
  }
  const auto recorder = create_recording(path(), header);
  for (int k = 0; k < 6; ++k) recorder->append(rows.row(k).transpose());
  recorder->flush();
  const Recording back = read_recording(path());  // while the recorder still lives
  EXPECT_EQ(back.header.columns, header.columns);
  EXPECT_EQ(back.header.notes, header.notes);
  ASSERT_EQ(back.values.rows(), 6);
  for (int k = 0; k < 6; ++k) {
    for (int c = 0; c < 5; ++c) EXPECT_EQ(std::memcmp(&back.values(k, c), &rows(k, c), 8), 0) << k << ", " << c;
  }
  EXPECT_EQ(back.column("q.wrist"), Eigen::VectorXd(rows.col(2)));
  try {
    back.column("q.wirst");
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("q.wrist"), std::string::npos) << error.what();
  }
}

TEST_P(Recordings, KeepNastyNamesUnitsAndNotes) {
  RecordingHeader header;
  header.columns = {{"v.a,b", "m,s"},
                    {"time", "s"},
                    {"q.\"quoted\"", ""},
                    {"#first", "#"},
                    {"q. blanks ", " "},
                    {"a/b.c/d", "\""},
                    {".hidden", "J"},
                    {"q", "rad"},
                    {"q.gr\xc3\xbc\xc3\x9f", "\xc2\xb0"},
                    {"catena.written", "1"},
                    {"..", "x"},
                    {"a_b.c", "y"},
                    {"\"", "z"},
                    {"a.b.c.0", "w"},
                    {"/", "s"},
                    {".", "N m"},
                    {"units", "a: b"},
                    {"back\\slash", "\\n"}};
  header.notes = {{"zeta", "first although last in the alphabet"},
                  {"units", "not those"},
                  {"a key: with colon", "value: with colon"},
                  {"scenario", "line 1\nline 2\r\n\ttab \\n backslash, # hash\n"},
                  {"empty", ""},
                  {" blank ", " \t blanks around \t "},
                  {"names", "x"},
                  {"bell", "\x07\x1b\x7f"},
                  {"long", std::string(200000, 'x')},
                  {"a/b", "\xc3\xa4"}};
  { create_recording(path(), header)->append(row_of(3, header.columns.size())); }
  const Recording back = read_recording(path());
  EXPECT_EQ(back.header.columns, header.columns);
  EXPECT_EQ(back.header.notes, header.notes);
  ASSERT_EQ(back.values.rows(), 1);
  EXPECT_EQ(Eigen::VectorXd(back.values.row(0).transpose()), row_of(3, header.columns.size()));
  const Resumed resumed = resume_recording(path());
  EXPECT_EQ(resumed.header.columns, header.columns);
  EXPECT_EQ(resumed.header.notes, header.notes);
  EXPECT_EQ(resumed.last, row_of(3, header.columns.size()));
}

TEST_P(Recordings, MayHaveNoRowsAndGoOn) {
  create_recording(path(), arm_header());
  const Recording none = read_recording(path());
  EXPECT_EQ(none.values.rows(), 0);
  EXPECT_EQ(none.values.cols(), 5);
  {
    const Resumed resumed = resume_recording(path());
    EXPECT_EQ(resumed.rows, 0);
    EXPECT_EQ(resumed.last.size(), 0);
    for (long k = 0; k < 1000; ++k) resumed.recorder->append(row_of(k, 5));
  }
  {
    const Resumed resumed = resume_recording(path());
    EXPECT_EQ(resumed.rows, 1000);
    EXPECT_EQ(resumed.last, row_of(999, 5));
    resumed.recorder->append(row_of(1000, 5));
  }
  expect_rows(read_recording(path()), 1001, "resumed twice");
}

TEST_P(Recordings, RefuseRowsThatAreNotFiniteOrDoNotFit) {
  const auto recorder = create_recording(path(), arm_header());
  recorder->append(row_of(0, 5));
  Eigen::VectorXd row = row_of(1, 5);
  row[3] = std::numeric_limits<double>::quiet_NaN();
  try {
    recorder->append(row);
    ADD_FAILURE();
  } catch (const NumericalError& error) {
    EXPECT_EQ(error.body(), "v.elbow");
    EXPECT_STREQ(error.what(), "\"v.elbow\" became nan at time 0.001");
  }
  row[3] = -std::numeric_limits<double>::infinity();
  EXPECT_THROW(recorder->append(row), NumericalError);
  EXPECT_THROW(recorder->append(row_of(1, 4)), std::invalid_argument);
  recorder->append(row_of(1, 5));
  recorder->flush();
  expect_rows(read_recording(path()), 2, "after refusals");
}

TEST_P(Recordings, RefuseHeadersThatWouldNotReadBack) {
  const auto with = [&](const std::vector<Column>& columns, const decltype(RecordingHeader::notes)& notes) {
    create_recording(path(), {columns, notes});
  };
  EXPECT_THROW(with({}, {}), std::invalid_argument);
  EXPECT_THROW(with({{"", ""}}, {}), std::invalid_argument);
  EXPECT_THROW(with({{"a", ""}, {"a", ""}}, {}), std::invalid_argument);
  EXPECT_THROW(with({{"a\nb", ""}}, {}), std::invalid_argument);
  EXPECT_THROW(with({{"a", "\n"}}, {}), std::invalid_argument);
  EXPECT_THROW(with({{"1e5", ""}}, {}), std::invalid_argument);
  EXPECT_THROW(with({{"a", ""}}, {{"", "x"}}), std::invalid_argument);
  EXPECT_THROW(with({{"a", ""}}, {{"k", "1"}, {"k", "2"}}), std::invalid_argument);
  EXPECT_THROW(with({{"a", ""}}, {{"k", std::string("a\0b", 3)}}), std::invalid_argument);
  EXPECT_EQ(folder.count(), 0u);
}

TEST_P(Recordings, ReplaceWhatWasThereAndLeaveNothingBeside) {
  folder.file(std::string("run.") + GetParam(), "something else");
  std::filesystem::create_symlink(path(), folder.path(std::string("link.") + GetParam()));
  const auto recorder = create_recording(folder.path(std::string("link.") + GetParam()), arm_header());
  recorder->append(row_of(0, 5));
  recorder->finish();
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path(std::string("link.") + GetParam())));
  expect_rows(read_recording(path()), 1, "through a link");
  EXPECT_EQ(folder.count(), 2u);
}

TEST_P(Recordings, StayUntilTheNewOneIsWhole) {
  { create_recording(path(), arm_header())->append(row_of(0, 5)); }
  const std::string before = slurp(path());
  const auto recorder = create_recording(path(), arm_header());
  for (long k = 0; k < 700; ++k) recorder->append(row_of(k, 5));
  recorder->flush();
  EXPECT_EQ(slurp(path()), before);
  recorder->finish();
  expect_rows(read_recording(path()), 700, "replaced");
  EXPECT_EQ(folder.count(), 1u);
  recorder->finish();  // once is enough
  EXPECT_THROW(recorder->append(row_of(700, 5)), std::invalid_argument);
}

TEST_P(Recordings, AreReplacedByOneOfSeveralWriters) {
  const auto first = create_recording(path(), arm_header());
  EXPECT_NE(message_of([&] { create_recording(path(), arm_header()); }).find("another program"), std::string::npos);
  first->append(row_of(0, 5));
  first->finish();
  resume_recording(path()).recorder->append(row_of(1, 5));  // its turn
  expect_rows(read_recording(path()), 2, "one after the other");
}

TEST_P(Recordings, AreReplacedByOneOfSeveralWritersThoughOneWasThere) {
  { create_recording(path(), arm_header())->append(row_of(0, 5)); }
  {
    const auto first = create_recording(path(), arm_header());
    EXPECT_NE(message_of([&] { create_recording(path(), arm_header()); }).find("another program"), std::string::npos);
    EXPECT_NE(message_of([&] { resume_recording(path()); }).find("another program"), std::string::npos);
    for (long k = 0; k < 3; ++k) first->append(row_of(k, 5));
    first->finish();
  }
  expect_rows(read_recording(path()), 3, "the first");
  EXPECT_EQ(folder.count(), 1u);
}

TEST_P(Recordings, GoToNoNameThatCanBeForeseen) {
  const std::string other = folder.file("other", "precious");
  std::filesystem::create_symlink(other, path() + "." + std::to_string(::getpid()));
  { create_recording(path(), arm_header())->append(row_of(0, 5)); }
  EXPECT_EQ(slurp(other), "precious");
  EXPECT_FALSE(std::filesystem::is_symlink(path()));
  expect_rows(read_recording(path()), 1, "beside a link");
}

TEST_P(Recordings, RefuseTimeThatRunsBackwards) {
  {
    const auto recorder = create_recording(path(), arm_header());
    recorder->append(row_of(5, 5));
    recorder->append(row_of(5, 5));  // an event at an instant that is recorded too
    EXPECT_THROW(recorder->append(row_of(4, 5)), std::invalid_argument);
    recorder->append(row_of(6, 5));
  }
  EXPECT_EQ(read_recording(path()).values.rows(), 3);
  EXPECT_THROW(resume_recording(path()).recorder->append(row_of(3, 5)), std::invalid_argument);
}

TEST_P(Recordings, AreLeftAloneByAResumeWithoutRows) {
  { create_recording(path(), arm_header())->append(row_of(0, 5)); }
  const std::string before = slurp(path());
  resume_recording(path()).recorder->finish();
  resume_recording(path());
  EXPECT_EQ(slurp(path()), before);
  EXPECT_EQ(folder.count(), 1u);
}

TEST_P(Recordings, AreWrittenByOneAtATime) {
  const auto recorder = create_recording(path(), arm_header());
  recorder->append(row_of(0, 5));
  recorder->flush();
  EXPECT_NE(message_of([&] { resume_recording(path()); }).find("another program"), std::string::npos);
  recorder->append(row_of(1, 5));
  recorder->flush();
  expect_rows(read_recording(path()), 2, "after the attempt");
}

TEST_P(Recordings, NameTheFileThatCannotBeUsed) {
  const std::string missing = folder.path(std::string("no/such/folder.") + GetParam());
  const auto names = [](const std::string& message, const std::string& file) {
    EXPECT_EQ(message.find(file), 0u) << message;
  };
  names(message_of([&] { create_recording(missing, arm_header()); }), missing);
  names(message_of([&] { read_recording(missing); }), missing);
  names(message_of([&] { resume_recording(missing); }), missing);
  std::filesystem::create_directory(path());
  names(message_of([&] { create_recording(path(), arm_header()); }), path());
  names(message_of([&] { read_recording(path()); }), path());
  EXPECT_EQ(folder.count(), 1u);
}

// A limit on the size of files stands in for a full disk.
TEST_P(Recordings, ReportAFullDiskAndKeepWhatWasFlushed) {
  const auto recorder = create_recording(path(), arm_header());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto previous = ::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 60000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  long flushed = 0, appended = 0;
  const std::string message = message_of([&] {
    while (appended < 100000) {
      recorder->append(row_of(appended++, 5));
      if (appended % 50 == 0) recorder->flush(), flushed = appended;
    }
  });
  EXPECT_NE(message.find("run."), std::string::npos);
  const Recording then = read_recording(path());
  EXPECT_GT(flushed, 100);
  EXPECT_GE(then.values.rows(), flushed);
  expect_rows(then, then.values.rows(), "disk full");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, previous);
  recorder->flush();  // there is space again: nothing was lost
  expect_rows(read_recording(path()), appended, "space again");
}

TEST(Hdf5Recording, IsRefusedWhenItIsNone) {
  const Folder folder;
  const std::string path = folder.path("run.h5");
  {
    const auto recorder = create_recording(path, arm_header());
    for (long k = 0; k < 600; ++k) recorder->append(row_of(k, 5));
  }
  const std::string whole = slurp(path);
  for (const std::size_t length :
       {std::size_t(0), std::size_t(5), std::size_t(100), whole.size() / 2, whole.size() - 1}) {
    folder.file("run.h5", whole.substr(0, length));
    EXPECT_EQ(message_of([&] { read_recording(path); }).find(path), 0u) << length;
    EXPECT_EQ(message_of([&] { resume_recording(path); }).find(path), 0u) << length;
  }
  folder.file("run.h5", "time,q\n0,1\n");
  EXPECT_NE(message_of([&] { read_recording(path); }).find("not an HDF5 file"), std::string::npos);
  folder.file("run.csv", whole);  // the content counts
  expect_rows(read_recording(folder.path("run.csv")), 600, "called CSV");
  EXPECT_NE(message_of([&] { create_recording(folder.path("run.xls"), arm_header()); }).find(".h5"), std::string::npos);
}

// A child appends rows and reports every flush through a pipe, until it is killed.
class Victim {
 public:
  explicit Victim(const std::string& path, unsigned seed) {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0 || (child_ = ::fork()) < 0) throw std::runtime_error("no pipe or no child");
    pipe_ = ends[0];
    if (child_ == 0) {
      ::close(ends[0]);
      record(path, seed, ends[1]);
      ::_exit(1);
    }
    ::close(ends[1]);
  }
  ~Victim() { ::close(pipe_); }

  void wait_for_a_flush() const {
    pollfd wanted{pipe_, POLLIN, 0};
    ::poll(&wanted, 1, 10000);
  }

  // The number of rows that were flushed for certain.
  long kill() {
    ::kill(child_, SIGKILL);
    int status = 0;
    ::waitpid(child_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself, status " << status;
    long rows = 0, reported = 0;
    while (::read(pipe_, &reported, sizeof reported) == sizeof reported) rows = reported;
    return rows;
  }

 private:
  static void record(const std::string& path, unsigned seed, int pipe) {
    std::mt19937 random(seed);
    long rows = 0;
    std::unique_ptr<Recorder> recorder;
    if (std::filesystem::exists(path)) {
      Resumed resumed = resume_recording(path);
      rows = resumed.rows;
      recorder = std::move(resumed.recorder);
    } else {
      recorder = create_recording(path, arm_header());
    }
    for (;;) {
      for (auto k = random() % 40 + 1; k > 0; --k) recorder->append(row_of(rows++, 5));
      recorder->flush();
      if (::write(pipe, &rows, sizeof rows) != sizeof rows) return;
    }
  }

  int pipe_ = -1;
  pid_t child_ = -1;
};

TEST_P(Recordings, SurviveBeingKilledAtAnyMoment) {
  const auto seed = static_cast<unsigned>(::testing::UnitTest::GetInstance()->random_seed()) + 40;
  std::mt19937 random(seed);
  for (int trial = 0; trial < 10; ++trial) {
    const std::string what = "seed " + std::to_string(seed) + ", trial " + std::to_string(trial);
    const std::string file = folder.path(std::to_string(trial) + "." + GetParam());
    for (int round = 0; round < 2; ++round) {  // the second child resumes what the first one left
      Victim victim(file, static_cast<unsigned>(random()));
      if (random() % 2 == 0) victim.wait_for_a_flush();
      ::usleep(static_cast<useconds_t>(random() % 10000));
      const long flushed = victim.kill();
      if (!std::filesystem::exists(file)) {
        ASSERT_EQ(flushed, 0) << what;
        continue;
      }
      const Recording left = read_recording(file);
      EXPECT_EQ(left.header.columns, arm_header().columns) << what;
      ASSERT_GE(left.values.rows(), flushed) << what;
      expect_rows(left, left.values.rows(), what);
    }
    if (!std::filesystem::exists(file)) continue;
    const long before = read_recording(file).values.rows();
    {
      const Resumed resumed = resume_recording(file);
      ASSERT_EQ(resumed.rows, before) << what;
      ASSERT_EQ(resumed.last, before > 0 ? row_of(before - 1, 5) : Eigen::VectorXd()) << what;
      for (long k = before; k < before + 300 * (trial % 2); ++k) resumed.recorder->append(row_of(k, 5));
    }
    expect_rows(read_recording(file), before + 300 * (trial % 2), what + ", completed");
  }
}

}  // namespace
}  // namespace catena
