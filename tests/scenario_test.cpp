// Scenario files: defaults, every kind of input, and mistakes with their line.
#include "catena/simulate/scenario.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace catena {
namespace {

std::string finding_of(const std::string& text) {
  try {
    scenario_from_text(text, "case.toml");
  } catch (const ModelError& error) {
    std::string all;
    for (const Finding& finding : error.findings()) all += finding.text() + "\n";
    return all;
  }
  return "";
}

TEST(Scenario, ThreeLinesAreAFreeFall) {
  const Scenario fall = scenario_from_text("model = \"planar_3r\"\nduration = 2\nevery = 0.5\n", "fall.toml");
  EXPECT_EQ(fall.options.duration, 2);
  EXPECT_EQ(fall.options.every, 0.5);
  EXPECT_TRUE(fall.q.isZero());
  Vector tau = Vector::Ones(3);
  fall.controller->forces(0, fall.q, fall.v, tau);
  EXPECT_TRUE(tau.isZero());
}

TEST(Scenario, ReadsEveryKindOfInput) {
  const std::string head = "model = \"planar_3r\"\nduration = 0.02\n[start]\nq = [0.1, 0.2, 0.3]\n";
  const std::string motion = "[motion]\nlaw = \"cycloidal\"\nto = [1, 1, 1]\nduration = 1\n";
  for (const char* input :
       {"kind = \"zero\"", "kind = \"constant\"\ntau = [1, 2, 3]", "kind = \"feedforward\"",
        "kind = \"pd\"\nstiffness = 10\ndamping = [1, 2, 3]", "kind = \"pd_gravity\"\ntarget = [0, 0, 0]",
        "kind = \"computed_torque\"\nperiod = 0.002", "kind = \"joint_impedance\"\nlimit_effort = true",
        "kind = \"lqr\"", "kind = \"tracking_lqr\"\nforce_weight = 0.1",
        "kind = \"operational_impedance\"\nframe = \"link3\"\nposition = [1, 1, 0]", "kind = \"brake\"\nc = 2",
        "kind = \"reach\"\nframe = \"link3\"\nposition = [1, 1, 0]\nc = 5"}) {
    SCOPED_TRACE(input);
    const Scenario scenario = scenario_from_text(head + motion + "[input]\n" + input + "\n", "case.toml");
    Simulation simulation(scenario.model, scenario.controller, scenario.options, scenario.actuation, scenario.wrenches);
    simulation.start(scenario.q, scenario.v);
    EXPECT_TRUE(simulation.run({}).finished);
  }
}

TEST(Scenario, TellsTheLineOfADelayThatIsNone) {
  const std::string all = finding_of(
      "model = \"planar_3r\"\nduration = 1\n[input]\nkind = \"pd\"\ndelay = -1\nperiod = -2\nstifness = 3\n");
  EXPECT_NE(all.find("case.toml:5: error: the delay must be zero or a positive"), std::string::npos) << all;
  EXPECT_NE(all.find("case.toml:6: error: the sample period must be zero or a positive"), std::string::npos) << all;
  EXPECT_NE(all.find("stifness"), std::string::npos) << all;  // beside the others
  const std::string alone = finding_of("model = \"planar_3r\"\nduration = 1\n[input]\nkind = \"zero\"\ndelay = 1\n");
  EXPECT_NE(alone.find("case.toml:5: error: a delay needs a sample period"), std::string::npos) << alone;
}

TEST(Scenario, NamesThatNoFileCanHaveAreMissingFiles) {
  const std::string text = "model = \"" + std::string(5000, 'j') + "\"\nduration = 1\n";
  const std::string message = finding_of(text);
  EXPECT_NE(message.find("there is no such file"), std::string::npos) << message;
}

TEST(Scenario, TakesFilesBesideIt) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "catena_scenario_test";
  std::filesystem::create_directories(folder);
  const std::string joints[] = {"joint1", "joint2", "joint3"};
  std::ofstream(folder / "tau.csv") << "time,tau." << joints[0] << ",tau." << joints[1] << ",tau." << joints[2]
                                    << "\n0,0,0,0\n0.5,1,2,3\n";
  std::ofstream(folder / "push.csv") << "time,fx,mz\n0,0,0\n0.1,5,1\n";
  std::ofstream(folder / "run.toml")
      << "model = \"planar_3r\"\nduration = 1\n[input]\nkind = \"series\"\nfile = \"tau.csv\"\n"
         "[[wrench]]\nframe = \"link3\"\nfile = \"push.csv\"\n";
  const Scenario scenario = read_scenario((folder / "run.toml").string());
  EXPECT_TRUE(is_scenario((folder / "run.toml").string()));
  ASSERT_EQ(scenario.wrenches.size(), 1u);
  EXPECT_NEAR(scenario.wrenches[0].at(0.05)[3], 2.5, 1e-15);
  EXPECT_NEAR(scenario.wrenches[0].at(0.05)[2], 0.5, 1e-15);
  EXPECT_EQ(scenario.wrenches[0].at(0.2).norm(), 0);
  Vector tau(3);
  scenario.controller->forces(0.25, scenario.q, scenario.v, tau);
  EXPECT_NEAR(tau[2], 1.5, 1e-15);
  std::filesystem::remove_all(folder);
}

TEST(Scenario, NamesThePlaceOfEveryMistake) {
  const std::string head = "model = \"planar_3r\"\nduration = 1\n";
  const auto expect = [&](const std::string& rest, const std::string& place, const std::string& what) {
    const std::string finding = finding_of(rest);
    EXPECT_NE(finding.find(place), std::string::npos) << rest << "\n-> " << finding;
    EXPECT_NE(finding.find(what), std::string::npos) << rest << "\n-> " << finding;
  };
  expect("duration = 1\n", "case.toml", "names no robot");
  expect("model = \"planar_3r\"\n", "case.toml", "no duration");
  expect("model = \"planar_4r\"\nduration = 1\n", "planar_4r", "planar_3r");
  expect("model = \"planar_3r\"\nduration = -1\n", "case.toml:2", "positive");
  expect(head + "evry = 0.1\n", "case.toml:3", "every");
  expect(head + "[start]\nq = [1, 2]\n", "case.toml:4", "3");
  expect(head + "[start]\nq = {elbow = 1}\n", "case.toml:4", "elbow");
  expect(head + "[input]\nkind = \"pid\"\n", "case.toml:4", "pd");
  expect(head + "[input]\nkind = \"pd\"\nstiffness = -1\n", "case.toml:3", "gains");
  expect(head + "[input]\nkind = \"series\"\nfile = \"nowhere.csv\"\n", "nowhere.csv", "");
  expect(head + "[integrator]\nmethod = \"rk5\"\n", "case.toml:4", "rk4");
  expect(head + "[integrator]\nmethod = \"rk4\"\nstep = 0.003\n", "case.toml", "multiple of the step");
  expect(head + "[[stop]]\nquantity = \"q.joint1\"\n", "case.toml:3", "above or below");
  expect(head + "[[stop]]\nquantity = \"q.jont1\"\nabove = 1\n", "case.toml", "q.joint1");
  expect(head + "[[wrench]]\nframe = \"hand\"\nforce = [1, 0, 0]\n", "case.toml:4", "hand");
  expect(head + "[limits]\nat = \"bounce\"\nrestitution = 2\n", "case.toml:5", "between 0 and 1");
  expect("model = [\n", "case.toml", "");
  expect(head + "record = [\"nu\", \"energy\"]\n", "case.toml:3", "energy");
  expect(head + "[start]\nrandom = 1e300\n", "case.toml:4", "whole number");
}

// Nobody has to run it again and again: what does not depend on the robot is told even if there is no robot.
TEST(Scenario, TellsAllMistakesAtOnce) {
  const std::string mistakes =
      "every = 0\nrecord = [\"b\"]\n[integrator]\nmethod = \"rk5\"\nrtol = -1\n[limits]\nat = "
      "\"stick\"\n[[stop]]\nabove = 1\n";
  const std::string without =
      finding_of("model = \"planar_4r\"\nduration = -1\n" + mistakes + "[input]\nkind = \"zero\"\n");
  for (const char* part : {"planar_3r", "case.toml:2", "case.toml:3", "case.toml:4", "case.toml:6", "case.toml:7",
                           "case.toml:9", "case.toml:10"})
    EXPECT_NE(without.find(part), std::string::npos) << part << "\n" << without;
  EXPECT_EQ(without.find("key-unknown"), std::string::npos) << without;
  const std::string with = finding_of(
      "model = \"planar_3r\"\nduration = -1\n" + mistakes +
      "[start]\nq = [1]\n[motion]\nlaw = \"file\"\nfile = \"none.csv\"\n[input]\nkind = \"pid\"\n[[wrench]]\n");
  for (const char* part :
       {"case.toml:2", "case.toml:10", "case.toml:13", "case.toml:16: error: file 'none.csv': there is no such file",
        "case.toml:18", "case.toml:19"})
    EXPECT_NE(with.find(part), std::string::npos) << part << "\n" << with;
}

}  // namespace
}  // namespace catena
