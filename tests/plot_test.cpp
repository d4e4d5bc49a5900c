// Pictures: axes a person would choose, curves that keep their peaks when thinned, labels from hostile names; and
// `catena plot` as scripts and people meet it.
#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/axes.hpp"
#include "tool_support.hpp"

namespace {

using namespace catena::cli;
using catena::test::slurp;
using Texts = std::vector<std::string>;

TEST(Axis, TicksAreRoundNumbersInsideTheRange) {
  EXPECT_EQ(make_axis({0, 10}, 5).labels, (Texts{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(make_axis({-0.95, 2.1}, 4).labels, (Texts{"0", "1", "2"}));
  EXPECT_EQ(make_axis({-0.2, 0.42}, 4).labels, (Texts{"−0.2", "0.0", "0.2", "0.4"}));
  EXPECT_EQ(make_axis({0.3, 0.7}, 5).labels, (Texts{"0.3", "0.4", "0.5", "0.6", "0.7"}));
}

TEST(Axis, CommonFactorsAndOffsetsAreWrittenOnce) {
  const Axis small = make_axis({-2e-9, 2e-9}, 5);
  EXPECT_EQ(small.labels, (Texts{"−2", "−1", "0", "1", "2"}));
  EXPECT_EQ(small.note, "×10⁻⁹");
  const Axis large = make_axis({0, 4e6}, 5);
  EXPECT_EQ(large.labels, (Texts{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(large.note, "×10⁶");
  const Axis far = make_axis({1000, 1000.0004}, 5);
  EXPECT_EQ(far.labels, (Texts{"0", "100", "200", "300", "400"}));
  EXPECT_EQ(far.note, "×10⁻⁶ + 1000");
  EXPECT_EQ(make_axis({-123456.8, -123456.2}, 3).note, "− 123456");
}

TEST(Axis, LogarithmsAreShownAsTheirValues) {
  EXPECT_EQ(make_log_axis(std::log10(20), std::log10(300)).labels, (Texts{"20", "50", "100", "200"}));
  EXPECT_EQ(make_log_axis(3.9, 4.4).labels, (Texts{"10⁴", "2·10⁴"}));
  EXPECT_EQ(make_log_axis(1, 5).labels, (Texts{"10", "100", "1000", "10⁴", "10⁵"}));
}

TEST(Axis, NamesHaveEqualPlaces) {
  const Axis axis = make_name_axis({"a", "b"});
  EXPECT_EQ(axis.ticks, (std::vector<double>{0, 1}));
  EXPECT_EQ(axis.range.lo, -0.5);
  EXPECT_EQ(axis.range.hi, 1.5);
}

// Whatever the range: a few ticks inside it, ascending, with labels that differ and stay short.
TEST(Axis, IsUsableOverAllMagnitudes) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(-1, 1), power(-290, 290), narrow(-11, 0);
  for (int k = 0; k < 20'000; ++k) {
    const double size = std::pow(10, power(random)), middle = unit(random) * size;
    const Range range = shown_range(middle, middle + size * std::pow(10, narrow(random)), 0, 0.05);
    const Axis axis = make_axis(range, 5);
    SCOPED_TRACE(testing::Message() << "range " << range.lo << " " << range.hi << " case " << k << " of seed 4");
    ASSERT_GE(axis.ticks.size(), 3u);
    ASSERT_LE(axis.ticks.size(), 9u);
    ASSERT_GE(axis.ticks.front(), range.lo - 1e-6 * range.span());
    ASSERT_LE(axis.ticks.back(), range.hi + 1e-6 * range.span());
    for (std::size_t i = 1; i < axis.ticks.size(); ++i) {
      ASSERT_GT(axis.ticks[i], axis.ticks[i - 1]);
      ASSERT_NE(axis.labels[i], axis.labels[i - 1]);
    }
    for (const std::string& label : axis.labels) ASSERT_LE(label.size(), 12u) << label;
  }
}

TEST(Range, ShowsRoundingAsAFlatLine) {
  const Range noise = shown_range(-1e-17, 2e-17, 1, 0.05);  // velocities of a robot at rest
  EXPECT_EQ(noise.lo, -1);
  EXPECT_EQ(noise.hi, 1);
  const Range constant = shown_range(5, 5 + 1e-15, 0, 0.05);
  EXPECT_LT(constant.lo, 4.6);
  EXPECT_GT(constant.hi, 5.4);
  const Range zero = shown_range(0, 0, 0, 0.05);
  EXPECT_LT(zero.lo, 0);
  EXPECT_GT(zero.hi, 0);
}

TEST(Range, KeepsSmallSignalsThatAreReal) {
  const Range signal = shown_range(-1e-10, 1e-10, 1, 0);
  EXPECT_EQ(signal.lo, -1e-10);
  EXPECT_EQ(signal.hi, 1e-10);
  EXPECT_EQ(shown_range(-1e-20, 1e-20, 0, 0).hi, 1e-20);
}

TEST(Thinning, KeepsEveryPeakAndTheEnds) {
  std::vector<Point> points;
  for (int i = 0; i < 100'000; ++i) points.push_back({i * 0.005, std::sin(i * 0.3)});
  points[31'416].y = 7;
  points[77'777].y = -9;
  const std::vector<Point> kept = thin(points, 0.5);
  EXPECT_LE(kept.size(), 4u * 1001u);
  const auto has = [&](const Point& p) {
    return std::any_of(kept.begin(), kept.end(), [&](const Point& k) { return k.x == p.x && k.y == p.y; });
  };
  EXPECT_TRUE(has(points[31'416]));
  EXPECT_TRUE(has(points[77'777]));
  EXPECT_TRUE(has(points.front()));
  EXPECT_TRUE(has(points.back()));
  for (std::size_t i = 1; i < kept.size(); ++i) ASSERT_GE(kept[i].x, kept[i - 1].x);
}

TEST(Thinning, StaysWithinItsTolerance) {
  std::vector<Point> points;
  for (int i = 0; i <= 3000; ++i) points.push_back({i * 0.2, 100 * std::sin(i * 0.004)});
  points[1500].y += 3;
  const std::vector<Point> kept = simplify(points, 0.05);
  EXPECT_LT(kept.size(), 300u);
  std::size_t after = 1;
  for (const Point& p : points) {  // x ascends, so the curve that stays can be read off at every point
    while (kept[after].x < p.x) ++after;
    const Point &a = kept[after - 1], &b = kept[after];
    const double slope = (b.y - a.y) / (b.x - a.x);
    ASSERT_LE(std::abs(a.y + slope * (p.x - a.x) - p.y) / std::hypot(1, slope), 0.0501) << "x " << p.x;
  }
}

TEST(Labels, SurviveHostileNames) {
  EXPECT_EQ(label_text("plain τ"), "plain τ");
  EXPECT_EQ(label_text("a\x1b[31m\nb\x7f"), "a [31m b ");
  EXPECT_EQ(label_text("\xff\xc3(\xed\xa0\x80"), "\uFFFD\uFFFD(\uFFFD\uFFFD\uFFFD");  // broken, and half a pair
  EXPECT_EQ(shorten("left_hand_index_proximal_joint", 11), "left_…joint");
  EXPECT_EQ(shorten("ΩΩΩΩΩΩΩΩ", 5), "ΩΩ…ΩΩ");
  EXPECT_EQ(shorten("short", 5), "short");
}

class Plot : public catena::test::ToolTest {
 protected:
  Texts panels(const std::string& arguments) const {
    const catena::test::ToolResult result = run("plot " + arguments + " --force --json");
    EXPECT_EQ(result.code, 0) << arguments << "\n" << result.err;
    return nlohmann::json::parse(result.out).at("panels").get<Texts>();
  }
  // Two joints that swing, one of them along a rail.
  void write_run() const {
    std::string text =
        "time,q.arm,q.cart,v.arm,v.cart,tau.arm,tau.cart,energy.kinetic,energy.potential,energy.balance\n";
    text.insert(0, "# units: s,rad,m,rad/s,m/s,N m,N,J,J,J\n");
    for (int i = 0; i <= 200; ++i) {
      const double t = 0.05 * i, c = std::cos(t), s = std::sin(t);
      for (const double value : {t, c, 0.1 * c, -s, -0.1 * s, 2 * s, 5 * c, s * s, c * c})
        text += std::to_string(value) + ",";
      text += "1e-16\n";
    }
    write("run.csv", text);
  }
};

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

TEST_F(Plot, WritesAnSvgBesideTheRecording) {
  write_run();
  const catena::test::ToolResult result = run("plot run.csv");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.rfind("run.svg: 7 panels, ", 0), 0u) << result.out;
  tinyxml2::XMLDocument svg;
  ASSERT_EQ(svg.Parse(slurp(path("run.svg")).c_str()), tinyxml2::XML_SUCCESS) << svg.ErrorStr();
  const tinyxml2::XMLElement* root = svg.FirstChildElement("svg");
  ASSERT_NE(root, nullptr);
  EXPECT_STREQ(root->FirstChildElement("title")->GetText(), "run");
  const std::string words = root->FirstChildElement("desc")->GetText();
  for (const char* part : {"Position: q [rad] over time [s] (arm)", "q [m] over time [s] (cart)", "τ [N m]", "E [J]"})
    EXPECT_NE(words.find(part), std::string::npos) << words;
}

TEST_F(Plot, WritesAPngOfTheSizeItSays) {
  write_run();
  const catena::test::ToolResult result =
      run("plot run.csv --show position --title 'Two joints' --output picture.png --json");
  ASSERT_EQ(result.code, 0) << result.err;
  const auto said = nlohmann::json::parse(result.out);
  EXPECT_EQ(said.at("file"), "picture.png");
  const std::string png = slurp(path("picture.png"));
  ASSERT_GT(png.size(), 1000u);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(big_endian(png, 16), said.at("width").get<std::uint32_t>());
  EXPECT_EQ(big_endian(png, 20), said.at("height").get<std::uint32_t>());
  EXPECT_GT(big_endian(png, 16), 1000u);
}

TEST_F(Plot, ShowsWhatIsAskedFor) {
  write_run();
  EXPECT_EQ(panels("run.csv --show velocity"),
            (Texts{"Velocity: v [rad/s] over time [s]", "Velocity: v [m/s] over time [s]"}));
  EXPECT_EQ(panels("run.csv --show v"), panels("run.csv --show velocity,velocity"));
  EXPECT_EQ(panels("run.csv --show q.cart"), (Texts{"q.cart: q [m] over time [s]"}));
  EXPECT_EQ(panels("run.csv --show phase"),
            (Texts{"Phase of arm: v [rad/s] over q [rad]", "Phase of cart: v [m/s] over q [m]"}));
  EXPECT_EQ(panels("run.csv --show phase.cart"), (Texts{"Phase of cart: v [m/s] over q [m]"}));
  EXPECT_EQ(panels("run.csv --show energy,balance"),
            (Texts{"Energy: E [J] over time [s]", "Error of the energy balance: ΔE [J] over time [s]"}));
}

TEST_F(Plot, PutsQuasiVelocitiesBesideVelocities) {
  write("nu.csv", "time,v.a,nu.a\n0,1,2\n1,2,4\n");
  EXPECT_EQ(panels("nu.csv --show quasi"), (Texts{"Velocity: v over time", "Quasi-velocity: ν over time"}));
  write_run();
  expect_failure("plot run.csv --show quasi", 3, "record = [\"nu\"]");
}

// Computed from q, v and tau with the robot inside the recording.
TEST_F(Plot, ComputesQuasiVelocitiesAndWorkingMomentsThatWereNotRecorded) {
  ASSERT_EQ(run("inverse planar_3r --trajectory cycloidal:1 --to 1,1,1 --output move.csv").code, 0);
  const Texts rates = {"Velocity: v [rad/s] over time [s]", "Total joint rate: ξ [rad/s] over time [s]"};
  const Texts weighted = {"Quasi-velocity: ν [√J] over time [s]", "Normalized working moment: ε [√J/s] over time [s]"};
  const std::string force = "Joint force: τ [N m] over time [s]", working = "Working moment: κ [N m] over time [s]";
  EXPECT_EQ(panels("move.csv --show explain"), (Texts{rates[0], rates[1], force, working, weighted[0], weighted[1]}));
  EXPECT_EQ(panels("move.csv --show quasi,working"), (Texts{rates[0], weighted[0], force, weighted[1]}));
  EXPECT_EQ(panels("move.csv --show kappa,nu"), (Texts{working, weighted[0]}));
  EXPECT_EQ(panels("move.csv --show nu.joint2"), (Texts{"nu.joint2: ν [√J] over time [s]"}));
  expect_failure("plot move.csv --show nu.elbow --force", 2, "nu.elbow");
  write_run();
  expect_failure("plot run.csv --show epsilon", 3, "no robot");
}

TEST_F(Plot, TablesOfCoefficientsAreDrawnAndSaid) {
  const auto result = run("diagonalize stanford_arm --random 3 --explain --row joint2 --plot fig1.svg --json");
  ASSERT_EQ(result.code, 0) << result.err;
  const auto said = nlohmann::json::parse(result.out);
  EXPECT_EQ(said.at("picture"), "fig1.svg");
  const auto& explain = said.at("explain");
  EXPECT_EQ(explain.at("row").at("joint"), "joint2");
  for (const char* table : {"c_nu", "c_xi"}) {
    const auto summands = explain.at("row").at(table).get<std::vector<std::vector<double>>>();
    const auto whole = explain.at(table).at(1).get<std::vector<double>>();
    ASSERT_EQ(summands.size(), 6u);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      double sum = 0;
      for (const auto& link : summands) sum += link.at(i);
      EXPECT_NEAR(sum, whole[i], 1e-12);
    }
  }
  tinyxml2::XMLDocument svg;
  ASSERT_EQ(svg.Parse(slurp(path("fig1.svg")).c_str()), tinyxml2::XML_SUCCESS) << svg.ErrorStr();
  const std::string words = svg.RootElement()->FirstChildElement("desc")->GetText();
  EXPECT_NE(words.find("Row k = joint2 of c_ξ"), std::string::npos) << words;

  expect_failure("diagonalize stanford_arm --random 3 --plot fig1.svg", 3, "fig1.svg");
  expect_failure("diagonalize stanford_arm --plot fig.pdf", 2, ".svg or .png");
  expect_failure("diagonalize stanford_arm --explain --row joint9", 2, "joint9");
  expect_failure("diagonalize stanford_arm --row joint2", 2, "--explain");
  EXPECT_EQ(run("diagonalize arm7 --random 1 --plot seven.png").code, 0);
  EXPECT_EQ(run("diagonalize joints --no-joint-terms --plot joints.svg").code, 3) << "mimic joints";
}

TEST_F(Plot, MatricesAndTangentsAreDrawn) {
  EXPECT_EQ(run("operators planar_3r --show denoc.N_l \"noc.K*noc.T\" --plot two.svg").code, 0);
  EXPECT_NE(slurp(path("two.svg")).find("zero; norm"), std::string::npos);
  expect_failure("operators planar_3r --plot none.svg", 2, "name something");
  EXPECT_EQ(run("linearize stanford_arm --random 1 --along joint3 --plot slide.svg").code, 0);
  EXPECT_NE(slurp(path("slide.svg")).find("change of q along v.joint3 [m]"), std::string::npos);
  EXPECT_EQ(run("linearize quadruped --plot base.png").code, 0);
  expect_failure("linearize planar_3r --along joint2", 2, "--plot");
  expect_failure("linearize planar_3r --along elbow --plot a.svg", 2, "elbow");
}

// A ball joint has four positions and three velocities: v.ball.0 is not the rate of q.ball.0. Nor are a planar joint's
// velocities, in body axes, the rates of its x and y.
TEST_F(Plot, DrawsPhasesOnlyWhereVelocitiesAreRates) {
  write("ball.csv",
        "# units: s,,,,,rad,rad,m,m,rad/s,rad/s,rad/s,rad/s,rad/s,m/s,m/s\n"
        "time,q.ball.0,q.ball.1,q.ball.2,q.ball.3,q.arm,q.puck.0,q.puck.1,q.puck.2,"
        "v.ball.0,v.ball.1,v.ball.2,v.arm,v.puck.0,v.puck.1,v.puck.2\n"
        "0,1,0,0,0,2,0,0,0,3,0,0,0,0,0,0\n1,1,0,0,0,2,0,0,0,4,0,0,0,0,0,0\n");
  EXPECT_EQ(panels("ball.csv --show phase"), (Texts{"Phase of arm: v [rad/s] over q [rad]"}));
  expect_failure("plot ball.csv --show phase.ball.0 --force", 2, "\"ball.0\"");
}

TEST_F(Plot, DrawsTablesOfOtherPeopleAndOddOnes) {
  write("other.csv", "time,height,width\n0,1,2\n1,2,3\n");
  EXPECT_EQ(panels("other.csv"), (Texts{"All columns: value over time"}));
  write("row.csv", "time,q.a\n3,4\n");
  EXPECT_EQ(panels("row.csv").size(), 1u);
  std::string many = "time", row = "0";
  for (int i = 0; i < 300; ++i) many += ",q.joint_with_a_rather_long_name_" + std::to_string(i), row += ",1";
  write("many.csv", many + "\n" + row + "\n" + row.replace(0, 1, "1") + "\n");
  EXPECT_EQ(panels("many.csv").size(), 1u);
  write("odd.csv", "time,\"q.<b>&\"\"\xc3\xbf\",q.\xc3\xa9\n0,1,2\n1,2,3\n");
  EXPECT_EQ(panels("odd.csv").size(), 1u);
  tinyxml2::XMLDocument svg;
  EXPECT_EQ(svg.Parse(slurp(path("odd.svg")).c_str()), tinyxml2::XML_SUCCESS) << svg.ErrorStr();
}

TEST_F(Plot, SaysWhatIsWrongAndLeavesNothingBehind) {
  write_run();
  expect_failure("plot run.csv --output run.pdf", 2, ".svg or .png");
  expect_failure("plot run.csv --show positon", 2, "did you mean \"position\"?");
  expect_failure("plot run.csv --show phase.crat", 2, "\"cart\"");
  expect_failure("plot run.csv --show acceleration", 3, "no columns a.<joint>");
  expect_failure("plot missing.csv", 3, "missing.csv");
  write("untimed.csv", "q.a,q.b\n1,2\n");
  expect_failure("plot untimed.csv", 3, "no column \"time\"");
  write("timeonly.csv", "time\n1\n");
  expect_failure("plot timeonly.csv", 3, "besides time");
  write("empty.csv", "time,q.a\n");
  expect_failure("plot empty.csv", 3, "no rows");
  for (const auto& entry : std::filesystem::directory_iterator(path(""))) EXPECT_NE(entry.path().extension(), ".svg");
  ASSERT_EQ(run("plot run.csv").code, 0);
  expect_failure("plot run.csv", 3, "--force");
  EXPECT_EQ(run("plot run.csv --force").code, 0);
  expect_failure("plot run.svg", 2, "name a recording");
}

}  // namespace
