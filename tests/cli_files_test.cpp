// The tool and damaged files: nothing good is replaced, and every mistake is told at once.
#include "tool_support.hpp"

namespace {

using catena::test::slurp;
using CommandLineFiles = catena::test::ToolTest;
using Result = catena::test::ToolResult;

std::string rod_urdf(const std::string& mass, const std::string& ixx) {
  return "<robot name='p'><link name='rod'><inertial><mass value='" + mass + "'/><inertia ixx='" + ixx +
         "' iyy='1' izz='1' ixz='0' iyz='0'/></inertial></link><link name='base'/>\n<joint name='pivot' "
         "type='continuous'>"
         "<parent link='base'/><child link='rod'/><axis xyz='0 1 0'/></joint></robot>\n";
}

TEST_F(CommandLineFiles, NeverReplacesARobotByOneThatDoesNotReadBack) {
  const std::string bad =
      write("bad.urdf",
            "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
            "iyz='0' izz='1'/></inertial></link>\n<link name='b\xe9'/><joint name='j' type='revolute'><parent "
            "link='a'/><child link='b\xe9'/></joint></robot>");
  const std::string keep = write("keep.toml", "keep");
  expect_failure("convert " + bad + " " + keep + " --force", 3, "bad.urdf:2: the byte 0xe9 at column 14 is not UTF-8");
  EXPECT_EQ(slurp(keep), "keep");
  expect_failure("doctor " + bad + " --fix " + keep + " --force", 3, "cannot be read far enough");
  EXPECT_EQ(slurp(keep), "keep");
  // What the reader could not read stays a hole, and a hole cannot be written.
  const std::string hole = write("hole.urdf", rod_urdf("abc", "1"));
  expect_failure("doctor " + hole + " --fix " + keep + " --force", 3, "nothing was written");
  EXPECT_EQ(slurp(keep), "keep");
}

// The doctor looks at robots: no other file is sent to it.
TEST_F(CommandLineFiles, TellsEveryMistakeOfAScenarioOrAMotion) {
  const auto told = [&](const std::string& arguments, std::initializer_list<const char*> parts) {
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 3) << result.err;
    for (const char* part : parts) EXPECT_NE(result.err.find(part), std::string::npos) << part << "\n" << result.err;
    EXPECT_EQ(result.err.find("catena doctor"), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), static_cast<long>(parts.size())) << result.err;
  };
  told("simulate " + write("s.toml", "model = 'arm7'\nduration = -1\nevry = 1\n[input]\nkind = 'pid'\n"),
       {"s.toml:2: duration must be positive", "s.toml:3: the key 'evry'", "s.toml:5: kind cannot be 'pid'"});
  told("inverse planar_3r --trajectory " + write("t.csv", "time,q.joint1,q.jint2\n0,1,2\n"),
       {"t.csv:1: 'q.jint2'", "missing columns: q.joint2"});
  told("inverse planar_3r --trajectory " + write("n.csv", "time,q.joint1\n0,x\n1,nan\n"), {"n.csv:2", "n.csv:3"});
  // A robot's errors beyond the first are the doctor's to tell.
  const std::string robot = write("worse.urdf", rod_urdf("1", "a' ixy='b"));
  expect_failure("info " + robot, 3, "more: run `catena doctor " + robot + "`");
  expect_failure("forward " + robot + " --state " + write("s.csv", "a\n1\n"), 3, "catena doctor " + robot);
}

}  // namespace
