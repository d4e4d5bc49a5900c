// Mending, and laws of the doctor over seeded random robots, sound and hostile.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <random>
#include <set>

#include "doctor_support.hpp"

namespace catena {
namespace {

class Draws {
 public:
  explicit Draws(unsigned seed) : engine_(seed) {}
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  Vector3 vector(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }
  Matrix3 rotation() { return rotation_from_rpy(between(-3, 3), between(-3, 3), between(-3, 3)); }
  Matrix3 symmetric(double size) {
    Matrix3 m;
    for (int i = 0; i < 3; ++i) m.row(i) = vector(size);
    return m + m.transpose();
  }
  // Second moments of a body of about this radius and mass.
  Matrix3 second_moments(double mass, double radius) {
    const Matrix3 R = rotation();
    const Vector3 s(between(0.1, 1), between(0.1, 1), between(0.1, 1));
    return mass * radius * radius * R * s.asDiagonal() * R.transpose();
  }
  Matrix3 inertia(double mass, double radius) {
    const Matrix3 S = second_moments(mass, radius);
    return S.trace() * Matrix3::Identity() - S;
  }

 private:
  std::mt19937 engine_;
};

Description random_robot(Draws& random) {
  Description d;
  const int n = 1 + random.below(12);
  for (int i = 0; i < n; ++i) {
    const double mass = random.between(0.1, 10);
    d.bodies.push_back(
        {.name = "b" + std::to_string(i), .inertial = Inertial{mass, random.vector(0.3), random.inertia(mass, 0.2)}});
    Joint joint;
    joint.name = "j" + std::to_string(i);
    joint.type = static_cast<JointType>(random.below(10));
    joint.parent = i == 0 || random.below(5) == 0 ? "" : "b" + std::to_string(random.below(i));
    joint.child = d.bodies.back().name;
    joint.placement = {random.rotation(), random.vector(0.5)};
    joint.body_in_joint = {random.rotation(), random.vector(0.1)};
    joint.axis = random.vector(1).normalized();
    joint.second_axis = joint.axis.cross(random.vector(1)).normalized();
    joint.pitch = random.between(-0.1, 0.1);
    joint.limited(-1, random.between(0, 2)).damped(random.between(0, 1)).friction(random.between(0, 1));
    if (velocity_count(joint.type) == 1) {
      for (const Joint& master : d.joints) {
        if (velocity_count(master.type) == 1 && random.below(6) == 0) joint.mimics(master.name, random.between(-2, 2));
      }
    }
    d.joints.push_back(joint);
  }
  std::shuffle(d.bodies.begin(), d.bodies.end(), std::mt19937(7));
  return d;
}

TEST(Doctor, HasNoWarningForRandomSoundRobots) {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    Draws random(seed);
    const Findings findings = check(random_robot(random));
    const bool quiet =
        std::all_of(findings.begin(), findings.end(), [](const Finding& f) { return f.severity == Severity::note; });
    EXPECT_TRUE(quiet) << "seed " << seed << "\n" << text(findings);
  }
}

// One random number or name of the robot is spoilt, several times over.
void spoil(Description& d, Draws& random) {
  static const double poison[] = {std::nan(""), INFINITY, -INFINITY, 0, -1, 1e300, -1e300, 1e-300, 1e-310, 1e49, 5};
  const double x = poison[random.below(11)];
  Body& body = d.bodies[random.below(static_cast<int>(d.bodies.size()))];
  Joint& joint = d.joints[random.below(static_cast<int>(d.joints.size()))];
  switch (random.below(20)) {
    case 0: body.inertial->mass = x; break;
    case 1: body.inertial->com[random.below(3)] = x; break;
    case 2: body.inertial->inertia(random.below(3), random.below(3)) = x; break;
    case 3: body.inertial = Inertial{}; break;
    case 4: body.name = d.bodies.front().name; break;
    case 5: body.name.clear(); break;
    case 6: joint.axis[random.below(3)] = x; break;
    case 7: joint.axis.setConstant(x); break;
    case 8: joint.placement.p[random.below(3)] = x; break;
    case 9: joint.placement.R(random.below(3), random.below(3)) = x; break;
    case 10: joint.parent = d.bodies.back().name; break;
    case 11: joint.child = d.bodies.front().name; break;
    case 12: joint.mimics(d.joints.back().name, x, x); break;
    case 13: joint.limits.lower = x; break;
    case 14: joint.terms.rotor_inertia = x; break;
    case 15: joint.terms.friction_scale = x; break;
    case 16: joint.terms.gear_ratio = x; break;
    case 17: joint.pitch = x; break;
    case 18: joint.second_axis = joint.axis; break;
    default: d.gravity[random.below(3)] = x; break;
  }
  if (!body.inertial) body.inertial = Inertial{};
}

TEST(Doctor, SurvivesHostileRobotsAndSoDoesMending) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    Draws random(seed);
    Description d = random_robot(random);
    for (int k = 1 + random.below(5); k > 0; --k) spoil(d, random);
    for (const Finding& f : check(d)) {
      ASSERT_FALSE(f.code.empty()) << "seed " << seed;
      ASSERT_FALSE(f.message.empty()) << "seed " << seed;
    }
    mend(d);
    const Findings after = check(d);
    for (const Finding& f : after) {
      for (const char* mended :
           {"inertia-indefinite", "inertia-triangle", "inertia-asymmetric", "axis-not-unit", "limits-reversed",
            "damping-negative", "friction-negative", "friction-scale", "mimic-on-fixed"}) {
        ASSERT_NE(f.code, mended) << "seed " << seed << ": " << f.text();
      }
    }
  }
}

TEST(Mend, LeavesASoundRobotAlone) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    Draws random(seed);
    Description d = random_robot(random);
    const auto changes = mend(d);
    EXPECT_TRUE(changes.empty()) << "seed " << seed << ": " << changes.front().what;
  }
}

TEST(Mend, ListsEveryChangeOnceAndLeavesNothingToMend) {
  Draws random(3);
  Description d = random_robot(random);
  while (d.joints.size() < 3 || velocity_count(d.joints[1].type) != 1) d = random_robot(random);
  for (Joint& joint : d.joints) joint.mimic.reset();
  d.bodies[0].inertial->inertia = Vector3(1, 1, 3).asDiagonal();
  d.bodies[0].inertial->source = {"robot.urdf", 4};
  d.bodies[1].inertial->inertia(0, 1) += 1e-3;
  Joint& joint = d.joints[1];
  joint.axis *= 2;
  joint.limited(2, 1).damped(-1).friction(0.1, 0);
  joint.placement.R(0, 0) += 1e-6;
  d.joints[0].friction(-1);
  d.joints[2].type = JointType::fixed;
  d.joints[2].mimics("j1");
  const auto changes = mend(d);
  EXPECT_EQ(changes.size(), 9u);
  EXPECT_EQ(changes.at(0).source.line, 4);
  EXPECT_EQ(changes.at(0).body, d.bodies[0].name);
  EXPECT_NE(changes.at(0).what.find("(1, 1, 3) -> (1.5, 1.5, 3)"), std::string::npos) << changes.at(0).what;
  EXPECT_EQ(joint.limits.lower, 1);
  EXPECT_NEAR(joint.axis.norm(), 1, 1e-15);
  EXPECT_TRUE(mend(d).empty());
  for (const Finding& f : check(d)) EXPECT_EQ(f.severity, Severity::note) << f.text();
}

Vector3 second_moment_values(const Matrix3& inertia) {
  const Matrix3 S = 0.5 * inertia.trace() * Matrix3::Identity() - inertia;
  return Eigen::SelfAdjointEigenSolver<Matrix3>(S).eigenvalues();
}

// |dS|^2 = |dI|^2 - tr(dI)^2 / 4 for dS = tr(dI)/2 1 - dI
double distance(const Matrix3& a, const Matrix3& b) {
  return std::sqrt((a - b).squaredNorm() - 0.25 * (a - b).trace() * (a - b).trace());
}

TEST(NearestInertia, IsValidAndNoValidOneIsNearerInTheStatedNorm) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Draws random(seed);
    const Matrix3 wrong = random.symmetric(1);
    const Matrix3 nearest = nearest_valid_inertia(wrong);
    EXPECT_GE(second_moment_values(nearest)[0], 0) << "seed " << seed;
    const Matrix3 half = 0.5 * (wrong.trace() * Matrix3::Identity()) - wrong;
    EXPECT_NEAR(distance(wrong, nearest), (half - (0.5 * nearest.trace() * Matrix3::Identity() - nearest)).norm(),
                1e-12);
    for (int k = 0; k < 100; ++k) {
      // Valid rivals: anywhere, and close by.
      const Matrix3 far = random.inertia(1, random.between(0.1, 2));
      const Matrix3 near = nearest + random.between(0, 0.1) * (far - nearest);
      // The margin of 1e-9 costs at most sqrt(3) times that much.
      EXPECT_GE(distance(wrong, far), distance(wrong, nearest) - 1e-8) << "seed " << seed;
      EXPECT_GE(distance(wrong, near), distance(wrong, nearest) - 1e-8) << "seed " << seed;
    }
  }
}

TEST(NearestInertia, LeavesValidOnesAsTheyAre) {
  Draws random(5);
  for (int k = 0; k < 100; ++k) {
    const Matrix3 valid = random.inertia(2, 0.3);
    EXPECT_EQ((nearest_valid_inertia(valid) - 0.5 * (valid + valid.transpose())).norm(), 0);
  }
  EXPECT_EQ(nearest_valid_inertia(Matrix3::Zero()), Matrix3::Zero());
}

}  // namespace
}  // namespace catena
