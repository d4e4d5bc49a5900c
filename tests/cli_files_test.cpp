// The tool and damaged files: nothing good is replaced, and every mistake is told at once.
#include <regex>

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
       {"t.csv:1: 'q.jint2'", "missing columns: q.joint2", "missing columns: v.joint1", "missing columns: a.joint1"});
  told("inverse planar_3r --trajectory " + write("n.csv", "time,q.joint1\n0,x\n1,nan\n"),
       {"n.csv:2", "n.csv:3", "n.csv:1: missing columns: q.joint2, q.joint3"});
  // A robot's errors beyond the first are the doctor's to tell.
  const std::string robot = write("worse.urdf", rod_urdf("1", "a' ixy='b"));
  expect_failure("info " + robot, 3, "more: run `catena doctor " + robot + "`");
  expect_failure("forward " + robot + " --state " + write("s.csv", "a\n1\n"), 3, "catena doctor " + robot);
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(CommandLineFiles, AScenarioWithoutItsRobotTellsAllItsOtherMistakes) {
  const std::string parts =
      "floating = true\n[start]\nqq = [1]\nv = [\"x\", 0]\n[motion]\nlaw = \"cycloidl\"\nto = [1]\nramp = 0.1\n"
      "[input]\nkind = \"constant\"\ntua = [1]\n[[wrench]]\nfrom = 2\nuntil = 1\n[[stop]]\nquantity = "
      "\"q.elbow\"\nabove = 1\n";
  for (const char* robot : {"", "model = \"no_such_robot\"\n", "model = 3\n"}) {
    const Result result = run("simulate " + write("s.toml", robot + ("duraton = 1\n" + parts)));
    EXPECT_EQ(result.code, 3);
    for (const char* part : {robot[0] == 0     ? "names no robot"
                             : robot[8] == '3' ? "model is a number"
                                               : "no built-in robot",
                             "'duraton' means nothing here; did you mean \"duration\"", "has no duration", "'qq'",
                             "v is text", "law cannot be 'cycloidl' (did you mean \"cycloidal\"?)",
                             "a constant input needs tau", "'tua'", "names no frame", "ends before it begins"})
      EXPECT_TRUE(says(result.err, part)) << part << "\n" << result.err;
    // What another robot, law or kind could make right is not held against it.
    for (const char* part : {"'to'", "'ramp'", "'floating'", "entries instead of", "elbow", "is ignored", "planar_3r'"})
      EXPECT_FALSE(says(result.err, part)) << part << "\n" << result.err;
  }
}

TEST_F(CommandLineFiles, AKindThatIsUnknownIsTheOnlyMistakeOfItsTable) {
  const auto lines = [&](const std::string& table) {
    const Result result = run("simulate " + write("s.toml", "model = 'planar_3r'\nduration = 0.01\n" + table));
    EXPECT_EQ(result.code, 3) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  };
  const std::string kind =
      lines("[input]\nkind = 'reech'\nframe = 'link3'\nposition = [1, 0, 0]\nc = 2\nperiod = 0.01\n");
  EXPECT_TRUE(says(kind, "s.toml:4: kind cannot be 'reech' (did you mean \"reach\"?); write one of: zero, constant"))
      << kind;
  EXPECT_TRUE(says(lines("[motion]\nlaw = 'splin'\ntimes = [0, 1]\nwaypoints = [[0,0,0],[1,0,0]]\n"), "\"spline\""));
  // A mistake in one key does not turn the others into unknown ones.
  EXPECT_TRUE(says(lines("[input]\nkind = 'reach'\nframe = 'hand'\nposition = [1, 0, 0]\nc = 2\n"), "hand"));
  EXPECT_TRUE(says(lines("[input]\nkind = 'series'\nhold = true\n"), "needs file"));
  EXPECT_TRUE(
      says(lines("[input]\nkind = 'pd'\ncompensate_gravity = true\n"), "'compensate_gravity' means nothing here"));
  EXPECT_TRUE(says(lines("[input]\nkind = 'pd'\nstifness = 3\n"), "did you mean \"stiffness\""));
}

TEST_F(CommandLineFiles, AScenarioCallsWhatIsWrongByItsKeyAndPlace) {
  const auto told = [&](const std::string& scenario, const std::string& message) {
    const Result result = run("simulate " + write("s.toml", scenario));
    EXPECT_EQ(result.code, 3) << result.err;
    EXPECT_TRUE(says(result.err, "s.toml:" + message)) << message << "\n" << result.err;
    EXPECT_FALSE(says(result.err, "this entry")) << result.err;
  };
  const std::string arm = "model = 'planar_3r'\nduration = 0.01\n", pd = arm + "[input]\nkind = 'pd'\n";
  told(pd + "stiffness = 'a'\n", "5: stiffness must be a number, a list of 3 numbers or a table by joint name");
  told(pd + "damping = [1]\n", "5: damping has 1 entries instead of 3");
  told(pd + "damping = { joint9 = 1 }\n", "5: 'joint9': damping: the robot has no coordinate");
  told(pd + "target = 3\n", "5: target must be a list of 3 numbers or a table by joint name");
  told(arm + "[start]\nq = 'a'\n", "4: q must be a list of 3 numbers");
  told(arm + "[motion]\nlaw = 'cycloidal'\nduration = 1\nto = true\n", "6: to must be a list of 3 numbers");
  // Of how many numbers, only the robot could say.
  told("model = 'arm8'\nduration = 1\n[input]\nkind = 'pd'\nstiffness = 'a'\n",
       "5: stiffness must be a number, a list of numbers or a table");
  // Files that cannot be read: where they are named.
  told("duration = 1\nmodel = 'arm8'\n", "2: model 'arm8': there is no such file, and no built-in robot");
  told(arm + "[start]\nfile = 'no.toml'\n", "4: file '");
  told(arm + "[motion]\nlaw = 'file'\nfile = 'no.csv'\n", "5: file '");
}

TEST_F(CommandLineFiles, ScenariosAndStatesAreKnownByWhatIsInThem) {
  const std::string scenario = write("sc.txt", "model = 'planar_3r'\nduration = 0.01\n");
  EXPECT_EQ(run("simulate " + scenario).code, 0);
  const auto told = [&](const std::string& file, const std::string& what, const std::string& remedy) {
    const Result doctor = run("doctor " + file);
    EXPECT_EQ(doctor.code, 3) << doctor.out;
    EXPECT_TRUE(says(doctor.out, "this is " + what + ", not a robot")) << doctor.out;
    EXPECT_TRUE(says(doctor.out, remedy)) << doctor.out;
    expect_failure("info " + file, 3, "this is " + what + ", not a robot; ");
  };
  told(scenario, "a scenario", "`catena simulate " + scenario + "`");
  for (const char* name : {"st.toml", "st.txt"}) {
    const std::string state = write(name, "elbow = 0.2\nball = [0, 0, 0, 1]\n");
    told(state, "a state", "--state " + state);
    expect_failure("simulate " + state, 3, "this is a state");
  }
  told(write("st.json", "{\"elbow\": 0.2}"), "a state", "--state");
  told(write("list.json", "[0, 0.2, 1]"), "a state", "--state");
  const std::string json = write("sc.json", "{\"model\": \"arm7\", \"duration\": 1}");
  told(json, "a scenario in JSON, which no command reads", "write it as TOML");
  expect_failure("simulate " + json, 3, "a scenario in JSON");
  // Of a robot that was begun, that is missing which it lacks.
  expect_failure("info " + write("robot.toml", "gravity = [0, 0, -1]\n"), 3, "describes no bodies");
}

TEST_F(CommandLineFiles, AMotionTellsAllItsMistakesWithTheirLines) {
  const auto lines = [&](const std::string& text) {
    const Result result = run("inverse planar_3r --trajectory " + write("m.csv", text));
    EXPECT_EQ(result.code, 3) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const std::string names = "time,q.joint1,q.joint2,q.joint3\n";
  const std::string all =
      lines("time,q.joint1,q.jint2,q.joint3,,q.joint1\n0,0,0,0,0,0\n2,x,0,0,0,0\n1,0,0\n1.5,0,0,0,0,0\n1,0,0,0,0,0\n");
  for (const char* part :
       {"m.csv:1: column 5 has no name", "m.csv:1: two columns are called 'q.joint1'", "'q.jint2'",
        "missing columns: q.joint2", "m.csv:3: 'q.joint1': 'x'", "m.csv:4: has 3 entries",
        "m.csv:6: 'time': time runs backwards, from 1.5 s to 1 s; put the rows in the order of time"})
    EXPECT_TRUE(says(all, part)) << part << "\n" << all;
  const std::string times = lines(names + "0,0,0,0\n1,0,0,0\n0.5,0,0,0\n0.5,0,0,0\n2,0,0,0\n1.5,0,0,0\n");
  for (const char* part : {"m.csv:4: 'time': time runs backwards, from 1 s to 0.5 s", "m.csv:7:",
                           "m.csv:5: 'time': the time 0.5 s is that of the row before; put the rows in the order of "
                           "time, one row for each time"})
    EXPECT_TRUE(says(times, part)) << part << "\n" << times;
  EXPECT_EQ(std::count(times.begin(), times.end(), '\n'), 3) << times;
  std::string falling = names;
  for (int k = 100; k > 0; --k) falling += std::to_string(k) + ",0,0,0\n";
  const std::string many = lines(falling);
  EXPECT_EQ(std::count(many.begin(), many.end(), '\n'), 21) << many;
  EXPECT_TRUE(says(many, "in 99 rows in all")) << many;
  // With v and a every row stands alone: a time may be met twice, but never after a later one.
  const std::string whole = "t,q.joint1,q.joint2,q.joint3,v.joint1,v.joint2,v.joint3,a.joint1,a.joint2,a.joint3\n";
  const std::string zeros = ",0,0,0,0,0,0,0,0,0\n";
  EXPECT_EQ(run("inverse planar_3r --trajectory " + write("m.csv", whole + "0" + zeros + "0" + zeros)).code, 0);
  EXPECT_TRUE(says(lines(whole + "1" + zeros + "0" + zeros), "m.csv:3: 't': time runs backwards, from 1 s to 0 s"));
}

// What the remedy says is done, and helps.
TEST_F(CommandLineFiles, TheRemedyForMissingRatesHelps) {
  const auto error = [&](const std::string& text) {
    return run("inverse planar_3r --trajectory " + write("m.csv", text)).err;
  };
  const std::string q = "q.joint1,q.joint2,q.joint3", v = ",v.joint1,v.joint2,v.joint3";
  const std::string spline = ": with time and q alone, v and a are those of the spline through the rows";
  EXPECT_TRUE(says(error("time," + q + v + "\n0,0,0,0,0,0,0\n1,1,0,0,0,0,0\n"),
                   "missing columns: a.joint1, a.joint2, a.joint3; add them, or leave out all of v and a" + spline));
  EXPECT_TRUE(says(error(q + "\n0,0,0\n1,0,0\n"), "add them, or add a column time" + spline));
  EXPECT_TRUE(says(error("time," + q + "\n0,0,0,0\n"), "add them, or add a second row" + spline));
  EXPECT_TRUE(says(error("time," + q + "\n0,0,0,0\n1,1,0,0\n"), "The file has no v and a: they are those of the"));
  EXPECT_FALSE(says(error("time," + q + v + "\n0,0,0,0,0,0,0\n"), "noise"));
}

TEST_F(CommandLineFiles, FilesOfAScenarioTellAllTheirMistakesWithTheirLines) {
  const std::string head = "model = 'planar_3r'\nduration = 0.01\n";
  write("push.csv", "time,fx,fyy\n1,0,0\n0,0,0\n");
  const Result push = run("simulate " + write("s.toml", head + "[[wrench]]\nframe = 'link3'\nfile = 'push.csv'\n"));
  EXPECT_EQ(push.code, 3);
  EXPECT_TRUE(says(push.err, "push.csv:1: 'fyy': the column 'fyy' means nothing here; did you mean")) << push.err;
  EXPECT_TRUE(says(push.err, "push.csv:3: 'time': time runs backwards, from 1 s to 0 s")) << push.err;
  write("tau.csv", "time,tau.joint1,tau.joint2\n1,0,0\n1,0,y\n");
  const Result tau = run("simulate " + write("s.toml", head + "[input]\nkind = 'series'\nfile = 'tau.csv'\n"));
  for (const char* part : {"tau.csv:1: missing columns: tau.joint3", "tau.csv:3: 'tau.joint2'", "tau.csv:3: 'time'"})
    EXPECT_TRUE(says(tau.err, part)) << part << "\n" << tau.err;
}

TEST_F(CommandLineFiles, AnUnknownKeyOfAStateIsAnError) {
  expect_failure("inverse planar_3r --state " + write("s.toml", "q = [0, 0, 0]\nvv = [1, 2, 3]\n"), 3,
                 "s.toml:2: the key 'vv' means nothing here; did you mean \"v\"");
  expect_failure("inverse planar_3r --state " + write("s.json", R"({"q": [0, 0, 0], "speed": [1, 2, 3]})"), 3,
                 "'speed' means nothing here; there are: q, v, a, tau");
  expect_failure("inverse planar_3r --state " + write("s.toml", "taau = [1, 2, 3]\n"), 3, "\"tau\"");
  write("pose.toml", "q = [0, 0, 0]\nvv = [1, 2, 3]\n");
  expect_failure("simulate " + write("run.toml", "model = 'planar_3r'\nduration = 1\n[start]\nfile = 'pose.toml'\n"), 3,
                 "pose.toml:2: the key 'vv'");
}

TEST_F(CommandLineFiles, TheDoctorSaysWhatAFileIsAndWhoTakesIt) {
  ASSERT_EQ(run("simulate planar_3r --duration 0.01 --output run.h5").code, 0);
  ASSERT_EQ(run("simulate planar_3r --duration 0.01 --output run.csv").code, 0);
  write("motion.csv", "time,q.joint1,q.joint2,q.joint3\n0,0,0,0\n1,1,0,0\n");
  write("a run.toml", "model = 'planar_3r'\nduration = 0.01\n");
  write("pose.json", R"({"q": [0, 0, 0]})");
  const struct {
    const char *file, *what, *command;
  } cases[] = {{"run.h5", "this is an HDF5 file, not a robot", "plot run.h5"},
               {"run.csv", "this is a recording, not a robot", "view run.csv --output page.html"},
               {"motion.csv", "this is a table of numbers, not a robot", "inverse planar_3r --trajectory motion.csv"},
               {"'a run.toml'", "this is a scenario, not a robot", "simulate 'a run.toml'"},
               {"pose.json", "this is a state, not a robot", "inverse planar_3r --state pose.json"}};
  for (const auto& [file, what, command] : cases) {
    const Result doctor = run(std::string("doctor ") + file);
    EXPECT_EQ(doctor.code, 3) << file;
    EXPECT_TRUE(says(doctor.out, what)) << doctor.out;
    EXPECT_FALSE(says(doctor.out, "--fix")) << doctor.out;
    std::string advice = std::string("catena ") + command;
    if (const std::size_t robot = advice.find("planar_3r"); robot != std::string::npos)
      advice.replace(robot, 9, "ROBOT");
    EXPECT_TRUE(says(doctor.out, advice)) << advice << "\n" << doctor.out;
    EXPECT_EQ(run(command).code, 0) << command;
    expect_failure(std::string("info ") + file, 3, what);
  }
}

TEST_F(CommandLineFiles, TheDoctorAdvisesToMendOnlyWhatItMends) {
  for (const char* robot : {"quadruped --floating", "gantry --floating"})
    EXPECT_FALSE(says(run(std::string("doctor ") + robot).out, "--fix")) << robot;
  const std::string massless = write("m.toml", "[[body]]\nname = 'rod'\njoint = 'revolute'\naxis = [0, 0, 1]\n");
  EXPECT_EQ(run("doctor " + massless).code, 3);
  EXPECT_FALSE(says(run("doctor " + massless).out, "--fix"));
  const std::string crooked =
      write("c.toml", "[[body]]\nname = 'rod'\njoint = 'revolute'\naxis = [0, 0, 2]\nmass = 1\ninertia = [1, 1, 1]\n");
  write("mended.urdf", "taken");
  EXPECT_TRUE(says(run("doctor " + crooked).out, "catena doctor " + crooked + " --fix mended_2.urdf"));
  EXPECT_EQ(run("doctor " + crooked + " --fix mended_2.urdf").code, 0);
  EXPECT_TRUE(says(run("doctor mended_2.urdf").out, "0 warnings") || !says(run("doctor mended_2.urdf").out, "warning"));
}

constexpr const char* solid_body =
    "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";

TEST_F(CommandLineFiles, UrdfColoursThatNoShapeHasAndInstructionsAreSaidToBeDropped) {
  const std::string urdf =
      write("r.urdf", std::string("<?xml version='1.0'?>\n<?xml-stylesheet href='a'?>\n<robot name='r'>\n"
                                  "<material name='red'><color rgba='1 0 0 1'/></material>\n<?foo "
                                  "bar\nbaz?>\n<material name='blue'><color rgba='0 0 1 1'/></material>\n"
                                  "<link name='a'>") +
                          solid_body +
                          "<visual><geometry><box size='1 1 1'/></geometry><material name='blue'/></visual>"
                          "<!-- <?none?> --></link>\n</robot>\n");
  const Result result = run("convert " + urdf + " out.urdf");
  EXPECT_EQ(result.code, 0) << result.err;
  const std::string squeezed = std::regex_replace(result.out, std::regex(" +"), " ");
  EXPECT_TRUE(says(squeezed, "1 <material> line 4\n")) << result.out;
  EXPECT_TRUE(says(squeezed, "2 processing instruction lines 2, 5\n")) << result.out;
  EXPECT_EQ(run("convert out.urdf again.toml").code, 0);
  expect_failure("info " + write("open.urdf", "<robot name='r'>\n<?foo bar\n</robot>\n"), 3,
                 "open.urdf:2: not valid XML");
}

TEST_F(CommandLineFiles, ReferencesToNoCharacterAreRefused) {
  for (const char* bad : {"&#x0;", "&#0;", "&#x00000000;", "&#xD800;", "&#x110000;", "&#99999999999;"})
    expect_failure("info " + write("r.urdf", std::string("<?xml version='1.0'?>\n<robot\nname='") + bad +
                                                 "x'><link name='a'>" + solid_body + "</link></robot>\n"),
                   3, std::string("r.urdf:3: ") + bad + " stands for no character; remove it");
  EXPECT_TRUE(says(run("info " + write("r.urdf", std::string("<robot name='&#x41;&#66;'><!-- &#0; --><link name='a'>") +
                                                     solid_body + "</link></robot>\n"))
                       .out,
                   "AB\n"));
}

TEST_F(CommandLineFiles, ARootThatMovesAlreadyIsNotMadeToFloat) {
  for (const char* type : {"planar", "prismatic"}) {
    const std::string urdf =
        write("r.urdf", std::string("<robot name='r'><link name='world'/><link name='base'>") + solid_body +
                            "</link><joint name='ground' type='" + type +
                            "'><parent link='world'/><child link='base'/><axis xyz='0 0 1'/>"
                            "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>\n");
    expect_failure("info --floating " + urdf, 3,
                   std::string("the root moves already: this ") + type + " joint carries body 'base'");
    EXPECT_EQ(run("info " + urdf).code, 0);
    std::string heavy = slurp(urdf);
    heavy.replace(heavy.find("<link name='world'/>"), 20, std::string("<link name='world'>") + solid_body + "</link>");
    EXPECT_EQ(run("info --floating " + write("heavy.urdf", heavy)).code, 0);
  }
}

TEST_F(CommandLineFiles, ARootWithAJointOfItsOwnIsNotMadeToFloat) {
  const auto body = [](const std::string& name, const std::string& joint) {
    return "[[body]]\nname = '" + name + "'\n" + joint + "mass = 1\ninertia = [1, 1, 1]\n";
  };
  const std::string link = body("link", "joint = 'revolute'\nparent = 'base'\naxis = [0, 1, 0]\n");
  for (const std::string type : {"planar", "spherical", "revolute"}) {
    const std::string robot = write("r.toml", body("base", "joint = '" + type + "'\n") + link);
    expect_failure("info --floating " + robot, 3,
                   "r.toml:3: 'base_joint': the root moves already: this " + type + " joint carries body 'base'; load");
    EXPECT_EQ(run("info " + robot).code, 0);
  }
  // What is advised helps.
  EXPECT_EQ(run("info --floating " + write("r.toml", body("base", "") + link)).code, 0);
  EXPECT_EQ(run("info --floating " +
                write("r.toml", body("root", "") + body("base", "joint = 'planar'\nparent = 'root'\n") + link))
                .code,
            0);
  expect_failure("info --floating " + write("r.toml", body("base", "joint = 'fixed'\n") + link), 3,
                 "this fixed joint holds body 'base' to the ground");
  expect_failure("info --floating " +
                     write("r.toml", body("base", "joint = 'planar'\n") + link + body("other", "joint = 'planar'\n")),
                 3, "2 bodies stand on the ground by joints of their own: 'base', 'other'");
}

TEST_F(CommandLineFiles, AStopAtAJointThatFollowsSaysWhom) {
  write("g.toml",
        "[[body]]\nname = 'a'\njoint = 'prismatic'\njoint_name = 'slide'\naxis = [0, 0, 1]\nmass = 1\ninertia = [1, 1, "
        "1]\n"
        "[[body]]\nname = 'b'\njoint = 'prismatic'\njoint_name = 'finger'\naxis = [0, 0, 1]\nmass = 1\ninertia = [1, "
        "1, 1]\nmimic = { joint = 'slide' }\n");
  const std::string head = "model = 'g.toml'\nduration = 0.01\n";
  expect_failure(
      "simulate " + write("s.toml", head + "[[stop]]\nquantity = 'q.finger'\nabove = 1\n"), 3,
      "s.toml:4: q.finger: the joint 'finger' follows 'slide' and has no coordinate of its own; name q.slide");
  EXPECT_EQ(run("simulate " + write("s.toml", head + "[[stop]]\nquantity = 'q.slide'\nabove = 1\n")).code, 0);
  expect_failure("simulate " + write("s.toml", head + "[[stop]]\nquantity = 'a.slide'\nabove = 1\n"), 3,
                 "write record = [\"a\"]");
  EXPECT_EQ(
      run("simulate " + write("s.toml", "record = ['a']\n" + head + "[[stop]]\nquantity = 'a.slide'\nabove = 1\n"))
          .code,
      0);
}

TEST_F(CommandLineFiles, OptionsDoWhatTheirHelpSays) {
  const std::string call = "simulate planar_3r --duration 0.1 --q 1,1,1 --json --coordinates ";
  const auto steps = [](const std::string& text) { return text.substr(0, text.find("\"seconds\"")); };
  EXPECT_EQ(steps(run(call + "velocities").out), steps(run(call + "v").out));
  EXPECT_NE(steps(run(call + "velocities").out), steps(run(call + "nu").out));
  EXPECT_EQ(run("simulate " +
                write("s.toml", "model = 'planar_3r'\nduration = 0.01\n[integrator]\ncoordinates = 'velocities'\n"))
                .code,
            0);
  EXPECT_NE(run("curvature planar_3r --seed 1").out, run("curvature planar_3r --seed 2").out);
  const std::string one = "curvature planar_3r --json --states 1 --seed ";
  EXPECT_NE(run(one + "1").out, run(one + "2").out);
}

TEST_F(CommandLineFiles, EnergiesShowNoRoundingNoise) {
  // Rows whose power is noise: 1e-25 rad/s against 1e-25 N m.
  const Result tiny =
      run("inverse planar_3r --gravity 0,0,0 --trajectory " +
          write("m.csv",
                "time,q.joint1,q.joint2,q.joint3,v.joint1,v.joint2,v.joint3,a.joint1,a.joint2,a.joint3\n"
                "0,0,0,0,1e-25,0,0,-1e-25,0,0\n1,0,0,0,1e-25,0,0,-1e-25,0,0\n"));
  EXPECT_EQ(tiny.code, 0) << tiny.err;
  EXPECT_TRUE(std::regex_search(tiny.err, std::regex("joint1 .* energy +\\+0 +0 J"))) << tiny.err;
  const Result rest = run("simulate planar_3r --duration 0.1 --gravity 0,0,0 --v 1e-25,0,0");
  EXPECT_TRUE(std::regex_search(rest.out, std::regex("kinetic +0 "))) << rest.out;
  // An energy beyond the numbers is an error, not a nan in a table.
  const Result huge =
      run("inverse planar_3r --trajectory " +
          write("h.csv",
                "time,q.joint1,q.joint2,q.joint3,v.joint1,v.joint2,v.joint3,a.joint1,a.joint2,a.joint3\n"
                "-1e308,0,0,0,0,0,0,0,0,0\n1e308,0,0,0,0,0,0,0,0,0\n"));
  EXPECT_EQ(huge.code, 4) << huge.err << huge.out;
  EXPECT_FALSE(says(huge.err + huge.out, "nan")) << huge.err;
}

}  // namespace
