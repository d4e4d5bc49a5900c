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

std::string link(const std::string& name, const std::string& extra = "") {
  return "<link name=\"" + name + "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" " +
         "iyz=\"0\" izz=\"1\"/></inertial>" + extra + "</link>\n";
}
std::string joint(const std::string& type, const std::string& parent, const std::string& child) {
  return "<joint name=\"" + child + "_joint\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" +
         child + "\"/></joint>\n";
}

// What the doctor's command lists is what the model carries: the reader's findings and the doctor's, each once.
TEST(RobotReader, HandsItsFindingsOnToTheModel) {
  const Folder folder;
  const std::string path = folder.file(
      "a.urdf", "<robot name=\"r\">" + link("a", "<colision/>") + link("b") + joint("revolute", "a", "b") + "</robot>");
  const Findings told = examine(path).findings;
  const Model model = load(path);
  EXPECT_EQ(test::all(model.findings()), test::all(told));
  EXPECT_EQ(test::all(model.reader_findings()), test::all(robot(path).findings));
  EXPECT_FINDING(model.findings(), note, "element-unknown", 1);
  EXPECT_FINDING(model.findings(), warning, "limit-missing", 3);
  EXPECT_EQ(Model(model.description()).findings().size() + model.reader_findings().size(), told.size());
  EXPECT_THROW(load(path, {.strict = true}), ModelError);
}

std::string tip_of(const std::string& parts) {
  const Folder folder;
  const Model model = load(folder.file("a.urdf", "<robot name=\"r\">" + parts + "</robot>"));
  return model.frame_name(model.tip_frame());
}

// As in UR5's file: the world comes last, two frames are fixed to the last link, one to the base.
TEST(TipFrame, IsTheEndOfTheArmWhateverTheOrderOfTheFile) {
  const std::string bare = "<link name=\"base\"/>" + link("lower") + link("upper");
  const std::string joints = joint("continuous", "base", "lower") + joint("continuous", "lower", "upper");
  EXPECT_EQ(tip_of(bare + joints), "upper");
  EXPECT_EQ(tip_of(link("upper") + link("lower") + "<link name=\"base\"/>" + joints), "upper");
  const std::string frames = "<link name=\"flange\"/><link name=\"tool\"/><link name=\"mark\"/><link name=\"world\"/>" +
                             joint("fixed", "upper", "flange") + joint("fixed", "upper", "tool") +
                             joint("fixed", "base", "mark") + joint("fixed", "world", "base");
  EXPECT_EQ(tip_of(bare + joints + frames), "tool");
  EXPECT_EQ(tip_of(frames + joints + bare), "tool");
}

TEST(TipFrame, HasTheMostMovingJointsThenTheMostFixedOnes) {
  const std::string arm = "<link name=\"base\"/>" + link("lower") + link("upper") +
                          joint("continuous", "base", "lower") + joint("continuous", "lower", "upper");
  // a camera on a mast of three fixed joints does not outweigh a joint that moves
  const std::string mast = "<link name=\"m1\"/><link name=\"m2\"/><link name=\"m3\"/>" + joint("fixed", "lower", "m1") +
                           joint("fixed", "m1", "m2") + joint("fixed", "m2", "m3");
  EXPECT_EQ(tip_of(arm + mast), "upper");
  const std::string tool = "<link name=\"tool\"/>" + joint("fixed", "upper", "tool");
  EXPECT_EQ(tip_of(tool + arm + mast), "tool");
  // of two arms alike the last
  EXPECT_EQ(tip_of(arm + link("left") + joint("continuous", "lower", "left")), "left");
  EXPECT_EQ(tip_of(link("left") + joint("continuous", "lower", "left") + arm), "upper");
  EXPECT_EQ(tip_of("<link name=\"stone\"/>"), "stone");
}

TEST(TipFrame, IsANamedFrameOnTheLastBody) {
  const Folder folder;
  const Model model =
      load(folder.file("a.toml", pendulum + "\n[[frame]]\nname = \"end\"\nbody = \"rod\"\n\n[[frame]]\nname = "
                                            "\"here\"\nbody = \"floor\"\n\n[[body]]\nname = \"floor\"\n"));
  EXPECT_EQ(model.frame_name(model.tip_frame()), "end");
}

TEST(RobotReader, TurnsWarningsIntoErrorsWhenStrict) {
  const Folder folder;
  const std::string path = folder.file("a.toml", pendulum + "colour = 3\n");
  EXPECT_NO_THROW(load(path));
  EXPECT_THROW(load(path, {.strict = true}), ModelError);
}

}  // namespace
}  // namespace catena::read
