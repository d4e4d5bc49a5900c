// Rotations, joint types, findings as text, and the floating base.
#include "catena/model/description.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace catena {
namespace {

using std::numbers::pi;

TEST(Rotation, FollowsTheFixedAxesOfUrdf) {
  // Roll about x first, then pitch about y, then yaw about z, all fixed.
  const Matrix3 R = rotation_from_rpy(0.1, 0.2, 0.3);
  const Matrix3 expected = rotation_about(Vector3::UnitZ(), 0.3) * rotation_about(Vector3::UnitY(), 0.2) *
                           rotation_about(Vector3::UnitX(), 0.1);
  EXPECT_LT((R - expected).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT((rotation_about(Vector3::UnitZ(), pi / 2) * Vector3::UnitX() - Vector3::UnitY()).norm(), 1e-15);
}

TEST(Rotation, ComesBackFromItsAngles) {
  constexpr int seed = 11;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> angle(-pi, pi);
  for (int i = 0; i < 1000; ++i) {
    const double pitch = i % 4 == 0 ? std::copysign(pi / 2, angle(random)) : angle(random);
    const Matrix3 R = rotation_from_rpy(angle(random), pitch, angle(random));
    const Vector3 rpy = rpy_from_rotation(R);
    EXPECT_LT((rotation_from_rpy(rpy[0], rpy[1], rpy[2]) - R).cwiseAbs().maxCoeff(), 4e-15)
        << "seed " << seed << " case " << i;
  }
}

TEST(Rotation, GivesTheAnglesThemselvesWithinAQuarterTurnOfPitch) {
  const Vector3 rpy = rpy_from_rotation(rotation_from_rpy(-2.5, 1.2, 3.0));
  EXPECT_NEAR(rpy[0], -2.5, 1e-14);
  EXPECT_NEAR(rpy[1], 1.2, 1e-14);
  EXPECT_NEAR(rpy[2], 3.0, 1e-14);
}

TEST(Pose, UndoesItself) {
  const Pose pose{rotation_from_rpy(0.3, -0.8, 2), {1, 2, 3}};
  const Pose unit = pose * pose.inverse();
  EXPECT_LT((unit.R - Matrix3::Identity()).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT(unit.p.norm(), 1e-15);
  EXPECT_LT((pose * (pose.inverse() * Vector3(4, 5, 6)) - Vector3(4, 5, 6)).norm(), 1e-14);
}

TEST(JointTypes, HaveNamesThatComeBack) {
  for (int i = 0; i <= static_cast<int>(JointType::free); ++i) {
    const auto type = static_cast<JointType>(i);
    EXPECT_EQ(joint_type_from(name_of(type)), type);
  }
  EXPECT_EQ(joint_type_from("elbow"), std::nullopt);
  EXPECT_THROW(name_of(static_cast<JointType>(99)), std::invalid_argument);
}

TEST(JointTypes, CountPositionsAndVelocities) {
  EXPECT_EQ(position_count(JointType::fixed), 0);
  EXPECT_EQ(position_count(JointType::helical), 1);
  EXPECT_EQ(position_count(JointType::universal), 2);
  EXPECT_EQ(position_count(JointType::planar), 3);
  EXPECT_EQ(position_count(JointType::spherical), 4);
  EXPECT_EQ(velocity_count(JointType::spherical), 3);
  EXPECT_EQ(position_count(JointType::free), 7);
  EXPECT_EQ(velocity_count(JointType::free), 6);
}

TEST(Joint, ReadsAsASentence) {
  const Joint elbow = revolute("elbow")
                          .on("upper")
                          .at(0, 0, -0.3)
                          .turned(0.1, 0, 0)
                          .about(0, 1, 0)
                          .limited(-1, 2)
                          .damped(0.5)
                          .friction(0.2, 0.03)
                          .geared(1e-4, 100)
                          .spring(7, 0.4)
                          .mimics("shoulder", -2, 0.1);
  EXPECT_EQ(elbow.type, JointType::revolute);
  EXPECT_EQ(elbow.parent, "upper");
  EXPECT_EQ(elbow.placement.p, Vector3(0, 0, -0.3));
  EXPECT_EQ(elbow.axis, Vector3(0, 1, 0));
  EXPECT_EQ(elbow.limits.upper, 2);
  EXPECT_EQ(elbow.terms.friction_scale, 0.03);
  EXPECT_DOUBLE_EQ(elbow.terms.armature(), 1);
  EXPECT_EQ(elbow.mimic->ratio, -2);
  EXPECT_EQ(helical("screw", 0.01).pitch, 0.01);
  EXPECT_EQ(universal("u", Vector3::UnitX(), Vector3::UnitY()).second_axis, Vector3(Vector3::UnitY()));
}

Description two_bodies() {
  Description d;
  d.bodies = {{.name = "base", .inertial = {}}, {.name = "arm", .inertial = {}}};
  Joint joint = revolute("shoulder").on("base");
  joint.child = "arm";
  d.joints = {joint};
  return d;
}

TEST(FloatingBase, ComesFirstAndCarriesTheRoot) {
  Description d = two_bodies();
  make_floating(d);
  ASSERT_EQ(d.joints.size(), 2u);
  EXPECT_EQ(d.joints[0].name, "floating_base");
  EXPECT_EQ(d.joints[0].type, JointType::free);
  EXPECT_EQ(d.joints[0].parent, "");
  EXPECT_EQ(d.joints[0].child, "base");
}

TEST(FloatingBase, GivesWayToAJointOfItsName) {
  Description d = two_bodies();
  d.joints[0].name = "floating_base";
  make_floating(d);
  EXPECT_EQ(d.joints[0].name, "floating_base_2");
  EXPECT_EQ(d.joints[0].child, "base");
}

TEST(FloatingBase, NeedsExactlyOneRoot) {
  Description two_roots = two_bodies();
  two_roots.bodies.push_back({.name = "table", .inertial = {}});
  EXPECT_THROW(make_floating(two_roots), ModelError);
  EXPECT_EQ(two_roots.joints.size(), 1u);

  Description twice = two_bodies();
  make_floating(twice);
  EXPECT_THROW(make_floating(twice), ModelError);

  Description none;
  EXPECT_THROW(make_floating(none), ModelError);
}

std::string refusal(Description d) {
  try {
    make_floating(d);
  } catch (const ModelError& error) {
    return error.findings().front().code + " " + error.findings().front().body;
  }
  return "";
}

// "world" carries no mass and a second floating base under it would be asked for one.
TEST(FloatingBase, IsRefusedWhereTheRobotFloatsAlready) {
  Description world = two_bodies();
  world.bodies[1].inertial = Inertial{.mass = 1, .inertia = Matrix3::Identity()};
  world.joints[0].type = JointType::free;
  EXPECT_EQ(refusal(world), "floating-already shoulder");

  Description on_a_fixed_frame = world;  // world -> fixed -> mount -> free -> arm
  on_a_fixed_frame.bodies.push_back({.name = "mount", .inertial = {}});
  on_a_fixed_frame.joints[0].parent = "mount";
  on_a_fixed_frame.joints.push_back(fixed("bolt").on("base"));
  on_a_fixed_frame.joints.back().child = "mount";
  EXPECT_EQ(refusal(on_a_fixed_frame), "floating-already shoulder");

  Description on_the_ground = two_bodies();
  make_floating(on_the_ground);
  EXPECT_EQ(refusal(on_the_ground), "floating-already floating_base");

  Description heavy = world;  // a root with mass may float and carry another floating body
  heavy.bodies[0].inertial = Inertial{.mass = 1, .inertia = Matrix3::Identity()};
  EXPECT_EQ(refusal(heavy), "");
}

TEST(Finding, ReadsAsOneLineWithItsPlace) {
  const Finding finding{Severity::warning, "axis-not-unit", {"arm.urdf", 12}, "elbow", "length 2", "write 0 0 1"};
  EXPECT_EQ(finding.text(), "arm.urdf:12: warning: 'elbow': length 2 [axis-not-unit]; write 0 0 1");
  EXPECT_EQ((Source{"arm.urdf", 0}.text()), "arm.urdf");
  EXPECT_EQ((Source{}.text()), "");
}

TEST(Finding, KeepsControlCharactersOfNamesOutOfTheLine) {
  const Finding finding{Severity::error, "code", {}, "a\nb\x1b[31m", "bad", ""};
  EXPECT_EQ(finding.text(), "error: 'a?b?[31m': bad [code]");
}

TEST(ModelError, LeadsWithTheFirstErrorAndCountsTheRest) {
  const Finding note{Severity::note, "n", {}, "", "aside", ""};
  const Finding first{Severity::error, "e", {}, "", "first", ""};
  const Finding second{Severity::error, "e", {}, "", "second", ""};
  EXPECT_STREQ(ModelError(Findings{note, first, second}).what(), "error: first [e] (and 1 more error)");
  EXPECT_STREQ(ModelError(first).what(), "error: first [e]");
  EXPECT_STREQ(ModelError(Findings{note}).what(), "note: aside [n]");
  EXPECT_EQ(ModelError(Findings{note, first}).findings().size(), 2u);
  EXPECT_NE(std::string(ModelError(Findings{}).what()), "");
  EXPECT_FALSE(has_errors({note}));
  EXPECT_TRUE(has_errors({note, first}));
}

}  // namespace
}  // namespace catena
