// Robots by file or name: which reader, which findings, which files cannot be read at all.
#include "catena/read/robot.hpp"

#include "read_support.hpp"

namespace catena::read {
namespace {

using test::Folder;

const std::string pendulum =
    "[[body]]\nname = \"rod\"\njoint = \"revolute\"\naxis = [0, 1, 0]\nmass = 1\ncom = [0, 0, 0.5]\n"
    "inertia = [0.1, 0.1, 0.01]\nlimits = { lower = -1, upper = 1 }\n";

std::string code_of(const std::string& path) {
  try {
    robot(path);
  } catch (const ModelError& e) {
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    return e.findings().at(0).code;
  }
  return "";
}

TEST(RobotReader, RefusesFilesThatCannotBeRead) {
  const Folder folder;
  EXPECT_EQ(code_of(folder.path("none.urdf")), "file-missing");
  EXPECT_EQ(code_of(folder.path("")), "file-directory");
  EXPECT_EQ(code_of(folder.file("empty.urdf", "")), "file-empty");
  EXPECT_EQ(code_of(folder.file("blank.toml", " \r\n\n")), "file-empty");
  EXPECT_EQ(code_of(folder.file("zero.urdf", std::string("<robot>\0</robot>", 16))), "file-binary");
  EXPECT_EQ(code_of(folder.file("utf16.urdf", "\xff\xfe<")), "file-encoding");
  std::filesystem::resize_file(folder.file("large.urdf", "<"), 200u << 20);  // sparse: costs no disk
  EXPECT_EQ(code_of(folder.path("large.urdf")), "file-too-large");
}

TEST(RobotReader, FallsBackToBuiltInNamesAndSuggestsNearOnes) {
  EXPECT_EQ(load("stanford_arm").nv(), 6);
  EXPECT_EQ(load("chain:5").nv(), 5);
  try {
    robot("stanfort_arm");
    FAIL();
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("\"stanford_arm\""), std::string::npos) << e.what();
  }
}

TEST(RobotReader, ChoosesByEndingThenByContent) {
  const Folder folder;
  EXPECT_EQ(load(folder.file("a.toml", pendulum)).nv(), 1);
  EXPECT_EQ(load(folder.file("a.txt", pendulum)).nv(), 1);
  EXPECT_FALSE(has_errors(robot(folder.file("a.robot", "<robot name=\"r\"><link name=\"a\"/></robot>")).findings));
  EXPECT_FALSE(has_errors(robot(folder.file("a", "\n {\"bodies\": [{\"mass\": 1}]}")).findings));
}

TEST(RobotReader, AcceptsByteOrderMarksAndDosLineEnds) {
  const Folder folder;
  std::string dos;
  for (const char c : pendulum) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(load(folder.file("a.toml", "\xEF\xBB\xBF" + dos)).nv(), 1);
  const Reading r =
      robot(folder.file("b.urdf", "\xEF\xBB\xBF<robot name=\"r\">\r\n<link name=\"a\"/>\r\n<link/></robot>"));
  EXPECT_FINDING(r.findings, error, "attribute-missing", 3);
}

TEST(RobotReader, JoinsItsFindingsWithTheDoctorsWithoutSayingThingsTwice) {
  const Folder folder;
  const std::string path =
      folder.file("a.urdf",
                  "<robot name=\"r\"><link name=\"a\"/>\n<link name=\"b\"><inertial><mass value=\"nan\"/>"
                  "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>\n"
                  "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"nobody\"/></joint></robot>");
  const Reading r = examine(path);
  EXPECT_FINDING(r.findings, error, "number-nan", 2);
  EXPECT_FINDING(r.findings, error, "child-unknown", 3);
  for (const Finding& f : r.findings) EXPECT_NE(f.code, "number-not-finite") << test::all(r.findings);
  try {
    load(path);
    FAIL();
  } catch (const ModelError& e) {
    EXPECT_GE(e.findings().size(), 2u);
  }
}

TEST(RobotReader, PutsTheRobotOnAFloatingBase) {
  const Folder folder;
  const std::string path = folder.file("a.urdf",
                                       "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/><inertia "
                                       "ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" "
                                       "iyz=\"0\" izz=\"1\"/></inertial></link></robot>");
  EXPECT_EQ(load(path).nv(), 0);
  EXPECT_EQ(load(path, {.floating = true}).nv(), 6);
}

TEST(RobotReader, TurnsWarningsIntoErrorsWhenStrict) {
  const Folder folder;
  const std::string path = folder.file("a.toml", pendulum + "colour = 3\n");
  EXPECT_NO_THROW(load(path));
  EXPECT_THROW(load(path, {.strict = true}), ModelError);
}

}  // namespace
}  // namespace catena::read
