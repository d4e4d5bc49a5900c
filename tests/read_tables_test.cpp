// Body tables, DH tables and numbered bodies in TOML and JSON; the blocks of docs/formats.md.
#include <numbers>

#include "catena/dynamics/mass_matrix.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/read/json.hpp"
#include "catena/read/robot.hpp"
#include "catena/read/toml.hpp"
#include "read_support.hpp"
#include "support.hpp"

namespace catena::read {
namespace {

using std::numbers::pi;

TEST(TomlReader, ReadsTheDocumentedBodyTables) {
  const Reading r = toml(test::documented("pendulum.toml"), "p.toml");
  EXPECT_TRUE(r.findings.empty()) << test::all(r.findings);
  const Description& d = r.description;
  EXPECT_EQ(d.name, "cart_pendulum");
  ASSERT_EQ(d.bodies.size(), 3u);
  ASSERT_EQ(d.joints.size(), 2u);
  EXPECT_EQ(d.joints[0].name, "slide");
  EXPECT_EQ(d.joints[0].type, JointType::prismatic);
  EXPECT_EQ(d.joints[0].limits.upper, 1);
  EXPECT_EQ(d.joints[0].limits.effort, 50);
  EXPECT_EQ(d.joints[0].terms.damping, 0.5);
  EXPECT_EQ(d.joints[1].name, "pole_joint");
  EXPECT_EQ(d.joints[1].parent, "cart");
  EXPECT_NEAR(d.joints[1].limits.upper, 170 * pi / 180, 1e-15);
  EXPECT_EQ(d.joints[1].placement.R, rotation_from_rpy(0, 0, pi / 2));
  EXPECT_EQ(d.joints[1].terms.gear_ratio, 50);
  EXPECT_EQ(d.bodies[2].inertial->com, Vector3(0, 0, 0.4));
  EXPECT_EQ(d.bodies[2].inertial->inertia(2, 2), 0.001);
  ASSERT_EQ(d.bodies[1].shapes.size(), 1u);
  ASSERT_EQ(d.frames.size(), 1u);
  EXPECT_EQ(d.frames[0].pose.p, Vector3(0, 0, 0.8));
  EXPECT_NO_THROW(Model{d});
}

TEST(TomlReader, ReadsTheDocumentedDhTable) {
  const Reading r = toml(test::documented("two_links.toml"), "two.toml");
  EXPECT_TRUE(r.findings.empty()) << test::all(r.findings);
  const Description& d = r.description;
  ASSERT_EQ(d.joints.size(), 2u);
  EXPECT_EQ(d.joints[0].name, "shoulder");
  EXPECT_EQ(d.joints[0].placement.R, (Matrix3() << 0, -1, 0, 1, 0, 0, 0, 0, 1).finished());  // exact right angle
  EXPECT_EQ(d.joints[0].body_in_joint.p, Vector3(0.5, 0, 0));
  EXPECT_EQ(d.bodies[0].inertial->com, Vector3(-0.25, 0, 0));
  EXPECT_EQ(d.bodies[1].inertial->com, Vector3(-0.2, 0, 0));
  EXPECT_EQ(d.joints[1].terms.damping, 0.1);

  // Straight up at q = 0: theta = 90 degrees is the offset of q.
  const Model model(d);
  const Vector3 tip = Kinematics(model, Vector::Zero(2)).pose(model.frame("lower")).p;
  EXPECT_TRUE(tip.isApprox(Vector3(0, 0.9, 0), 1e-15)) << tip.transpose();
}

TEST(DhReader, FollowsBothConventions) {
  const auto table = [](const char* convention, const char* joint) {
    return std::string("[units]\nangle = \"rad\"\nlength = \"m\"\n[dh]\nconvention = \"") + convention +
           "\"\n[[dh.link]]\nname = \"l\"\njoint = \"" + joint +
           "\"\na = 0.3\nd = 0.2\nalpha = 0.7\ntheta = 0.4\nmass = 1\ncom = [0.1, 0.2, 0.3]\ninertia = [1, 1, 1]\n";
  };
  const auto z = [](double angle, double length) {
    return Pose{rotation_about(Vector3::UnitZ(), angle), Vector3(0, 0, length)};
  };
  const auto x = [](double angle, double length) {
    return Pose{rotation_about(Vector3::UnitX(), angle), Vector3(length, 0, 0)};
  };
  const double q = 0.9;
  const std::tuple<const char*, const char*, Pose> cases[] = {{"standard", "revolute", z(0.4 + q, 0.2) * x(0.7, 0.3)},
                                                              {"standard", "prismatic", z(0.4, 0.2 + q) * x(0.7, 0.3)},
                                                              {"modified", "revolute", x(0.7, 0.3) * z(0.4 + q, 0.2)},
                                                              {"modified", "prismatic", x(0.7, 0.3) * z(0.4, 0.2 + q)}};
  for (const auto& [convention, joint, expected] : cases) {
    const Reading r = toml(table(convention, joint), "f");
    ASSERT_FALSE(has_errors(r.findings)) << test::all(r.findings);
    const Model model(r.description);
    const Pose pose = Kinematics(model, Vector::Constant(1, q)).pose(model.frame("l"));
    EXPECT_TRUE(pose.R.isApprox(expected.R, 1e-14)) << convention << " " << joint;
    EXPECT_TRUE(pose.p.isApprox(expected.p, 1e-14)) << convention << " " << joint;
  }
}

TEST(DhReader, AsksForWhatATableMustSay) {
  const std::string units = "[units]\nangle = \"rad\"\nlength = \"m\"\n";
  const std::string link = "[[dh.link]]\njoint = \"revolute\"\na = 0\nb = 0\nalpha = 0\ntheta = 0\n";
  const auto findings = [](const std::string& text) { return toml(text, "f").findings; };
  EXPECT_FINDING(findings("[dh]\nconvention = \"standard\"\n" + link), error, "units-missing", 1);
  EXPECT_FINDING(findings(units + "[dh]\nconvention = \"craig\"\n" + link), error, "dh-convention", 5);
  EXPECT_FINDING(findings(units + "[dh]\nconvention = \"standard\"\n"), error, "dh-empty", 4);
  const std::string head = units + "[dh]\nconvention = \"standard\"\n";
  EXPECT_FINDING(findings(head + link + "mass = 1\n"), error, "com-missing", 12);
  EXPECT_FINDING(findings(head + link + "mass = 1\ncom = [0, 0, 0]\nr = [0, 0, 0]\n"), error, "key-doubled", 14);
  EXPECT_FINDING(findings(head + link + "d = 1\n"), error, "key-doubled", 12);
  EXPECT_FINDING(findings(head + "[[dh.link]]\njoint = \"ball\"\na = 0\nb = 0\nalpha = 0\ntheta = 0\n"), error,
                 "joint-type", 7);
  EXPECT_FINDING(findings(head + "[[dh.link]]\njoint = \"revolute\"\na = 0\nb = 0\ntheta = 0\n"), error, "key-missing",
                 6);
}

TEST(JsonReader, ReadsTheDocumentedNumberedBodies) {
  const Reading r = json(test::documented("numbered.json"), "n.json");
  EXPECT_TRUE(r.findings.empty()) << test::all(r.findings);
  ASSERT_EQ(r.description.joints.size(), 2u);
  EXPECT_EQ(r.description.bodies[0].name, "body1");
  EXPECT_EQ(r.description.joints[0].name, "joint1");
  EXPECT_EQ(r.description.joints[0].parent, "");
  EXPECT_EQ(r.description.joints[1].parent, "body1");
  EXPECT_EQ(r.description.joints[1].type, JointType::spherical);
}

TEST(JsonReader, ReadsTheReferenceRobotsAsTheyAre) {
  for (const char* name :
       {"planar_3r", "stanford_arm", "chain_6r", "chain_8mixed", "chain_rprpr", "tree_9_1dof", "tree_multidof"}) {
    const std::string path = std::string(CATENA_TEST_DATA) + "/reference/" + name + ".json";
    const Reading r = robot(path);
    EXPECT_FALSE(std::any_of(r.findings.begin(), r.findings.end(), [](const Finding& f) {
      return f.severity != Severity::note;
    })) << test::all(r.findings);
    const Model model(r.description), expected(test::description_from(test::read_reference(name)));
    const Vector q = random_configuration(expected, 3);
    EXPECT_CLOSE(mass_matrix(model, q), mass_matrix(expected, q), 1e-14) << name;
  }
}

TEST(JsonReader, NamesTheLineOfWhatIsWrong) {
  const auto findings = [](const std::string& text) { return json(text, "f").findings; };
  EXPECT_FINDING(findings("{\n\"bodies\": [\n{\"mass\": \"1\"}]}"), error, "key-type", 3);
  EXPECT_FINDING(findings("{\n\"bodies\": [{\"mass\": 1,\n\"com\": [1, 2\n]}]}"), error, "number-count", 3);
  EXPECT_FINDING(findings("{\n\"bodies\": [{\"com\": [1, 2,\n\"x\"]}]}"), error, "key-type", 3);
  EXPECT_FINDING(findings("{\"bodies\": [{\"parent\": 7\n}]}"), error, "parent-unknown", 1);
  EXPECT_FINDING(findings("{\"bodies\": [{\n\"mass\": 1e400}]}"), error, "number-overflow", 2);
  EXPECT_FINDING(findings("{\"bodies\": [{\n\"mass\": NaN}]}"), error, "json-syntax", 2);
  EXPECT_FINDING(findings("{\"bodies\": [\n{\"mass\":"), error, "json-syntax", 2);
  EXPECT_FINDING(findings("{\"name\": \"a\",\n\"name\": \"b\"}"), error, "key-doubled", 2);
  EXPECT_FINDING(findings("[1, 2]"), error, "key-type", 1);
  EXPECT_FINDING(findings("null"), error, "key-type", 1);
  EXPECT_FINDING(findings(std::string(1000000, '[')), error, "json-nesting", 1);
  EXPECT_FINDING(findings("{}"), error, "robot-missing", 0);
}

TEST(TomlReader, NamesTheLineOfWhatIsWrong) {
  const auto body = [](const std::string& lines) {
    return toml("[[body]]\nname = \"a\"\njoint = \"revolute\"\n" + lines, "f").findings;
  };
  EXPECT_TRUE(body("mass = 1_000\n").empty());
  EXPECT_FINDING(body("mass = 1e400\n"), error, "number-overflow", 4);
  EXPECT_FINDING(body("mass = nan\n"), error, "number-nan", 4);
  EXPECT_FINDING(body("mass = -inf\n"), error, "number-infinite", 4);
  EXPECT_FINDING(body("mass = 1.5kg\n"), error, "toml-syntax", 4);
  EXPECT_FINDING(body("mass = \"heavy\"\n"), error, "key-type", 4);
  EXPECT_FINDING(body("com = [0, 0, 0]\n"), error, "mass-missing", 1);
  EXPECT_FINDING(body("mass = 1\ninertia = [1, 2]\n"), error, "number-count", 5);
  EXPECT_FINDING(body("axis = [\n0, 0]\n"), error, "number-count", 4);
  EXPECT_FINDING(body("mas = 1\n"), warning, "key-unknown", 4);
  EXPECT_NE(test::finding_with(body("mas = 1\n"), "key-unknown").message.find("\"mass\""), std::string::npos);
  EXPECT_FINDING(body("rpy = [0, 0, 0]\nquaternion = [0, 0, 0, 1]\n"), error, "key-doubled", 1);
  EXPECT_FINDING(body("quaternion = [0, 0, 0, 2]\n"), error, "rotation-invalid", 4);
  EXPECT_FINDING(body("R = [[1, 0, 0], [0, 1, 0], [0, 0, -1]]\n"), error, "rotation-invalid", 4);
  EXPECT_FINDING(body("R = [[1, 0, 0], [0, 1, 0]]\n"), error, "number-count", 4);
  EXPECT_FINDING(body("limits = 3\n"), error, "key-type", 4);
  EXPECT_FINDING(body("mimic = { ratio = 2 }\n"), error, "key-missing", 4);
  EXPECT_FINDING(toml("[[body]]\nname = \"a\"\njoint = \"hinge\"\n", "f").findings, error, "joint-type", 3);
  EXPECT_FINDING(toml("[[body]]\nname = \"a\"\njoint = \"helical\"\n", "f").findings, error, "pitch-missing", 1);
  EXPECT_FINDING(toml("[[body]]\nmass = 1\n", "f").findings, error, "name-missing", 1);
  EXPECT_FINDING(toml("a = 1\nb = [1,\n2,\n", "f").findings, error, "toml-syntax", 4);
  EXPECT_FINDING(toml("[units]\nangle = \"grad\"\n[[body]]\nname = \"a\"\n", "f").findings, error, "unit-unknown", 2);
}

TEST(TomlReader, RefusesNestingThatWouldOverflowAStack) {
  const auto deep = [](const std::string& text) { return toml(text, "f").findings; };
  std::string dots = "a";
  for (int i = 0; i < 100000; ++i) dots += ".a";
  EXPECT_FINDING(deep("\nx = " + std::string(100000, '[')), error, "toml-nesting", 2);
  EXPECT_FINDING(deep(dots + " = 1"), error, "toml-nesting", 1);
  EXPECT_FINDING(deep("[" + dots + "]"), error, "toml-nesting", 1);
  // Brackets in texts and comments do not count.
  const std::string harmless =
      "# " + std::string(100, '[') + "\nname = \"" + std::string(100, '[') + "\"\n[[body]]\nname = 'a'\n";
  EXPECT_TRUE(deep(harmless).empty()) << test::all(deep(harmless));
  EXPECT_FINDING(deep(std::string(17u << 20, '#')), error, "file-too-large", 0);
}

TEST(TableReaders, SurviveEveryDamagedByte) {
  const std::string good_toml = test::documented("two_links.toml"), good_json = test::documented("numbered.json");
  for (const char c : {'[', '"', '=', '\n', '.', '\xff'}) {
    for (std::size_t i = 0; i < good_toml.size(); i += 3) {
      std::string bad = good_toml;
      bad[i] = c;
      toml(bad, "f");  // must return; sanitizers watch the rest
    }
    for (std::size_t i = 0; i < good_json.size(); ++i) {
      std::string bad = good_json;
      bad[i] = c;
      json(bad, "f");
    }
  }
}

}  // namespace
}  // namespace catena::read
