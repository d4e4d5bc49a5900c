// Diagonalized dynamics: brute-force numbers, laws on random trees, the dense route, and the two control laws.
#include "catena/diagonal/diagonal.hpp"

#include <Eigen/Dense>

#include "catena/diagonal/control.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/reference/coriolis_components.hpp"
#include "dual.hpp"
#include "support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

class DiagonalReference : public ReferenceFile {};

TEST_P(DiagonalReference, Factors) {
  const DiagonalForm form(model, q);
  EXPECT_CLOSE(form.U(), matrix_from(values.at("U")), 1e-12);
  EXPECT_CLOSE(form.D(), matrix_from(values.at("D")), 1e-12);
  EXPECT_CLOSE(form.m(), matrix_from(values.at("m")), 1e-12);
}

TEST_P(DiagonalReference, EveryTerm) {
  const DiagonalTerms terms = diagonal_terms(model, q, v, tau);
  EXPECT_CLOSE(terms.xi, vector_from(values.at("xi")), 1e-12);
  EXPECT_CLOSE(terms.nu, vector_from(values.at("nu")), 1e-12);
  EXPECT_CLOSE(terms.kappa, vector_from(values.at("kappa")), 1e-12);
  EXPECT_CLOSE(terms.epsilon, vector_from(values.at("epsilon")), 1e-12);
  EXPECT_CLOSE(terms.C_xi, vector_from(values.at("C_xi")), 1e-12);
  EXPECT_CLOSE(terms.C_nu, vector_from(values.at("C_nu")), 1e-12);
  EXPECT_CLOSE(terms.G_xi, vector_from(values.at("G_xi")), 1e-12);
  EXPECT_CLOSE(terms.G_nu, vector_from(values.at("G_nu")), 1e-12);
  EXPECT_CLOSE(terms.xi_dot, vector_from(values.at("xidot")), inverse_tolerance);
  EXPECT_CLOSE(terms.nu_dot, vector_from(values.at("nudot")), inverse_tolerance);
}

TEST_P(DiagonalReference, ForwardDynamicsInQuasiVelocities) {
  const QuasiAcceleration unnormalized = forward_dynamics_xi(model, q, vector_from(values.at("xi")), tau);
  EXPECT_CLOSE(unnormalized.v, v, inverse_tolerance);
  EXPECT_CLOSE(unnormalized.rate, vector_from(values.at("xidot")), inverse_tolerance);
  const QuasiAcceleration normalized = forward_dynamics_nu(model, q, vector_from(values.at("nu")), tau);
  EXPECT_CLOSE(normalized.rate, vector_from(values.at("nudot")), inverse_tolerance);
}

ON_ALL_REFERENCE_FILES(DiagonalReference);

TEST(DiagonalLaws, TheFactorsMultiplyToTheMassMatrix) {
  for_each_tree([](const Case& c) {
    const Matrix M = mass_matrix(c.model, c.q);
    const DiagonalForm form(c.model, c.q);
    const Matrix U = form.U(), m = form.m();
    EXPECT_CLOSE(U * form.D() * U.transpose(), M, 1e-12);
    EXPECT_CLOSE(m * m.transpose(), M, 1e-12);
    EXPECT_CLOSE(form.l() * m, Matrix::Identity(M.rows(), M.cols()), 1e-13 * condition_number(M) + 1e-12);
  });
}

TEST(DiagonalLaws, TransformsInvertEachOtherAndKeepEnergyAndPower) {
  for_each_tree([](const Case& c) {
    const DiagonalForm form(c.model, c.q);
    const Vector tau = random_vector(c.model, 9);
    const double tolerance = 1e-13 * condition_number(mass_matrix(c.model, c.q)) + 1e-12;
    EXPECT_CLOSE(form.velocity_from_xi(form.xi(c.v)), c.v, tolerance);
    EXPECT_CLOSE(form.velocity_from_nu(form.nu(c.v)), c.v, tolerance);
    EXPECT_CLOSE(form.force_from_kappa(form.kappa(tau)), tau, tolerance);
    EXPECT_CLOSE(form.force_from_epsilon(form.epsilon(tau)), tau, tolerance);
    const double energy = Kinematics(c.model, c.q, c.v).kinetic_energy();
    EXPECT_NEAR(0.5 * form.nu(c.v).squaredNorm(), energy, 1e-12 * (1 + energy));
    const double power = c.v.dot(tau), size = form.nu(c.v).norm() * form.epsilon(tau).norm();
    EXPECT_NEAR(form.nu(c.v).dot(form.epsilon(tau)), power, 1e-12 * (1 + size));
    EXPECT_NEAR(form.xi(c.v).dot(form.kappa(tau)), power, 1e-12 * (1 + form.xi(c.v).norm() * form.kappa(tau).norm()));
  });
}

TEST(DiagonalLaws, CoriolisForcesDoNoWork) {
  for_each_tree([](const Case& c) {
    const DiagonalTerms terms = diagonal_terms(c.model, c.q, c.v, 0 * c.v);
    EXPECT_LE(std::abs(terms.nu.dot(terms.C_nu)), 1e-11 * (1 + terms.nu.norm() * terms.C_nu.norm()));
  });
}

// On a moving base: nu = 0 is the least kinetic energy that the robot can have there, and nu' nu / 2 what it has above.
// What holds on a base at rest fails: nu' nu / 2 is not the energy, nu' epsilon not v' tau, and C does work.
TEST(DiagonalLaws, OnAMovingBaseHalfNuSquaredIsTheEnergyAboveTheLeast) {
  double of_base = 0, of_drives = 0, of_coriolis = 0;
  for_each_tree([&](const Case& c) {
    if (c.model.has_couplings()) return;
    ExternalLoads loads;
    loads.base = {{0.3, -0.5, 0.7}, {0.2, 0.4, -0.6}, {1.1, -0.3, 0.2}, {-0.4, 0.8, 0.5}};
    const Vector tau = random_vector(c.model, 9), step = random_vector(c.model, 10);
    const DiagonalTerms terms = diagonal_terms(c.model, c.q, c.v, tau, loads);
    Kinematics kinematics(c.model);
    const auto energy = [&](const Vector& v) {
      kinematics.update(c.q, v, loads.base);
      return kinematics.kinetic_energy();
    };
    const Vector rest = c.v - DiagonalForm(c.model, c.q).velocity_from_nu(terms.nu);  // where nu = 0
    const Matrix M = mass_matrix(c.model, c.q);
    const double least = energy(rest), tolerance = (1e-14 * condition_number(M) + 1e-12) * (1 + energy(c.v));
    EXPECT_NEAR(0.5 * terms.nu.squaredNorm(), energy(c.v) - least, tolerance);
    const double more = 0.5 * step.dot(M * step);
    EXPECT_NEAR(energy(rest + step) - least, more, tolerance + 1e-12 * more);
    EXPECT_NEAR(energy(rest - step) - least, more, tolerance + 1e-12 * more);
    of_base = std::max(of_base, least / energy(c.v));
    of_drives = std::max(of_drives, std::abs(terms.nu.dot(terms.epsilon) - c.v.dot(tau)));
    of_coriolis = std::max(of_coriolis, std::abs(terms.nu.dot(terms.C_nu)) / (terms.nu.norm() * terms.C_nu.norm()));
  });
  EXPECT_GT(of_base, 0.01);
  EXPECT_GT(of_drives, 0.01);
  EXPECT_GT(of_coriolis, 0.01);
}

// [004] section 7: past links lie outboard of a joint, future links inboard. What a joint feels (D) and what is left of its
// drive (kappa) come from the past alone, what is added to its rate (xi) from the future alone.
TEST(DiagonalLaws, InertiaAndForcesComeFromThePastLinksAndRatesFromTheFuture) {
  const int n = 5, joint = 2;  // joints 0 and 1 are inboard, 3 and 4 outboard
  const Description robot = chain(n);
  const Model model(robot);
  const Vector q = random_vector(model, 1), v = random_vector(model, 2), tau = random_vector(model, 3);
  const DiagonalForm form(model, q);
  for (int other = 0; other < n; ++other) {
    const bool past = other > joint, future = other < joint;
    if (!past && !future) continue;
    SCOPED_TRACE(past ? "past" : "future");
    Description heavier = robot;
    heavier.bodies[static_cast<std::size_t>(other)].inertial->mass *= 3;
    const double D = form.D()(joint, joint), D_heavier = DiagonalForm(Model(heavier), q).D()(joint, joint);
    EXPECT_EQ(std::abs(D_heavier - D) > 1e-6 * D, past);
    const Vector push = Vector::Unit(n, other);
    EXPECT_EQ(std::abs(form.kappa(Vector(tau + push))[joint] - form.kappa(tau)[joint]) > 1e-6, past);
    EXPECT_EQ(std::abs(form.xi(Vector(v + push))[joint] - form.xi(v)[joint]) > 1e-6, future);
  }
}

// All joint types, joint terms, armature, wrenches; with couplings through the dense route.
TEST(DiagonalLaws, TheAccelerationIsThatOfForwardDynamics) {
  LONG_TEST();
  for_each_tree([](const Case& c) {
    ExternalLoads loads;
    loads.wrenches.push_back({c.model.frame_count() - 1, {1, 2, 3}, {4, 5, 6}, {0.1, 0.2, 0.3}, Axes::aligned});
    if (!c.model.has_couplings()) {
      loads.base = {{0.3, -0.5, 0.7}, {0.2, 0.4, -0.6}, {1.1, -0.3, 0.2}, {-0.4, 0.8, 0.5}};
    }
    const Vector tau = random_vector(c.model, 9, 5);
    const Vector a = forward_dynamics(c.model, c.q, c.v, tau, loads);
    const double tolerance = 1e-13 * condition_number(mass_matrix(c.model, c.q)) + 1e-12;
    EXPECT_CLOSE(forward_dynamics_diagonal(c.model, c.q, c.v, tau, loads), a, tolerance);
    const DiagonalTerms terms = diagonal_terms(c.model, c.q, c.v, tau, loads);
    const QuasiAcceleration quasi = forward_dynamics_xi(c.model, c.q, terms.xi, tau, loads);
    EXPECT_CLOSE(quasi.rate, terms.xi_dot, tolerance * 10);
    EXPECT_CLOSE(quasi.v, c.v, tolerance);
    const QuasiAcceleration normalized = forward_dynamics_nu(c.model, c.q, terms.nu, tau, loads);
    EXPECT_CLOSE(normalized.rate, terms.nu_dot, tolerance * 10);
    EXPECT_CLOSE(normalized.v, c.v, tolerance);
  });
}

// Two routes that share nothing but M: sweeps over bodies, and elimination in the matrix (one-degree joints: same D).
TEST(DiagonalLaws, TheDerivativeOfNuAlongTheMotionIsNuDot) {
  for_each_tree(
      [](const Case& c) {
        const Vector tau = random_vector(c.model, 9);
        const Vector a = forward_dynamics(c.model, c.q, c.v, tau);
        const DiagonalTerms terms = diagonal_terms(c.model, c.q, c.v, tau);
        const double h = 1e-4;
        const auto at = [&](double t) {
          return DiagonalForm(c.model, integrate(c.model, c.q, Vector(t * c.v))).nu(Vector(c.v + t * a));
        };
        const Vector slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
        const double scale = 1 + terms.nu_dot.cwiseAbs().maxCoeff() + terms.C_nu.cwiseAbs().maxCoeff();
        EXPECT_LE((slope - terms.nu_dot).cwiseAbs().maxCoeff(), 1e-7 * scale);
      },
      {}, 100);
}

TEST(DiagonalLaws, OneJointHasNoCoriolisTerm) {
  const Model model(chain(1));
  const Vector one = Vector::Ones(1);
  const DiagonalTerms terms = diagonal_terms(model, one, one, one);
  EXPECT_NEAR(terms.C_nu[0], 0, 1e-15);
  EXPECT_NEAR(terms.C_xi[0], 0, 1e-15);
}

// (48), bias forces left out: with b = 0 the term is C(nu) minus what b contributes, which is S^-1 H' Psi b.
TEST(DiagonalLaws, ComponentFormIsSkewAndGivesTheTermWithoutBias) {
  TreeOptions options;
  options.types = one_degree_joint_types();
  options.couplings = options.terms = false;
  for_each_tree(
      [](const Case& c) {
        const Matrix components = coriolis_components(c.model, c.q, c.v);
        const double scale = 1 + components.cwiseAbs().maxCoeff();
        EXPECT_LE((components + components.transpose()).cwiseAbs().maxCoeff(), 1e-13 * scale);
        const DiagonalTerms terms = diagonal_terms(c.model, c.q, c.v, 0 * c.v);
        // b alone, as wrenches on the bodies: epsilon of J' b
        const Vector bias = DiagonalForm(c.model, c.q).epsilon(body_bias_forces(c.model, c.q, c.v));
        EXPECT_LE(
            (components * terms.nu + bias - terms.C_nu).cwiseAbs().maxCoeff(),
            1e-11 * (1 + terms.C_nu.cwiseAbs().maxCoeff() + bias.cwiseAbs().maxCoeff() + scale * terms.nu.norm()));
      },
      options, 100);
}

TEST(DiagonalControlLaws, BrakingTakesEnergyOutOfEveryComponentAtItsOwnRate) {
  TreeOptions options;
  options.terms = false;
  for_each_tree(
      [](const Case& c) {
        DiagonalControlOptions gains;
        gains.c = Vector::Constant(c.model.nv(), 1.5);
        const auto control = brake(c.model, c.q, c.v, gains);
        const DiagonalTerms terms = diagonal_terms(c.model, c.q, c.v, control.tau_wanted);
        // one number in c: d|nu|^2/dt = -2 c |nu|^2
        EXPECT_NEAR(control.rate_wanted, -1.5 * terms.nu.squaredNorm(), 1e-10 * (1 + terms.nu.squaredNorm()));
        EXPECT_NEAR(terms.nu.dot(terms.nu_dot), control.rate_wanted, 1e-9 * (1 + terms.nu.squaredNorm()));
      },
      options, 100);
}

TEST(DiagonalControlLaws, ReachingDescendsItsLyapunovFunction) {
  const Model model = Model(chain(6));
  DiagonalControlOptions gains;
  gains.c = Vector::Constant(6, 2);
  gains.limit_effort = false;
  PoseGoal goal;
  goal.frame = model.frame_count() - 1;
  goal.goal = Kinematics(model, random_configuration(model, 5)).pose(goal.frame);
  Vector q = random_configuration(model, 1), v = random_vector(model, 2);
  const double h = 1e-5;
  const auto now = reach(model, q, v, goal, gains);
  const Vector a = forward_dynamics(model, q, v, now.tau);
  const auto lyapunov = [&](double t) {
    const Vector qt = integrate(model, q, Vector(t * v + 0.5 * t * t * a));
    return reach(model, qt, Vector(v + t * a), goal, gains).lyapunov;
  };
  EXPECT_NEAR((lyapunov(h) - lyapunov(-h)) / (2 * h), now.rate, 1e-6 * (1 + std::abs(now.rate)));
  const Vector nu = DiagonalForm(model, q).nu(v);
  EXPECT_NEAR(now.rate, -2 * nu.squaredNorm(), 1e-9 * (1 + nu.squaredNorm()));
}

TEST(DiagonalControlLaws, LimitsClipAndSayWhatItCosts) {
  Builder builder("pendulum");
  builder.add_body("rod", {1, {0.5, 0, 0}, rod_inertia(1, 1)},
                   revolute("pivot").about(0, 1, 0).limited(-9, 9, 10, 0.1));
  const Model model = builder.build();
  DiagonalControlOptions gains;
  gains.c = Vector::Ones(1);
  const auto control = brake(model, Vector::Zero(1), Vector::Ones(1), gains);
  EXPECT_EQ(control.saturated.size(), 1u);
  EXPECT_NEAR(std::abs(control.tau[0]), 0.1, 1e-15);
  EXPECT_LT(control.rate_wanted, 0);
  EXPECT_GT(control.rate, 0);  // gravity wins: the law no longer brakes, and says so
  gains.c = -Vector::Ones(1);
  EXPECT_THROW(brake(model, Vector::Zero(1), Vector::Ones(1), gains), std::invalid_argument);
}

}  // namespace
}  // namespace catena::test
