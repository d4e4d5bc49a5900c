// Laws of dynamics on seeded random trees with every joint type, couplings, joint terms and massless bodies.
// Tolerances: a sum over n bodies loses at most a few n eps; behind an inverse, times cond(M).
#include <Eigen/Dense>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/dynamics/reactions.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/reference/lagrange.hpp"
#include "dual.hpp"
#include "support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

TEST(DynamicsLaws, ForwardDynamicsInvertsInverseDynamics) {
  for_each_tree([](const Case& c) {
    const Vector tau = inverse_dynamics(c.model, c.q, c.v, c.a);
    const double cond = condition_number(mass_matrix(c.model, c.q));
    const double tolerance = 1e-14 * cond * force_scale(c) + 1e-12;
    EXPECT_LE((forward_dynamics(c.model, c.q, c.v, tau) - c.a).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_LE((forward_dynamics_composite(c.model, c.q, c.v, tau) - c.a).cwiseAbs().maxCoeff(), tolerance);
  });
}

TEST(DynamicsLaws, MassMatrixTimesAccelerationPlusBiasIsInverseDynamics) {
  for_each_tree([](const Case& c) {
    const Vector tau = mass_matrix(c.model, c.q) * c.a + bias_forces(c.model, c.q, c.v);
    EXPECT_LE((tau - inverse_dynamics(c.model, c.q, c.v, c.a)).cwiseAbs().maxCoeff(), 1e-12 * force_scale(c));
  });
}

TEST(DynamicsLaws, BiasIsTheSumOfItsParts) {
  for_each_tree([](const Case& c) {
    const Vector sum =
        coriolis_forces(c.model, c.q, c.v) + gravity_forces(c.model, c.q) + joint_forces(c.model, c.q, c.v);
    EXPECT_LE((sum - bias_forces(c.model, c.q, c.v)).cwiseAbs().maxCoeff(), 1e-12 * force_scale(c));
  });
}

TEST(DynamicsLaws, MassMatrixIsSymmetricAndPositiveDefinite) {
  for_each_tree([](const Case& c) {
    const Matrix M = mass_matrix(c.model, c.q);
    EXPECT_LE((M - M.transpose()).cwiseAbs().maxCoeff(), 1e-14 * M.cwiseAbs().maxCoeff());
    EXPECT_EQ(Eigen::LLT<Matrix>(M).info(), Eigen::Success);
  });
}

TEST(DynamicsLaws, InverseOfTheMassMatrix) {
  for_each_tree([](const Case& c) {
    const Matrix M = mass_matrix(c.model, c.q), M_inv = mass_matrix_inverse(c.model, c.q);
    const double tolerance = 1e-14 * condition_number(M) + 1e-12;
    EXPECT_CLOSE(M * M_inv, Matrix::Identity(M.rows(), M.cols()), tolerance);
    EXPECT_CLOSE(M_inv, M_inv.transpose(), tolerance);
  });
}

TEST(DynamicsLaws, KineticEnergyIsHalfTheSquareOfVelocityInTheMassMatrix) {
  for_each_tree([](const Case& c) {
    const double energy = Kinematics(c.model, c.q, c.v).kinetic_energy();
    EXPECT_NEAR(0.5 * c.v.dot(mass_matrix(c.model, c.q) * c.v), energy, 1e-12 * (1 + energy));
  });
}

TEST(DynamicsLaws, CoriolisMatrixTimesVelocityIsTheCoriolisForce) {
  for_each_tree([](const Case& c) {
    const Vector force = coriolis_forces(c.model, c.q, c.v);
    const Matrix C = coriolis_matrix(c.model, c.q, c.v);
    EXPECT_LE((C * c.v - force).cwiseAbs().maxCoeff(), 1e-12 * (1 + C.cwiseAbs().maxCoeff() * c.v.cwiseAbs().sum()));
  });
}

// The kernels on dual numbers give M_dot without differences; C + C' must be it.
TEST(DynamicsLaws, CoriolisMatrixPlusItsTransposeIsTheDerivativeOfTheMassMatrix) {
  for_each_tree([](const Case& c) {
    const Matrix M_dot = mass_matrix_derivative(c.model, c.q, c.v);
    const double scale = M_dot.cwiseAbs().maxCoeff() + mass_matrix(c.model, c.q).cwiseAbs().maxCoeff();
    EXPECT_LE((mass_matrix_dot(c.model, c.q, c.v) - M_dot).cwiseAbs().maxCoeff(), 1e-12 * scale);
  });
}

// d(potential energy)/dt = v' (gravity + spring forces)
TEST(DynamicsLaws, GravityAndSpringsAreTheGradientOfThePotentialEnergy) {
  TreeOptions options;
  options.terms = true;
  for_each_tree(
      [](const Case& c) {
        const double h = 1e-5;
        const auto energy = [&](double t) {
          return Kinematics(c.model, integrate(c.model, c.q, Vector(t * c.v))).potential_energy();
        };
        // fourth order: error h^4 times the fifth derivative, below rounding / h
        const double slope = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
        Description quiet = c.model.description();
        for (Joint& joint : quiet.joints) joint.terms.damping = joint.terms.friction = 0;
        const Vector force = bias_forces(Model(quiet), c.q, Vector::Zero(c.model.nv()));
        EXPECT_NEAR(c.v.dot(force), slope, 1e-8 * (1 + std::abs(energy(0)) + force.cwiseAbs().sum()));
      },
      options, 100);
}

TEST(DynamicsLaws, AWrenchActsThroughTheTransposedJacobian) {
  for_each_tree([](const Case& c) {
    const Kinematics kinematics(c.model, c.q);
    const int frame = c.model.frame_count() - 1;
    const Vector3 moment(0.3, -0.2, 0.5), force(1, 2, -3), point(0.1, -0.2, 0.3);
    const Vector free_of_wrench = inverse_dynamics(c.model, c.q, c.v, c.a);
    for (const Axes axes : {Axes::body, Axes::aligned}) {
      ExternalLoads loads;
      loads.wrenches.push_back({frame, moment, force, point, axes});
      const Matrix3 R = kinematics.pose(frame).R;
      const Vector3 lever = axes == Axes::body ? point : Vector3(R * point);
      Vector6 wrench;
      wrench << moment + lever.cross(force), force;
      const Matrix J = kinematics.jacobian(frame, axes);
      const Vector expected = free_of_wrench - J.transpose() * wrench;
      const Vector tau = inverse_dynamics(c.model, c.q, c.v, c.a, loads);
      EXPECT_LE((tau - expected).cwiseAbs().maxCoeff(), 1e-12 * (force_scale(c) + 10));
      const double cond = condition_number(mass_matrix(c.model, c.q));
      EXPECT_LE((forward_dynamics(c.model, c.q, c.v, tau, loads) - c.a).cwiseAbs().maxCoeff(),
                1e-14 * cond * (force_scale(c) + 10) + 1e-12);
    }
  });
}

// A robot on a prescribed moving base behaves as on a free joint driven along that motion; the drive is the base wrench.
TEST(DynamicsLaws, AMovingBaseIsAFreeJointThatIsDriven) {
  LONG_TEST();
  TreeOptions options;
  options.several_roots = false;
  options.couplings = false;
  for_each_tree(
      [](const Case& c) {
        Description riding = c.model.description();
        riding.bodies.push_back({"cart", Inertial{3, {0.1, 0.2, -0.1}, box_inertia(3, 0.4, 0.3, 0.2)}});
        for (Joint& joint : riding.joints) {
          if (joint.parent.empty()) joint.parent = "cart";
        }
        if (std::any_of(riding.frames.begin(), riding.frames.end(), [](const Frame& f) { return f.body.empty(); }))
          return;
        Description fixed_cart = riding;
        Joint carrier = free("carrier");
        carrier.child = "cart";
        riding.joints.insert(riding.joints.begin(), carrier);
        const Model on_ground(fixed_cart), on_cart(riding);

        ExternalLoads loads;
        loads.base = {{0.3, -0.5, 0.7}, {0.2, 0.4, -0.6}, {1.1, -0.3, 0.2}, {-0.4, 0.8, 0.5}};
        const BaseMotion& base = loads.base;
        Vector q(on_cart.nq()), v(on_cart.nv()), a(on_cart.nv());
        q << 0, 0, 0, 0, 0, 0, 1, c.q;
        v << base.angular_velocity, base.velocity, c.v;
        a << base.angular_acceleration, base.acceleration - base.angular_velocity.cross(base.velocity), c.a;

        const auto [tau, wrenches, base_wrench] = reactions(on_ground, c.q, c.v, c.a, loads);
        const Vector driven = inverse_dynamics(on_cart, q, v, a);
        const double tolerance = 1e-12 * (1 + driven.cwiseAbs().maxCoeff() + force_scale(c));
        EXPECT_LE((tau - driven.tail(tau.size())).cwiseAbs().maxCoeff(), tolerance);
        EXPECT_LE((base_wrench - driven.head<6>()).cwiseAbs().maxCoeff(), tolerance);
      },
      options);
}

// tau = H' f: along and about the axis the joint wrench is the drive; and f of the roots sums to the base wrench.
TEST(DynamicsLaws, TheDriveIsTheJointWrenchAlongTheAxis) {
  TreeOptions options;
  options.terms = options.couplings = options.body_in_joint = false;
  for_each_tree(
      [](const Case& c) {
        const auto [tau, wrenches, base_wrench] = reactions(c.model, c.q, c.v, c.a);
        for (const Coordinate& coordinate : c.model.coordinates()) {
          const Joint& joint = c.model.description().joints[coordinate.index];
          const Vector6 f = wrenches.col(coordinate.index);
          const double tolerance = 1e-12 * (1 + f.cwiseAbs().maxCoeff());
          const Vector3 moment = f.head<3>(), force = f.tail<3>(), axis = joint.axis.normalized();
          switch (joint.type) {
            case JointType::revolute:
            case JointType::continuous: EXPECT_NEAR(tau[coordinate.v], axis.dot(moment), tolerance); break;
            case JointType::prismatic: EXPECT_NEAR(tau[coordinate.v], axis.dot(force), tolerance); break;
            case JointType::helical:
              EXPECT_NEAR(tau[coordinate.v], axis.dot(moment) + joint.pitch * axis.dot(force), tolerance);
              break;
            case JointType::spherical: EXPECT_LE((tau.segment<3>(coordinate.v) - moment).norm(), tolerance); break;
            case JointType::free: EXPECT_LE((tau.segment<6>(coordinate.v) - f).norm(), tolerance); break;
            default: break;
          }
        }
      },
      options);
}

// A coupled robot is the uncoupled one seen through q_full = E q + offset: M = E' M E, tau = E' tau.
TEST(DynamicsLaws, CouplingsProjectTheUncoupledRobot) {
  TreeOptions options;
  options.terms = true;
  int coupled = 0;
  for_each_tree(
      [&](const Case& c) {
        if (!c.model.has_couplings()) return;
        ++coupled;
        Description loose = c.model.description();
        for (Joint& joint : loose.joints) joint.mimic.reset();
        const Model uncoupled(loose);
        const Matrix E = coupling_matrix(c.model, uncoupled);
        const Vector q = uncoupled_configuration(c.model, uncoupled, c.q);
        const Vector v = E * c.v, a = E * c.a;
        EXPECT_CLOSE(mass_matrix(c.model, c.q), E.transpose() * mass_matrix(uncoupled, q) * E, 1e-12);
        const Vector expected = E.transpose() * inverse_dynamics(uncoupled, q, v, a);
        EXPECT_LE((inverse_dynamics(c.model, c.q, c.v, c.a) - expected).cwiseAbs().maxCoeff(), 1e-12 * force_scale(c));
      },
      options);
  EXPECT_GT(coupled, leaves_out_long_tests() ? 8 : 50);
}

TEST(DynamicsLaws, LagrangesEquationsGiveTheSameForces) {
  LONG_TEST();
  for_each_tree(
      [](const Case& c) {
        Description quiet = c.model.description();
        for (Joint& joint : quiet.joints) joint.terms.damping = joint.terms.friction = 0;
        const Model model(quiet);
        EXPECT_LE(
            (lagrange_forces(model, c.q, c.v, c.a) - inverse_dynamics(model, c.q, c.v, c.a)).cwiseAbs().maxCoeff(),
            1e-12 * force_scale(c));
      },
      {}, 150);
}

// One recursion, many readings: the same kernels in 80-bit arithmetic say how many digits double has.
TEST(DynamicsLaws, DoubleAgreesWithExtendedPrecision) {
  for_each_tree(
      [](const Case& c) {
        const Vector tau = inverse_dynamics(c.model, c.q, c.v, c.a);
        EXPECT_LE((tau - extended_inverse_dynamics(c.model, c.q, c.v, c.a)).cwiseAbs().maxCoeff(),
                  1e-13 * force_scale(c));
      },
      {}, 100);
}

}  // namespace
}  // namespace catena::test
