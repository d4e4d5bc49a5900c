// Saha's decoupled natural orthogonal complement: matrices, elimination, O(n) recursions, over random trees with every
// joint type. Formula sheet 2; brute-force numbers are in operators_reference_test.cpp, misprints in
// operators_saha_errata_test.cpp.
#include "catena/reference/denoc.hpp"

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/reference/noc.hpp"
#include "dual.hpp"
#include "operators_support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

ExternalLoads pushed_and_moving(const Case& c) {
  ExternalLoads loads;
  Wrench wrench;
  wrench.frame = c.model.frame_count() - 1;
  wrench.force = {3, -1, 2};
  wrench.moment = {0.5, 1, -0.7};
  wrench.point = {0.1, -0.2, 0.3};
  loads.wrenches = {wrench};
  loads.base = {{0.3, -0.2, 0.5}, {1, 0.4, -0.6}, {-0.7, 0.2, 0.1}, {0.9, -1.1, 0.3}};
  return loads;
}

TEST(Denoc, TwistsAreTheProductOfTheTwoMatricesWithTheRates) {
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const Denoc denoc(c.model, c.q, c.v);
    const Vector t = denoc.N_l() * (denoc.N_d() * c.v);
    for (int i = 1; i < denoc.count(); ++i) EXPECT_SAME(t.segment(6 * (i - 1), 6), denoc.body(i).t, 1e-13, 1);
  });
}

TEST(Denoc, LinksCompose) {
  for_each_case(uncoupled_trees(), 10, [](const Case& c) {
    const Denoc denoc(c.model, c.q, c.v);
    const int n = denoc.count() - 1, m = (n + 1) / 2;
    EXPECT_SAME(denoc.B(n, m) * denoc.B(m, 1), denoc.B(n, 1), 1e-14, 1);
    EXPECT_SAME(denoc.B(n, m) * denoc.B(m, n), Matrix::Identity(6, 6), 1e-14, 1);
    const Matrix N_l = denoc.N_l();
    EXPECT_NEAR(N_l.determinant(), 1, 1e-12);
  });
}

TEST(Denoc, DecouplesTheNaturalComplement) {
  TreeOptions options = uncoupled_trees();
  options.types = {JointType::revolute, JointType::prismatic, JointType::universal};
  for_each_case(options, tries, [](const Case& c) {
    const Denoc denoc(c.model, c.q, c.v);
    EXPECT_SAME(denoc.N_l() * denoc.N_d(), natural_complement(c.model, c.q, c.v).T, 1e-13, 1);
  });
}

TEST(Denoc, MatricesElementByElement) {
  for_each_case(uncoupled_trees(true), tries, [](const Case& c) {
    const Denoc denoc(c.model, c.q, c.v);
    const Matrix I = denoc.generalized_inertia(), C = denoc.convective_inertia();
    EXPECT_CLOSE(I, mass_matrix(c.model, c.q), 1e-12);
    const double scale = largest(I) * (1 + largest(c.v)) * 10;
    EXPECT_SAME(C * c.v, coriolis_forces(c.model, c.q, c.v), 1e-12, scale * (1 + largest(c.v)));
    EXPECT_SAME(C + C.transpose(), mass_matrix_derivative(c.model, c.q, c.v), 1e-12, scale);
  });
}

// (20), (30): I v_dot + C v = tau + the weights, each wrench carried inward.
TEST(Denoc, EquationsOfMotionFromTheMatricesAndTheGeneralizedForce) {
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const Denoc denoc(c.model, c.q, c.v);
    std::vector<Vector6> weights;
    for (int i = 0; i < denoc.count(); ++i) weights.push_back(denoc.body(i).weight(c.model.gravity()));
    const Vector gravity = denoc.generalized_force(weights);
    EXPECT_SAME(-gravity, gravity_forces(c.model, c.q), 1e-12, largest(weights[1]));
    const Vector tau = denoc.generalized_inertia() * c.a + denoc.convective_inertia() * c.v - gravity;
    EXPECT_SAME(tau, inverse_dynamics(c.model, c.q, c.v, c.a), 1e-12, 1);
  });
}

TEST(Denoc, InverseDynamicsWithJointTermsWrenchesAndAMovingBase) {
  for_each_case(uncoupled_trees(true), 2 * tries, [](const Case& c) {
    const ExternalLoads loads = pushed_and_moving(c);
    EXPECT_CLOSE(inverse_dynamics_denoc(c.model, c.q, c.v, c.a, loads), inverse_dynamics(c.model, c.q, c.v, c.a, loads),
                 1e-12);
  });
}

TEST(Denoc, ForwardDynamicsWithJointTermsWrenchesAndAMovingBase) {
  for_each_case(uncoupled_trees(true), 2 * tries, [](const Case& c) {
    const ExternalLoads loads = pushed_and_moving(c);
    const double bound = 1e-13 * condition_number(mass_matrix(c.model, c.q)) + 1e-12;
    const Vector tau = random_vector(c.model, 9, 5);
    EXPECT_CLOSE(forward_dynamics_denoc(c.model, c.q, c.v, tau, loads), forward_dynamics(c.model, c.q, c.v, tau, loads),
                 bound);
  });
}

TEST(Denoc, FactorsMultiplyToTheMassMatrix) {
  for_each_case(uncoupled_trees(true), tries, [](const Case& c) {
    const Denoc denoc(c.model, c.q, c.v);
    const DenocFactors factors = denoc.eliminate();
    const Matrix U = denoc.U(factors), D = denoc.D(factors);
    EXPECT_CLOSE(U * D * U.transpose(), mass_matrix(c.model, c.q), 1e-12);
  });
}

// Appendix B: eliminating the columns of I from the last to the second, scalar by scalar, gives alpha_ik and i_ij^(k).
TEST(Denoc, FactorsAreThoseOfReverseGaussianElimination) {
  TreeOptions options = one_degree_chains();
  options.shuffled = false;
  for_each_case(options, tries, [](const Case& c) {
    const int n = c.model.nv();
    const Denoc denoc(c.model, c.q, c.v);
    const DenocFactors factors = denoc.eliminate();
    const std::vector<Matrix6> M_tilde = denoc.M_tilde();
    const Matrix I = denoc.generalized_inertia();
    const double tolerance = 1e-14 * condition_number(I) + 1e-12;
    Matrix L = I;
    for (int k = n; k >= 2; --k) {
      for (int i = k - 1; i >= 1; --i) {
        const double alpha = L(i - 1, k - 1) / L(k - 1, k - 1);
        EXPECT_NEAR(denoc.alpha(factors, i, k)(0, 0), alpha, tolerance * (1 + std::abs(alpha)));
        L.row(i - 1) -= alpha * L.row(k - 1);  // E_k L_{k+1}, (45)
        // (49): M^_ik = M~_i - sum over l >= k of psi^_il psi_il'
        Matrix6 M_hat = M_tilde[i];
        for (int l = k; l <= n; ++l) {
          M_hat -= denoc.B(l, i).transpose() * factors.psi_hat[l] * denoc.psi(factors, i, l).transpose();
        }
        for (int j = i; j >= 1; --j) {
          const double element = (denoc.p(i).transpose() * M_hat * denoc.B(i, j) * denoc.p(j))(0, 0);
          EXPECT_NEAR(element, L(i - 1, j - 1), tolerance * largest(I));
        }
        if (i == k - 1) {
          EXPECT_SAME(M_hat, factors.M_hat[i], tolerance, largest(M_tilde[i]));
        }
      }
    }
    for (int k = 1; k <= n; ++k) EXPECT_NEAR(factors.m_hat[k](0, 0), L(k - 1, k - 1), tolerance * largest(I));
  });
}

TEST(Denoc, AgreesOnAChainOfTwoThousandLinks) {
  LONG_TEST();
  const Model model(chain(2000));
  const Vector q = random_configuration(model, 1), v = 1e-3 * random_vector(model, 2), a = random_vector(model, 3);
  EXPECT_CLOSE(inverse_dynamics_denoc(model, q, v, a), inverse_dynamics(model, q, v, a), 1e-10);
  EXPECT_CLOSE(forward_dynamics_denoc(model, q, v, a), forward_dynamics(model, q, v, a), 1e-6);
}

// N = N_l N_d K: matrices, forces and accelerations of robots with mimic joints.
TEST(Denoc, TakesMimicJoints) {
  TreeOptions options;
  options.couplings = true;
  int tried = 0;
  for_each_case(options, 4 * tries, [&](const Case& c) {
    if (!c.model.has_couplings()) return;
    ++tried;
    const ExternalLoads loads = pushed_and_moving(c);
    const Denoc denoc(c.model, c.q, c.v);
    const Matrix M = mass_matrix(c.model, c.q), C = denoc.convective_inertia();
    EXPECT_CLOSE(denoc.generalized_inertia(), M, 1e-12);
    EXPECT_SAME(C + C.transpose(), mass_matrix_dot(c.model, c.q, c.v), 1e-12, largest(M) + largest(C));
    const Matrix N = denoc.N_l() * denoc.N_d();
    for (int i = 1; i < denoc.count(); ++i) {
      EXPECT_SAME(Vector(N.middleRows(6 * (i - 1), 6) * c.v), Vector(denoc.body(i).t), 1e-12, 1) << i;
    }
    EXPECT_CLOSE(inverse_dynamics_denoc(c.model, c.q, c.v, c.a, loads), inverse_dynamics(c.model, c.q, c.v, c.a, loads),
                 1e-12);
    const Vector tau = random_vector(c.model, 9, 5);
    EXPECT_CLOSE(forward_dynamics_denoc(c.model, c.q, c.v, tau, loads), forward_dynamics(c.model, c.q, c.v, tau, loads),
                 1e-13 * condition_number(M) + 1e-12);
    EXPECT_THROW(denoc.eliminate(), std::invalid_argument);
  });
  EXPECT_GT(tried, 30);
}

TEST(Denoc, NamesSingularJoints) {
  Builder builder("slider");
  builder.add_body("arm", Inertial{}, revolute("spin").about(0, 0, 1));
  builder.add_body("ball", Inertial{1, Vector3::Zero(), Matrix3::Zero()}, prismatic("slide").on("arm").along(1, 0, 0));
  const Model model = builder.build();
  const Vector zero = Vector::Zero(2);
  EXPECT_THROW(forward_dynamics_denoc(model, zero, zero, zero), NumericalError);
}

// Sheet 2.6, 2.7: the paper's two examples.
TEST(SahaExamples, JointForcesAlongTheTrajectoriesByTheDecoupledComplement) {
  const Json examples = read_reference("inverse_dynamics_examples");
  for (const char* name : {"planar", "stanford", "stanford_literal"}) {
    SCOPED_TRACE(name);
    const bool literal = examples.at(name).at("model").is_string();
    const Model model(description_from(examples.at(literal ? "stanford" : name).at("model")));
    for (const Json& row : examples.at(name).at("rows")) {
      const Vector q = vector_from(row.at("q")), v = vector_from(row.at("v")), a = vector_from(row.at("a"));
      EXPECT_CLOSE(inverse_dynamics_denoc(model, q, v, a), vector_from(row.at("tau")), 1e-12);
    }
  }
}

}  // namespace
}  // namespace catena::test
