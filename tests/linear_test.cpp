// Linearized dynamics: brute-force numbers, dual numbers through the kernels, and each algorithm against the others.
#include <Eigen/Dense>
#include <set>

#include "catena/dynamics/factor_kernel.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/by_dual.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/linear/storage.hpp"
#include "support.hpp"

namespace catena::test {
namespace {

class LinearReference : public ReferenceFile {
 protected:
  void expect_inverse(const Json& expected, const ExternalLoads& loads) {
    const InverseLinearization out = linearize_inverse(model, q, v, a, loads);
    EXPECT_CLOSE(out.A_D, matrix_from(expected.at("A_D")), 1e-12);
    EXPECT_CLOSE(out.B_D, matrix_from(expected.at("B_D")), 1e-12);
  }
};

TEST_P(LinearReference, InverseDynamics) {
  expect_inverse(values, {});
  EXPECT_CLOSE(linearize_inverse(model, q, v, a).M, reference("M"), 1e-12);
}

// By every algorithm that the robot has, and by the one that is chosen for it.
TEST_P(LinearReference, ForwardDynamics) {
  std::vector<LinearMethod> methods = linear_methods();
  methods.push_back(LinearMethod::automatic);
  for (const LinearMethod method : methods) {
    if (!has_linear_method(model, method)) continue;
    SCOPED_TRACE(std::string("Algorithm ") + name_of(method));
    const ForwardLinearization out = linearize_forward(model, q, v, vector_from(values.at("tau")), {}, method);
    EXPECT_CLOSE(out.a, a, inverse_tolerance);
    EXPECT_CLOSE(out.M_inv, matrix_from(values.at("Minv")), inverse_tolerance);
    EXPECT_CLOSE(out.A_C, matrix_from(values.at("A_C")), inverse_tolerance);
    EXPECT_CLOSE(out.B_C, matrix_from(values.at("B_C")), inverse_tolerance);
  }
}

TEST_P(LinearReference, FollowerWrench) {
  const auto loads = follower_wrench();
  if (!loads) return;
  expect_inverse(file.at("with_wrench"), *loads);
}

TEST_P(LinearReference, MovingBase) {
  const auto loads = moving_base();
  if (!loads) return;
  expect_inverse(file.at("moving_base"), *loads);
}

ON_ALL_REFERENCE_FILES(LinearReference);

// Every joint type, couplings, springs, friction: dual numbers through the recursion against the algorithms.
TEST(LinearLaws, InverseLinearizationAgreesWithDualNumbers) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    const Vector dq = random_vector(c.model, seed + 1), dv = random_vector(c.model, seed + 2),
                 da = random_vector(c.model, seed + 3);
    const Vector expected = inverse_dynamics_jvp_by_dual(c.model, c.q, c.v, c.a, dq, dv, da);
    const InverseLinearization out = linearize_inverse(c.model, c.q, c.v, c.a);
    const double scale = 1 + out.M.cwiseAbs().maxCoeff() + out.A_D.cwiseAbs().maxCoeff() +
                         out.B_D.cwiseAbs().maxCoeff() + expected.cwiseAbs().maxCoeff();
    EXPECT_LE((out.M * da + out.A_D * dv + out.B_D * dq - expected).cwiseAbs().maxCoeff(), 1e-12 * scale);
    EXPECT_LE((inverse_dynamics_jvp(c.model, c.q, c.v, c.a, dq, dv, da) - expected).cwiseAbs().maxCoeff(),
              1e-12 * scale);
    if (HasFailure()) return;
  }
}

TEST(LinearLaws, ForwardLinearizationIsTheInverseOneSolved) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    ExternalLoads loads;
    loads.base = {{0.3, -0.5, 0.7}, {0.2, 0.4, -0.6}, {1.1, -0.3, 0.2}, {-0.4, 0.8, 0.5}};
    loads.wrenches.push_back({c.model.frame_count() - 1, {1, 2, 3}, {4, 5, 6}, {0.1, 0.2, 0.3}, Axes::aligned});
    loads.wrenches.push_back({0, {1, 0, -1}, {0, 2, 0}, {0.3, 0, 0}, Axes::body});
    const Vector tau = inverse_dynamics(c.model, c.q, c.v, c.a, loads);
    const InverseLinearization inverse = linearize_inverse(c.model, c.q, c.v, c.a, loads);
    const ForwardLinearization forward = linearize_forward(c.model, c.q, c.v, tau, loads);
    const double tolerance = 1e-13 * condition_number(inverse.M) + 1e-12;
    const Eigen::LLT<Matrix> solver(inverse.M);
    EXPECT_CLOSE(forward.A_C, solver.solve(inverse.A_D), tolerance);
    EXPECT_CLOSE(forward.B_C, solver.solve(inverse.B_D), tolerance);
    const Vector dq = random_vector(c.model, seed + 1), dv = random_vector(c.model, seed + 2),
                 dtau = random_vector(c.model, seed + 3);
    const Vector da = forward.M_inv * dtau - forward.A_C * dv - forward.B_C * dq;
    const double scale =
        1 + forward.M_inv.cwiseAbs().maxCoeff() + forward.A_C.cwiseAbs().maxCoeff() + forward.B_C.cwiseAbs().maxCoeff();
    EXPECT_LE((forward_dynamics_jvp(c.model, c.q, c.v, tau, dq, dv, dtau, loads) - da).cwiseAbs().maxCoeff(),
              tolerance * scale);
    const Vector dtau_again = inverse_dynamics_jvp(c.model, c.q, c.v, c.a, dq, dv, dtau, loads);
    const Vector expected = inverse.M * dtau + inverse.A_D * dv + inverse.B_D * dq;
    EXPECT_LE((dtau_again - expected).cwiseAbs().maxCoeff(),
              1e-12 * (1 + expected.cwiseAbs().maxCoeff() + inverse.B_D.cwiseAbs().maxCoeff()));
    if (HasFailure()) return;
  }
}

// A force that keeps its direction in the world, by differences of fourth order.
TEST(LinearLaws, SteadyWrenchesTurnAgainstTheBody) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    ExternalLoads loads;
    loads.wrenches.push_back({c.model.frame_count() - 1, {1, 2, 3}, {4, 5, 6}, {0.1, 0.2, 0.3}, Axes::aligned});
    const Vector dq = random_vector(c.model, seed + 1);
    const double h = 1e-3;
    const auto tau = [&](double t) {
      return inverse_dynamics(c.model, integrate(c.model, c.q, Vector(t * dq)), c.v, c.a, loads);
    };
    const Vector slope = (8 * (tau(h) - tau(-h)) - (tau(2 * h) - tau(-2 * h))) / (12 * h);
    const Matrix B_D = linearize_inverse(c.model, c.q, c.v, c.a, loads).B_D;
    EXPECT_LE((B_D * dq - slope).cwiseAbs().maxCoeff(), 1e-7 * (1 + B_D.cwiseAbs().maxCoeff()));
  }
}

// x_dot = A x + B u along the nonlinear system: q moves by integrate(), differences of fourth order over time.
TEST(LinearLaws, StateSpaceIsTheDerivativeOfTheMotion) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    const int n = c.model.nv();
    const Vector tau = inverse_dynamics(c.model, c.q, c.v, c.a);
    const StateSpace system = state_space(c.model, c.q, c.v, tau);
    Vector x(2 * n);
    x << random_vector(c.model, seed + 1), random_vector(c.model, seed + 2);
    // The rate of the tangent difference between two motions that pass through q and q (+) s x.
    const auto rate = [&](double s) {
      const Vector q1 = integrate(c.model, c.q, Vector(s * x.head(n)));
      const Vector v1 = c.v + s * x.tail(n);
      const double h = 1e-4;
      const auto gap = [&](double t) {
        return difference(c.model, integrate(c.model, c.q, Vector(t * c.v)), integrate(c.model, q1, Vector(t * v1)));
      };
      Vector r(2 * n);
      r.head(n) = (8 * (gap(h) - gap(-h)) - (gap(2 * h) - gap(-2 * h))) / (12 * h);
      r.tail(n) = forward_dynamics(c.model, q1, v1, tau) - c.a;
      return r;
    };
    const double s = 1e-4;
    const Vector slope = (8 * (rate(s) - rate(-s)) - (rate(2 * s) - rate(-2 * s))) / (12 * s);
    const double scale = 1 + system.A.cwiseAbs().maxCoeff();
    EXPECT_LE((system.A * x - slope).head(n).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LE((system.A * x - slope).tail(n).cwiseAbs().maxCoeff(), 1e-6 * scale);
    EXPECT_CLOSE(system.B.bottomRows(n), mass_matrix_inverse(c.model, c.q),
                 1e-12 + 1e-14 * condition_number(mass_matrix(c.model, c.q)));
  }
}

// Held inputs: two half steps are one whole step, and a small step is first order.
TEST(LinearLaws, DiscreteStateSpaceComposes) {
  const Case c = random_case(3);
  const StateSpace system = state_space(c.model, c.q, c.v, inverse_dynamics(c.model, c.q, c.v, c.a));
  const StateSpace whole = discretize(system, 0.02), half = discretize(system, 0.01);
  EXPECT_CLOSE(half.A * half.A, whole.A, 1e-12);
  EXPECT_CLOSE(half.A * half.B + half.B, whole.B, 1e-12);
  EXPECT_THROW(discretize(system, 0), std::invalid_argument);
}

// At a singular pose of the arm (stretched out) the derivatives stay finite: only the mass matrix's rank matters.
TEST(LinearLaws, FiniteAtSingularPoses) {
  const Model arm(chain(6, {ChainShape::planar}));
  const Vector zero = Vector::Zero(6);
  const ForwardLinearization out = linearize_forward(arm, zero, zero, zero);
  EXPECT_TRUE(out.A_C.allFinite() && out.B_C.allFinite());
}

// For g = 0, a = 0: A_D is linear and B_D quadratic in v (sheet 8).
TEST(LinearLaws, WithoutGravityAndAccelerationTheDerivativesScaleWithVelocity) {
  TreeOptions options;
  options.terms = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Description robot = random_tree(seed, options);
    robot.gravity.setZero();
    const Model model(robot);
    const Vector q = random_configuration(model, seed), v = random_vector(model, seed + 1), zero = 0 * v;
    const InverseLinearization once = linearize_inverse(model, q, v, zero),
                               twice = linearize_inverse(model, q, 2 * v, zero);
    EXPECT_CLOSE(twice.A_D, 2 * once.A_D, 1e-12);
    EXPECT_CLOSE(twice.B_D, 4 * once.B_D, 1e-12);
  }
}

// Beyond longest_factored_path the inverse comes from articulated bodies and the derivatives from Algorithm 6.
TEST(LinearizeForward, LongChainsAgreeWithTheirInverseDynamics) {
  const Model model(chain(longest_factored_path + 20));
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2, 0.1), tau = random_vector(model, 3);
  const ForwardLinearization forward = linearize_forward(model, q, v, tau);
  const InverseLinearization inverse = linearize_inverse(model, q, v, forward.a);
  const auto expect_product = [&](const Matrix& X, const Matrix& expected) {
    const double size = (inverse.M.cwiseAbs() * X.cwiseAbs()).maxCoeff();
    EXPECT_LE((inverse.M * X - expected).cwiseAbs().maxCoeff(), 1e-11 * size);
  };
  expect_product(forward.M_inv, Matrix::Identity(model.nv(), model.nv()));
  expect_product(mass_matrix_inverse(model, q), Matrix::Identity(model.nv(), model.nv()));
  expect_product(forward.A_C, inverse.A_D);
  expect_product(forward.B_C, inverse.B_D);
}

// Every algorithm on trees with every joint type, joint terms, a moving base and wrenches in body and in world axes, against
// the solved inverse linearization.
TEST(LinearMethods, AllSayTheSame) {
  std::set<LinearMethod> seen;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    // Every third one a chain, for Algorithm 6.
    const Model model =
        seed % 3 == 0 ? Model(chain(3 + static_cast<int>(seed) % 5, {.seed = seed})) : random_case(seed).model;
    const Vector q = random_configuration(model, seed), v = random_vector(model, seed + 1),
                 a = random_vector(model, seed + 2);
    ExternalLoads loads;
    if (seed % 2 == 0) loads.base = {{0.3, -0.5, 0.7}, {0.2, 0.4, -0.6}, {1.1, -0.3, 0.2}, {-0.4, 0.8, 0.5}};
    loads.wrenches.push_back({model.frame_count() - 1, {1, -2, 3}, {-4, 5, 6}, {0.1, 0.2, 0.3}, Axes::aligned});
    loads.wrenches.push_back({0, {1, 0, -1}, {0, 2, 0}, {0.3, 0, 0}, Axes::body});
    const Vector tau = inverse_dynamics(model, q, v, a, loads);
    const InverseLinearization inverse = linearize_inverse(model, q, v, a, loads);
    const double tolerance = 1e-13 * condition_number(inverse.M) + 1e-12;
    const Eigen::LLT<Matrix> solver(inverse.M);
    for (const LinearMethod method : linear_methods()) {
      if (!has_linear_method(model, method)) continue;
      SCOPED_TRACE(std::string("Algorithm ") + name_of(method));
      seen.insert(method);
      const ForwardLinearization out = linearize_forward(model, q, v, tau, loads, method);
      const auto expect_solved = [&](const Matrix& x, const Matrix& right) {
        const Matrix expected = solver.solve(right);
        EXPECT_LE((x - expected).cwiseAbs().maxCoeff(), tolerance * (1 + expected.cwiseAbs().maxCoeff()));
      };
      expect_solved(out.M_inv, Matrix::Identity(model.nv(), model.nv()));
      expect_solved(out.A_C, inverse.A_D);
      expect_solved(out.B_C, inverse.B_D);
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(seen.size(), linear_methods().size());
}

TEST(LinearMethods, AreNamedAndRefusedWithTheReason) {
  for (const LinearMethod method : linear_methods()) EXPECT_EQ(linear_method(name_of(method)), method);
  EXPECT_EQ(linear_method("auto"), LinearMethod::automatic);
  EXPECT_MESSAGE(linear_method("7"), "no linearization is called '7': auto, 3, 4, 5, 6 or 6T");
  const Model tree(random_tree(2)), arm(chain(3));
  const Vector q = neutral_configuration(tree), zero = Vector::Zero(tree.nv());
  EXPECT_MESSAGE(linearize_forward(tree, q, zero, zero, {}, LinearMethod::algorithm_6), "use Algorithm 6T");
  const Vector three = Vector::Zero(3);
  EXPECT_MESSAGE(forward_dynamics_jvp(arm, three, three, three, three, three, three, {}, LinearMethod::algorithm_6),
                 "Algorithm 6 is for matrices: of one direction use 3 or 5");
  EXPECT_EQ(method_for_matrices(arm, LinearMethod::automatic), LinearMethod::algorithm_4);
  EXPECT_EQ(method_for_matrices(Model(chain(41)), LinearMethod::automatic), LinearMethod::algorithm_6);
  Description branched = chain(longest_factored_path + 1);
  branched.joints.back().parent = branched.bodies.front().name;  // a branch of its own
  EXPECT_EQ(method_for_matrices(Model(branched), LinearMethod::automatic), LinearMethod::algorithm_4);
  branched = chain(longest_factored_path + 2);
  branched.joints.back().parent = branched.bodies.front().name;
  EXPECT_EQ(method_for_matrices(Model(branched), LinearMethod::automatic), LinearMethod::algorithm_6t);
}

// On long chains, where 4 needs a dense factor and 6 is what is chosen.
TEST(LinearMethods, AgreeOnLongChains) {
  const Model model(chain(longest_factored_path + 20));
  const Vector q = random_configuration(model, 4), v = random_vector(model, 5, 0.1), tau = random_vector(model, 6);
  const ForwardLinearization chosen = linearize_forward(model, q, v, tau);
  const Matrix M = mass_matrix(model, q);
  for (const LinearMethod method : {LinearMethod::algorithm_4, LinearMethod::algorithm_6, LinearMethod::algorithm_6t}) {
    SCOPED_TRACE(std::string("Algorithm ") + name_of(method));
    const ForwardLinearization one = linearize_forward(model, q, v, tau, {}, method);
    for (const auto& [x, y] : {std::pair{one.M_inv, chosen.M_inv}, {one.A_C, chosen.A_C}, {one.B_C, chosen.B_C}}) {
      const Matrix size = M.cwiseAbs() * x.cwiseAbs();
      EXPECT_LE((M * (x - y)).cwiseAbs().maxCoeff(), 1e-11 * size.maxCoeff());
    }
  }
}

}  // namespace
}  // namespace catena::test
