// The built-in robots: each reads, passes the doctor and is the robot its source describes.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/model/doctor.hpp"
#include "catena/read/builtin.hpp"
#include "catena/read/toml.hpp"

namespace catena {
namespace {

constexpr double quarter = std::numbers::pi / 2;

read::Reading reading(const std::string& name) {
  const auto text = read::builtin_text(name);
  if (!text) throw std::runtime_error("no built-in robot " + name);
  return read::toml(*text, read::builtin_file_name(name));
}

Model built_in(const std::string& name) { return Model(reading(name).description); }

Vector vector(std::initializer_list<double> numbers) {
  return Eigen::Map<const Vector>(numbers.begin(), static_cast<Eigen::Index>(numbers.size()));
}

void expect_near(const Vector& actual, const Vector& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  EXPECT_LT((actual - expected).cwiseAbs().maxCoeff(), tolerance) << actual.transpose() << "\nexpected\n"
                                                                  << expected.transpose();
}

TEST(BuiltIn, EveryRobotReadsAndPassesTheDoctor) {
  ASSERT_GE(read::builtin_names().size(), 9u);
  for (const std::string& name : read::builtin_names()) {
    SCOPED_TRACE(name);
    const read::Reading robot = reading(name);
    Findings findings = robot.findings;
    const Findings more = check(robot.description);
    findings.insert(findings.end(), more.begin(), more.end());
    for (const Finding& finding : findings) EXPECT_EQ(finding.severity, Severity::note) << finding.text();
    EXPECT_EQ(robot.description.name, name);
    EXPECT_FALSE(robot.description.origin.empty());
    EXPECT_EQ(read::builtin_file_name(name), "models/" + name + ".toml");
  }
}

TEST(BuiltIn, UnknownNamesGiveNothing) {
  EXPECT_FALSE(read::builtin_text("standford_arm"));
  EXPECT_EQ(read::builtin_file_name("standford_arm"), "");
  EXPECT_FALSE(read::builtin_description("stanford_arm"));
}

TEST(BuiltIn, MakesRobotsByRule) {
  EXPECT_EQ(read::builtin_description("chain:5")->joints.size(), 5u);
  EXPECT_EQ(read::builtin_description("chain:5:planar")->gravity, Vector3(0, -9.81, 0));
  EXPECT_EQ(read::builtin_description("chain:5:perpendicular")->joints.size(), 5u);
  EXPECT_EQ(read::builtin_description("random:7")->name, "random tree 7");
  for (const char* name : {"chain:", "chain:0", "chain:-3", "chain:5x", "chain:99999999999", "chain:2000000",
                           "chain:5:round", "random:", "random:-1", "random:1.5"})
    EXPECT_THROW(read::builtin_description(name), ModelError) << name;
}

// Numbers computed without any recursion over bodies, in 120 digits, from Saha's Table 3.
TEST(StanfordArm, MovesAsItsTableSays) {
  const Model model = built_in("stanford_arm");
  ASSERT_EQ(model.nv(), 6);
  EXPECT_DOUBLE_EQ(model.total_mass(), 21.1);
  const Vector q = vector({0.3, 1.2, 0.25, -0.4, 0.7, 0.5});
  const Vector v = vector({0.6, -0.9, 0.35, 1.1, -0.7, 0.8});
  const Vector a = vector({-0.5, 0.8, 0.3, -1.2, 0.9, 0.4});
  expect_near(inverse_dynamics(model, q, v, a),
              vector({-1.0351969168088595, 26.146130189574485, -23.3772008633392, -0.004421300236568693,
                      -0.0017345908410321407, -0.0050189597734081855}),
              1e-12 * 26.1);
  const Kinematics kinematics(model, q, v);
  const Pose hand = kinematics.pose(model.frame("link6"));
  expect_near(hand.p, vector({-0.7864013265645375, -0.13858727689369804, -0.10800409130517255}), 1e-14);
  expect_near(hand.R.col(2), vector({-0.8122935166394849, -0.5138705967426268, 0.27589174077676815}), 1e-14);
  EXPECT_NEAR(kinematics.kinetic_energy(), 1.818939252577347, 1e-13);
  EXPECT_NEAR(kinematics.potential_energy(), 22.313805186464357, 1e-12);
}

// Link 1 is 0.2 m tall and its mass centre in its middle: the sign of r.
TEST(StanfordArm, CarriesItsFirstMassCentreHalfWayUp) {
  const Description robot = reading("stanford_arm").description;
  const Model model(robot);
  const Kinematics kinematics(model, Vector::Zero(6));
  expect_near(kinematics.pose(model.frame("link1")) * robot.bodies.front().inertial->com, vector({0, 0, 0.1}), 1e-15);
}

TEST(Planar3R, MovesAsItsRodsDo) {
  const Model model = built_in("planar_3r");
  expect_near(inverse_dynamics(model, vector({0.3, -0.7, 1.1}), vector({0.5, -0.8, 1.2}), vector({0.9, 0.4, -1.3})),
              vector({47.216734298382846, 20.266409678230517, 4.549647478849685}), 1e-12 * 47);
  expect_near(gravity_forces(model, Vector::Zero(3)), vector({44.145, 19.62, 4.905}), 1e-13);
}

// Corke, "Robotics, Vision and Control", gives these at the nominal pose to four decimals.
TEST(Puma560, AgreesWithThePublishedGravityLoadAndMassMatrix) {
  const Model model = built_in("puma560");
  const Vector q = vector({0, quarter / 2, 2 * quarter, 0, quarter / 2, 0});
  expect_near(gravity_forces(model, q), vector({0, 31.6399, 6.0351, 0, 0.0283, 0}), 6e-5);
  const Matrix M = mass_matrix(model, q);
  expect_near(M.row(1).tail(5), vector({4.4137, 0.3509, 0, 0.0024, 0}), 6e-5);
  expect_near(M.row(2).tail(4), vector({0.9378, 0, 0.0015, 0}), 6e-5);
  expect_near(M.diagonal().tail(3), vector({0.1925, 0.1713, 0.1941}), 6e-5);
  EXPECT_NEAR(M(0, 0), 3.6594, 0.004);  // link 3's two mended moments differ by 0.00375 from the published ones
}

TEST(UrLike, ReachesWhereTheMakersTableSays) {
  const Model model = built_in("ur_like");
  const Kinematics kinematics(model, Vector::Zero(6));
  expect_near(kinematics.pose(model.frame("wrist3")).p, vector({-0.8172, -0.2329, 0.0628}), 1e-14);
  EXPECT_NEAR(model.total_mass(), 17.7, 1e-12);
  const Joint elbow = reading("ur_like").description.joints[2];
  EXPECT_EQ(elbow.name, "elbow");
  EXPECT_NEAR(elbow.limits.upper, 2 * quarter, 1e-15);
  EXPECT_NEAR(elbow.limits.velocity, 2 * quarter, 1e-15);
}

TEST(Arm7, StandsStraightAtZero) {
  const Model model = built_in("arm7");
  EXPECT_EQ(model.nv(), 7);
  const Kinematics kinematics(model, Vector::Zero(7));
  expect_near(kinematics.pose(model.frame("flange")).p, vector({0, 0, 1.28}), 1e-14);
}

TEST(Gantry, HoldsOnlyItsColumnAgainstGravity) {
  const Model model = built_in("gantry");
  EXPECT_EQ(model.nv(), 4);
  expect_near(gravity_forces(model, vector({0.3, -0.2, 0.1, 1})), vector({0, 0, (6.5 + 1.8 + 0.5) * 9.81, 0}), 1e-12);
}

TEST(Quadruped, StandsOnFourFeet) {
  const Model model = built_in("quadruped");
  EXPECT_EQ(model.nv(), 18);
  EXPECT_EQ(model.nq(), 19);
  const Kinematics kinematics(model, neutral_configuration(model));
  for (const char* foot : {"front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"})
    EXPECT_NEAR(kinematics.pose(model.frame(foot)).p.z(), -0.5, 1e-14) << foot;
  const Vector3 com = kinematics.center_of_mass();
  EXPECT_NEAR(com.x(), 0, 1e-14);
  EXPECT_NEAR(com.y(), 0, 1e-14);
}

TEST(Humanoid, StandsUprightAndIsTheSameOnBothSides) {
  const Model model = built_in("humanoid");
  EXPECT_EQ(model.nv(), 6 + 31);
  const Kinematics kinematics(model, neutral_configuration(model));
  for (const char* part : {"sole", "palm"}) {
    const Vector3 left = kinematics.pose(model.frame(std::string("left_") + part)).p;
    const Vector3 right = kinematics.pose(model.frame(std::string("right_") + part)).p;
    expect_near(left, Vector3(right.x(), -right.y(), right.z()), 1e-14);
  }
  const Vector3 com = kinematics.center_of_mass();
  EXPECT_NEAR(com.y(), 0, 1e-14);
  EXPECT_LT(std::abs(com.x() - kinematics.pose(model.frame("left_sole")).p.x()), 0.1);  // above its feet
}

TEST(Joints, HasEveryTypeACouplingAndEveryTerm) {
  const Description robot = reading("joints").description;
  for (const JointType type : joint_types) {
    EXPECT_TRUE(std::any_of(robot.joints.begin(), robot.joints.end(), [type](const Joint& j) {
      return j.type == type;
    })) << name_of(type);
  }
  const auto has = [&robot](auto what) { return std::any_of(robot.joints.begin(), robot.joints.end(), what); };
  EXPECT_TRUE(has([](const Joint& j) { return j.mimic.has_value(); }));
  EXPECT_TRUE(has([](const Joint& j) { return j.terms.stiffness > 0 && j.terms.rest != 0; }));
  EXPECT_TRUE(has([](const Joint& j) { return j.terms.friction > 0 && j.terms.friction_scale != 0.01; }));
  EXPECT_TRUE(has([](const Joint& j) { return j.terms.rotor_inertia > 0 && j.terms.gear_ratio > 1; }));
  EXPECT_EQ(Model(robot).nv(), 1 + 1 + 1 + 1 + 2 + 3 + 2 + 3 + 6 + 3);
}

}  // namespace
}  // namespace catena
