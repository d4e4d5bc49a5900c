// Recordings as CSV: how they look, those of other programs, and what a cut anywhere leaves.
#include "catena/read/csv.hpp"
#include "recording_support.hpp"

namespace catena {
namespace {

using test::arm_header;
using test::expect_rows;
using test::Folder;
using test::message_of;
using test::row_of;
using test::slurp;

TEST(CsvRecording, LooksAsDocumented) {
  const Folder folder;
  const std::string path = folder.path("run.csv");
  {
    const auto recorder =
        create_recording(path, {{{"time", "s"}, {"q.slide", "m"}, {"q.pole_joint", "rad"}, {"energy.kinetic", "J"}},
                                {{"model", "cart_pendulum"}, {"settings", "method = \"rk4\"\nstep = 0.001"}}});
    recorder->append(Eigen::Vector4d(0, 0, 0.1, 0));
    recorder->append(Eigen::Vector4d(0.01, 5e-05, 0.1, 1e-4));
  }
  EXPECT_EQ(slurp(path), test::documented("run.csv"));
  const read::Csv table = read::csv(path);  // as a motion
  EXPECT_EQ(table.names[2], "q.pole_joint");
  EXPECT_EQ(table.values.rows(), 2);
}

TEST(CsvRecording, OfSomebodyElseNeedsNeitherNotesNorUnits) {
  const Folder folder;
  const Recording plain = read_recording(folder.file("a.csv", "time,q\r\n0,1\r\n0.5,2"));
  EXPECT_EQ(plain.header.columns, (std::vector<Column>{{"time", ""}, {"q", ""}}));
  EXPECT_TRUE(plain.header.notes.empty());
  ASSERT_EQ(plain.values.rows(), 2);  // the last line has no end, but nobody was killed
  EXPECT_EQ(plain.values(1, 1), 2);
  const Recording noted = read_recording(folder.file("b.csv", "# from: lab\n#\n# units: s\n\"time\", q\n0,1\n"));
  EXPECT_EQ(*noted.header.note("from"), "lab");
  EXPECT_EQ(*noted.header.note("units"), "s");  // one for two columns: a note, no units
  EXPECT_EQ(noted.header.note("nothing"), nullptr);
  EXPECT_EQ(noted.header.columns[1].unit, "");
  EXPECT_NE(message_of([&] { resume_recording(folder.path("a.csv")); }).find("did not write"), std::string::npos);
  EXPECT_EQ(slurp(folder.path("a.csv")), "time,q\r\n0,1\r\n0.5,2");
}

TEST(CsvRecording, IsWholeAgainAfterACutAnywhere) {
  const Folder folder;
  const std::string path = folder.path("run.csv");
  {
    const auto recorder = create_recording(path, arm_header());
    for (long k = 0; k < 4; ++k) recorder->append(row_of(k, 5));
  }
  const std::string text = slurp(path);
  const std::size_t rows_begin = text.find("\n0,") + 1;
  for (std::size_t length = rows_begin; length <= text.size(); length += length + 30 < text.size() ? 7 : 1) {
    folder.file("run.csv", text.substr(0, length));
    const long whole = std::count(text.begin() + long(rows_begin), text.begin() + long(length), '\n');
    expect_rows(read_recording(path), whole, "cut at " + std::to_string(length));
    {
      const Resumed resumed = resume_recording(path);
      ASSERT_EQ(resumed.rows, whole);
      ASSERT_EQ(resumed.last, whole > 0 ? row_of(whole - 1, 5) : Eigen::VectorXd());
      for (long k = whole; k < 4; ++k) resumed.recorder->append(row_of(k, 5));
    }
    ASSERT_EQ(slurp(path), text) << "cut at " << length;
  }
  folder.file("run.csv", text + "0.004,1,2\n");  // a line end, but too few numbers
  expect_rows(read_recording(path), 4, "short line");
  EXPECT_EQ(resume_recording(path).rows, 4);
  EXPECT_EQ(slurp(path), text);
  message_of([&] { resume_recording(folder.file("top.csv", text.substr(0, rows_begin - 5))); });
  // what cannot be read is not resumed either
  folder.file("run.csv", "#\xf8\n" + text);
  message_of([&] { read_recording(path); });
  message_of([&] { resume_recording(path); });
  // a disk that lost power leaves zeros where a line was to be
  for (const std::string& rest : {std::string(40, '\0'), "0.004,1" + std::string(9, '\0'), std::string("0.004,\xff")}) {
    folder.file("run.csv", text + rest);
    expect_rows(read_recording(path), 4, "zeros");
    EXPECT_EQ(resume_recording(path).rows, 4);
    EXPECT_EQ(slurp(path), text);
  }
}

TEST(CsvRecording, NamesTheLineOfABadNumber) {
  const Folder folder;
  const std::string top = "# units: s,m\ntime,q\n0,1\n";
  const std::string path = folder.file("run.csv", top + "1,2x\n2,3\n3");
  EXPECT_EQ(message_of([&] { read_recording(path); }).find(path + ":4"), 0u);
  folder.file("run.csv", top + "1,2\n2,nan\n3");
  EXPECT_EQ(message_of([&] { read_recording(path); }).find(path + ":5"), 0u);
  EXPECT_EQ(message_of([&] { resume_recording(path); }).find(path + ":5"), 0u);
}

TEST(CsvRecording, WithTimesThatRunBackwardsIsRefused) {
  const Folder folder;
  const std::string path = folder.file("run.csv", "# units: s,m\ntime,q\n0,1\n2,2\n1,3\n3,4\n");
  EXPECT_EQ(message_of([&] { read_recording(path); }).find(path + ":5"), 0u);
  EXPECT_EQ(message_of([&] { resume_recording(path); }).find(path + ":5"), 0u);
}

TEST(CsvRecording, ReportsADeviceThatIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(message_of([] { create_recording("/dev/full", arm_header()); }).find("/dev/full"), 0u);
}

}  // namespace
}  // namespace catena
