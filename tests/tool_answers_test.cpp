// What the tool's commands say about physics and about themselves: sentences and numbers held against another route.
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "catena/diagonal/diagonal.hpp"
#include "catena/read/robot.hpp"
#include "catena/record/recording.hpp"
#include "tags.hpp"
#include "tool_support.hpp"

namespace catena {
namespace {

using nlohmann::json;
using test::ToolResult;

class ToolAnswers : public test::ToolTest {
 protected:
  json run_json(const std::string& arguments) const {
    const ToolResult result = run(arguments + " --json");
    EXPECT_EQ(result.code, 0) << arguments << "\n" << result.err;
    return json::parse(result.out, nullptr, false);
  }
  // The text with its lines joined, so that sentences can be searched.
  std::string text_of(const std::string& arguments) const {
    const ToolResult result = run(arguments);
    EXPECT_EQ(result.code, 0) << arguments << "\n" << result.err;
    return std::regex_replace(result.out, std::regex("\\s+"), " ");
  }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string moving = "diagonalize planar_3r --q 10deg,20deg,30deg --tau 1,2,3 --base-twist 0,0,0,5,0,0";

// Three links of 1 kg carried along at 5 m/s: 37.5 J, and drives at rest give no power.
TEST_F(ToolAnswers, DiagonalizeTellsTheTrueEnergyOnAMovingGround) {
  const json answer = run_json(moving);
  EXPECT_NEAR(answer["kinetic_energy"].get<double>(), 37.5, 1e-12);
  EXPECT_EQ(answer["drive_power"].get<double>(), 0);
  double half = 0;
  for (const double x : answer["nu"].get<std::vector<double>>()) half += 0.5 * x * x;
  EXPECT_NEAR(answer["half_nu_squared"].get<double>(), half, 1e-12);
  EXPECT_LT(half, 10);
  const std::string text = text_of(moving);
  EXPECT_TRUE(contains(text, "kinetic energy 37.5 J power of the drives vᵀtau = 0 W")) << text;
  EXPECT_TRUE(contains(text, "above the least that the robot could have on this moving ground")) << text;
  EXPECT_FALSE(contains(text, "kinetic energy ½ nuᵀnu")) << text;
  EXPECT_FALSE(contains(text, "does no work")) << text;
  EXPECT_FALSE(contains(text, "nu = mᵀ v")) << text;
}

// Joint terms, wrenches, gravity, couplings, an accelerating ground: with the ground at rest the sentence holds.
TEST_F(ToolAnswers, DiagonalizeTellsTheTrueEnergyOnAGroundAtRest) {
  for (const std::string& rest :
       {std::string("stanford_arm --random 3"), std::string("joints --random 3"), std::string("quadruped --random 3"),
        std::string("joints --random 3 --no-joint-terms --gravity 0,0,0"),
        std::string("planar_3r --random 4 --wrench link2:1,2,3,4,5,6"),
        std::string("planar_3r --random 4 --base-acceleration 1,2,3,4,5,6")}) {
    SCOPED_TRACE(rest);
    const json answer = run_json("diagonalize " + rest);
    const Model model = read::load(rest.substr(0, rest.find(' ')));
    const auto vector = [&](const char* name) {
      const std::vector<double> numbers = answer["state"][name].get<std::vector<double>>();
      return Vector(Eigen::Map<const Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size())));
    };
    const Vector v = vector("v"), tau = vector("tau");
    const bool bare = rest.find("--no-joint-terms") != std::string::npos;  // rotors left out
    const double energy = Kinematics(model, vector("q"), v).kinetic_energy();
    if (!bare) {
      EXPECT_NEAR(answer["kinetic_energy"].get<double>(), energy, 1e-10 * (1 + energy));
    }
    const double told = answer["kinetic_energy"].get<double>(), power = v.dot(tau);
    EXPECT_NEAR(answer["half_nu_squared"].get<double>(), told, 1e-10 * (1 + told));
    EXPECT_NEAR(answer["drive_power"].get<double>(), power, 1e-10 * (1 + std::abs(power)));
    EXPECT_NEAR(answer["nu_epsilon"].get<double>(), power, 1e-9 * (1 + v.norm() * tau.norm()));
    EXPECT_NEAR(answer["nu_C_nu"].get<double>(), 0, 1e-9 * (1 + told));
    const std::string text = text_of("diagonalize " + rest);
    EXPECT_TRUE(contains(text, "kinetic energy ½ nuᵀnu = ")) << text;
    EXPECT_TRUE(contains(text, "the Coriolis term does no work")) << text;
    EXPECT_EQ(contains(text, "The ground's acceleration stands nowhere"), contains(rest, "acceleration")) << text;
    // couplings are factored coordinate by coordinate: nothing is said of links inward and outward
    EXPECT_EQ(contains(text, "(past)") || contains(text, "articulated inertia"), !model.has_couplings()) << text;
  }
}

// [004] section 7: the past links lie outboard, the future links inboard. That the mathematics is so:
// DiagonalLaws.InertiaAndForcesComeFromThePastLinksAndRatesFromTheFuture.
TEST_F(ToolAnswers, PastIsOutwardAndFutureIsInwardWhereverItIsSaid) {
  const std::string root = CATENA_TEST_DATA "/../../";
  const std::string page = test::slurp(root + "docs/papers/diagonalized.md");
  for (std::string text :
       {text_of("diagonalize planar_3r"), page, test::slurp(root + "src/catena/diagonal/diagonal.hpp")}) {
    text = std::regex_replace(text, std::regex("\\s*\n(// )?"), " ");
    const std::regex said(
        "(inward|outward)[^.:;]*?\\([^)]*?(past|future)|(inward|outward)[^.:;]*?\\(\"(past|future)\"");
    std::set<std::string> met;
    for (std::sregex_iterator i(text.begin(), text.end(), said), end; i != end; ++i) {
      const std::string where = (*i)[1].matched ? (*i)[1] : (*i)[3], word = (*i)[2].matched ? (*i)[2] : (*i)[4];
      EXPECT_EQ(word, where == "outward" ? "past" : "future") << i->str();
      met.insert(word);
    }
    EXPECT_EQ(met.size(), 2u) << text;
  }
}

// A way that a function cannot go is left out with its reason: this chain's linearization has code for one state a
// call, which leaves the products to loops, and is too long for code in lanes.
TEST_F(ToolAnswers, BenchLeavesOutWhatABackendCannotDoAndSaysWhy) {
  LONG_TEST();
  const json answer = run_json("bench chain:16 --function linearize_forward,inverse");
  const json& slopes = answer["functions"][0];
  EXPECT_GT(slopes["plain_ns"].get<double>(), 0);
  EXPECT_GT(slopes["lanes_ns"].get<double>(), 0);
  EXPECT_FALSE(slopes.contains("batch_ns")) << slopes;
  EXPECT_NE(slopes.contains("compiled_ns"), slopes["left_out"].contains("compiled")) << slopes;
  EXPECT_TRUE(slopes["left_out"].contains("batch")) << slopes;
  EXPECT_NE(slopes["left_out"]["batch"].get<std::string>(), "");
  const std::string text = text_of("bench chain:16 --function linearize_forward");
  EXPECT_TRUE(contains(text, "– linearize_forward (")) << text;
  EXPECT_TRUE(contains(text, slopes["left_out"]["batch"].get<std::string>())) << text;

  // quasi-velocities of coupled joints: the plain library alone
  const json coupled = run_json("bench joints --function nu");
  EXPECT_GT(coupled["functions"][0]["plain_ns"].get<double>(), 0);
  for (const char* way : {"compiled", "batch", "lanes"})
    EXPECT_TRUE(coupled["functions"][0]["left_out"].contains(way)) << coupled;
}

std::string arm_whose_file_ends_in_the_world() {
  const std::string solid =
      "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
  return "<robot name='arm'>\n<link name='base'>" + solid + "</link>\n<link name='lower'>" + solid +
         "</link>\n<link name='upper'>" + solid +
         "</link>\n<link name='tool'/>\n"
         "<joint name='shoulder' type='continuous'><parent link='base'/><child link='lower'/></joint>\n"
         "<joint name='elbow' type='continuous'><origin xyz='1 0 0'/><parent link='lower'/><child link='upper'/>"
         "<axis xyz='0 1 0'/></joint>\n"
         "<joint name='grip' type='fixed'><origin xyz='1 0 0'/><parent link='upper'/><child link='tool'/></joint>\n"
         "<joint name='ground' type='fixed'><parent link='world'/><child link='base'/></joint>\n"
         "<link name='world'/>\n</robot>\n";
}

TEST_F(ToolAnswers, CountAndBenchMeasureTheTipAndNotTheWorld) {
  const std::string arm = write("arm.urdf", arm_whose_file_ends_in_the_world());
  EXPECT_GT(run_json("count " + arm)["counts"]["jacobian"]["mul"].get<int>(), 0);
  EXPECT_GT(run_json("count " + arm)["specialised"]["jacobian"]["mul"].get<int>(), 0);
  EXPECT_TRUE(contains(text_of("count " + arm), "pose, jacobian: of tool, the tip of the robot"));
  EXPECT_GT(run_json("bench " + arm + " --function jacobian")["functions"][0]["operations"].get<int>(), 0);
  EXPECT_TRUE(contains(text_of("bench " + arm + " --function pose"), "Jacobian and pose: of tool, the tip"));
}

TEST_F(ToolAnswers, FloatingIsRefusedInWordsWhereTheRobotFloatsAlready) {
  std::string text = arm_whose_file_ends_in_the_world();
  const std::string arm = write("arm.urdf", text);
  text.replace(text.find("name='ground' type='fixed'"), 26, "name='ground' type='floating'");
  const std::string floating = write("floating.urdf", text);
  expect_failure("info " + floating + " --floating", 3, "floats already");
  EXPECT_EQ(run("info " + floating).code, 0);
  EXPECT_EQ(run("doctor " + arm + " --floating").code, 0);
  const ToolResult doctor = run("doctor " + floating + " --floating");
  EXPECT_EQ(doctor.code, 3);
  EXPECT_TRUE(contains(doctor.out, "floating-already")) << doctor.out;
  EXPECT_FALSE(contains(doctor.out, "mass")) << doctor.out;
}

// The same numbers by every way out: CSV, HDF5 read back, JSON.
TEST_F(ToolAnswers, LinearizeAlongAMotionWritesTheSameMatricesToEveryFormat) {
  const std::string along = "linearize planar_3r --trajectory cycloidal:1 --to 1,0.5,0.2 --every 0.2";
  ASSERT_EQ(run(along + " -o along.h5").code, 0);
  ASSERT_EQ(run(along + " -o along.csv").code, 0);
  const json answer = run_json(along);
  const Recording binary = read_recording(path("along.h5")), text = read_recording(path("along.csv"));
  ASSERT_EQ(binary.values.rows(), 6);
  ASSERT_EQ(binary.values.cols(), 1 + 36 + 18);
  EXPECT_EQ(binary.values, text.values);
  for (int k = 0; k < 6; ++k) {
    const json& row = answer["rows"][k];
    for (int r = 0; r < 6; ++r) {
      for (int c = 0; c < 6; ++c) EXPECT_EQ(row["A"][r][c].get<double>(), binary.values(k, 1 + 6 * r + c));
      for (int c = 0; c < 3; ++c) EXPECT_EQ(row["B"][r][c].get<double>(), binary.values(k, 37 + 3 * r + c));
    }
  }
  const int column = binary.header.column("A.dv.joint1.dq.joint2");
  ASSERT_GE(column, 0);
  EXPECT_EQ(binary.header.columns[column].unit, "(rad/s^2)/rad");
  EXPECT_EQ(binary.header.columns[binary.header.column("B.dv.joint1.dtau.joint2")].unit, "(rad/s^2)/(N m)");
  EXPECT_TRUE(contains(run("plot along.h5 --show A --output a.svg").out, "panel"));
}

// A recording of all instants, whose last row is the table of the end.
TEST_F(ToolAnswers, SensitivitiesOfAPayloadOverTheWholeRun) {
  const std::string held =
      "simulate planar_3r --q 0.1,0.2,0.3 --duration 0.2 --every 0.05 --payload link3:0.5,0.1,0,0 "
      "--sensitivity link3.payload,tau --sensitivity-file ";
  const json answer = run_json(held + "held.h5")["sensitivity"];
  EXPECT_EQ(answer["instants"].get<int>(), 5);
  EXPECT_EQ(answer["parameters"][4].get<std::string>(), "link3.payload.com.x");
  ASSERT_EQ(run(held + "held.csv").code, 0);
  const Recording rows = read_recording(path("held.h5"));
  EXPECT_EQ(rows.values, read_recording(path("held.csv")).values);
  ASSERT_EQ(rows.values.rows(), 5);
  EXPECT_EQ(rows.column("time")[4], 0.2);
  EXPECT_EQ(rows.values.row(0).tail(6 * 13).cwiseAbs().maxCoeff(), 0);  // nothing has happened yet
  double largest = 0;
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 13; ++c) {
      const double at_the_end = answer["matrix"][r][c].get<double>();
      const std::string name =
          "d" + answer["rows"][r].get<std::string>() + ".per." + answer["parameters"][c].get<std::string>();
      EXPECT_EQ(rows.column(name)[4], at_the_end) << name;
      largest = std::max(largest, std::abs(at_the_end));
    }
  }
  EXPECT_GT(largest, 1e-3);
  EXPECT_EQ(rows.header.columns[rows.header.column("dv.joint2.per.link3.payload.mass")].unit, "(rad/s)/kg");
  expect_failure(held + "held.csv", 3, "exists already");
  expect_failure("simulate planar_3r --sensitivity link3.payload.weight", 2, "did you mean");
  expect_failure("simulate planar_3r --payload link3", 2, "no frame before ':'");
}

}  // namespace
}  // namespace catena
