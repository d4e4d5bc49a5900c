// The doctor: every code is found where it belongs and nowhere else.
// Inertias are about the centre of mass, in kg m^2.
#include <cmath>
#include <limits>

#include "doctor_support.hpp"

namespace catena {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

TEST(Doctor, FindsNothingOnASoundArm) { EXPECT_TRUE(check(arm()).empty()) << text(check(arm())); }

TEST(Doctor, NamesTheLineOfTheInertialAndOfTheJoint) {
  Description d = arm();
  d.bodies[1].inertial->mass = -1;
  d.joints[1].axis.setZero();
  const Findings findings = check(d);
  EXPECT_EQ(all(findings, "mass-negative").at(0)->source.text(), "arm.urdf:7");
  EXPECT_EQ(all(findings, "axis-zero").at(0)->source.text(), "arm.urdf:20");
}

// Names and connections

TEST(Doctor, RefusesARobotWithoutBodies) { expect_one({}, "no-bodies", error, ""); }

TEST(Doctor, RefusesEmptyNames) {
  Description d = arm();
  d.joints[1].name.clear();
  expect_one(d, "name-empty", error, "");
  d = arm();
  d.frames.push_back({.name = "", .body = "lower", .pose = {}});
  expect_one(d, "name-empty", error, "");
}

TEST(Doctor, RefusesDoubledNames) {
  Description d = arm();
  d.joints[1].name = "shoulder";
  expect_one(d, "joint-doubled", error, "shoulder");
  d = arm();
  d.bodies[1].name = "upper";
  expect_one(d, "body-doubled", error, "upper");
  d = arm();
  d.frames.push_back({.name = "lower", .body = "lower", .pose = {}});
  expect_one(d, "frame-doubled", error, "lower");
}

TEST(Doctor, RefusesUnknownNames) {
  Description d = arm();
  d.joints[1].parent = "uper";
  expect_one(d, "parent-unknown", error, "elbow");
  EXPECT_NE(all(check(d), "parent-unknown")[0]->remedy.find("upper"), std::string::npos) << text(check(d));
  d = arm();
  d.joints[1].child = "hand";
  expect_one(d, "child-unknown", error, "elbow");
  d = arm();
  d.frames.push_back({.name = "tool", .body = "hand", .pose = {}});
  expect_one(d, "frame-unknown-body", error, "tool");
}

TEST(Doctor, RefusesTwoParents) {
  Description d = arm();
  Joint second = revolute("second");
  second.child = "lower";
  d.joints.push_back(second);
  expect_one(d, "two-parents", error, "lower");
}

TEST(Doctor, RefusesLoops) {
  Description d = arm();
  d.joints[0].parent = "lower";
  const auto found = all(check(d), "loop");
  ASSERT_EQ(found.size(), 1u);
  d = arm();
  d.joints[1].parent = "lower";
  expect_one(d, "loop", error, "lower");
  EXPECT_NE(all(check(d), "loop")[0]->message.find("itself"), std::string::npos);
}

TEST(Doctor, ReportsEachLoopOnceThoughBodiesHangOnIt) {
  Description d;
  add(d, "tail", revolute("t").on("a"));
  add(d, "a", revolute("ja").on("c"));
  add(d, "b", revolute("jb").on("a"));
  add(d, "c", revolute("jc").on("b"));
  add(d, "p", revolute("jp").on("q"));
  add(d, "q", revolute("jq").on("p"));
  EXPECT_EQ(all(check(d), "loop").size(), 2u) << text(check(d));
}

TEST(Doctor, ChecksCouplings) {
  const auto following = [](const char* master) {
    Description d = arm();
    add(d, "plate", fixed("mount").on("lower"));
    add(d, "ball", spherical("ball").on("lower").at(0, 0, -0.5));
    d.joints[1].mimic = Mimic{master, 1, 0, {"arm.urdf", 33}};
    return d;
  };
  expect_one(following("wrist"), "mimic-dangling", error, "elbow");
  EXPECT_EQ(all(check(following("wrist")), "mimic-dangling")[0]->source.line, 33);
  expect_one(following("elbow"), "mimic-self", error, "elbow");
  expect_one(following("mount"), "mimic-of-fixed", error, "elbow");
  expect_one(following("ball"), "mimic-degrees", error, "elbow");
  EXPECT_FALSE(has_errors(check(following("shoulder"))));

  Description d = following("shoulder");
  d.joints[0].mimics("elbow");
  EXPECT_EQ(all(check(d), "mimic-cycle").size(), 1u) << text(check(d));
  d = following("shoulder");
  d.joints[3].mimics("shoulder");
  expect_one(d, "mimic-degrees", error, "ball");
  d = following("shoulder");
  d.joints[2].mimics("shoulder");
  expect_one(d, "mimic-on-fixed", note, "mount");
  d = following("shoulder");
  d.joints[1].mimic->ratio = 0;
  expect_one(d, "mimic-ratio-zero", note, "elbow");
}

TEST(Doctor, MentionsSeveralRootsAndIsolatedBodies) {
  Description d = arm();
  d.bodies.push_back({.name = "table", .inertial = {}});
  expect_one(d, "body-isolated", warning, "table");
  d.bodies.push_back({.name = "floor", .inertial = {}});
  expect_one(d, "several-roots", note, "");
}

TEST(Doctor, SaysWhenNothingMoves) {
  Description d;
  d.bodies.push_back({.name = "drone", .inertial = solid()});
  expect_one(d, "nothing-moves", note, "");
  EXPECT_FALSE(has_errors(check(d)));
}

// Numbers

TEST(Doctor, RefusesNumbersThatAreNone) {
  const auto broken = [](auto&& breaking) {
    Description d = arm();
    breaking(d);
    return check(d);
  };
  for (const double x : {nan, inf, -inf}) {
    EXPECT_FALSE(all(broken([=](auto& d) { d.bodies[1].inertial->mass = x; }), "number-not-finite").empty());
    EXPECT_FALSE(all(broken([=](auto& d) { d.bodies[1].inertial->com[2] = x; }), "number-not-finite").empty());
    EXPECT_FALSE(all(broken([=](auto& d) { d.bodies[1].inertial->inertia(1, 2) = x; }), "number-not-finite").empty());
    EXPECT_FALSE(all(broken([=](auto& d) { d.joints[1].placement.p[0] = x; }), "number-not-finite").empty());
    EXPECT_FALSE(all(broken([=](auto& d) { d.joints[1].placement.R(0, 1) = x; }), "number-not-finite").empty());
    EXPECT_FALSE(all(broken([=](auto& d) { d.joints[1].body_in_joint.p[0] = x; }), "number-not-finite").empty());
    EXPECT_FALSE(all(broken([=](auto& d) { d.joints[1].axis[0] = x; }), "number-not-finite").empty());
    EXPECT_FALSE(all(broken([=](auto& d) { d.joints[1].terms.damping = x; }), "number-not-finite").empty());
    EXPECT_FALSE(all(broken([=](auto& d) { d.joints[1].terms.rest = x; }), "number-not-finite").empty());
    EXPECT_FALSE(all(broken([=](auto& d) { d.joints[1].mimics("shoulder", x); }), "number-not-finite").empty());
    EXPECT_FALSE(all(broken([=](auto& d) { d.gravity[2] = x; }), "number-not-finite").empty());
    EXPECT_FALSE(all(broken([=](auto& d) {
                       d.frames.push_back({.name = "tool", .body = "lower", .pose = {Matrix3::Identity(), {x, 0, 0}}});
                     }),
                     "number-not-finite")
                     .empty());
  }
  EXPECT_FALSE(all(broken([](auto& d) { d.joints[1].limits.lower = nan; }), "number-not-finite").empty());
  EXPECT_FALSE(has_errors(broken([](auto& d) { d.joints[1].limits.velocity = inf; })));
}

TEST(Doctor, RefusesNumbersWhoseProductsOverflow) {
  Description d = arm();
  d.bodies[1].inertial->mass = 1e200;
  expect_one(d, "number-too-large", error, "lower");
}

TEST(Doctor, RefusesAxesWithoutDirection) {
  Description d = arm();
  d.joints[1].axis.setZero();
  expect_one(d, "axis-zero", error, "elbow");
  d.joints[1].type = JointType::spherical;
  EXPECT_TRUE(all(check(d), "axis-zero").empty());
  d = arm();
  d.joints[1] = universal("elbow", Vector3::UnitX(), -Vector3::UnitX()).on("upper");
  d.joints[1].child = "lower";
  expect_one(d, "axes-parallel", error, "elbow");
}

TEST(Doctor, WarnsOfAxesThatAreNotUnitVectorsButNotOfPrintedDigits) {
  Description d = arm();
  d.joints[1].axis = {0, 2, 0};
  expect_one(d, "axis-not-unit", warning, "elbow");
  d.joints[1].axis = {0.5774, 0.5774, 0.5774};
  EXPECT_TRUE(all(check(d), "axis-not-unit").empty());
}

TEST(Doctor, RefusesMatricesThatAreNoRotations) {
  Description d = arm();
  d.joints[1].placement.R(0, 1) = 1e-6;
  expect_one(d, "rotation-invalid", error, "elbow");
  d.joints[1].placement.R = -Matrix3::Identity();
  expect_one(d, "rotation-invalid", error, "elbow");
}

TEST(Doctor, ChecksLimits) {
  Description d = arm();
  d.joints[1].limited(2, -2);
  expect_one(d, "limits-reversed", warning, "elbow");
  d.joints[1].limited(1, 1);
  expect_one(d, "limits-equal", note, "elbow");
  d.joints[1].limited(-1, 1, -3);
  expect_one(d, "limits-negative", warning, "elbow");
  d.joints[1].limited(-90, 180);
  expect_one(d, "units-angle", warning, "elbow");
  d.joints[1].limits = {};
  expect_one(d, "limits-missing", note, "");
}

TEST(Doctor, ChecksJointTerms) {
  Description d = arm();
  d.joints[1].damped(-0.1);
  expect_one(d, "damping-negative", warning, "elbow");
  d = arm();
  d.joints[1].friction(-0.1);
  expect_one(d, "friction-negative", warning, "elbow");
  d = arm();
  d.joints[1].friction(0.1, 0);
  expect_one(d, "friction-scale", error, "elbow");
  d = arm();
  d.joints[1].spring(-1);
  expect_one(d, "stiffness-negative", warning, "elbow");
  d = arm();
  d.joints[1].geared(-1e-4, 50);
  expect_one(d, "rotor-inertia-negative", error, "elbow");
  d.joints[1].geared(1e-4, 0);
  expect_one(d, "gear-ratio-zero", warning, "elbow");
  d.joints[1].geared(1e-4, 50);
  d.joints[1].type = JointType::planar;
  expect_one(d, "rotor-without-axis", error, "elbow");
  d = arm();
  d.joints[1].type = JointType::helical;
  expect_one(d, "pitch-zero", note, "elbow");
}

// Inertia

TEST(Doctor, RefusesNegativeMass) {
  Description d = arm();
  d.bodies[1].inertial->mass = -0.1;
  expect_one(d, "mass-negative", error, "lower");
}

TEST(Doctor, WarnsOfInertiasThatBreakPhysicsAndGivesTheNearest) {
  Description d = arm();
  d.bodies[1].inertial->inertia = Vector3(0.1, 0.1, 0.3).asDiagonal();
  expect_one(d, "inertia-triangle", warning, "lower");
  EXPECT_NE(all(check(d), "inertia-triangle")[0]->message.find("(0.1, 0.1, 0.3)"), std::string::npos);
  // S = (0.15, 0.15, -0.05) -> (0.15, 0.15, 0) -> I = (0.15, 0.15, 0.3)
  EXPECT_NE(all(check(d), "inertia-triangle")[0]->remedy.find("ixx 0.15"), std::string::npos) << text(check(d));
  d.bodies[1].inertial->inertia(0, 1) = d.bodies[1].inertial->inertia(1, 0) = 0.2;
  expect_one(d, "inertia-indefinite", warning, "lower");
  EXPECT_TRUE(all(check(d), "inertia-triangle").empty());
  d.bodies[1].inertial->inertia = Vector3(0.1, 0.1, 0.1).asDiagonal();
  d.bodies[1].inertial->inertia(0, 1) = 0.01;
  expect_one(d, "inertia-asymmetric", warning, "lower");
}

TEST(Doctor, AllowsRodsAndPlatesPrintedWithSixDigits) {
  Description d = arm();
  d.bodies[1].inertial->inertia = Vector3(0.0833333, 0.0833333, 0).asDiagonal();
  EXPECT_TRUE(check(d).empty()) << text(check(d));
  d.bodies[1].inertial->inertia = Vector3(0.0123456, 0.0234567, 0.0358024).asDiagonal();
  EXPECT_TRUE(check(d).empty()) << text(check(d));
}

TEST(Doctor, NotesPointMassesAndWarnsOfInertiaWithoutMass) {
  Description d = arm();
  d.bodies[1].inertial->inertia.setZero();
  expect_one(d, "inertia-zero", note, "lower");
  EXPECT_FALSE(has_errors(check(d)));
  d = arm();
  d.bodies[1].inertial->mass = 0;
  expect_one(d, "inertia-without-mass", warning, "lower");
}

TEST(Doctor, NotesMissingInertialsOnlyOfBodiesThatMove) {
  Description d = arm();
  add(d, "between", revolute("first").on("lower").about(1, 0, 0).at(0, 0, -0.5).limited(-1, 1), std::nullopt);
  add(d, "hand", revolute("second").on("between").limited(-1, 1));
  add(d, "tool", fixed("mount").on("hand"), std::nullopt);
  expect_one(d, "inertial-missing", note, "between");
  EXPECT_FALSE(has_errors(check(d))) << text(check(d));
  d.bodies[2].inertial = Inertial{};
  expect_one(d, "mass-zero", note, "between");
}

TEST(Doctor, WarnsOfMassesOutOfProportion) {
  Description d = arm();
  d.bodies[1].inertial = Inertial{1e-8, {0, 0, -0.25}, 1e-8 * solid().inertia};
  expect_one(d, "mass-ratio", warning, "lower");
  d = arm();
  d.bodies[0].inertial = Inertial{2e5, {0, 0, -0.25}, 2e5 * solid().inertia};
  expect_one(d, "mass-large", warning, "upper");
}

TEST(Doctor, SuspectsWrongUnits) {
  Description d = arm();
  d.bodies[1].inertial->inertia *= 1e6;  // kg mm^2
  expect_one(d, "units-inertia", warning, "lower");
  d = arm();
  d.bodies[1].inertial->mass *= 1e3;  // g, while the inertia is in kg m^2
  expect_one(d, "units-inertia", warning, "lower");
  d = arm();
  d.joints[1].at(0, 0, -500);
  expect_one(d, "units-length", warning, "elbow");
  d = arm();
  d.gravity = {0, 0, -9810};
  expect_one(d, "units-gravity", warning, "");
}

}  // namespace
}  // namespace catena
