// Poses, velocities, accelerations and Jacobians: laws on random trees, and small robots one can check by hand.
#include "catena/kinematics/kinematics.hpp"

#include <Eigen/Geometry>
#include <numbers>

#include "support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

Matrix3 skew(const Vector3& w) {
  Matrix3 S;
  S << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return S;
}

constexpr Axes all_axes[] = {Axes::body, Axes::world, Axes::aligned};

TEST(Kinematics, JacobianTimesVelocityIsTheVelocity) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    const Kinematics kinematics(c.model, c.q, c.v);
    for (int frame = 0; frame < c.model.frame_count(); ++frame) {
      for (const Axes axes : all_axes) {
        const Vector6 V = kinematics.velocity(frame, axes);
        EXPECT_LE((kinematics.jacobian(frame, axes) * c.v - V).norm(), 1e-12 * (1 + V.norm()));
      }
    }
  }
}

// V = J v, so J a + J_dot v is V's derivative: spatial acceleration in body and world axes; in world axes that travel
// with the frame's origin, the ordinary one.
TEST(Kinematics, JacobianAndItsDerivativeGiveTheAcceleration) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    const Kinematics kinematics(c.model, c.q, c.v, c.a);
    for (int frame = 0; frame < c.model.frame_count(); ++frame) {
      for (const Axes axes : all_axes) {
        const Vector6 derivative = kinematics.jacobian(frame, axes) * c.a + kinematics.jacobian_dot(frame, axes) * c.v;
        const Vector6 expected = axes == Axes::aligned ? kinematics.ordinary_acceleration(frame, axes)
                                                       : kinematics.acceleration(frame, axes);
        EXPECT_LE((derivative - expected).norm(), 1e-11 * (1 + expected.norm()));
      }
    }
  }
}

// Central differences of poses along the motion q(t) = q + v t + a t^2 / 2 (t^2 through integrate's second argument).
TEST(Kinematics, VelocityAndAccelerationAreDerivativesOfThePose) {
  const double h = 1e-4;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TreeOptions options;
    options.types = {JointType::revolute,  JointType::prismatic, JointType::helical, JointType::cylindrical,
                     JointType::universal, JointType::gimbal};  // where v is the derivative of q
    const Case c = random_case(seed, options);
    const Kinematics now(c.model, c.q, c.v, c.a);
    const Kinematics after(c.model, c.q + h * c.v + 0.5 * h * h * c.a);
    const Kinematics before(c.model, c.q - h * c.v + 0.5 * h * h * c.a);
    for (int frame = 0; frame < c.model.frame_count(); ++frame) {
      const Vector3 p = now.pose(frame).p, p1 = after.pose(frame).p, p0 = before.pose(frame).p;
      const Vector6 V = now.velocity(frame, Axes::aligned), A = now.ordinary_acceleration(frame, Axes::aligned);
      const double scale = 1 + V.squaredNorm() * (1 + V.norm()) + A.norm() * (1 + V.norm());
      EXPECT_LE(((p1 - p0) / (2 * h) - V.tail<3>()).norm(), 1e-6 * scale);
      EXPECT_LE(((p1 - 2 * p + p0) / (h * h) - A.tail<3>()).norm(), 1e-5 * scale);
      const Matrix3 R_dot = (after.pose(frame).R - before.pose(frame).R) / (2 * h);
      const Vector3 w = V.head<3>();
      EXPECT_LE((R_dot - skew(w) * now.pose(frame).R).norm(), 1e-6 * scale);
    }
  }
}

TEST(Kinematics, CentreOfMassMovesWithItsJacobianAndCarriesTheMomentum) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    const Kinematics kinematics(c.model, c.q, c.v);
    const Vector3 velocity = kinematics.center_of_mass_velocity();
    EXPECT_LE((kinematics.center_of_mass_jacobian() * c.v - velocity).norm(), 1e-12 * (1 + velocity.norm()));
    EXPECT_LE((kinematics.momentum().tail<3>() - c.model.total_mass() * velocity).norm(),
              1e-12 * c.model.total_mass() * (1 + velocity.norm()));
    const double h = 1e-5;
    const Vector3 ahead = Kinematics(c.model, integrate(c.model, c.q, h * c.v)).center_of_mass();
    const Vector3 behind = Kinematics(c.model, integrate(c.model, c.q, -h * c.v)).center_of_mass();
    EXPECT_LE(((ahead - behind) / (2 * h) - velocity).norm(), 1e-7 * (1 + c.v.norm()) * (1 + c.v.squaredNorm()));
  }
}

// A free body that spins and drifts: angular momentum about its own centre of mass, whatever the frame's origin.
TEST(Kinematics, MomentumOfAFreeBodyIsAboutItsCentreOfMass) {
  Builder builder("top");
  const Matrix3 I = box_inertia(2, 0.1, 0.2, 0.4);
  builder.add_body("top", {2, {0.3, -0.1, 0.2}, I}, free("root"));
  const Model model = builder.build();
  Vector q = random_configuration(model, 3), v(6);
  v << 0.5, -0.2, 0.9, 1, 2, 3;
  const Kinematics kinematics(model, q, v);
  const Matrix3 R = kinematics.pose(0).R;
  const Vector3 w = v.head<3>(), c(0.3, -0.1, 0.2);
  EXPECT_LE((kinematics.momentum().head<3>() - R * I * w).norm(), 1e-14);
  EXPECT_LE((kinematics.momentum().tail<3>() - 2 * R * (v.tail<3>() + w.cross(c))).norm(), 1e-14);
}

TEST(Kinematics, PlanarArmByHand) {
  Builder builder("two links");
  builder.add_body("upper", {1, {0.5, 0, 0}, rod_inertia(1, 1)}, revolute("shoulder").about(0, 0, 1));
  builder.add_body("lower", {1, {0.5, 0, 0}, rod_inertia(1, 1)},
                   revolute("elbow").on("upper").at(1, 0, 0).about(0, 0, 1));
  builder.add_frame("tip", "lower", {Matrix3::Identity(), {1, 0, 0}});
  const Model model = builder.build();
  const double q1 = 0.3, q2 = 0.5;
  const Kinematics kinematics(model, Eigen::Vector2d(q1, q2));
  const int tip = model.frame("tip");
  const Vector3 expected(std::cos(q1) + std::cos(q1 + q2), std::sin(q1) + std::sin(q1 + q2), 0);
  EXPECT_LE((kinematics.pose(tip).p - expected).norm(), 1e-15);
  const Matrix J = kinematics.jacobian(tip, Axes::aligned);
  EXPECT_NEAR(J(3, 0), -expected.y(), 1e-15);
  EXPECT_NEAR(J(4, 0), expected.x(), 1e-15);
  EXPECT_NEAR(J(3, 1), -std::sin(q1 + q2), 1e-15);
  EXPECT_NEAR(J(2, 0), 1, 0);
}

TEST(Configuration, DifferenceInvertsIntegration) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    // shorter than half a turn, so that there is one answer
    const Vector step = random_vector(c.model, seed + 7, 1.7);
    const Vector there = integrate(c.model, c.q, step);
    EXPECT_LE((difference(c.model, c.q, there) - step).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LE(difference(c.model, there, integrate(c.model, there, Vector::Zero(c.model.nv()))).norm(), 1e-15);
  }
}

TEST(Configuration, IntegrationOfAFreeBodyIsAScrewAndKeepsTheQuaternionUnit) {
  LONG_TEST();
  Builder builder("body");
  builder.add_body("body", {1, Vector3::Zero(), sphere_inertia(1, 0.1)}, free("root"));
  const Model model = builder.build();
  Vector q = random_configuration(model, 5), v(6);
  v << 0.4, -1.1, 0.6, 0.3, 0.2, -0.5;
  Vector once = integrate(model, q, v), many = q;
  for (int i = 0; i < 100000; ++i) many = integrate(model, many, Vector(v / 100000));
  EXPECT_LE((once - many).norm(), 1e-10);
  EXPECT_NEAR(many.tail<4>().norm(), 1, 1e-15);
}

TEST(Configuration, NeutralStaysWithinLimitsAndRandomRespectsThem) {
  Builder builder("limited");
  const Inertial ball{1, Vector3::Zero(), sphere_inertia(1, 0.1)};
  builder.add_body("a", ball, revolute("a").limited(0.2, 0.5));
  builder.add_body("b", ball, prismatic("b").on("a").limited(-2, -1));
  builder.add_body("c", ball, continuous("c").on("b"));
  const Model model = builder.build();
  const Vector neutral = neutral_configuration(model);
  EXPECT_EQ(neutral[0], 0.2);
  EXPECT_EQ(neutral[1], -1);
  EXPECT_EQ(neutral[2], 0);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Vector q = random_configuration(model, seed);
    EXPECT_TRUE(0.2 <= q[0] && q[0] <= 0.5 && -2 <= q[1] && q[1] <= -1 && std::abs(q[2]) <= std::numbers::pi);
  }
  EXPECT_EQ(random_configuration(model, 4), random_configuration(model, 4));
  EXPECT_NE(random_configuration(model, 4), random_configuration(model, 5));
}

// Rotors in public files have limits at the ends of the numbers, where an angle has no meaning left.
TEST(Configuration, RandomStaysWithinATurnWhereLimitsSayNothing) {
  Builder builder("rotors");
  const Inertial ball{1, {0.1, 0, 0}, sphere_inertia(1, 0.1)};
  builder.add_body("a", ball, revolute("a").limited(-1e16, 1e16));
  builder.add_body("b", ball, prismatic("b").on("a").limited(-1e16, 1e16));
  builder.add_body("c", ball, revolute("c").on("b").limited(5, 1e300));
  builder.add_body("d", ball, revolute("d").on("c").limited(-Limits::none, -40));
  builder.add_body("e", ball, revolute("e").on("d").limited(-20, 20));  // three turns each way: a cable allows them
  const Model model = builder.build();
  double widest = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Vector q = random_configuration(model, seed);
    EXPECT_LE(std::abs(q[0]), std::numbers::pi);
    EXPECT_LE(std::abs(q[1]), 1);
    EXPECT_TRUE(5 <= q[2] && q[2] <= 5 + std::numbers::pi) << q[2];
    EXPECT_TRUE(-40 - std::numbers::pi <= q[3] && q[3] <= -40) << q[3];
    widest = std::max(widest, std::abs(q[4]));
  }
  EXPECT_GT(widest, 15);
}

}  // namespace
}  // namespace catena::test
