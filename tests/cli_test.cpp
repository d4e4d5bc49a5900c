// The command line tool as scripts and people meet it: exit codes, the JSON contract, one-line errors, names and units.
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tags.hpp"
#include "tool_support.hpp"

namespace {

using catena::test::slurp;
using nlohmann::json;
using Result = catena::test::ToolResult;

class CommandLine : public catena::test::ToolTest {
 protected:
  json run_json(const std::string& arguments) const {
    const Result result = run(arguments + " --json");
    EXPECT_EQ(result.code, 0) << arguments << "\n" << result.err;
    return json::parse(result.out, nullptr, false);
  }
};

// A pendulum that shows every exit code: mass at the end of a rod, axis y.
std::string pendulum(const std::string& inertia = "<inertia ixx='0.1' iyy='0.1' izz='0.01' ixy='0' ixz='0' iyz='0'/>",
                     const std::string& mass = "2") {
  return "<robot name='pendulum'>\n"
         "<link name='base'><inertial><mass value='5'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
         "iyz='0'/></inertial></link>\n"
         "<link name='rod'><inertial><origin xyz='0 0 -0.5'/><mass value='" +
         mass + "'/>" + inertia +
         "</inertial></link>\n"
         "<joint name='pivot' type='continuous'><parent link='base'/><child link='rod'/><axis xyz='0 1 0'/>"
         "<dynamics damping='0.3' friction='0.2'/></joint>\n"
         "</robot>\n";
}

TEST_F(CommandLine, WithoutArgumentsShowsTheOverview) {
  const Result result = run("");
  EXPECT_EQ(result.code, 0);
  for (const char* command : {"info", "doctor", "convert", "inverse", "forward", "matrices", "verify", "demo"})
    EXPECT_NE(result.out.find(std::string("  ") + command), std::string::npos) << command;
}

TEST_F(CommandLine, EveryCommandHasHelpWithExamples) {
  for (const char* command :
       {"info", "models", "doctor", "convert", "inverse", "forward", "matrices", "verify", "demo", "completion"}) {
    const Result result = run(std::string(command) + " --help");
    EXPECT_EQ(result.code, 0) << command;
    EXPECT_NE(result.out.find("Examples:"), std::string::npos) << command;
    EXPECT_NE(result.out.find(std::string("catena ") + command), std::string::npos) << command;
  }
}

TEST_F(CommandLine, VersionSaysHowItWasBuilt) {
  const Result result = run("--version");
  EXPECT_EQ(result.code, 0);
  for (const char* part : {"catena ", "build ", "compiler ", "flags ", "SIMD "})
    EXPECT_NE(result.out.find(part), std::string::npos) << part;
}

TEST_F(CommandLine, WrongUsageIsCodeTwoAndSuggestsTheNearWord) {
  expect_failure("invrse stanford_arm", 2, "did you mean `catena inverse`?");
  expect_failure("info stanford_arm --jsno", 2, "did you mean --json?");
  expect_failure("info", 2, "MODEL is required");
  expect_failure("info stanford_arm planar_3r", 2, "planar_3r");
  expect_failure("inverse stanford_arm --gravity 1,2", 2, "--gravity");
  expect_failure("inverse stanford_arm --gravity nan,0,0", 2, "--gravity");
  expect_failure("forward stanford_arm --method magic", 2, "articulated, composite");
  expect_failure("verify stanford_arm --states 0", 2, "--states");
  expect_failure("matrices stanford_arm --only mass_matix", 2, "mass_matrix");
  expect_failure("completion tcsh", 2, "bash");
  expect_failure("inverse stanford_arm --random -1", 2, "--random");
  expect_failure("inverse stanford_arm --q ''", 2, "--q");
  expect_failure("inverse stanford_arm --wrench link6:1,2", 2, "--wrench");
}

TEST_F(CommandLine, BadModelOrStateIsCodeThree) {
  expect_failure("info no_such_robot.urdf", 3, "no_such_robot.urdf");
  expect_failure("info stanfrd_arm", 3, "stanford_arm");
  expect_failure("info " + write("cut.urdf", "<robot name='x'><link name='a'>"), 3, "cut.urdf");
  expect_failure("inverse stanford_arm --q 1,2,3", 3, "needs 6");
  expect_failure("inverse stanford_arm --q 1,2,nan,0,0,0", 3, "--q");
  expect_failure("inverse stanford_arm --v 1,2,1e400,0,0,0", 3, "--v");
  expect_failure("inverse stanford_arm --q 1,2,zwei,0,0,0", 3, "zwei");
  expect_failure("inverse stanford_arm --q elbow=1", 3, "elbow");
  expect_failure("inverse stanford_arm --q 0,0,5deg,0,0,0", 3, "degrees");
  expect_failure("inverse stanford_arm --wrench hand:1,2,3", 3, "hand");
  expect_failure("inverse stanford_arm --state " + path("missing.json"), 3, "missing.json");
  expect_failure("inverse " + write("nan.urdf", pendulum("", "nan")), 3, "nan.urdf:3");
}

TEST_F(CommandLine, NumbersThatWouldOverflowAreRefused) {
  expect_failure("inverse stanford_arm --v 1e200,1e200,0,0,0,0", 3, "beyond 1e+50, where products overflow");
}

TEST_F(CommandLine, InverseOfThePendulumIsTheTextbookFormula) {
  const std::string file = write("pendulum.urdf", pendulum());
  const json result = run_json("inverse " + file + " --q 30deg --v 2 --a 3");
  // I a + m g l sin q + damping v + friction tanh(v / 0.01), q turning the rod towards -x
  const double expected = (0.1 + 2 * 0.25) * 3 + 2 * 9.81 * 0.5 * std::sin(std::numbers::pi / 6) + 0.3 * 2 + 0.2;
  EXPECT_EQ(result["joints"], json({"pivot"}));
  EXPECT_NEAR(result["tau"][0].get<double>(), expected, 1e-12);
  EXPECT_EQ(result["base_wrench"].size(), 6u);
  EXPECT_FALSE(result.contains("wrenches"));

  const json bare =
      run_json("inverse " + file + " --q 30deg --v 2 --a 3 --no-friction --no-damping --gravity 0,0,0 --wrenches");
  EXPECT_NEAR(bare["tau"][0].get<double>(), (0.1 + 2 * 0.25) * 3, 1e-12);
  EXPECT_EQ(bare["wrenches"]["pivot"].size(), 6u);
}

TEST_F(CommandLine, ForwardOfInverseGivesTheAccelerationBackInEveryDigitThatJsonCarries) {
  const json inverse = run_json("inverse puma560 --random 11");
  const auto list = [](const json& numbers) {
    std::string text;
    for (const json& x : numbers) text += (text.empty() ? "" : ",") + x.dump();
    return text;
  };
  const std::string state =
      " --q " + list(inverse["state"]["q"]) + " --v " + list(inverse["state"]["v"]) + " --tau " + list(inverse["tau"]);
  for (const std::string method : {"articulated", "composite"}) {
    const json forward = run_json("forward puma560 --method " + method + state);
    EXPECT_EQ(forward["method"], method);
    ASSERT_EQ(forward["a"].size(), inverse["state"]["a"].size());
    for (std::size_t i = 0; i < forward["a"].size(); ++i)
      EXPECT_NEAR(forward["a"][i].get<double>(), inverse["state"]["a"][i].get<double>(), 1e-10) << method << i;
  }
}

TEST_F(CommandLine, ListsMayBeSplitByCommasSpacesBracketsOrNames) {
  const json expected = run_json("inverse planar_3r --q 0.1,-0.2,0.3")["tau"];
  EXPECT_EQ(run_json("inverse planar_3r --q 0.1 -0.2 0.3")["tau"], expected);
  EXPECT_EQ(run_json("inverse --q \"[0.1, -0.2, 0.3]\" planar_3r")["tau"], expected);
  EXPECT_EQ(run_json("inverse planar_3r --q=\"0.1 -.2 +0.3\"")["tau"], expected);
  const json names = run_json("info planar_3r")["position_names"];
  const auto name = [&](int i) { return names[i].get<std::string>(); };
  EXPECT_EQ(run_json("inverse planar_3r --q " + name(2) + "=0.3," + name(0) + "=0.1," + name(1) + "=-0.2")["tau"],
            expected);
}

TEST_F(CommandLine, MatricesKeepTheContract) {
  const json result = run_json("matrices planar_3r --random 5");
  for (const char* key : {"mass_matrix", "mass_matrix_inverse", "coriolis_matrix", "mass_matrix_dot"}) {
    ASSERT_EQ(result[key].size(), 3u) << key;
    for (const json& row : result[key]) EXPECT_EQ(row.size(), 3u) << key;
  }
  for (const char* key : {"gravity", "coriolis", "joint_forces", "bias", "joints"})
    EXPECT_EQ(result[key].size(), 3u) << key;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double product = 0;
      for (int k = 0; k < 3; ++k)
        product += result["mass_matrix"][i][k].get<double>() * result["mass_matrix_inverse"][k][j].get<double>();
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-12);
    }
  const json some = run_json("matrices planar_3r --only gravity");
  EXPECT_TRUE(some.contains("gravity"));
  EXPECT_FALSE(some.contains("mass_matrix"));
}

TEST_F(CommandLine, InfoListsLayoutMassAndTerms) {
  const json info = run_json("info stanford_arm");
  EXPECT_EQ(info["nq"], 6);
  EXPECT_NEAR(info["total_mass"].get<double>(), 21.1, 1e-12);
  EXPECT_EQ(info["joints"][2]["type"], "prismatic");
  const Result text = run("info " + write("pendulum.urdf", pendulum()));
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("damping: pivot 0.3"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("friction: pivot 0.2"), std::string::npos) << text.out;
}

TEST_F(CommandLine, FloatingBaseNamesEveryCoordinate) {
  const json result = run_json("inverse " + write("pendulum.urdf", pendulum()) + " --floating");
  EXPECT_EQ(result["joints"].size(), 2u);
  EXPECT_EQ(result["coordinates"].size(), 7u);
  EXPECT_EQ(result["tau"].size(), 7u);
}

TEST_F(CommandLine, DoctorTellsSeverityPlaceAndRemedyAndFixes) {
  // iyy + izz < ixx: no mass distribution has this inertia, yet M stays regular
  const std::string bad = write("bad.urdf", pendulum("<inertia ixx='1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/>"));
  const json report = run_json("doctor " + bad);
  bool found = false;
  for (const json& finding : report["findings"]) {
    for (const char* key : {"severity", "code", "file", "line", "body", "message", "remedy"})
      EXPECT_TRUE(finding.contains(key)) << key;
    found |= finding["severity"] == "warning" && finding["body"] == "rod" && finding["line"] == 3;
  }
  EXPECT_TRUE(found) << report.dump(2);
  EXPECT_EQ(run("doctor " + bad).code, 0);
  EXPECT_EQ(run("doctor --strict " + bad).code, 3);
  expect_failure("inverse --strict " + bad, 3, "bad.urdf:3");

  const Result fix = run("doctor " + bad + " --fix " + path("mended.urdf"));
  EXPECT_EQ(fix.code, 0) << fix.err;
  EXPECT_NE(fix.out.find("1 change"), std::string::npos) << fix.out;
  EXPECT_EQ(run("doctor --strict " + path("mended.urdf")).code, 0);
  expect_failure("doctor " + bad + " --fix " + bad, 3, "--force");

  EXPECT_EQ(run("doctor " + write("worse.urdf", pendulum("", "-1"))).code, 3);
  const Result missing = run("doctor " + path("missing.urdf"));
  EXPECT_EQ(missing.code, 3);
}

TEST_F(CommandLine, ConvertComparesAndNeverOverwritesUnasked) {
  const std::string target = path("arm.urdf");
  const Result first = run("convert stanford_arm " + target);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find("mass matrix"), std::string::npos);
  expect_failure("convert stanford_arm " + target, 3, "--force");
  const json back = run_json("convert " + target + " " + path("arm.toml"));
  EXPECT_EQ(back["passed"], true);
  EXPECT_LE(back["mass_matrix_difference"].get<double>(), 1e-12);
  expect_failure("convert stanford_arm " + path("arm.docx"), 2, ".urdf");
}

TEST_F(CommandLine, VerifyPassesOnEveryBuiltInRobot) {
  LONG_TEST();
  std::vector<std::string> names = {"random:22"};  // has a mimic of a mimic
  const json models = run_json("models");
  for (const json& model : models["models"]) names.push_back(model["name"]);
  for (const std::string& name : names) {
    const json result = run_json("verify --states 5 " + name);
    EXPECT_EQ(result["passed"], true) << name;
    EXPECT_GE(result["checks"].size(), 17u) << name;
    for (const json& check : result["checks"])
      EXPECT_EQ(check["passed"].get<bool>(), check["error"].get<double>() <= check["bound"].get<double>())
          << name << check;
  }
}

TEST_F(CommandLine, DemoShowsThePaperTable) {
  const Result result = run("demo");
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* part : {"13.342", "16.737", "-29.921", "digits", "Try next"})  // formula sheet 2.7
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
}

TEST_F(CommandLine, DemoLeavesPicturesOfTheFall) {
  ASSERT_EQ(run("demo").code, 0);
  for (const char* file : {"fall.csv", "fall.svg", "fall.png"})
    EXPECT_GT(std::filesystem::file_size(path("catena-demo/") + file), 1000u) << file;
  EXPECT_EQ(run("demo").code, 0);  // and again
}

TEST_F(CommandLine, BenchTimesWhatAgrees) {
  LONG_TEST();
  const json result = run_json("bench planar_3r");
  ASSERT_EQ(result["functions"].size(), 8u);
  for (const json& row : result["functions"]) {
    EXPECT_GT(row["plain_ns"].get<double>(), 0) << row;
    EXPECT_LT(row["difference"].get<double>(), 1e-11) << row;
    EXPECT_GT(row["operations"].get<int>(), 10) << row;
    EXPECT_GT(row["one_thread_ns"].get<double>(), 0) << row;
    EXPECT_GT(row["two_threads_ns"].get<double>(), 0) << row;
    // the short form, of what has one
    EXPECT_EQ(row.value("returning_ns", 0.0) > 0, row["function"] != "jacobian" && row["function"] != "pose") << row;
  }
  const json chosen = run_json("bench planar_3r --function xi,velocity_from_nu,jacobian --frames link2");
  ASSERT_EQ(chosen["functions"].size(), 3u);
  EXPECT_EQ(chosen["functions"][2]["function"], "jacobian");
  EXPECT_LT(chosen["functions"][2]["operations"], result["functions"][6]["operations"]);
  const json all = run_json("bench planar_3r --function all");
  for (const json& row : all["functions"]) EXPECT_LT(row["difference"].get<double>(), 1e-11) << row;
  expect_failure("bench planar_3r --function pose --frames nosuch", 3, "nosuch");
  expect_failure("bench nowhere", 3, "nowhere");
}

TEST_F(CommandLine, SimulatesFromFlagsAndRecords) {
  const std::string fall = "simulate stanford_arm --q 0,90deg,0,0,0,0 --duration 1 --every 0.1";
  const json result = run_json(fall);
  EXPECT_NEAR(result["q"][2].get<double>(), 2.999661619554, 1e-9);  // formula sheet 2.7
  EXPECT_EQ(result["rows"], 11);
  EXPECT_LT(result["drift"].get<double>(), 1e-8);
  const Result recorded = run(fall + " --output run.csv");
  ASSERT_EQ(recorded.code, 0) << recorded.err;
  const std::string text = slurp(path("run.csv"));
  EXPECT_NE(text.find("\ntime,q.joint1,"), std::string::npos) << text.substr(0, 400);
  for (const char* part : {"v.joint6", "tau.joint3", "energy.kinetic", "energy.balance"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  expect_failure(fall + " --output run.csv", 3, "exists");
  expect_failure(fall + " --output run.txt", 2, ".csv or .h5");
  expect_failure(fall + " --resume", 2, "--output");
  expect_failure("simulate stanford_arm --duration -1", 2, "--duration");
  expect_failure("simulate stanford_arm --integrator rk5", 2, "rk4");
}

TEST_F(CommandLine, ResumesAKilledRunBitForBit) {
  const std::string scenario = write("run.toml",
                                     "model = \"arm7\"\nduration = 0.5\nevery = 0.01\n[integrator]\nmethod = \"rk4\"\n"
                                     "[start]\nq = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]\n");
  ASSERT_EQ(run("simulate " + scenario + " --output whole.csv").code, 0);
  const std::string whole = slurp(path("whole.csv"));
  write("cut.csv", whole.substr(0, whole.size() * 2 / 3));
  ASSERT_EQ(run("simulate " + scenario + " --output cut.csv --resume").code, 0);
  EXPECT_EQ(slurp(path("cut.csv")), whole);
  const std::string other = write("other.toml", "model = \"arm7\"\nduration = 0.5\nevery = 0.01\n");
  expect_failure("simulate " + other + " --output cut.csv --resume", 3, "another");
}

TEST_F(CommandLine, InterruptedRunsKeepWhatTheyDid) {
  const Result result =
      run("simulate arm7 --duration 100000 --every 0.01 --integrator euler --step 0.001 --output long.csv & "
          "sleep 1; kill -INT $!; wait $!");
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_NE(result.out.find("--resume"), std::string::npos) << result.out;
  const std::string text = slurp(path("long.csv"));
  EXPECT_EQ(text.back(), '\n');
}

TEST_F(CommandLine, TrajectoryInAndOutByJointName) {
  const json names = run_json("info planar_3r")["velocity_names"];
  std::string header = "time";
  for (const char* kind : {"a.", "q.", "v."})
    for (int i = 2; i >= 0; --i) header += "," + std::string(kind) + names[i].get<std::string>();
  const std::string file = write("motion.csv", header + "\n0,0,0,0,0.3,0.2,0.1,0,0,0\n0.5,3,2,1,0,0,0,6,5,4\n");
  const Result result = run("inverse planar_3r --trajectory " + file);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.substr(0, 9), "time,tau.") << result.out;
  const json first = run_json("inverse planar_3r --q 0.1,0.2,0.3")["tau"];
  const json second = run_json("inverse planar_3r --v 4,5,6 --a 1,2,3")["tau"];
  const json rows = run_json("inverse planar_3r --trajectory " + file);
  EXPECT_EQ(rows["tau"][0], first);
  EXPECT_EQ(rows["tau"][1], second);
  EXPECT_EQ(rows["time"], json({0, 0.5}));
  EXPECT_EQ(rows["peak"].size(), 3u);
  expect_failure("inverse planar_3r --trajectory " + write("bad.csv", header + "\n0,0,0,0,x,0,0,0,0,0\n"), 3,
                 "bad.csv:2");
}

TEST_F(CommandLine, ForcesAlongALawOfTime) {
  const std::string saha = "inverse stanford_arm --q 0,90deg,0,0,0,0 --to 60deg,60deg,0.1,60deg,60deg,60deg --every 1 ";
  const json rows = run_json(saha + "--trajectory cycloidal:10");
  ASSERT_EQ(rows["tau"].size(), 11u);
  EXPECT_NEAR(rows["tau"][5][2].get<double>(), -15.57439189651, 1e-10);  // formula sheet 2.7
  EXPECT_NEAR(rows["tau"][8][1].get<double>(), 16.76299287703, 1e-10);
  EXPECT_NEAR(rows["peak_power"][2].get<double>(), 21.37276497285 * 0.01809016994375, 1e-10);  // t = 6
  EXPECT_EQ(rows["energy"]["given"][1], 0);                                                    // joint 2 only lets down
  EXPECT_LT(rows["energy"]["taken"][1].get<double>(), -8);
  EXPECT_EQ(rows["time"].back(), 10);
  // the energies sum to what the arm has gained in height: it begins and ends at rest
  const json fine =
      run_json("inverse planar_3r --q -90deg,0,0 --to 90deg,0,0 --trajectory minimum_jerk:2 --every 1e-3");
  double work = 0;
  for (int i = 0; i < 3; ++i)
    work += fine["energy"]["given"][i].get<double>() + fine["energy"]["taken"][i].get<double>();
  EXPECT_NEAR(work, 9.81 * (0.5 + 1.5 + 2.5) * 2, 1e-3);
  EXPECT_EQ(run_json("inverse planar_3r --to joint1=1 --trajectory trapezoidal:1 --every 0.3")["time"],
            json({0, 0.3, 0.6, 0.8999999999999999, 1}));
  expect_failure(saha + "--trajectory cycloid:10", 2, "cycloidal");
  expect_failure(saha + "--trajectory cycloidal", 2, "cycloidal:T");
  expect_failure(saha + "--trajectory cycloidal:-1", 2, "positive");
  expect_failure("inverse planar_3r --trajectory cycloidal:1", 2, "--to");
  expect_failure("inverse planar_3r --to 1,2,3", 2, "--trajectory");
  expect_failure("inverse planar_3r --trajectory cycloidal:1 --to 1,2", 3, "--to");
  expect_failure("inverse planar_3r --trajectory cycloidal:1 --to 1,2,3 --every 0", 2, "--every");
}

TEST_F(CommandLine, LimitsThatAMotionPassesAreNamed) {
  const std::string arm =
      write("arm.toml",
            "[[body]]\nname = \"rod\"\njoint = \"revolute\"\njoint_name = \"hinge\"\naxis = [0, 1, 0]\n"
            "mass = 2\ncom = [0.5, 0, 0]\ninertia = [0.1, 0.1, 0.1]\n"
            "limits = { lower = -1, upper = 0.5, velocity = 1, effort = 9 }\n");
  const std::string move = "inverse " + arm + " --q 0 --to 1 --trajectory cycloidal:1 --every 0.25";
  const json list = run_json(move)["limits_exceeded"];
  ASSERT_EQ(list.size(), 3u) << list;
  EXPECT_EQ(list[0]["quantity"], "position");
  EXPECT_EQ(list[0]["first_time"], 0.75);
  EXPECT_NEAR(list[0]["by"].get<double>(), 0.5, 1e-12);
  EXPECT_EQ(list[1]["quantity"], "velocity");
  EXPECT_EQ(list[1]["first_time"], 0.5);
  EXPECT_NEAR(list[1]["by"].get<double>(), 1, 1e-12);
  EXPECT_EQ(list[2]["quantity"], "effort");
  const Result text = run(move);
  EXPECT_NE(text.err.find("limit exceeded: velocity of hinge passes 1 rad/s by up to 1 rad/s, first at 0.5 s"),
            std::string::npos)
      << text.err;
}

TEST_F(CommandLine, PositionsAloneAreDifferentiatedByTheirSpline) {
  std::string rows = "time,q.joint1,q.joint2,q.joint3\n";
  for (const double t : {1.0, 1.2, 1.7, 2.0, 2.5}) {
    const double x = t - 1;
    rows += std::to_string(t) + "," + std::to_string(x * x) + "," + std::to_string(x * x * x) + ",0.25\n";
  }
  const json result = run_json("inverse planar_3r --trajectory " + write("path.csv", rows));
  EXPECT_NEAR(result["a"][2][0].get<double>(), 2, 1e-4);  // six digits in the file
  EXPECT_NEAR(result["v"][3][1].get<double>(), 3, 1e-4);
  EXPECT_NEAR(result["a"][4][1].get<double>(), 6 * 1.5, 1e-3);
  EXPECT_EQ(result["time"][0], 1);
  EXPECT_NE(result["note"].get<std::string>().find("spline"), std::string::npos);
  const std::string header = "time,q.joint1,q.joint2,q.joint3\n";
  expect_failure("inverse planar_3r --trajectory " + write("back.csv", header + "0,0,0,0\n0,1,1,1\n"), 3,
                 "back.csv:3: 'time': the time 0 s is");
  const Result untimed =
      run("inverse planar_3r --trajectory " + write("untimed.csv", "q.joint1,q.joint2,q.joint3\n0,0,0\n"));
  EXPECT_EQ(untimed.code, 3);
  for (const char* part : {"missing columns: v.joint1", "missing columns: a.joint1"})
    EXPECT_NE(untimed.err.find(part), std::string::npos) << untimed.err;
}

TEST_F(CommandLine, OutputGoesToAFileAndIsNotOverwrittenUnasked) {
  const std::string file = path("out.json");
  const Result result = run("info stanford_arm --json --output " + file);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(json::parse(slurp(file))["name"], "stanford_arm");
  expect_failure("info stanford_arm --output " + file, 3, "--force");
  EXPECT_EQ(run("info stanford_arm --force --output " + file).code, 0);
  expect_failure("info stanford_arm --output " + path("no/such/folder/x"), 3, "cannot be written");
}

TEST_F(CommandLine, IsQuietWhenTheReaderStopsReading) {
  const Result result = run("matrices humanoid | head -1 >/dev/null; true");
  EXPECT_EQ(result.err, "");
}

TEST_F(CommandLine, NeverColoursAPipe) { EXPECT_EQ(run("info stanford_arm").out.find('\033'), std::string::npos); }

TEST_F(CommandLine, CompletionScriptsKnowCommandsAndFlags) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Result result = run(std::string("completion ") + shell);
    EXPECT_EQ(result.code, 0) << shell;
    for (const char* word : {"inverse", "no-friction", "stanford_arm"})
      EXPECT_NE(result.out.find(word), std::string::npos) << shell << word;
  }
  EXPECT_EQ(std::system(("bash -n <<'EOF'\n" + run("completion bash").out + "\nEOF").c_str()), 0);
}

}  // namespace
