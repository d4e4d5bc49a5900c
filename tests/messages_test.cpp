// What the command line tool says of doubtful input: positions beyond limits, forces that were clipped, mimic joints,
// what a written file drops, options that are no sensible number.
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "tool_support.hpp"

namespace {

using catena::test::slurp;
using nlohmann::json;
using Result = catena::test::ToolResult;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Messages : public catena::test::ToolTest {
 protected:
  json run_json(const std::string& arguments) const {
    const Result result = run(arguments + " --json");
    EXPECT_EQ(result.code, 0) << arguments << "\n" << result.err;
    return json::parse(result.out, nullptr, false);
  }

  // One arm with limits, a slide, and a finger that follows a finger that follows the slide.
  std::string gripper() const {
    return write("gripper.toml", R"(name = "gripper"
[[body]]
name = "upper"
joint = "revolute"
joint_name = "shoulder"
axis = [0, 1, 0]
mass = 2
com = [0.5, 0, 0]
inertia = [0.1, 0.1, 0.1]
limits = { lower = -2, upper = 2.9, effort = 20 }
[[body]]
name = "slider"
parent = "upper"
joint = "prismatic"
joint_name = "slide"
axis = [1, 0, 0]
mass = 0.5
inertia = [0.01, 0.01, 0.01]
limits = { lower = 0, upper = 0.1 }
[[body]]
name = "left"
parent = "upper"
joint = "prismatic"
joint_name = "left_finger"
axis = [0, 1, 0]
mass = 0.1
inertia = [0.001, 0.001, 0.001]
mimic = { joint = "slide", ratio = 2 }
limits = { lower = 0, upper = 0.15 }
[[body]]
name = "right"
parent = "upper"
joint = "prismatic"
joint_name = "right_finger"
axis = [0, -1, 0]
mass = 0.1
inertia = [0.001, 0.001, 0.001]
mimic = { joint = "left_finger" }
)");
  }
};

constexpr const char* typed_degrees =
    "--q: shoulder at 90 rad is beyond its upper limit of 2.9 rad; write 90deg if degrees are meant";

TEST_F(Messages, PositionsBeyondLimitsAreWarnedOfInEveryCommandThatTakesAState) {
  const std::string robot = gripper();
  for (const char* command : {"inverse", "forward", "matrices", "linearize", "diagonalize", "curvature", "simulate"}) {
    const std::string call = std::string(command) + " " + robot +
                             (std::string(command) == "simulate" ? " --duration 0.01" : "") + " --q 90,0.05";
    const Result text = run(call);
    EXPECT_EQ(text.code, 0) << call << "\n" << text.err;
    EXPECT_EQ(text.err, "catena: warning: " + std::string(typed_degrees) + "\n") << call;
    EXPECT_FALSE(contains(text.out, typed_degrees)) << call;
    EXPECT_EQ(run_json(call)["warnings"], json({typed_degrees})) << call;
    const std::string inside = std::regex_replace(call, std::regex(" 90,"), " 90deg,");
    EXPECT_EQ(run(inside).err, "") << inside;
    EXPECT_EQ(run_json(inside)["warnings"], json::array()) << inside;
  }
  EXPECT_EQ(run("view " + robot + " --json --q 90,0.05").err, "catena: warning: " + std::string(typed_degrees) + "\n");
  EXPECT_EQ(run("inverse " + robot + " --random 3").err, "");  // nobody typed these
  EXPECT_EQ(run("inverse " + robot).err, "");
}

TEST_F(Messages, AWarningNamesJointValueUnitAndLimitAndSuggestsDegreesOnlyWhereTheyFit) {
  const std::string robot = gripper();
  const auto warning = [&](const std::string& q) { return run_json("inverse " + robot + " --q " + q)["warnings"]; };
  // 1000 degrees would not be within the limits either; 500deg was typed as degrees; 3 is no number of degrees
  EXPECT_EQ(warning("1000,0"), json({"--q: shoulder at 1000 rad is beyond its upper limit of 2.9 rad"}));
  EXPECT_EQ(warning("500deg,0"), json({"--q: shoulder at 8.72665 rad is beyond its upper limit of 2.9 rad"}));
  EXPECT_EQ(warning("3,0"), json({"--q: shoulder at 3 rad is beyond its upper limit of 2.9 rad"}));
  EXPECT_EQ(warning("-45,0"),
            json({"--q: shoulder at -45 rad is beyond its lower limit of -2 rad; write -45deg if degrees are meant"}));
  // a metre is no angle, and a joint that follows passes a limit of its own
  EXPECT_EQ(warning("0,-0.5"), json({"--q: slide at -0.5 m is beyond its lower limit of 0 m",
                                     "--q: left_finger at -1 m is beyond its lower limit of 0 m"}));
  EXPECT_EQ(warning("0,0.08"), json({"--q: left_finger at 0.16 m is beyond its upper limit of 0.15 m"}));
  EXPECT_EQ(warning("2.9,0.075"), json::array());  // at the limits is within them
  // a file has no degrees to write
  const json file = run_json("inverse " + robot + " --state " + write("pose.json", R"({"shoulder": 90})"))["warnings"];
  ASSERT_EQ(file.size(), 1u);
  EXPECT_TRUE(contains(file[0], "pose.json: shoulder at 90 rad is beyond")) << file;
  EXPECT_TRUE(contains(file[0], "90° would be 1.570796327 rad")) << file;
}

TEST_F(Messages, MotionsBeyondLimitsAreWarnedOf) {
  const std::string robot = gripper();
  const std::string law = "inverse " + robot + " --to shoulder=90 --trajectory cycloidal:1";
  const json report = run_json(law);
  ASSERT_EQ(report["warnings"].size(), report["limits_exceeded"].size());
  EXPECT_TRUE(contains(report["warnings"][0], "position of shoulder passes 2.9 rad by up to 87.1 rad")) << report;
  EXPECT_TRUE(contains(report["warnings"][0], "write 90deg")) << report;
  EXPECT_TRUE(contains(run(law).err, "limit exceeded: position of shoulder passes 2.9 rad")) << "on stderr";
  const std::string degrees = "inverse " + robot + " --to shoulder=500deg --trajectory cycloidal:1";
  EXPECT_FALSE(contains(run_json(degrees)["warnings"].dump(), "if degrees are meant"));

  const std::string scenario = "model = \"gripper.toml\"\nduration = 0.02\n";
  const auto warnings = [&](const std::string& more) {
    return run_json("simulate " + write("s.toml", scenario + more))["warnings"].dump();
  };
  EXPECT_TRUE(contains(warnings("[start]\nq = { shoulder = 90 }\n"), "s.toml:4: shoulder at 90 rad is beyond"));
  EXPECT_TRUE(contains(warnings("[input]\nkind = \"pd\"\ntarget = [90, 0.05]\nstiffness = 0\n"),
                       "s.toml:5: shoulder at 90 rad is beyond"));
  write("motion.csv", "time,q.shoulder,q.slide\n0,0,0\n0.005,45,0\n0.015,0,0\n0.02,0,0\n");
  const std::string followed =
      warnings("[motion]\nlaw = \"file\"\nfile = \"motion.csv\"\n[input]\nkind = \"pd\"\nstiffness = 0\ndamping = 0\n");
  EXPECT_TRUE(contains(followed, "[motion]: shoulder at ")) << followed;
  EXPECT_FALSE(contains(warnings("[start]\nq = { shoulder = 1.5 }\n"), "beyond"));
}

TEST_F(Messages, AClippedForceIsToldWithJointTimeCountAndAmount) {
  gripper();
  const std::string start = "model = \"gripper.toml\"\nduration = 0.1\ngravity = [0, 0, 0]\n";
  // 50 N m asked at once of 20: clipped in every sample until the arm has come near
  const json sampled =
      run_json("simulate " + write("sampled.toml", start + "[input]\nkind = \"pd\"\nperiod = 0.01\n"
                                                           "limit_effort = true\ntarget = [0.5, 0]\n"
                                                           "stiffness = { shoulder = 100 }\ndamping = 0\n"));
  ASSERT_EQ(sampled["warnings"].size(), 1u) << sampled;
  EXPECT_TRUE(std::regex_match(
      sampled["warnings"][0].get<std::string>(),
      std::regex("the force of shoulder was clipped at its effort limit of 20 N m: first at t = 0 s, in 1[01] of 1[01] "
                 "samples, by up to 30 N m")))
      << sampled["warnings"];
  const json continuous =
      run_json("simulate " + write("steady.toml", start + "[input]\nkind = \"constant\"\ntau = [21, 0]\n"
                                                          "limit_effort = true\n"));
  ASSERT_EQ(continuous["warnings"].size(), 1u) << continuous;
  const std::string steps = std::to_string(continuous["steps"].get<int>());
  EXPECT_EQ(continuous["warnings"][0].get<std::string>(),
            "the force of shoulder was clipped at its effort limit of 20 N m: first at t = 0 s, in " + steps + " of " +
                steps + " steps, by up to 1 N m");
  // A force that grows: 20 N m are passed between 0.04 s and 0.05 s
  write("tau.csv", "time,tau.shoulder,tau.slide\n0,0,0\n0.1,45,0\n");
  const json growing =
      run_json("simulate " + write("growing.toml", start + "[integrator]\nmethod = \"rk4\"\nstep = 0.001\n"
                                                           "[input]\nkind = \"series\"\nfile = "
                                                           "\"tau.csv\"\nlimit_effort = true\n"));
  ASSERT_EQ(growing["warnings"].size(), 1u) << growing;
  EXPECT_TRUE(contains(growing["warnings"][0], "first at t = 0.0445 s, in 56 of 100 steps, by up to 25 N m"))
      << growing["warnings"];
}

TEST_F(Messages, AMimicJointGivenAPositionSaysWhomItFollows) {
  const std::string robot = gripper();
  const std::string why =
      "the joint 'right_finger' follows 'left_finger' and has no coordinate of its own; leave it out "
      "and give 'slide'";
  for (const char* flag : {"--q", "--v", "--a"})
    expect_failure("inverse " + robot + " " + flag + " right_finger=0.01", 3, std::string(flag) + ": " + why);
  expect_failure("forward " + robot + " --tau right_finger=0.01", 3, why);
  expect_failure("inverse " + robot + " --to right_finger=0.01 --trajectory cycloidal:1", 3, why);
  expect_failure("inverse " + robot + " --state " + write("f.json", R"({"q": {"right_finger": 0.01}})"), 3, why);
  expect_failure("inverse " + robot + " --state " + write("f.toml", "right_finger = 0.01\n"), 3, why);
  expect_failure("inverse " + robot + " --state " + write("f.csv", "q.right_finger\n0.01\n"), 3, why);
  expect_failure("inverse " + robot + " --trajectory " +
                     write("m.csv", "time,q.shoulder,q.slide,q.right_finger\n0,0,0,0.01\n1,0,0,0.01\n"),
                 3, why);
  expect_failure("inverse " + robot + " --q sholder=1", 3, "did you mean \"shoulder\"");
}

// Counts of "dropped" by name.
std::map<std::string, int> counts(const json& report) {
  std::map<std::string, int> map;
  for (const json& one : report.value("dropped", json::array()))
    map[one["what"].get<std::string>()] = one["count"].get<int>();
  return map;
}

constexpr const char* rich_urdf = R"(<?xml version="1.0"?>
<!-- a robot with everything -->
<robot name="rich" version="1.0">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base">
    <!-- inside -->
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual name="hull"><geometry><box size="1 1 1"/></geometry><material name="grey"/></visual>
    <visual><geometry><mesh filename="a.stl"/></geometry><material name="nowhere"><texture filename="t.png"/></material></visual>
    <visual><geometry><plane normal="0 0 1"/></geometry></visual>
    <collision><geometry><sphere radius="1"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <sensor name="eye"/>
  </link>
  <link name="tool"/>
  <joint name="hinge" type="continuous">
    <parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="2"/>
    <safety_controller k_velocity="1"/>
    <calibration rising="0"/>
    <dynamics damping="1" friction="0" spring="3"/>
  </joint>
  <joint name="flange" type="fixed"><parent link="arm"/><child link="tool"/><axis xyz="0 0 1"/></joint>
  <gazebo reference="arm"><!-- deep --><mu1>0.2</mu1></gazebo>
  <gazebo/>
  <transmission name="t"><type>simple</type></transmission>
  <ros2_control name="c" type="system"/>
  <invented/>
</robot>
)";

TEST_F(Messages, ConvertAndDoctorSayEverythingThatTheyDrop) {
  const std::map<std::string, int> expected = {{"comment", 3},
                                               {"<gazebo>", 2},
                                               {"<transmission>", 1},
                                               {"<ros2_control>", 1},
                                               {"<invented>", 1},
                                               {"<sensor>", 1},
                                               {"<safety_controller>", 1},
                                               {"<calibration>", 1},
                                               {"<axis>", 1},
                                               {"<visual>", 1},
                                               {"<material>", 1},
                                               {"attribute 'name' of <material>", 2},
                                               {"attribute 'version' of <robot>", 1},
                                               {"attribute 'lower' of <limit>", 1},
                                               {"attribute 'upper' of <limit>", 1},
                                               {"attribute 'spring' of <dynamics>", 1}};
  const std::string source = write("rich.urdf", rich_urdf);
  const json fixed = run_json("doctor " + source + " --fix " + path("mended.urdf"));
  EXPECT_EQ(counts(fixed), expected) << fixed.dump(1);
  for (const char* target : {"other.urdf", "other.toml"}) {
    const json converted = run_json("convert " + source + " " + path(target));
    EXPECT_EQ(counts(converted), expected) << converted.dump(1);
  }
  for (const json& one : fixed.value("dropped", json::array())) {
    if (one["what"] == "comment") {
      EXPECT_EQ(one["lines"], json({2, 6, 26}));
    }
    if (one["what"] == "<gazebo>") {
      EXPECT_EQ(one["lines"], json({26, 27}));
    }
    if (one["what"] == "attribute 'spring' of <dynamics>") {
      EXPECT_EQ(one["lines"], json({23}));
    }
  }
  const Result text = run("convert --force " + source + " " + path("other.urdf"));
  EXPECT_TRUE(contains(text.out, "Dropped")) << text.out;
  EXPECT_TRUE(std::regex_search(text.out, std::regex("2 +<gazebo> +lines 26, 27"))) << text.out;
  // What was written holds nothing that is dropped again, but for the names that the writer gives colours.
  const std::map<std::string, int> again = {{"attribute 'name' of <material>", 1}};
  EXPECT_EQ(counts(run_json("convert " + path("mended.urdf") + " " + path("again.urdf"))), again);
  EXPECT_EQ(run_json("convert " + path("other.toml") + " " + path("again.toml"))["dropped"], json::array());
}

TEST_F(Messages, TablesSayTheCommentsAndKeysThatTheyDrop) {
  const std::string source = write("arm.toml", R"(# one
name = "arm" # two
origin = "a # that is none"
text = """
# nor this"""
[[body]]
name = "rod"
joint = "fixed"
axis = [0, 1, 0]
colour = "red"
mass = 1
com = [0, 0, 0]
inertia = [1, 1, 1]
pitch = 3
shapes = [ { kind = "box", size = [1, 1, 1], gloss = 1 } ]
)");
  const std::map<std::string, int> expected = {{"comment", 2},     {"key 'text'", 1},
                                               {"key 'axis'", 1},  {"key 'colour'", 1},
                                               {"key 'gloss'", 1}, {"pitch of a joint that has none", 1}};
  EXPECT_EQ(counts(run_json("convert " + source + " " + path("arm.urdf"))), expected);
  EXPECT_EQ(counts(run_json("doctor " + source + " --fix " + path("mended.toml"))), expected);
  EXPECT_EQ(run_json("convert " + path("arm.urdf") + " " + path("back.toml"))["dropped"], json::array());
  const std::string other =
      write("arm.json", R"({"bodies": [{"mass": 1, "inertia": [1, 1, 1], "note": "x"}], "date": 1})");
  const std::map<std::string, int> keys = {{"key 'note'", 1}, {"key 'date'", 1}};
  EXPECT_EQ(counts(run_json("convert " + other + " " + path("json.toml"))), keys);
}

TEST_F(Messages, ForcesAlongAMotionAreARecordingThatPlotAndViewTake) {
  const std::string law = "inverse stanford_arm --to 60deg,60deg,0.1,0,0,0 --trajectory cycloidal:1 --every 0.1";
  for (const char* file : {"tau.csv", "tau.h5"}) {
    const Result result = run(law + " --output " + file);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    const Result plot = run(std::string("plot --json ") + file + " --output " + file + ".svg");
    ASSERT_EQ(plot.code, 0) << plot.err;
    const std::string panels = json::parse(plot.out)["panels"].dump();
    for (const char* axis : {"q [rad]", "q [m]", "v [rad/s]", "τ [N m]", "τ [N]"})
      EXPECT_TRUE(contains(panels, axis)) << axis << "\n" << panels;
    const Result page = run(std::string("view --json ") + file);
    ASSERT_EQ(page.code, 0) << page.err;
    EXPECT_EQ(json::parse(page.out)["name"], "stanford_arm");
    EXPECT_EQ(json::parse(page.out)["recording"]["rows"], 11);
  }
  const std::string text = slurp(path("tau.csv"));
  for (const char* note :
       {"# catena: ", "# model: stanford_arm\n", "# hash: ", "# robot: name = ", "# units: s,rad,rad,m,"})
    EXPECT_TRUE(contains(text, note)) << note;
  // Read back as a motion it gives the same forces, bit for bit, and again the whole motion.
  const json first = run_json(law), again = run_json("inverse stanford_arm --trajectory tau.csv");
  EXPECT_EQ(first["tau"], again["tau"]);
  ASSERT_EQ(run("inverse stanford_arm --trajectory tau.csv --output second.csv").code, 0);
  const std::string second = slurp(path("second.csv")), names = "\ntime,q.";
  EXPECT_EQ(text.substr(text.find(names)), second.substr(second.find(names)));
  expect_failure(law + " --output tau.csv", 3, "--force");
}

// Every option that takes a number, found in the help texts.
TEST_F(Messages, NoOptionTakesANumberThatMakesNoSense) {
  const std::map<std::string, std::string> calls = {
      {"convert", "convert planar_3r out.urdf --force"},
      {"inverse", "inverse planar_3r --to 1,0,0 --trajectory cycloidal:1"},
      {"linearize", "linearize planar_3r"},
      {"simulate", "simulate planar_3r"},
      {"curvature", "curvature planar_3r"},
      {"verify", "verify planar_3r"}};
  int found = 0;
  for (const char* command : {"info", "doctor", "convert", "inverse", "forward", "matrices", "linearize", "diagonalize",
                              "count", "generate", "curvature", "bench", "verify", "simulate", "plot", "view"}) {
    const std::string help = run(std::string(command) + " --help").out;
    const std::regex option("(--[a-z]+) (S|TOL|N|SEED)( \\[[0-9]+\\])? ");
    for (std::sregex_iterator i(help.begin(), help.end(), option), end; i != end; ++i) {
      const std::string flag = (*i)[1], kind = (*i)[2];
      const auto known = calls.find(command);
      const std::string call = known == calls.end() ? std::string(command) + " planar_3r" : known->second;
      ++found;
      for (const char* value : {"nan", "inf", "-1", "1e308", "''", "zwei", "1e400", "0x10", "-0.5", "1,2"})
        expect_failure(call + " " + flag + " " + value, 2, flag);
      if (kind != "SEED") expect_failure(call + " " + flag + " 0", 2, flag);
    }
  }
  EXPECT_GE(found, 12);
  for (const char* list : {"--gravity", "--base-twist", "--base-acceleration"})
    for (const char* value : {"nan,0,0", "inf,0,0,0,0,0", "''", "zwei", "1"})
      expect_failure(std::string("inverse planar_3r ") + list + " " + value, 2, list);
  for (const char* list : {"--q", "--v", "--a"})
    for (const char* value : {"nan,0,0", "inf,0,0", "zwei", "1"})
      expect_failure(std::string("inverse planar_3r ") + list + " " + value, 3, list);
  for (const char* law : {"cycloidal:nan", "cycloidal:inf", "cycloidal:-1", "cycloidal:0", "cycloidal:", "cycloidal:x"})
    expect_failure(std::string("inverse planar_3r --to 1,0,0 --trajectory ") + law, 2, "--trajectory");
}

}  // namespace
