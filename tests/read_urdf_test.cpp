// The URDF reader: what it reads, and the line and code of what it cannot.
#include <Eigen/Geometry>
#include <numbers>

#include "catena/read/urdf.hpp"
#include "read_support.hpp"

namespace catena::read {
namespace {

using std::numbers::pi;

// A two-link robot; %1 is put into the second link, %2 into the joint.
std::string two_links(const std::string& in_link, const std::string& in_joint, const std::string& type = "revolute") {
  return "<?xml version=\"1.0\"?>\n<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\">\n" + in_link +
         "\n</link>\n<joint name=\"j\" type=\"" + type + "\">\n<parent link=\"a\"/><child link=\"b\"/>\n" + in_joint +
         "\n</joint>\n</robot>\n";
}

const std::string solid =
    "<inertial><mass value=\"2\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>";
const std::string limit = "<limit lower=\"-1\" upper=\"2\" velocity=\"3\" effort=\"4\"/>";

TEST(UrdfReader, ReadsEveryPartOfAJoint) {
  const Reading r = urdf(two_links(solid, "<origin xyz=\"1 2 3\" rpy=\"0 0 1.5\"/>\n<axis xyz=\"0 1 0\"/>" + limit +
                                              "<dynamics damping=\"0.5\" friction=\"0.25\"/>"
                                              "<mimic joint=\"k\" multiplier=\"-2\" offset=\"+0.1\"/>"),
                         "f.urdf");
  EXPECT_TRUE(r.findings.empty()) << test::all(r.findings);
  ASSERT_EQ(r.description.joints.size(), 1u);
  const Joint& j = r.description.joints[0];
  EXPECT_EQ(j.name, "j");
  EXPECT_EQ(j.parent, "a");
  EXPECT_EQ(j.child, "b");
  EXPECT_EQ(j.type, JointType::revolute);
  EXPECT_EQ(j.axis, Vector3(0, 1, 0));
  EXPECT_EQ(j.placement.p, Vector3(1, 2, 3));
  EXPECT_EQ(j.placement.R, rotation_from_rpy(0, 0, 1.5));
  EXPECT_EQ(j.limits.lower, -1);
  EXPECT_EQ(j.limits.upper, 2);
  EXPECT_EQ(j.limits.velocity, 3);
  EXPECT_EQ(j.limits.effort, 4);
  EXPECT_EQ(j.terms.damping, 0.5);
  EXPECT_EQ(j.terms.friction, 0.25);
  ASSERT_TRUE(j.mimic);
  EXPECT_EQ(j.mimic->joint, "k");
  EXPECT_EQ(j.mimic->ratio, -2);
  EXPECT_EQ(j.mimic->offset, 0.1);
  EXPECT_EQ(j.source.text(), "f.urdf:7");
  EXPECT_EQ(j.mimic->source.line, 10);
}

TEST(UrdfReader, TurnsTheInertiaWithItsOrigin) {
  const Reading r =
      urdf(two_links("<inertial><origin xyz=\"1 0 0\" rpy=\"0 0 " + std::to_string(pi / 2) +
                         "\"/><mass value=\"2\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"2\" iyz=\"0\" "
                         "izz=\"2.5\"/></inertial>",
                     limit),
           "f");
  EXPECT_FALSE(has_errors(r.findings));
  const Inertial& i = *r.description.bodies[1].inertial;
  EXPECT_EQ(i.com, Vector3(1, 0, 0));
  EXPECT_TRUE(i.inertia.isApprox(Vector3(2, 1, 2.5).asDiagonal().toDenseMatrix(), 1e-5)) << i.inertia;
}

TEST(UrdfReader, UsesTheDefaultsOfUrdf) {
  const Reading r = urdf(two_links(solid, "", "continuous"), "f");
  EXPECT_TRUE(r.findings.empty()) << test::all(r.findings);
  EXPECT_EQ(r.description.joints[0].axis, Vector3::UnitX());
  EXPECT_EQ(r.description.joints[0].placement.R, Matrix3::Identity());
  EXPECT_FALSE(r.description.bodies[0].inertial);
}

TEST(UrdfReader, KnowsEveryJointType) {
  const std::pair<const char*, JointType> types[] = {
      {"fixed", JointType::fixed},         {"planar", JointType::planar},          {"floating", JointType::free},
      {"ball", JointType::spherical},      {"spherical", JointType::spherical},    {"prismatic", JointType::prismatic},
      {"universal", JointType::universal}, {"cylindrical", JointType::cylindrical}};
  for (const auto& [name, type] : types) {
    const Reading r = urdf(two_links(solid, limit, name), "f");
    EXPECT_FALSE(has_errors(r.findings)) << name;
    EXPECT_EQ(r.description.joints[0].type, type) << name;
  }
  EXPECT_FINDING(urdf(two_links(solid, limit, "hinge"), "f").findings, error, "joint-type", 7);
}

TEST(UrdfReader, NamesTheLineOfABadNumber) {
  const auto with_mass = [](const std::string& mass) {
    return urdf(two_links("<inertial>\n<mass\nvalue=\"" + mass +
                              "\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>",
                          limit),
                "f")
        .findings;
  };
  EXPECT_TRUE(with_mass("+1.5").empty());
  EXPECT_FINDING(with_mass("nan"), error, "number-nan", 7);
  EXPECT_FINDING(with_mass("inf"), error, "number-infinite", 7);
  EXPECT_FINDING(with_mass("1e400"), error, "number-overflow", 7);
  for (const char* bad : {"1.5kg", "0x10", "1,5", "1.5e", "one"}) {
    EXPECT_FINDING(with_mass(bad), error, "number-unparsable", 7);
    EXPECT_EQ(with_mass(bad)[0].body, "b");
  }
  EXPECT_FINDING(with_mass(""), error, "number-count", 7);
  EXPECT_FINDING(with_mass("1 2"), error, "number-count", 7);
  EXPECT_FINDING(urdf(two_links(solid, "<origin xyz=\"0 0\"/>" + limit), "f").findings, error, "number-count", 9);
}

TEST(UrdfReader, ReportsWhatIsMissing) {
  EXPECT_FINDING(urdf(two_links("<inertial/>", limit), "f").findings, error, "mass-missing", 5);
  EXPECT_FINDING(urdf(two_links("<inertial><mass value=\"1\"/></inertial>", limit), "f").findings, warning,
                 "inertia-missing", 5);
  EXPECT_FINDING(urdf(two_links(solid, ""), "f").findings, warning, "limit-missing", 7);
  EXPECT_FINDING(urdf(two_links(solid, "<limit effort=\"1\" velocity=\"1\"/>"), "f").findings, warning, "limit-missing",
                 9);
  EXPECT_FINDING(urdf("<robot name=\"r\">\n<link/>\n</robot>", "f").findings, error, "attribute-missing", 2);
  EXPECT_FINDING(urdf("<robot name=\"r\"><link name=\"a\"/>\n<joint name=\"j\" type=\"fixed\"/></robot>", "f").findings,
                 error, "element-missing", 2);
  EXPECT_FINDING(urdf("<robot/>", "f").findings, error, "robot-missing", 1);
}

TEST(UrdfReader, NotesUnknownNamesOnceAndLeavesForeignOnesAlone) {
  const Reading r = urdf(two_links(solid + "<gazebo><x/></gazebo><colision/>",
                                   limit + "<safety_controller k_velocity=\"1\"/>\n<axis xzy=\"0 0 1\"/>"),
                         "f");
  EXPECT_EQ(r.findings.size(), 2u) << test::all(r.findings);
  EXPECT_FINDING(r.findings, note, "element-unknown", 5);
  EXPECT_FINDING(r.findings, note, "attribute-unknown", 10);
  EXPECT_NE(test::finding_with(r.findings, "element-unknown").message.find("collision"), std::string::npos);
}

TEST(UrdfReader, KeepsShapesAndTheirColours) {
  const Reading r = urdf(
      "<robot name=\"r\">\n<link name=\"a\">\n"
      "<visual name=\"v\"><origin xyz=\"1 0 0\"/><geometry><box size=\"1 2 3\"/></geometry><material "
      "name=\"red\"/></visual>\n"
      "<visual><geometry><mesh filename=\"package://m.stl\" scale=\"2 2 2\"/></geometry></visual>\n"
      "<collision><geometry><cylinder radius=\"0.1\" length=\"0.5\"/></geometry></collision>\n"
      "<visual><geometry><sphere radius=\"bad\"/></geometry></visual>\n"
      "</link><material name=\"red\"><color rgba=\"1 0 0 0.5\"/></material></robot>",
      "f");
  ASSERT_EQ(r.description.bodies.size(), 1u);
  const auto& shapes = r.description.bodies[0].shapes;
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes[0].size, Vector3(1, 2, 3));
  EXPECT_EQ(shapes[0].pose.p, Vector3(1, 0, 0));
  ASSERT_TRUE(shapes[0].rgba);
  EXPECT_EQ((*shapes[0].rgba)[3], 0.5f);
  EXPECT_EQ(shapes[1].mesh, "package://m.stl");
  EXPECT_EQ(shapes[1].scale, Vector3(2, 2, 2));
  EXPECT_TRUE(shapes[2].collision);
  EXPECT_EQ(shapes[2].size, Vector3(0.1, 0.5, 0));
  EXPECT_FINDING(r.findings, warning, "number-unparsable", 6);
}

TEST(UrdfReader, RefusesWhatIsNoUrdf) {
  const auto code = [](const std::string& text) {
    const Reading r = urdf(text, "f");
    EXPECT_EQ(r.findings.size(), 1u) << test::all(r.findings);
    EXPECT_TRUE(has_errors(r.findings));
    return r.findings.at(0).code;
  };
  const std::string good = two_links(solid, limit);
  for (std::size_t length = 30; length < good.size() - 10; length += 7)
    EXPECT_EQ(code(good.substr(0, length)), "xml-syntax");
  EXPECT_EQ(code("<sdf/>"), "xml-no-robot");
  EXPECT_EQ(code("<robot name=\"a\"/><robot name=\"b\"/>"), "xml-syntax");
  EXPECT_EQ(code("hello <robot name=\"a\"/>"), "xml-syntax");
  EXPECT_EQ(code("<robot xmlns:xacro=\"x\"><xacro:macro name=\"m\"/></robot>"), "xacro");
  EXPECT_EQ(code("<robot name=\"r\"><link name=\"${prefix}a\"/></robot>"), "xacro");
  EXPECT_EQ(code("<!DOCTYPE r [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;\">]><robot name=\"&b;\"/>"), "xml-entities");
  std::string deep = "<robot>", many = "<robot ";
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  for (int i = 0; i < 100000; ++i) many += "a" + std::to_string(i) + "='' ";
  EXPECT_EQ(code(deep), "xml-nesting");
  EXPECT_EQ(code(many + "/>"), "xml-size");
}

TEST(UrdfReader, SurvivesEveryDamagedByte) {
  const std::string good = two_links(solid, "<origin xyz=\"1 2 3\" rpy=\"0 0 1.5\"/>" + limit);
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const char c : {'<', '"', '\n', 'x', '\xff'}) {
      std::string bad = good;
      bad[i] = c;
      urdf(bad, "f");  // must return; sanitizers watch the rest
    }
  }
}

TEST(UrdfReader, ReadsTenThousandLinksQuickly) {
  std::string text = "<robot name=\"long\"><link name=\"l0\"/>";
  for (int i = 1; i <= 10000; ++i) {
    const std::string n = std::to_string(i);
    text += "<link name=\"l" + n + "\">" + solid + "</link>\n<joint name=\"j" + n +
            "\" type=\"revolute\"><parent link=\"l" + std::to_string(i - 1) + "\"/><child link=\"l" + n + "\"/>" +
            limit + "</joint>\n";
  }
  const Reading r = urdf(text + "</robot>", "f");
  EXPECT_EQ(r.description.joints.size(), 10000u);
  EXPECT_TRUE(r.findings.empty());
}

}  // namespace
}  // namespace catena::read
