// The doctor on singular and indefinite mass matrices: refused where no pose gives an answer, and only there.
// Inertias are about the centre of mass, in kg m^2.
#include <chrono>

#include "doctor_support.hpp"
#include "tags.hpp"

namespace catena {
namespace {

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
  add(d, "bob", revolute("twist").on("lower").about(0.3, 0.4, 1).limited(-1, 1),
      Inertial{2, 0.7 * Vector3(0.3, 0.4, 1), Matrix3::Zero()});
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
  d.joints[2].mimics("elbow", -1);
  EXPECT_FALSE(has_errors(check(d))) << text(check(d));
  // The same coupling the other way round: the elbow's inertia still resists the pair.
  d.joints[2].mimic.reset();
  d.joints[1].mimics("follower", 2);
  EXPECT_FALSE(has_errors(check(d))) << text(check(d));
  // A massless pair coupled with itself stays singular.
  d = arm();
  add(d, "left", revolute("left").on("lower").limited(-1, 1), std::nullopt);
  add(d, "right", revolute("right").on("lower").limited(-1, 1).mimics("left"), std::nullopt);
  EXPECT_FALSE(all(check(d), "mass-matrix-singular").empty());
  // A coupling elsewhere helps nothing.
  d = arm();
  d.joints[1].mimics("shoulder");
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
  LONG_TEST();
  Description d;
  for (int i = 0; i < 10000; ++i) {
    add(d, "body" + std::to_string(i),
        revolute("joint" + std::to_string(i))
            .on(i ? "body" + std::to_string(i - 1) : "")
            .at(0, 0, i ? -0.5 : 0)
            .about(0, i % 2, 1 - i % 2)
            .limited(-1, 1));
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
