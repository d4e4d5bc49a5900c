// Robots made by rule: the same seed gives the same robot, every robot is sound, options are kept.
#include "catena/model/generate.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <map>
#include <set>

#include "catena/dynamics/mass_matrix.hpp"
#include "catena/model/doctor.hpp"
#include "catena/model/random.hpp"
#include "tags.hpp"

namespace catena {
namespace {

std::string complaints(const Description& robot) {
  std::string text;
  for (const Finding& finding : check(robot))
    if (finding.severity != Severity::note) text += finding.text() + "\n";
  return text;
}

TEST(Random, IsSplitmix64) {
  Random random(1234567);
  EXPECT_EQ(random.bits(), 6457827717110365317u);
  EXPECT_EQ(random.bits(), 3203168211198807973u);
}

TEST(Random, DrawsStayInTheirRanges) {
  Random random(5);
  double sum = 0;
  for (int k = 0; k < 10000; ++k) {
    const double x = random.between(-2, 3);
    ASSERT_GE(x, -2);
    ASSERT_LT(x, 3);
    sum += x;
    const int i = random.below(3);
    ASSERT_TRUE(i >= 0 && i < 3);
    ASSERT_NEAR(random.direction().norm(), 1, 1e-15);
    ASSERT_NEAR(random.orientation().norm(), 1, 1e-15);
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.06);  // four standard deviations of the mean
}

TEST(RandomTree, SameSeedSameRobot) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_EQ(Model(random_tree(seed)).hash(), Model(random_tree(seed)).hash());
    EXPECT_NE(Model(random_tree(seed)).hash(), Model(random_tree(seed + 1)).hash());
  }
}

TEST(RandomTree, PassesTheDoctorAndHasAPositiveMassMatrix) {
  LONG_TEST();
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Description robot = random_tree(seed);
    ASSERT_EQ(complaints(robot), "");
    const Model model(robot);
    ASSERT_GT(model.nv(), 0);
    const Matrix M = mass_matrix(model, random_configuration(model, seed));
    const Eigen::LDLT<Matrix> factor(M);
    const Vector d = factor.vectorD();
    EXPECT_GT(d.minCoeff(), 1e-9 * d.maxCoeff());
  }
}

TEST(RandomTree, ShowsEverythingAModelCanHold) {
  std::map<JointType, int> types;
  int coupled = 0, chained = 0, massless = 0, several_roots = 0, spring = 0, friction = 0, geared = 0, offset = 0,
      child_first = 0, framed = 0, jointless = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Description robot = random_tree(seed);
    std::map<std::string, const Joint*> by_name;
    for (const Joint& joint : robot.joints) by_name[joint.name] = &joint;
    std::set<std::string> seen;
    int roots = 0;
    for (const Joint& joint : robot.joints) {
      ++types[joint.type];
      roots += joint.parent.empty();
      coupled += joint.mimic.has_value();
      chained += joint.mimic && by_name.at(joint.mimic->joint)->mimic;
      spring += joint.terms.stiffness > 0;
      friction += joint.terms.friction > 0;
      geared += joint.terms.armature() > 0;
      offset += !joint.body_in_joint.p.isZero();
      child_first += !joint.parent.empty() && joint.parent != "base" && !seen.contains(joint.parent);
      seen.insert(joint.child);
    }
    for (const Body& body : robot.bodies) massless += !body.inertial;
    several_roots += roots > 1;
    framed += !robot.frames.empty();
    jointless += robot.bodies.size() > robot.joints.size();
  }
  for (const JointType type : every_joint_type()) EXPECT_GT(types[type], 50) << name_of(type);
  for (const int count :
       {coupled, chained, massless, several_roots, spring, friction, geared, offset, child_first, framed, jointless})
    EXPECT_GT(count, 20);
}

TEST(RandomTree, KeepsItsOptions) {
  TreeOptions options;
  options.min_bodies = options.max_bodies = 7;
  options.types = one_degree_joint_types();
  options.serial = true;
  options.several_roots = options.couplings = options.terms = options.massless = options.frames = options.shuffled =
      options.body_in_joint = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Description robot = random_tree(seed, options);
    ASSERT_EQ(robot.bodies.size(), 7u);
    ASSERT_EQ(robot.joints.size(), 7u);
    EXPECT_TRUE(robot.frames.empty());
    for (std::size_t k = 0; k < 7; ++k) {
      const Joint& joint = robot.joints[k];
      EXPECT_EQ(joint.parent, k == 0 ? "" : robot.bodies[k - 1].name);
      EXPECT_EQ(joint.child, robot.bodies[k].name);
      EXPECT_EQ(velocity_count(joint.type), 1);
      EXPECT_FALSE(joint.mimic);
      EXPECT_EQ(joint.terms.damping + joint.terms.friction + joint.terms.armature() + joint.terms.stiffness, 0);
      EXPECT_TRUE(robot.bodies[k].inertial);
      EXPECT_EQ(joint.body_in_joint.R, Matrix3::Identity());
    }
  }
}

TEST(RandomTree, RefusesImpossibleOptions) {
  TreeOptions options;
  options.types.clear();
  EXPECT_THROW(random_tree(1, options), std::invalid_argument);
  options = {};
  options.min_bodies = 5;
  options.max_bodies = 4;
  EXPECT_THROW(random_tree(1, options), std::invalid_argument);
}

TEST(Chain, PassesTheDoctorInEveryShape) {
  for (const ChainShape shape : {ChainShape::general, ChainShape::perpendicular, ChainShape::planar}) {
    for (const int count : {1, 2, 7, 300}) {
      ChainOptions options;
      options.shape = shape;
      const Description robot = chain(count, options);
      EXPECT_EQ(complaints(robot), "");
      EXPECT_EQ(Model(robot).nv(), count);
    }
  }
  EXPECT_THROW(chain(0), std::invalid_argument);
}

TEST(Chain, OfTenThousandLinksIsBuilt) {
  LONG_TEST();
  const Model model(chain(10000));
  EXPECT_EQ(model.nv(), 10000);
  EXPECT_NEAR(model.total_mass(), 1000, 20);  // 0.1 kg a link on average, spread 29 %: seven standard deviations
}

TEST(Chain, PlanarAxesStayParallelAndPerpendicularOnesTurn) {
  ChainOptions options;
  options.shape = ChainShape::planar;
  for (const Joint& joint : chain(5, options).joints) EXPECT_EQ(joint.placement.R, Matrix3::Identity());
  options.shape = ChainShape::perpendicular;
  const Description robot = chain(5, options);
  for (std::size_t k = 1; k < robot.joints.size(); ++k) {
    EXPECT_EQ((robot.joints[k].placement.R * robot.joints[k].axis).dot(robot.joints[k - 1].axis), 0);
  }
}

}  // namespace
}  // namespace catena
