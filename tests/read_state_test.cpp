// States and motions by joint name, and tables of numbers.
#include "catena/read/state.hpp"

#include "catena/model/builder.hpp"
#include "catena/read/csv.hpp"
#include "catena/read/toml.hpp"
#include "read_support.hpp"

namespace catena::read {
namespace {

using test::Folder;
using Vector = Eigen::VectorXd;

Model cart() { return Model(toml(test::documented("pendulum.toml"), "p.toml").description); }

Model with_ball() {
  const Inertial solid{.mass = 1, .com = {0.1, 0, 0}, .inertia = Matrix3::Identity()};
  Builder builder("b");
  builder.add_body("one", solid, revolute("hinge").limited(0.5, 1));
  builder.add_body("two", solid, spherical("ball").on("one"));
  builder.add_body("three", solid, prismatic("slave").on("two").mimics("hinge", 2));
  return builder.build();
}

Vector numbers(std::initializer_list<double> list) {
  return Eigen::Map<const Vector>(list.begin(), Eigen::Index(list.size()));
}

Findings findings_of(const Model& model, const std::string& path, bool motion = false) {
  try {
    motion ? void(trajectory(model, path)) : void(state(model, path));
  } catch (const ModelError& e) {
    return e.findings();
  }
  return {};
}

TEST(StateReader, ReadsTheDocumentedStates) {
  const Folder folder;
  const Model model = cart();
  const State a = state(model, folder.file("s.json", test::documented("state.json")));
  EXPECT_EQ(a.q, numbers({0.2, 0.5}));
  EXPECT_EQ(a.v, numbers({0.1, -0.3}));
  EXPECT_EQ(a.tau, numbers({4, 0}));
  EXPECT_FALSE(a.a);
  const State b = state(model, folder.file("s.toml", test::documented("state.toml")));
  EXPECT_EQ(b.q, a.q);
  EXPECT_EQ(b.v, a.v);
  const State c = state(model, folder.file("plain.json", "{\"slide\": 0.2}"));
  EXPECT_EQ(c.q, numbers({0.2, 0}));
  const State d = state(model, folder.file("s.csv", "slide,v.pole_joint\n0.2,3\n"));
  EXPECT_EQ(d.q, numbers({0.2, 0}));
  EXPECT_EQ(d.v, numbers({0, 3}));
  EXPECT_FALSE(d.tau);
}

TEST(StateReader, TakesListsForJointsWithSeveralDegreesOfFreedom) {
  const Folder folder;
  const Model model = with_ball();
  const State s =
      state(model, folder.file("s.json", "{\"q\": {\"ball\": [0, 0, 1, 0]}, \"v\": {\"ball\": [1, 2, 3]}}"));
  EXPECT_EQ(s.q, numbers({0.5, 0, 0, 1, 0}));  // the hinge stands at its nearest limit
  EXPECT_EQ(s.v, numbers({0, 1, 2, 3}));
  EXPECT_EQ(state(model, folder.file("n.json", "{\"q\": {}}")).q, numbers({0.5, 0, 0, 0, 1}));
  EXPECT_EQ(state(model, folder.file("s.csv", "ball.2,ball.3,v.ball.1\n1,0,2\n")).q, numbers({0.5, 0, 0, 1, 0}));
}

TEST(StateReader, ExplainsWhatIsWrong) {
  const Folder folder;
  const Model model = with_ball();
  const auto json_findings = [&](const std::string& text) { return findings_of(model, folder.file("s.json", text)); };
  EXPECT_FINDING(json_findings("{\"q\":\n{\"hinje\": 1}}"), error, "joint-unknown", 2);
  EXPECT_NE(json_findings("{\"q\": {\"hinje\": 1}}")[0].message.find("\"hinge\""), std::string::npos);
  EXPECT_NE(json_findings("{\"q\": {\"slave\": 1}}")[0].message.find("follows 'hinge'"), std::string::npos);
  EXPECT_FINDING(json_findings("{\"q\": {\"ball\": [1, 2, 3]}}"), error, "number-count", 1);
  EXPECT_FINDING(json_findings("{\"v\": [1, 2, 3]}"), error, "number-count", 1);
  EXPECT_FINDING(json_findings("{\"v\": {\"hinge\": \"fast\"}}"), error, "key-type", 1);
  EXPECT_FINDING(json_findings("{\"v\": {"), error, "json-syntax", 1);
  EXPECT_FINDING(findings_of(model, folder.file("s.toml", "[q]\nhinge = nan\n")), error, "number-nan", 2);
  EXPECT_FINDING(findings_of(model, folder.file("s.csv", "hinge\n1\n2\n")), error, "state-rows", 0);
  EXPECT_FINDING(findings_of(model, folder.path("none.json")), error, "file-missing", 0);
}

TEST(TrajectoryReader, ReadsTheDocumentedMotion) {
  const Folder folder;
  const TrajectoryRows t = trajectory(cart(), folder.file("m.csv", test::documented("motion.csv")));
  ASSERT_EQ(t.size(), 2);
  EXPECT_EQ(t.time, numbers({0, 0.01}));
  EXPECT_EQ(t.q.row(1).transpose(), numbers({0.00005, 0.1}));
  EXPECT_EQ(t.v.row(1).transpose(), numbers({0.01, 0}));
  EXPECT_EQ(t.a.col(0), numbers({1, 1}));
  EXPECT_EQ(t.tau.rows(), 0);
  EXPECT_EQ(t.lines, (std::vector<int>{2, 3}));
}

TEST(TrajectoryReader, NamesMissingAndUnknownColumns) {
  const Folder folder;
  const Model model = cart();
  const auto found = [&](const std::string& text) { return findings_of(model, folder.file("m.csv", text), true); };
  const Findings missing = found("t,slide,pole_joint\n0,0,0\n");
  ASSERT_EQ(missing.size(), 2u);
  EXPECT_NE(missing[0].message.find("v.slide, v.pole_joint"), std::string::npos) << missing[0].message;
  EXPECT_NE(missing[1].message.find("a.slide, a.pole_joint"), std::string::npos);
  EXPECT_FINDING(found("t,q.slied\n0,0\n"), error, "column-unknown", 1);
  EXPECT_FINDING(found("slide,q.slide\n0,0\n"), error, "column-doubled", 1);
  EXPECT_FINDING(found("t,slide\n"), error, "trajectory-empty", 0);
  EXPECT_EQ(trajectory(model, folder.file("q.csv", "slide,pole_joint\n1,2\n"), {"q"}).q(0, 1), 2);
}

TEST(CsvReader, SkipsCommentsAndKeepsLines) {
  const Csv table = csv_from_text("# made by hand\n\n\"a\", b\r\n1,2\r\n\n3, 4.5e1 \n", "f");
  EXPECT_EQ(table.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.lines, (std::vector<int>{4, 6}));
  EXPECT_EQ(table.values(1, 1), 45);
  EXPECT_EQ(table.column("b"), 1);
  EXPECT_EQ(table.column("c"), -1);
}

TEST(CsvReader, NamesTheLineOfWhatIsWrong) {
  const auto found = [](const std::string& text) {
    try {
      csv_from_text(text, "f");
    } catch (const ModelError& e) {
      return e.findings();
    }
    return Findings{};
  };
  EXPECT_FINDING(found("a,b\n1,2\n1,nan\n"), error, "number-nan", 3);
  EXPECT_FINDING(found("a,b\n1,\n"), error, "number-unparsable", 2);
  EXPECT_FINDING(found("a,b\n1,2,3\n"), error, "csv-count", 2);
  EXPECT_FINDING(found("a,a\n1,2\n"), error, "csv-header", 1);
  EXPECT_FINDING(found("1,2\n3,4\n"), error, "csv-header", 1);
  EXPECT_FINDING(found("a,\n"), error, "csv-header", 1);
  EXPECT_FINDING(found("a;b\n1;2\n"), error, "csv-separator", 1);
  EXPECT_FINDING(found("# nothing\n"), error, "csv-header", 0);
}

}  // namespace
}  // namespace catena::read
