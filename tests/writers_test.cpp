// A file that is there already: who may replace it, and what stays when the new one does not become whole.
#include <optional>

#include "catena/write/file.hpp"
#include "recording_support.hpp"
#include "tags.hpp"
#include "tool_support.hpp"

namespace catena {
namespace {

using test::arm_header;
using test::expect_rows;
using test::Folder;
using test::message_of;
using test::row_of;
using test::slurp;

class UnfinishedRecording : public ::testing::TestWithParam<const char*> {
 protected:
  std::string path(const std::string& name = "run") const { return folder.path(name + "." + GetParam()); }
  std::unique_ptr<Recorder> begun(long rows) const {
    std::unique_ptr<Recorder> recorder = create_recording(path(), arm_header());
    for (long k = 0; k < rows; ++k) recorder->append(row_of(k, 5));
    return recorder;
  }
  Folder folder;
};

INSTANTIATE_TEST_SUITE_P(Formats, UnfinishedRecording, ::testing::Values("csv", "h5"),
                         [](const auto& format) { return std::string(format.param); });

TEST_P(UnfinishedRecording, HasTheNameIfNothingWasThere) {
  EXPECT_EQ(begun(3)->leave(), path());
  expect_rows(read_recording(path()), 3, "left");
  EXPECT_EQ(folder.count(), 1u);
}

TEST_P(UnfinishedRecording, GoesBesideWhatWasThere) {
  begun(1)->finish();
  const std::string before = slurp(path());
  EXPECT_EQ(begun(0)->leave(), "");  // nothing worth a file
  EXPECT_EQ(folder.count(), 1u);
  EXPECT_EQ(begun(3)->leave(), path("run.partial"));
  const std::string first = slurp(path("run.partial"));
  EXPECT_EQ(begun(4)->leave(), path("run.partial.2"));
  begun(5);  // let go by an exception
  EXPECT_EQ(slurp(path()), before);
  EXPECT_EQ(slurp(path("run.partial")), first);
  EXPECT_EQ(folder.count(), 4u);
  expect_rows(read_recording(path("run.partial")), 3, "left");
  expect_rows(read_recording(path("run.partial.2")), 4, "left too");
  expect_rows(read_recording(path("run.partial.3")), 5, "let go");

  const Resumed resumed = resume_recording(path("run.partial"));
  for (long k = resumed.rows; k < 9; ++k) resumed.recorder->append(row_of(k, 5));
  EXPECT_EQ(resumed.recorder->leave(), path("run.partial"));  // it has all that was there
  expect_rows(read_recording(path("run.partial")), 9, "resumed");
  EXPECT_EQ(folder.count(), 4u);
}

TEST(Claim, IsForOneOfSeveral) {
  const Folder folder;
  const std::string path = folder.path("a.txt");
  {
    const write::Claim first(path), second(path);  // nothing is there
    write::replace_file(first, "first");
    EXPECT_NE(message_of([&] { write::replace_file(second, "second"); }).find("has just made it"), std::string::npos);
    EXPECT_EQ(slurp(path), "first");
  }
  {
    const write::Claim third(path);
    EXPECT_NE(message_of([&] { write::Claim{path}; }).find("is writing to it"), std::string::npos);
    EXPECT_NE(message_of([&] { write::replace_file(path, "fourth"); }).find("is writing to it"), std::string::npos);
    write::replace_file(third, "third");
    EXPECT_EQ(slurp(path), "third");
  }
  write::replace_file(path, "fifth");  // its turn
  EXPECT_EQ(slurp(path), "fifth");
  EXPECT_EQ(folder.count(), 1u);
}

// Of files that belong together none is replaced where one cannot be.
TEST(Claim, OfASetIsForAllOfItsFiles) {
  const Folder folder;
  const std::string header = folder.path("a.h"), source = folder.path("a.c");
  const auto set = [&] {
    std::vector<write::Claim> claims;
    for (const std::string& path : {header, source}) claims.emplace_back(path);
    return claims;
  };
  {
    const auto first = set(), second = set();  // nothing is there
    write::replace_files(first, {"first", "first"});
    EXPECT_NE(message_of([&] {
                write::replace_files(second, {"second", "second"});
              }).find("has just made it"),
              std::string::npos);
  }
  EXPECT_EQ(slurp(header) + slurp(source), "firstfirst");
  std::filesystem::remove(source);
  {
    const auto late = set();  // as it were between the two files of another program
    write::replace_file(source, "first");
    EXPECT_NE(message_of([&] { write::replace_files(late, {"late", "late"}); }).find("a.c"), std::string::npos);
  }
  EXPECT_EQ(slurp(header) + slurp(source), "firstfirst");
  write::replace_files(set(), {"third", "third"});
  EXPECT_EQ(slurp(header) + slurp(source), "thirdthird");
  EXPECT_EQ(folder.count(), 2u);
}

// The HDF5 library has nothing to say about it.
TEST_P(UnfinishedRecording, ThatComesTooLateIsToldSoAndNothingElse) {
  write::Claim late(path());  // nothing is there
  begun(2)->finish();
  const std::string before = slurp(path());
  ::testing::internal::CaptureStderr();
  const std::string message = message_of([&] { create_recording(std::move(late), arm_header())->finish(); });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(message.find("another program has just made it"), std::string::npos) << message;
  EXPECT_EQ(slurp(path()), before);
  EXPECT_EQ(folder.count(), 1u);
}

// Every command that writes a file, and the file.
class ToolWriters : public test::ToolTest {
 protected:
  struct Writer {
    std::string arguments, file;
  };
  std::vector<Writer> writers() const {
    write("motion.csv",
          "time,q.joint1,q.joint2,q.joint3,v.joint1,v.joint2,v.joint3,a.joint1,a.joint2,a.joint3\n"
          "0,0,0,0,0,0,0,1,1,1\n1,1,1,1,1,1,1,0,0,0\n");
    return {{"info planar_3r --output out.txt", "out.txt"},
            {"inverse planar_3r --trajectory motion.csv --output out.csv", "out.csv"},
            {"inverse planar_3r --trajectory motion.csv --output out.h5", "out.h5"},
            {"inverse planar_3r --trajectory motion.csv --output out.txt", "out.txt"},
            {"simulate planar_3r --duration 0.01 --output out.csv", "out.csv"},
            {"simulate planar_3r --duration 0.01 --output out.h5", "out.h5"},
            {"plot motion.csv --output out.svg", "out.svg"},
            {"plot motion.csv", "motion.svg"},
            {"view planar_3r --json --output out.json", "out.json"},
            {"convert planar_3r out.urdf", "out.urdf"},
            {"doctor planar_3r --fix out.toml", "out.toml"},
            {"generate planar_3r --output out", "out_test.c"}};
  }
};

TEST_F(ToolWriters, AreToldThatAnotherProgramIsWriting) {
  for (const Writer& writer : writers()) {
    const std::string file = write(writer.file, "old");
    {
      const write::Claim other(file);
      expect_failure(writer.arguments + " --force", 3, writer.file + ": another program is writing to it");
      EXPECT_EQ(slurp(file), "old") << writer.arguments;
    }
    const test::ToolResult after = run(writer.arguments + " --force");
    EXPECT_EQ(after.code, 0) << writer.arguments << "\n" << after.err;
    EXPECT_NE(slurp(file), "old") << writer.arguments;
    std::filesystem::remove(file);
  }
}

TEST_F(ToolWriters, DoNotFollowALinkToNothing) {
  for (const Writer& writer : writers()) {
    std::filesystem::create_symlink("nowhere", path(writer.file));
    for (const std::string force : {"", " --force"}) {
      const std::string told = writer.file + ": is a symbolic link to nowhere, which does not exist; remove the link";
      expect_failure(writer.arguments + force, 3, told);
    }
    EXPECT_FALSE(std::filesystem::exists(path("nowhere"))) << writer.arguments;
    std::filesystem::remove(path(writer.file));
  }
}

class InterruptedRun : public test::ToolTest {
 protected:
  // Begins the run, stops it by the signal once the file (of a pattern of the shell) has more than so many bytes, and
  // gives its exit code.
  int stopped(const std::string& command, const char* signal, const std::string& file, std::uintmax_t bytes) const {
    const std::string script = "cd \"" + path("") + "\"\n" + command + " >out.txt 2>err.txt &\n" +
                               "for k in $(seq 3000); do\n" + "  size=$(stat -c %s " + file + " 2>/dev/null)\n" +
                               "  [ \"${size:-0}\" -gt " + std::to_string(bytes) + " ] && break\n  sleep 0.02\n" +
                               "done\nkill -" + signal + " $!\nwait $!\n";
    const int status = std::system(("bash '" + write("script.sh", script) + "'").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(InterruptedRun, LeavesTheEarlierRecordingAndSaysHowToGoOn) {
  LONG_TEST();
  const std::string tool = "\"" CATENA_BINARY "\"";
  const std::string arguments = " simulate arm7 --q '0 0.1 0 0 0 0 0' --integrator rk4 --duration 1e4 --every 0.001";
  for (const std::string ending : {"h5", "csv"}) {
    const std::string good = "good." + ending, partial = "good.partial." + ending;
    ASSERT_EQ(run("simulate arm7 --duration 0.01 --output " + good).code, 0);
    const std::string before = slurp(path(good));
    const char* const signal = ending == "h5" ? "TERM" : "INT";
    EXPECT_EQ(stopped(tool + arguments + " --force -o " + good, signal, "good.????????." + ending, 200000), 130);
    EXPECT_EQ(slurp(path(good)), before);
    const std::string error = slurp(path("err.txt")), begin = "; to go on: catena";
    const Recording first = read_recording(path(partial));
    EXPECT_GT(first.values.rows(), 10);
    EXPECT_NE(
        error.find("interrupted: " + good + " is as it was, and " + std::to_string(first.values.rows()) +
                   " rows of this run are in " + partial + begin + arguments + " --resume --output " + partial + "\n"),
        std::string::npos)
        << error;

    const std::size_t at = error.find(begin);
    ASSERT_NE(at, std::string::npos) << error;
    std::string again = error.substr(at + begin.size());
    again = tool + again.substr(0, again.find('\n'));
    const std::uintmax_t size = std::filesystem::file_size(path(partial));
    EXPECT_EQ(stopped(again, signal, partial, size + 100000), 130) << slurp(path("err.txt"));
    const Recording second = read_recording(path(partial));
    EXPECT_GT(second.values.rows(), first.values.rows());
    EXPECT_EQ(second.values.topRows(first.values.rows()), first.values);
    EXPECT_EQ(slurp(path(good)), before);
  }
}

// Commands under way are not recorded: nothing that refuses to go on is said to go on.
TEST_F(InterruptedRun, WithADelayIsNotSaidToGoOn) {
  const std::string command = "\"" CATENA_BINARY "\" simulate long.toml -o run.csv";
  write("long.toml",
        "model = 'arm7'\nduration = 1e5\nevery = 0.01\n[input]\nkind = 'pd'\nperiod = 0.002\ndelay = 0.002\n");
  EXPECT_EQ(stopped(command, "TERM", "run.csv", 50000), 130) << slurp(path("err.txt"));
  const std::string said = slurp(path("out.txt")) + slurp(path("err.txt"));
  EXPECT_NE(said.find("interrupted; its rows are kept; commands under way"), std::string::npos) << said;
  EXPECT_EQ(said.find("resume"), std::string::npos) << said;
  EXPECT_GT(read_recording(path("run.csv")).values.rows(), 0);
  expect_failure("simulate long.toml -o run.csv --resume", 3, "cannot be resumed");

  EXPECT_EQ(stopped(command + " --force", "TERM", "run.????????.csv", 50000), 130) << slurp(path("err.txt"));
  const std::string aside = slurp(path("out.txt")) + slurp(path("err.txt"));
  EXPECT_NE(aside.find("rows of this run are in run.partial.csv; commands under way"), std::string::npos) << aside;
  EXPECT_EQ(aside.find("resume"), std::string::npos) << aside;
}

// Steps so long that the numbers overflow.
TEST_F(InterruptedRun, ThatFailsLeavesItToo) {
  ASSERT_EQ(run("simulate arm7 --duration 0.01 --output good.csv").code, 0);
  const std::string before = slurp(path("good.csv"));
  const test::ToolResult failed =
      run("simulate arm7 --integrator euler --step 0.5 --every 0.5 --v '9 9 9 9 9 9 9' --duration 1e4 --force --output "
          "good.csv");
  EXPECT_EQ(failed.code, 4) << failed.err;
  EXPECT_EQ(slurp(path("good.csv")), before);
  EXPECT_NE(failed.err.find("good.csv is as it was; the rows before the failure are in good.partial.csv"),
            std::string::npos)
      << failed.err;
  EXPECT_GT(read_recording(path("good.partial.csv")).values.rows(), 0);
}

}  // namespace
}  // namespace catena
