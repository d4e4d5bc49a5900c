// The joint-torque regressor against the recursion, rebuilt robots and known numbers of base parameters.
#include <Eigen/Dense>

#include "catena/dynamics/inverse.hpp"
#include "catena/linear/regressor.hpp"
#include "catena/read/robot.hpp"
#include "support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

ExternalLoads moving_base() {
  ExternalLoads loads;
  loads.base = {{0.3, -0.5, 0.7}, {0.2, 0.4, -0.6}, {1.1, -0.3, 0.2}, {-0.4, 0.8, 0.5}};
  return loads;
}

// tau of armature alone: the same robot with and without it.
Vector armature_forces(const Case& c) {
  Description bare = c.model.description();
  for (Joint& joint : bare.joints) joint.terms.rotor_inertia = 0;
  return inverse_dynamics(c.model, c.q, c.v, c.a) - inverse_dynamics(Model(bare), c.q, c.v, c.a);
}

TEST(Regressor, TimesParametersIsInverseDynamics) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    ExternalLoads loads = moving_base();
    const Vector free_of_wrenches = inverse_dynamics(c.model, c.q, c.v, c.a, loads);
    loads.wrenches.push_back({c.model.frame_count() - 1, {1, 2, 3}, {4, 5, 6}, {0.1, 0.2, 0.3}, Axes::aligned});
    const Vector tau = inverse_dynamics(c.model, c.q, c.v, c.a, loads), wrench_part = free_of_wrenches - tau;
    const Matrix Y = joint_torque_regressor(c.model, c.q, c.v, c.a, loads);
    const Vector pi = inertial_parameters(c.model);
    const Vector sum = Y * pi + armature_forces(c) + joint_forces(c.model, c.q, c.v) - wrench_part;
    const double scale = 1 + (Y.cwiseAbs() * pi.cwiseAbs()).maxCoeff() + tau.cwiseAbs().maxCoeff();
    EXPECT_LE((sum - tau).cwiseAbs().maxCoeff(), 1e-13 * scale);
    EXPECT_EQ(static_cast<int>(inertial_parameter_names(c.model).size()), pi.size());
  }
}

// Each block by itself: another inertia for one body, and the robot built again.
TEST(Regressor, BlocksAreTheChangesOfSingleBodies) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    const ExternalLoads loads = moving_base();
    const Matrix Y = joint_torque_regressor(c.model, c.q, c.v, c.a, loads);
    const Vector pi = inertial_parameters(c.model), tau = inverse_dynamics(c.model, c.q, c.v, c.a, loads);
    for (std::size_t b = 0; b < c.model.description().bodies.size(); ++b) {
      Description other = c.model.description();
      const Inertial replacement{1.7, {0.1, -0.2, 0.3}, Vector3(0.3, 0.4, 0.5).asDiagonal()};
      other.bodies[b].inertial = replacement;
      const Vector change = inverse_dynamics(Model(other), c.q, c.v, c.a, loads) - tau;
      const Vector expected = Y.middleCols(10 * b, 10) * (inertial_parameters(replacement) - pi.segment(10 * b, 10));
      EXPECT_LE((change - expected).cwiseAbs().maxCoeff(),
                1e-12 * (1 + tau.cwiseAbs().maxCoeff() + Y.cwiseAbs().maxCoeff()))
          << other.bodies[b].name;
    }
  }
}

TEST(Regressor, PayloadIsABodyOnAFixedJoint) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    const ExternalLoads loads = moving_base();
    for (const Frame& frame : c.model.description().frames) {
      Description loaded = c.model.description();
      const Inertial payload{2.3, {0.05, 0.1, -0.2}, Vector3(0.02, 0.03, 0.04).asDiagonal()};
      loaded.bodies.push_back({"payload", payload});
      Joint grip = fixed("grip").on(frame.body);
      grip.child = "payload";
      grip.placement = frame.pose;
      loaded.joints.push_back(grip);
      const Vector expected =
          inverse_dynamics(Model(loaded), c.q, c.v, c.a, loads) - inverse_dynamics(c.model, c.q, c.v, c.a, loads);
      const Matrix Y = payload_regressor(c.model, c.model.frame(frame.name), c.q, c.v, c.a, loads);
      EXPECT_LE((Y * inertial_parameters(payload) - expected).cwiseAbs().maxCoeff(),
                1e-12 * (1 + Y.cwiseAbs().maxCoeff() + inverse_dynamics(c.model, c.q, c.v, c.a).cwiseAbs().maxCoeff()));
    }
  }
}

TEST(Regressor, ParametersGoBothWays) {
  const Inertial inertial{2.3, {0.05, 0.1, -0.2}, Vector3(0.02, 0.03, 0.04).asDiagonal()};
  const Inertial again = inertial_from_parameters(inertial_parameters(inertial));
  EXPECT_NEAR(again.mass, inertial.mass, 1e-15);
  EXPECT_CLOSE(again.com, inertial.com, 1e-15);
  EXPECT_CLOSE(again.inertia, inertial.inertia, 1e-14);
  EXPECT_THROW(inertial_from_parameters(Vector10::Zero()), std::invalid_argument);
}

TEST(Regressor, RefusesAFrameThatDoesNotExist) {
  const Model arm(chain(2));
  const Vector zero = Vector::Zero(2);
  EXPECT_THROW(payload_regressor(arm, arm.frame_count(), zero, zero, zero), std::invalid_argument);
  EXPECT_THROW(joint_torque_regressor(arm, zero, zero, Vector::Zero(3)), std::invalid_argument);
}

// A planar arm tells Jzz, mx, my of each link (with what hangs on it lumped in); without gravity, of the first only Jzz.
TEST(BaseParameters, OfPlanarArmsAreThreeForEachLink) {
  for (int n = 1; n <= 5; ++n) {
    Description arm = chain(n, {ChainShape::planar});
    EXPECT_EQ(base_parameters(Model(arm)).rank(), 3 * n);
    arm.gravity.setZero();
    EXPECT_EQ(base_parameters(Model(arm)).rank(), 3 * n - 2);
  }
}

// A free body shows all ten; what is welded to it shows nothing new.
TEST(BaseParameters, OfAFreeBodyAreTen) {
  Builder builder("brick");
  builder.add_body("brick", {2, {0.1, 0, 0}, box_inertia(2, 1, 2, 3)}, free("base"));
  builder.add_body("handle", {1, {0, 0, 0}, box_inertia(1, 1, 1, 1)}, fixed("weld").on("brick").at(1, 2, 3));
  const BaseParameters base = base_parameters(builder.build());
  EXPECT_EQ(base.rank(), 10);
  EXPECT_GT(base.last_kept, 1e3 * base.first_dropped);
}

// Gautier and Khalil's count for the PUMA 560, whose first axis is along gravity: 36.
TEST(BaseParameters, OfThePumaAreThirtySix) { EXPECT_EQ(base_parameters(read::load("puma560")).rank(), 36); }

TEST(BaseParameters, PredictJointForcesInNewStates) {
  LONG_TEST();
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    const BaseParameters base = base_parameters(c.model);
    const Matrix Y = joint_torque_regressor(c.model, c.q, c.v, c.a);
    Matrix kept(Y.rows(), base.rank());
    for (int i = 0; i < base.rank(); ++i) kept.col(i) = Y.col(base.independent[i]);
    EXPECT_LE((kept * base.combination - Y).cwiseAbs().maxCoeff(), 1e-9 * (1 + Y.cwiseAbs().maxCoeff()));
    EXPECT_GT(base.last_kept, 1e2 * base.first_dropped);
  }
}

}  // namespace
}  // namespace catena::test
