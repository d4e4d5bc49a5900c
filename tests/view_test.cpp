// `catena view` as scripts and people meet it: what the page is told, what is refused. The page itself is tested in a
// browser (viewer/test).
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "catena/read/robot.hpp"
#include "catena/record/recording.hpp"
#include "catena/write/toml.hpp"
#include "tool_support.hpp"

namespace {

using namespace catena;
using nlohmann::json;
using test::slurp;
using Result = test::ToolResult;

std::string decoded(const std::string& base64) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned word = 0;
  int bits = 0;
  for (const char c : base64) {
    if (c == '=') break;
    word = word << 6 | static_cast<unsigned>(digits.find(c));
    if ((bits += 6) >= 8) bytes += static_cast<char>(word >> (bits -= 8) & 255);
  }
  return bytes;
}

template <class Word, class Number>
std::vector<double> numbers(const std::string& base64) {
  const std::string bytes = decoded(base64);
  std::vector<double> values;
  for (std::size_t i = 0; i + sizeof(Word) <= bytes.size(); i += sizeof(Word)) {
    Word word = 0;
    for (std::size_t k = 0; k < sizeof(Word); ++k)
      word |= static_cast<Word>(static_cast<unsigned char>(bytes[i + k])) << (8 * k);
    values.push_back(static_cast<double>(std::bit_cast<Number>(word)));
  }
  return values;
}

class View : public test::ToolTest {
 protected:
  Result run(const std::string& arguments) const { return ToolTest::run("view " + arguments); }

  json data(const std::string& arguments) const {
    const Result result = run(arguments + " --json");
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }

  // A tool built where npm was missing has no page to fill.
  bool has_page() const { return run("planar_3r --output " + path("probe.html")).code == 0; }

  // A recording of the planar arm whose row k holds values(k): time, q, energies.
  template <class Values>
  std::string record(const std::string& name, long rows, const Values& values) const {
    const Model model = read::load("planar_3r");
    RecordingHeader header;
    header.columns = {{"time", "s"}};
    for (const std::string& joint : model.position_names()) header.columns.push_back({"q." + joint, "rad"});
    for (const char* energy : {"kinetic", "potential", "work", "dissipated"})
      header.columns.push_back({std::string("energy.") + energy, "J"});
    header.notes = {{"model", "gone.toml"}, {"robot", write::toml(model.description())}};
    const auto recorder = create_recording(path(name), header);
    for (long k = 0; k < rows; ++k) recorder->append(values(static_cast<double>(k)));
    recorder->flush();
    return path(name);
  }
};

Eigen::VectorXd row_of(double time, double q, double kinetic, double potential, double work, double dissipated) {
  Eigen::VectorXd row(8);
  row << time, q, 2 * q, 3 * q, kinetic, potential, work, dissipated;
  return row;
}

const json& column(const json& robot, const std::string& name) {
  for (const json& c : robot.at("recording").at("columns"))
    if (c.at("name") == name) return c;
  throw std::out_of_range(name);
}

TEST_F(View, WritesAPageThatHoldsTheRobotAndIsNotReplacedUnasked) {
  if (!has_page()) GTEST_SKIP() << "this tool was built without npm";
  const std::string page = path("page.html");
  const Result result = run("joints --output " + page);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("open it in any browser"), std::string::npos) << result.out;
  const std::string text = slurp(page), tag = R"(<script id="catena-data" type="application/json">)";
  const std::size_t start = text.find(tag);
  ASSERT_NE(start, std::string::npos);
  const std::string inside = text.substr(start + tag.size(), text.find("</script>", start) - start - tag.size());
  EXPECT_EQ(inside.find('<'), std::string::npos);
  EXPECT_EQ(json::parse(inside, nullptr, false).value("name", ""), "joints");
  // Nothing that a browser would fetch.
  EXPECT_EQ(text.find("<script src"), std::string::npos);
  EXPECT_EQ(text.find("<link rel=\"stylesheet"), std::string::npos);

  EXPECT_EQ(run("planar_3r --output " + page).code, 3);
  EXPECT_EQ(slurp(page), text);
  EXPECT_EQ(run("planar_3r --force --output " + page).code, 0);
  EXPECT_NE(slurp(page), text);
}

TEST_F(View, AsksForANameAndRefusesFlagsThatContradictARecording) {
  EXPECT_EQ(run("joints").code, 2);
  const std::string file = record("a.csv", 3, [](double k) { return row_of(0.1 * k, 0.2 * k, 0, 0, 0, 0); });
  EXPECT_EQ(run(file + " --floating --json").code, 2);
  EXPECT_EQ(run(file + " --q 1,2,3 --json").code, 2);
}

TEST_F(View, TakesTheRobotFromTheRecordingItself) {
  for (const char* name : {"run.csv", "run.h5"}) {
    const json robot = data(record(name, 11, [](double k) { return row_of(0.1 * k, 0.25 * k, k, -k, 0, 0); }));
    EXPECT_EQ(robot.value("name", ""), "planar_3r") << "the note's file, gone.toml, is not there";
    const std::vector<double> time = numbers<std::uint64_t, double>(robot["recording"]["time"]);
    const std::vector<double> q = numbers<std::uint32_t, float>(column(robot, "q.joint2")["values"]);
    ASSERT_EQ(time.size(), 11u);
    ASSERT_EQ(q.size(), 11u);
    EXPECT_EQ(time[7], 0.1 * 7);
    EXPECT_EQ(q[7], 3.5);
    EXPECT_EQ(column(robot, "q.joint2")["unit"], "rad");
  }
}

TEST_F(View, BalanceSurvivesLargeEnergies) {
  // 1e6 J to and fro, out of balance by 1e-6 J: floats alone would show nothing or noise.
  const json robot = data(record("books.csv", 5, [](double k) {
    return row_of(k, 0, 1e6 + 1e5 * k + 3 * k + 1e-6 * k, -1e6 - 1e5 * k, 5 * k, 2 * k);
  }));
  const std::vector<double> balance = numbers<std::uint32_t, float>(column(robot, "energy.balance")["values"]);
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(balance[k], 1e-6 * k, 1e-9) << k;
}

std::vector<double> sum_of_products(const json& robot, const char* first, const char* second, int joints) {
  std::vector<double> sum;
  for (int j = 1; j <= joints; ++j) {
    const auto of = [&](const char* prefix) {
      return numbers<std::uint32_t, float>(column(robot, std::string(prefix) + ".joint" + std::to_string(j))["values"]);
    };
    const std::vector<double> a = of(first), b = of(second);
    sum.resize(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) sum[i] += a[i] * b[i];
  }
  return sum;
}

// What the page's curves carry: power nu' epsilon = xi' kappa = v' tau, at every row.
TEST_F(View, WorkingMomentsDoTheWorkOfTheDrives) {
  ASSERT_EQ(ToolTest::run("inverse stanford_arm --trajectory cycloidal:1 --to 1,1,0.3,1,1,1 --output move.csv").code,
            0);
  const json robot = data("move.csv");
  const std::vector<double> drives = sum_of_products(robot, "v", "tau", 6);
  const double most = *std::max_element(drives.begin(), drives.end());
  EXPECT_GT(most, 1);
  for (const auto& [rate, moment] : {std::pair{"nu", "epsilon"}, std::pair{"xi", "kappa"}}) {
    const std::vector<double> power = sum_of_products(robot, rate, moment, 6);
    ASSERT_EQ(power.size(), drives.size());
    for (std::size_t i = 0; i < power.size(); ++i)
      EXPECT_NEAR(power[i], drives[i], 1e-5 * most) << rate << " row " << i;
  }
  EXPECT_EQ(column(robot, "nu.joint3")["unit"], "sqrt(J)");
  EXPECT_EQ(column(robot, "epsilon.joint3")["unit"], "sqrt(J)/s");
  EXPECT_EQ(column(robot, "kappa.joint3")["unit"], "N");
  EXPECT_EQ(column(robot, "xi.joint3")["unit"], "m/s");
}

TEST_F(View, HalfNuSquaredIsTheRecordedKineticEnergy) {
  ASSERT_EQ(ToolTest::run("simulate stanford_arm --q 0.1,0.2,0.3,0.4,0.5,0.6 --duration 0.4 --output fall.h5").code, 0);
  const json robot = data("fall.h5");
  const std::vector<double> twice = sum_of_products(robot, "nu", "nu", 6);
  const std::vector<double> kinetic = numbers<std::uint32_t, float>(column(robot, "energy.kinetic")["values"]);
  EXPECT_GT(kinetic.back(), 0.1);
  for (std::size_t i = 0; i < kinetic.size(); ++i) EXPECT_NEAR(0.5 * twice[i], kinetic[i], 1e-5 * kinetic.back()) << i;
}

// The ellipsoids at the joints: of positive matrices, the free one inside the locked one, the same at the tip.
TEST_F(View, InertiasAtJointsAreNested) {
  ASSERT_EQ(ToolTest::run("simulate arm7 --q 0.1,0.2,0.3,0.4,0.5,0.6,0.7 --duration 0.4 --output fall.csv").code, 0);
  const json robot = data("fall.csv");
  const json& inertia = robot.at("recording").at("inertia");
  const std::vector<double> time = numbers<std::uint64_t, double>(inertia.at("time"));
  ASSERT_GE(time.size(), 2u);
  const std::vector<double> rows = numbers<std::uint64_t, double>(robot["recording"]["time"]);
  EXPECT_EQ(time.back(), rows.back());
  ASSERT_EQ(inertia.at("joints").size(), 7u);
  const auto block = [](const std::vector<double>& six, std::size_t i) {
    Eigen::Matrix3d A;
    const double* x = six.data() + 6 * i;
    A << x[0], x[1], x[2], x[1], x[3], x[4], x[2], x[4], x[5];
    return A;
  };
  const auto least = [](const Eigen::Matrix3d& A) {
    return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(A).eigenvalues().minCoeff();
  };
  double taken_off = 0;
  for (const json& joint : inertia.at("joints")) {
    const auto blocks = [&](const char* key) { return numbers<std::uint32_t, float>(joint.at(key)); };
    const std::vector<double> push = blocks("push"), twist = blocks("twist"), locked = blocks("locked_twist");
    const double mass = joint.at("mass");
    ASSERT_EQ(push.size(), 6 * time.size());
    for (std::size_t i = 0; i < time.size(); ++i) {
      const Eigen::Matrix3d P = block(push, i), J = block(twist, i), R = block(locked, i);
      EXPECT_GT(least(P), 0);
      EXPECT_GT(least(J), 0);
      EXPECT_GE(least(mass * Eigen::Matrix3d::Identity() - P), -1e-6 * mass) << joint.at("joint");
      EXPECT_GE(least(R - J), -1e-6 * R.trace()) << joint.at("joint");
      taken_off = std::max(taken_off, 1 - least(P) / mass);
    }
  }
  EXPECT_GT(taken_off, 0.3);
  EXPECT_EQ(inertia.at("joints").back().at("twist"), inertia.at("joints").back().at("locked_twist"));
}

// A mass matrix that is singular in a pose stops no page: what needs its factors is left out, and said.
TEST_F(View, LeavesOutWhatASingularPoseHasNot) {
  write("pan_tilt.toml", R"(name = "pan_tilt"
[[body]]
name = "mast"
joint = "revolute"
joint_name = "pan"
mass = 1
com = [0, 0, 0.1]
inertia = [0.01, 0.01, 0]
[[body]]
name = "weight"
parent = "mast"
joint = "revolute"
joint_name = "tilt"
axis = [0, 1, 0]
mass = 1
com = [0, 0, 0.5]
inertia = [0, 0, 0]
)");  // upright, all of it is on the axis of pan
  write("move.csv", "time,q.pan,q.tilt\n0,0,0\n0.3,0.2,0.1\n0.6,0.4,0.4\n1,1,1\n");
  ASSERT_EQ(ToolTest::run("inverse pan_tilt.toml --trajectory move.csv --output run.csv").code, 0);
  const Result result = run("run.csv --json");
  EXPECT_EQ(result.code, 0) << result.err;
  const json robot = json::parse(result.out, nullptr, false);
  EXPECT_TRUE(robot.at("recording").at("inertia").is_null());
  ASSERT_EQ(robot.at("warnings").size(), 1u);
  EXPECT_NE(robot.at("warnings").at(0).get<std::string>().find("no ν"), std::string::npos);
}

TEST_F(View, ThinsOutLongRecordingsAndSaysSo) {
  const std::string file = record("long.h5", 50'001, [](double k) { return row_of(1e-3 * k, 1e-3 * k, 0, 0, 0, 0); });
  const json robot = data(file);
  const std::vector<double> time = numbers<std::uint64_t, double>(robot["recording"]["time"]);
  ASSERT_EQ(time.size(), 20'000u);
  EXPECT_EQ(robot["recording"]["rows"], 50'001);
  EXPECT_EQ(time.front(), 0);
  EXPECT_EQ(time.back(), 1e-3 * 50'000);
  for (std::size_t i = 1; i < time.size(); ++i) {
    EXPECT_GT(time[i] - time[i - 1], 1.5e-3);
    EXPECT_LT(time[i] - time[i - 1], 3.5e-3);
  }
  if (!has_page()) return;
  EXPECT_NE(run(file + " --output " + path("long.html")).out.find("thinned out to 20000"), std::string::npos);
}

TEST_F(View, NamesWhatARecordingLacks) {
  std::ofstream(path("anonymous.csv")) << "time,q.a\n0,1\n1,2\n";
  const Result anonymous = run(path("anonymous.csv") + " --json");
  EXPECT_EQ(anonymous.code, 3);
  EXPECT_NE(anonymous.err.find("does not say whose motion it is"), std::string::npos) << anonymous.err;

  const Model model = read::load("planar_3r");
  const RecordingHeader header{{{"time", "s"}, {"q.joint1", "rad"}}, {{"robot", write::toml(model.description())}}};
  create_recording(path("poor.csv"), header)->append(Eigen::Vector2d(0, 1));
  const Result poor = run(path("poor.csv") + " --json");
  EXPECT_EQ(poor.code, 3);
  EXPECT_NE(poor.err.find("no column q.joint2"), std::string::npos) << poor.err;
}

TEST_F(View, BareBodiesGetTheBoxOfTheirInertia) {
  std::ofstream(path("box.toml")) << R"(name = "box"
[[body]]
name = "brick"
joint = "revolute"
joint_name = "j"
mass = 12
com = [0.5, 0, 0]
inertia = [0.13, 0.10, 0.05]
)";  // edges 0.1, 0.2, 0.3: m (b^2 + c^2) / 12
  const json body = data(path("box.toml")).at("bodies").at(0);
  std::vector<double> edges = body.at("box").at("size");
  std::sort(edges.begin(), edges.end());
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(edges[i], 0.1 * (i + 1), 1e-12);
  EXPECT_EQ(body.at("box").at("pose").at(9), 0.5);
}

}  // namespace
