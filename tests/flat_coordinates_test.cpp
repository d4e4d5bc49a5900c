// Flat coordinates: closed forms, no Coriolis forces in them, straight lines as free motions; and how far from flat the others
// are, against parallel transport around small rectangles.
#include <Eigen/Dense>
#include <numbers>

#include "catena/control/controllers.hpp"
#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/linear/flat_coordinates.hpp"
#include "catena/linear/parallel_transport.hpp"
#include "simulation_support.hpp"
#include "support.hpp"

namespace catena::test {
namespace {

using std::numbers::pi;

const Inertial massless{0, {0, 0, 0}, Matrix3::Zero()};
Inertial point(double mass, const Vector3& com = {0, 0, 0}) { return {mass, com, Matrix3::Zero()}; }

// M = diag(m r^2, m)
Model polar_arm() {
  return Builder("polar arm")
      .add_body("turret", massless, revolute("turn"))
      .add_body("mass", point(1.5), prismatic("reach").on("turret").along(1, 0, 0))
      .gravity(0, -9.81, 0)
      .build();
}
// A point mass in spherical coordinates, and one that a lift carries in cylindrical ones.
Model spherical_arm() {
  return Builder("spherical arm")
      .add_body("turret", massless, revolute("turn"))
      .add_body("boom", massless, revolute("raise").on("turret").about(0, 1, 0))
      .add_body("mass", point(0.7), prismatic("reach").on("boom").along(1, 0, 0))
      .build();
}
Model cylindrical_arm() {
  return Builder("cylindrical arm")
      .add_body("lift", point(3), prismatic("lift"))
      .add_body("turret", massless, revolute("turn").on("lift"))
      .add_body("mass", point(0.7), prismatic("reach").on("turret").along(1, 0, 0))
      .build();
}
// M is constant: the second mass centre lies on its axis.
Model balanced_arm() {
  return Builder("balanced arm")
      .add_body("upper", {1, {0.5, 0, 0}, Vector3(0, 1.0 / 12, 1.0 / 12).asDiagonal()}, revolute("shoulder"))
      .add_body("lower", {1, {0, 0, 0}, Vector3(0, 1.0 / 12, 1.0 / 12).asDiagonal()},
                revolute("elbow").on("upper").at(1, 0, 0))
      .build();
}
Model planar_arm() {
  return Builder("planar arm")
      .add_body("upper", {1, {0.5, 0, 0}, Vector3(0, 1.0 / 12, 1.0 / 12).asDiagonal()}, revolute("shoulder"))
      .add_body("lower", {1, {0.5, 0, 0}, Vector3(0, 1.0 / 12, 1.0 / 12).asDiagonal()},
                revolute("elbow").on("upper").at(1, 0, 0))
      .build();
}

// Three random joints without mass that carry a point mass: its position is what there is to know.
Model random_point_robot(std::uint64_t seed) {
  TreeOptions options;
  options.min_bodies = options.max_bodies = 3;
  options.types = {JointType::revolute, JointType::prismatic, JointType::helical};
  options.serial = true;
  options.several_roots = options.couplings = options.shuffled = false;
  Description robot = random_tree(seed, options);
  for (Body& body : robot.bodies) body.inertial = massless;
  robot.bodies.back().inertial = point(0.5 + 0.1 * static_cast<double>(seed % 7), {0.3, -0.2, 0.4});
  for (Joint& joint : robot.joints) {
    joint.terms.rotor_inertia = 0;
    joint.limits = {};
  }
  return Model(robot);
}

// A pose near another, M well enough conditioned on both ways between them to have digits left.
struct Place {
  Vector q0, q;
};
std::optional<Place> place_of(const Model& model, std::uint64_t seed) {
  Place out{random_configuration(model, seed), {}};
  out.q = out.q0 + random_vector(model, seed + 500, 0.4);
  std::vector<Vector> ends = {out.q, out.q0};
  for (int i = 0; i < model.nv(); ++i) {
    ends.push_back(ends.back());
    ends.back()[i] = out.q[i];
  }
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    for (double s = 0; s <= 1; s += 0.02)
      if (condition_number(mass_matrix(model, ends[k] + s * (ends[k + 1] - ends[k]))) > 1e3) return {};
  }
  return out;
}

std::vector<Model> flat_robots() {
  std::vector<Model> out = {polar_arm(), spherical_arm(), cylindrical_arm(), balanced_arm(), read::load("gantry")};
  for (std::uint64_t seed = 0; seed < 10; ++seed) out.push_back(random_point_robot(seed));
  return out;
}
template <class Law>
void for_flat_places(const Law& law) {
  int places = 0;
  for (const Model& model : flat_robots()) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE(model.name() + ", seed " + std::to_string(seed));
      if (const std::optional<Place> place = place_of(model, seed + 1)) ++places, law(model, *place);
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GE(places, 12);
}

TEST(FlatCoordinates, OfAPointMassAreItsPosition) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model model = random_point_robot(seed);
    const std::optional<Place> place = place_of(model, seed);
    if (!place) continue;
    ++compared;
    const FlatCoordinates found = flat_coordinates(model, place->q, place->q0);
    Kinematics kinematics(model);
    kinematics.update(place->q0);
    const Vector3 start = kinematics.center_of_mass();
    const double root = std::sqrt(model.total_mass());
    // J(q0) = m' = rotation sqrt(mass) Jacobian
    const Matrix m = DiagonalForm(model, place->q0).m();
    const Matrix rotation = m.transpose() * (root * kinematics.center_of_mass_jacobian()).inverse();
    EXPECT_TRUE((rotation.transpose() * rotation).isIdentity(1e-11));
    kinematics.update(place->q);
    const Vector expected = rotation * root * (kinematics.center_of_mass() - start);
    EXPECT_CLOSE(found.theta, expected, 1e-10);
    EXPECT_CLOSE(found.J, rotation * root * kinematics.center_of_mass_jacobian(), 1e-10);
    EXPECT_LE(found.metric_error, 1e-11);
    EXPECT_LE(found.path_error, 1e-11);
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, 10);
}

TEST(FlatCoordinates, HaveTheJacobianTheySayAndTheMetricOfTheMassMatrix) {
  for_flat_places([](const Model& model, const Place& place) {
    const FlatCoordinates here = flat_coordinates(model, place.q, place.q0);
    const int n = model.nv();
    EXPECT_CLOSE(here.J.transpose() * here.J, mass_matrix(model, place.q), 1e-11);
    EXPECT_TRUE((here.Q.transpose() * here.Q).isIdentity(1e-10));
    const Vector v = random_vector(model, 7);
    EXPECT_CLOSE(here.J * v, here.Q * DiagonalForm(model, place.q).nu(v), 1e-10);
    for (int i = 0; i < n; ++i) {
      const auto at = [&](double t) -> Vector {
        return flat_coordinates(model, place.q + t * Vector::Unit(n, i), place.q0).theta;
      };
      const double h = 1e-3;
      EXPECT_CLOSE((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h), here.J.col(i), 1e-8) << i;
    }
    const FlatCoordinates base = flat_coordinates(model, place.q0, place.q0);
    EXPECT_TRUE(base.theta.isZero(0) && base.Q.isIdentity(1e-10));
  });
}

// theta_ddot = J a + J_dot v = J^-T (tau - gravity - joint forces), and what is left in nu is how Q turns:
// C(q, nu) = Q' Q_dot nu.
TEST(FlatCoordinates, HaveNoCoriolisForces) {
  for_flat_places([](const Model& model, const Place& place) {
    const int n = model.nv();
    const Vector v = random_vector(model, 8, 2), tau = random_vector(model, 9, 5);
    const Vector a = forward_dynamics(model, place.q, v, tau);
    const FlatCoordinates here = flat_coordinates(model, place.q, place.q0);
    const auto at = [&](double t) { return flat_coordinates(model, place.q + t * v, place.q0); };
    const double h = 1e-3;
    const FlatCoordinates ahead = at(h), behind = at(-h), further = at(2 * h), back = at(-2 * h);
    const Matrix J_dot = (8 * (ahead.J - behind.J) - (further.J - back.J)) / (12 * h);
    const Matrix Q_dot = (8 * (ahead.Q - behind.Q) - (further.Q - back.Q)) / (12 * h);
    const Vector zero = Vector::Zero(n);
    // all of the bias but the Coriolis forces: gravity and what joints do by themselves
    const Vector passive = bias_forces(model, place.q, v) - coriolis_forces(model, place.q, v);
    const Vector force = here.J.transpose().partialPivLu().solve(tau - passive);
    const double size = force.norm() + (here.J * a).norm() + (J_dot * v).norm();
    EXPECT_LE((here.J * a + J_dot * v - force).norm(), 1e-8 * size);
    const DiagonalTerms terms = diagonal_terms(model, place.q, v, tau);
    EXPECT_LE((here.Q.transpose() * Q_dot * terms.nu - terms.C_nu).norm(), 1e-8 * (Q_dot * terms.nu).norm() + 1e-9);
  });
}

// The lemma as it stands, theta_dot = nu, where M is constant; not for the polar arm, whose nu still has Coriolis forces.
TEST(FlatCoordinates, AreThoseOfNuOnlyWhereTheFactorIsAGradient) {
  for (const Model& model : {balanced_arm(), read::load("gantry")}) {
    const Vector q = random_configuration(model, 1), q0 = random_configuration(model, 2);
    const FlatCoordinates found = flat_coordinates(model, q, q0);
    EXPECT_TRUE(found.Q.isIdentity(1e-12));
    EXPECT_CLOSE(found.theta, DiagonalForm(model, q).m().transpose() * (q - q0), 1e-12);
    EXPECT_LE(diagonal_terms(model, q, random_vector(model, 3), Vector::Zero(model.nv())).C_nu.norm(), 1e-12);
  }
  const Model polar = polar_arm();
  const Eigen::Vector2d q0(0.2, 0.5), q(1.5, 0.8);
  const FlatCoordinates found = flat_coordinates(polar, q, q0);
  EXPECT_NEAR(found.theta.norm(), std::sqrt(1.5) * std::hypot(0.8 * std::cos(1.3) - 0.5, 0.8 * std::sin(1.3)), 1e-12);
  EXPECT_NEAR(found.Q(0, 0), std::cos(1.3), 1e-12);  // turned by the angle between the two poses
  EXPECT_NEAR(std::abs(found.Q(0, 1)), std::sin(1.3), 1e-12);
  EXPECT_GT(diagonal_terms(polar, q, Eigen::Vector2d(1, 1), Eigen::Vector2d::Zero()).C_nu.norm(), 1);
}

TEST(FlatCoordinates, MakeFreeMotionsStraightLinesAtConstantSpeed) {
  for (Model model : {polar_arm(), spherical_arm(), cylindrical_arm(), random_point_robot(0)}) {
    SCOPED_TRACE(model.name());
    Description free = model.description();
    free.gravity = {0, 0, 0};
    for (Joint& joint : free.joints) joint.terms.damping = joint.terms.friction = joint.terms.stiffness = 0;
    model = Model(free);
    std::optional<Place> place;
    for (std::uint64_t seed = 1; !place; ++seed) place = place_of(model, seed);
    const Vector q0 = place->q0, v0 = place->q - q0;
    SimulationOptions options;
    options.duration = 0.5;
    options.every = 0.1;
    options.accuracy.rtol = options.accuracy.atol = 1e-12;
    const SimulationResult run = simulate(model, zero_input(model), options, q0, v0);
    const Vector speed = DiagonalForm(model, q0).nu(v0);
    ASSERT_EQ(run.rows.size(), 6u);
    for (const Vector& row : run.rows) {
      const FlatCoordinates here = flat_coordinates(model, q_of(model, row), q0);
      EXPECT_LE((here.theta - row[0] * speed).norm(), 1e-10 * speed.norm()) << row[0];
    }
    EXPECT_GT((q_of(model, run.rows.back()) - (q0 + 0.5 * v0)).norm(), 1e-3);  // in q they are none
  }
}

// One degree of freedom: the length of the way in the kinetic energy, here with an M(q) that a mimic joint makes.
TEST(FlatCoordinates, OfOneDegreeOfFreedomAreTheLengthOfTheWay) {
  Joint elbow = revolute("elbow").on("upper").at(1, 0, 0);
  elbow.mimics("shoulder", -2);
  const Model model = Builder("scissors")
                          .add_body("upper", {1, {0.5, 0, 0}, rod_inertia(1, 1)}, revolute("shoulder"))
                          .add_body("lower", {1, {0.4, 0.1, 0}, rod_inertia(1, 1)}, elbow)
                          .build();
  const Vector q0 = Vector::Constant(1, -0.3), q = Vector::Constant(1, 1.9);
  const FlatCoordinates found = flat_coordinates(model, q, q0);
  double length = 0;  // Simpson's rule
  const int parts = 2000;
  for (int k = 0; k <= parts; ++k) {
    const double weight = k == 0 || k == parts ? 1 : k % 2 == 1 ? 4 : 2;
    length += weight * std::sqrt(mass_matrix(model, q0 + (q - q0) * k / parts)(0, 0));
  }
  EXPECT_NEAR(std::abs(found.theta[0]), length * 2.2 / parts / 3, 1e-11);
}

TEST(FlatCoordinates, OfACurvedRobotAreRefusedNamingTheJoints) {
  const Model arm = planar_arm();
  EXPECT_MESSAGE(flat_coordinates(arm, Eigen::Vector2d(1, 1), Eigen::Vector2d::Zero()),
                 "joints shoulder and elbow have the largest curvature");
  EXPECT_THROW(flat_coordinates(arm, Eigen::Vector2d(1, 1), Eigen::Vector2d::Zero()), NumericalError);
  // also where the curvature happens to vanish at both poses
  EXPECT_THROW(flat_coordinates(arm, Eigen::Vector2d(1, pi / 2), Eigen::Vector2d(0, pi / 2)), NumericalError);
  Builder brick("brick");
  brick.add_body("brick", {2, {0, 0, 0}, box_inertia(2, 1, 2, 3)}, spherical("ball"));
  const Model ball = brick.build();
  EXPECT_THROW(flat_coordinates(ball, neutral_configuration(ball), neutral_configuration(ball)), std::invalid_argument);
}

// At r = 0 M is singular: theta goes on, but not by this way.
TEST(FlatCoordinates, AreNotCarriedThroughASingularPose) {
  const Model polar = polar_arm();
  const Eigen::Vector2d q0(0, 0.5);
  EXPECT_THROW(flat_coordinates(polar, Eigen::Vector2d(1, 0), q0), NumericalError);
  EXPECT_MESSAGE(flat_coordinates(polar, Eigen::Vector2d(1, -0.4), q0), "singular");
  EXPECT_MESSAGE(flat_coordinates(polar, Eigen::Vector2d(1e9, 0.5), q0), "too long");
  EXPECT_NO_THROW(flat_coordinates(polar, Eigen::Vector2d(40, 0.5), q0));
}

// Carried around a rectangle, a frame comes back rotated by curvature times area.
TEST(PairCurvature, IsTheRotationAroundSmallRectangles) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model model(chain(3 + static_cast<int>(seed % 2), {ChainShape::general, seed + 1}));
    const int n = model.nv();
    const Vector q = random_configuration(model, seed);
    const Matrix expected = pair_curvature(curvature(model, q));
    kernel::ParallelTransport way(model);
    for (int h = 0; h < n; ++h) {
      for (int i = h + 1; i < n; ++i) {
        const double side = 4e-3;
        const Vector a = side / 2 * Vector::Unit(n, h), b = side / 2 * Vector::Unit(n, i);
        const std::vector<Vector> corners = {q - a - b, q + a - b, q + a + b, q - a + b, q - a - b};
        const kernel::ParallelFrame start{DiagonalForm(model, corners[0]).m().transpose(), Vector::Zero(n)};
        kernel::ParallelFrame frame = start;
        for (std::size_t k = 0; k + 1 < corners.size(); ++k) frame = way.along(frame, corners[k], corners[k + 1]);
        const Matrix turned = frame.J * start.J.inverse() - Matrix::Identity(n, n);
        EXPECT_NEAR(turned.norm() / std::sqrt(2.0) / (side * side), expected(h, i), 2e-3 * expected.maxCoeff());
      }
    }
    EXPECT_GT(expected.maxCoeff(), 1e-3);
  }
}

TEST(PairCurvature, OverTheWorkspaceIsTheGaussCurvatureAddedUp) {
  const Model arm = planar_arm();
  const PairCurvature found = pair_curvature(arm, 40, 3);
  double sum = 0, largest = 0;
  for (std::uint64_t s = 0; s < 40; ++s) {
    const Curvature here = curvature(arm, random_configuration(arm, 3 + s));
    const double K = std::abs(sectional_curvature(here).highest) * std::sqrt(here.M.determinant());
    sum += K, largest = std::max(largest, K);
  }
  EXPECT_CLOSE(found.range, Vector::Constant(2, 2 * pi), 1e-15);
  EXPECT_NEAR(found.mean(0, 1), 4 * pi * pi * sum / 40, 1e-10);
  EXPECT_NEAR(found.largest(0, 1), 4 * pi * pi * largest, 1e-10);
  EXPECT_EQ(found.mean(0, 1), found.mean(1, 0));
  EXPECT_EQ(found.samples, 40);
  EXPECT_THROW(pair_curvature(arm, 0), std::invalid_argument);
}

TEST(PairCurvature, VanishesForFlatRobotsAndHasNoUnits) {
  for (const Model& model : flat_robots()) {
    SCOPED_TRACE(model.name());
    EXPECT_EQ(pair_curvature(model, 4).largest.maxCoeff(), 0);
  }
  // A slide ten times as long with masses a hundredth: the same geometry in other units.
  const auto polar = [](double length, double mass) {
    Joint reach = prismatic("reach").on("turret").along(1, 0, 0);
    reach.limits.lower = 0.2 * length, reach.limits.upper = length;
    const double inertia = 0.1 * mass * length * length;
    return Builder("polar")
        .add_body("turret", {mass, {0, 0, 0}, Vector3::Constant(inertia).asDiagonal()}, revolute("turn"))
        .add_body("mass", point(mass), reach)
        .build();
  };
  const Matrix one = pair_curvature(polar(1, 1)).mean, other = pair_curvature(polar(10, 0.01)).mean;
  EXPECT_GT(one(0, 1), 0.1);
  EXPECT_CLOSE(other, one, 1e-10);
}

}  // namespace
}  // namespace catena::test
