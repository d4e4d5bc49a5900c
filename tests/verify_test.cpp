// The checks of `catena verify` on robots whose numbers are far apart: what rounding explains is no failure, and a law
// that fails has been broken.
#include <nlohmann/json.hpp>
#include <set>

#include "catena/batch/engine.hpp"
#include "tags.hpp"
#include "tool_support.hpp"

namespace catena::test {
namespace {

class Verify : public ToolTest {
 protected:
  void expect_passed(const std::string& arguments) const {
    const ToolResult result = run("verify --states 30 " + arguments);
    EXPECT_EQ(result.code, 0) << result.out << result.err;
  }
};

// A point mass on two crossed axes: the first joint feels cos^2 q of it, nothing at q = pi/2.
TEST_F(Verify, APointMassNearItsAxisIsNoFailure) {
  write("gimbal.toml", R"(
name = "gimbal"
gravity = [0, 0, 0]
[[body]]
name = "a"
joint = "revolute"
axis = [0, 0, 1]
[[body]]
name = "b"
parent = "a"
joint = "revolute"
axis = [0, 1, 0]
mass = 1
com = [1, 0, 0]
inertia = [0, 0, 0]
)");
  expect_passed("gimbal.toml");
  for (const std::string command : {"linearize", "forward"}) {
    expect_failure(command + " gimbal.toml --q 0,1.5707963267948966 --tau 1,1", 4, "singular at joint a");
  }
}

// A tool of little inertia, or thin along its axis, at the end of a heavy arm.
TEST_F(Verify, ATinyInertiaBehindHeavyLinksIsNoFailure) {
  LONG_TEST();
  const std::string arm = R"(
name = "tiny_tip"
[[body]]
name = "base"
joint = "revolute"
axis = [0, 0, 1]
mass = 20
com = [0.1, 0, 0.2]
inertia = [1, 1, 1]
[[body]]
name = "upper"
parent = "base"
joint = "revolute"
position = [0.2, 0, 0.8]
axis = [0, 1, 0]
mass = 10
com = [0.3, 0, 0]
inertia = [0.1, 0.5, 0.5]
[[body]]
name = "fore"
parent = "upper"
joint = "revolute"
position = [0.7, 0, 0]
axis = [0, 0, 1]
mass = 5
com = [0.3, 0, 0]
inertia = [0.05, 0.2, 0.2]
[[body]]
name = "tip"
parent = "fore"
joint = "revolute"
position = [0.6, 0.1, 0]
)";
  std::string float_arm = arm;  // its first joint is free
  const std::string first = "joint = \"revolute\"\naxis = [0, 0, 1]\nmass = 20";
  float_arm.replace(float_arm.find(first), first.size(), "joint = \"free\"\nmass = 20");
  for (const char* tip : {"axis = [1, 0, 0]\nmass = 1\ncom = [0.001, 0, 0]\ninertia = [4e-6, 4e-6, 4e-6]\n",
                          "axis = [1, 0, 0]\nmass = 1\ncom = [0.1, 0, 0]\ninertia = [1e-7, 1e-7, 1e-7]\n",
                          "axis = [0, 1, 0]\nmass = 1\ncom = [0.0001, 0, 0]\ninertia = [1e-7, 1e-7, 1e-7]\n",
                          "axis = [0.6, 0.8, 0]\nmass = 2\ncom = [0, 0, 0.0001]\ninertia = [1e-8, 1e-8, 1e-8]\n",
                          "axis = [0.6, 0.8, 0]\nmass = 1\ncom = [0.3, 0.4, 0]\ninertia = [4e-6, 4e-6, 4e-6]\n"}) {
    SCOPED_TRACE(tip);
    write("tip.toml", arm + tip);
    expect_passed("tip.toml");
    write("floating.toml", float_arm + tip);
    expect_passed("floating.toml");
  }
}

// Rotors with limits at the ends of the numbers, as public files have them: the robot is tested, not its sines.
TEST_F(Verify, RotorsWithoutMeaningfulLimitsAreDrawnWithinATurn) {
  std::string urdf = R"(<robot name="rotors"><link name="body"><inertial><mass value="1.5"/>
    <inertia ixx="0.03" iyy="0.04" izz="0.06" ixy="0" ixz="0" iyz="0"/></inertial></link>)";
  for (int k = 0; k < 4; ++k) {
    const std::string n = std::to_string(k), x = k < 2 ? "0.13" : "-0.13", y = k % 2 == 0 ? "0.22" : "-0.22";
    urdf += "<link name=\"rotor" + n + R"("><inertial><origin xyz="0.01 0.002 0"/><mass value="0.005"/>
      <inertia ixx="1e-6" iyy="3e-5" izz="3e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="spin)" +
            n + R"(" type="revolute"><parent link="body"/><child link="rotor)" + n + "\"/><origin xyz=\"" + x + " " +
            y + R"( 0.02" rpy="0.1 0.2 0.3"/><axis xyz="0 0 1"/>
      <limit lower="-1e+16" upper="1e+16" effort="10" velocity="100"/></joint>)";
  }
  write("rotors.urdf", urdf + "</robot>");
  expect_passed("rotors.urdf --floating");
  expect_passed("rotors.urdf");
}

// The slope of dry friction is a difference of numbers of the size of its coefficient over its scale, far larger here than
// what inertias add to A_D.
TEST_F(Verify, TheSlopeOfFrictionOnATinyLinkIsNoFailure) {
  write("finger.toml", R"(
name = "finger"
[[body]]
name = "a"
joint = "revolute"
axis = [0, 0, 1]
friction = 20
mass = 1e-3
com = [0.01, 0, 0]
inertia = [1e-8, 1e-8, 1e-8]
)");
  expect_passed("finger.toml");
}

// A pendulum on a free body of little mass: cond M is 4e7, and what linearizations leave over in the forces is rounding
// all the same.
TEST_F(Verify, LinearizationsKeepTightBoundsOnABadlyConditionedRobot) {
  write("pendulum.toml", R"(
name = "pendulum"
[[body]]
name = "base"
joint = "free"
mass = 1e-5
com = [0, 0, 0.1]
inertia = [1e-7, 1e-7, 1e-7]
[[body]]
name = "arm"
parent = "base"
joint = "revolute"
axis = [0, 1, 0]
mass = 1
com = [0, 0, -1]
inertia = [1e-3, 1e-3, 1e-3]
)");
  const ToolResult result = run("verify --states 30 --json pendulum.toml");
  ASSERT_EQ(result.code, 0) << result.out << result.err;
  const nlohmann::json answer = nlohmann::json::parse(result.out);
  int seen = 0;
  for (const auto& check : answer.at("checks")) {
    const std::string name = check.at("name");
    if (!name.starts_with("linear_") && name != "forward_residual") continue;
    ++seen;
    EXPECT_LT(check.at("bound").get<double>(), 1e-12) << name;
  }
  EXPECT_GE(seen, 10);
}

// What ships is checked: machine code for one state and for batches, the kernels in lanes and generated C, each with its
// bound.
TEST_F(Verify, HoldsEveryBackendAgainstThePlainCalls) {
  for (const std::string robot : {"arm7", "quadruped", "joints"}) {
    const ToolResult result = run("verify --states 3 --json " + robot);
    EXPECT_EQ(result.code, 0) << result.out << result.err;
    std::set<std::string> names;
    const nlohmann::json answer = nlohmann::json::parse(result.out);
    for (const auto& check : answer.at("checks")) {
      const std::string name = check.at("name");
      if (!name.starts_with("backend_")) continue;
      names.insert(name);
      EXPECT_GT(check.at("bound").get<double>(), 0) << name;
      EXPECT_LT(check.at("bound").get<double>(), 1e-8) << name;
    }
    for (const int width : batch::widths())
      EXPECT_EQ(names.count("backend_lanes_" + std::to_string(width)), 1u) << robot;
    const std::size_t has_code = batch::widths().size() > 1 ? 1 : 0;  // AVX2 with FMA
    EXPECT_EQ(names.count("backend_compiled"), has_code) << robot;
    EXPECT_EQ(names.count("backend_batch"), has_code) << robot;
    EXPECT_EQ(names.count("backend_c"), 1u) << robot;
  }
  if (batch::widths().size() == 1) return;
  EXPECT_NE(run("verify --states 3 arm7").out.find("No machine code, the plain kernels run: forward_nu, forward_xi"),
            std::string::npos);
}

}  // namespace
}  // namespace catena::test
