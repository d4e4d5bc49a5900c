// The doctor: every code is found where it belongs and nowhere else.
// Inertias are about the centre of mass, in kg m^2.
#include "catena/model/doctor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace catena {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

Inertial solid(double mass = 1) { return {mass, {0, 0, -0.25}, Vector3(0.02, 0.02, 0.001).asDiagonal(), {"arm.urdf", 7}}; }

void add(Description& d, const std::string& body, Joint joint, std::optional<Inertial> inertial = solid()) {
  d.bodies.push_back({.name = body, .inertial = std::move(inertial), .source = {"arm.urdf", 5}});
  joint.child = body;
  joint.source = {"arm.urdf", 20};
  d.joints.push_back(std::move(joint));
}

Description arm() {
  Description d;
  add(d, "upper", revolute("shoulder").about(0, 1, 0).limited(-2, 2));
  add(d, "lower", revolute("elbow").on("upper").at(0, 0, -0.5).about(0, 1, 0).limited(-2, 2));
  return d;
}

std::vector<const Finding*> all(const Findings& findings, const std::string& code) {
  std::vector<const Finding*> found;
  for (const Finding& f : findings) {
    if (f.code == code) found.push_back(&f);
  }
  return found;
}

std::string text(const Findings& findings) {
  std::string lines;
  for (const Finding& f : findings) lines += f.text() + "\n";
  return lines;
}

// The one finding with this code; it must have this severity and concern this body or joint.
void expect_one(const Description& d, const char* code, Severity severity, const std::string& body) {
  const Findings findings = check(d);
  const auto found = all(findings, code);
  ASSERT_EQ(found.size(), 1u) << code << "\n" << text(findings);
  EXPECT_EQ(found[0]->severity, severity) << found[0]->text();
  EXPECT_EQ(found[0]->body, body) << found[0]->text();
  EXPECT_FALSE(found[0]->message.empty());
}

constexpr auto error = Severity::error;
constexpr auto warning = Severity::warning;
constexpr auto note = Severity::note;

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
  d.joints[0].following("elbow");
  EXPECT_EQ(all(check(d), "mimic-cycle").size(), 1u) << text(check(d));
  d = following("shoulder");
  d.joints[3].following("shoulder");
  expect_one(d, "mimic-degrees", error, "ball");
  d = following("shoulder");
  d.joints[2].following("shoulder");
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
    EXPECT_FALSE(all(broken([=](auto& d) { d.joints[1].following("shoulder", x); }), "number-not-finite").empty());
    EXPECT_FALSE(all(broken([=](auto& d) { d.gravity[2] = x; }), "number-not-finite").empty());
    EXPECT_FALSE(all(broken([=](auto& d) {
                   d.frames.push_back({.name = "tool", .body = "lower", .pose = {Matrix3::Identity(), {x, 0, 0}}});
                 }), "number-not-finite").empty());
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
  d.joints[1].rubbing(-0.1);
  expect_one(d, "friction-negative", warning, "elbow");
  d = arm();
  d.joints[1].rubbing(0.1, 0);
  expect_one(d, "friction-scale", error, "elbow");
  d = arm();
  d.joints[1].sprung(-1);
  expect_one(d, "stiffness-negative", warning, "elbow");
  d = arm();
  d.joints[1].geared(-1e-4, 50);
  expect_one(d, "rotor-inertia-negative", error, "elbow");
  d.joints[1].geared(1e-4, 0);
  expect_one(d, "gear-ratio-zero", warning, "elbow");
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

// The mass matrix

TEST(Doctor, RefusesAMasslessLeafUnlessTheJointHasARotor) {
  Description d = arm();
  add(d, "hand", revolute("wrist").on("lower").at(0, 0, -0.5).limited(-1, 1), std::nullopt);
  expect_one(d, "mass-matrix-singular", error, "wrist");
  expect_one(d, "inertial-missing", warning, "hand");
  d.joints[2].geared(1e-5, 10);
  EXPECT_TRUE(all(check(d), "mass-matrix-singular").empty()) << text(check(d));
  d.joints[2].terms = {};
  d.joints[2].type = JointType::fixed;
  EXPECT_TRUE(check(d).empty()) << text(check(d));
}

TEST(Doctor, RefusesAPointMassOnTheAxisThatTurnsIt) {
  Description d = arm();
  add(d, "bob", revolute("twist").on("lower").about(0.3, 0.4, 1).limited(-1, 1), Inertial{2, 0.7 * Vector3(0.3, 0.4, 1), Matrix3::Zero()});
  expect_one(d, "mass-matrix-singular", error, "twist");
  d.bodies[2].inertial->com = {0.1, 0, 0};
  EXPECT_FALSE(has_errors(check(d))) << text(check(d));
}

TEST(Doctor, RefusesTwoJointsThatDoTheSame) {
  Description d = arm();
  add(d, "ghost", prismatic("first").on("lower").along(1, 0, 0).limited(0, 1), std::nullopt);
  add(d, "slide", prismatic("second").on("ghost").along(1, 0, 0).limited(0, 1));
  expect_one(d, "mass-matrix-singular", error, "first");
}

TEST(Doctor, AllowsAMasslessBodyWhereTwoAxesCross) {
  Description d = arm();
  add(d, "ghost", revolute("first").on("lower").about(1, 0, 0).limited(-1, 1), std::nullopt);
  add(d, "hand", revolute("second").on("ghost").about(0, 1, 0).limited(-1, 1));
  EXPECT_FALSE(has_errors(check(d))) << text(check(d));
}

TEST(Doctor, RefusesAFloatingPointMassAndASphericalRod) {
  Description d;
  add(d, "dot", free("float"), Inertial{1, {0.1, 0.2, 0.3}, Matrix3::Zero()});
  expect_one(d, "mass-matrix-singular", error, "float");
  d = arm();
  add(d, "needle", spherical("ball").on("lower"), Inertial{1, {0, 0, 0.5}, Vector3(0.1, 0.1, 0).asDiagonal()});
  expect_one(d, "mass-matrix-singular", error, "ball");
  d.bodies[2].inertial->inertia(2, 2) = 1e-6;
  EXPECT_FALSE(has_errors(check(d))) << text(check(d));
}

TEST(Doctor, LetsACouplingCarryAMasslessFollower) {
  Description d = arm();
  add(d, "finger", revolute("follower").on("lower").at(0, 0, -0.5).limited(-1, 1), std::nullopt);
  EXPECT_TRUE(has_errors(check(d)));
  d.joints[2].following("elbow", -1);
  EXPECT_FALSE(has_errors(check(d))) << text(check(d));
  // The same coupling the other way round: the elbow's inertia still resists the pair.
  d.joints[2].mimic.reset();
  d.joints[1].following("follower", 2);
  EXPECT_FALSE(has_errors(check(d))) << text(check(d));
  // A massless pair coupled with itself stays singular.
  d = arm();
  add(d, "left", revolute("left").on("lower").limited(-1, 1), std::nullopt);
  add(d, "right", revolute("right").on("lower").limited(-1, 1).following("left"), std::nullopt);
  EXPECT_FALSE(all(check(d), "mass-matrix-singular").empty());
  // A coupling elsewhere helps nothing.
  d = arm();
  d.joints[1].following("shoulder");
  add(d, "finger", revolute("loose").on("lower").limited(-1, 1), std::nullopt);
  expect_one(d, "mass-matrix-singular", error, "loose");
}

TEST(Doctor, RefusesAnIndefiniteMassMatrixButNotAnIndefiniteInertiaThatDoesNoHarm) {
  Description d = arm();
  d.bodies[1].inertial->inertia = Vector3(0.02, -1, 0.02).asDiagonal();
  EXPECT_EQ(all(check(d), "mass-matrix-indefinite").at(0)->severity, error);
  d.bodies[1].inertial->inertia = Vector3(-0.02, 0.02, 0.02).asDiagonal();
  EXPECT_FALSE(has_errors(check(d))) << text(check(d));
  expect_one(d, "inertia-indefinite", warning, "lower");
}

TEST(Doctor, ChecksATenThousandLinkChainInWellUnderASecond) {
  Description d;
  for (int i = 0; i < 10000; ++i) {
    add(d, "body" + std::to_string(i), revolute("joint" + std::to_string(i)).on(i ? "body" + std::to_string(i - 1) : "")
                                           .at(0, 0, i ? -0.5 : 0).about(0, i % 2, 1 - i % 2).limited(-1, 1));
  }
  const auto start = std::chrono::steady_clock::now();
  const Findings findings = check(d);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(findings.empty()) << findings.size() << " findings, first: " << findings.front().text();
#ifdef NDEBUG
  EXPECT_LT(took.count(), 1);
#endif
}

}  // namespace
}  // namespace catena
