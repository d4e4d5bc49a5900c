// The identities of the spatial operators as the papers write them, over random trees with every joint type.
// [004] Identities 4.1, 4.2, (5.1); [000] (22)-(25); [003] (A.1)-(A.5); formula sheet 3.9, 4.1, 4.2, section 5.
// U is as well conditioned as the robot: errors are measured against the sizes of the factors.
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/model/random.hpp"
#include "catena/reference/denoc.hpp"
#include "operators_support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

TEST(OperatorIdentities, MassMatrixAndItsFactors) {
  for_each_case(uncoupled_trees(true), tries, [](const Case& c) {  // with armature
    const SpatialOperators o(c.model, c.q);
    const Operator U = 1 + o.H * o.Phi * o.K;
    EXPECT_CLOSE((o.H * o.Phi * o.M * transpose(o.Phi) * transpose(o.H) + o.J).matrix(), mass_matrix(c.model, c.q),
                 tolerance);
    EXPECT_CLOSE((U * o.D * transpose(U)).matrix(), mass_matrix(c.model, c.q), tolerance);
    EXPECT_CLOSE((o.m() * transpose(o.m())).matrix(), mass_matrix(c.model, c.q), tolerance);
  });
}

TEST(OperatorIdentities, InverseOfTheMassMatrix) {
  for_each_case(uncoupled_trees(true), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q);
    const Operator L = 1 - o.H * o.Psi * o.K;
    const double bound = 1e-14 * condition(c) + tolerance;
    EXPECT_CLOSE((transpose(L) * inverse(o.D) * L).matrix(), mass_matrix_inverse(c.model, c.q), bound);
    EXPECT_CLOSE((transpose(o.l()) * o.l()).matrix(), mass_matrix_inverse(c.model, c.q), bound);
    EXPECT_SAME(L * (1 + o.H * o.Phi * o.K), identity(c.model.nv()), tolerance,
                largest(L.matrix()) * largest(o.U().matrix()));
  });
}

TEST(OperatorIdentities, DeterminantOfTheMassMatrixIsThatOfD) {
  for_each_case(uncoupled_trees(true), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q);
    const Matrix S = Eigen::LLT<Matrix>(mass_matrix(c.model, c.q)).matrixL();
    EXPECT_NEAR(log_determinant(o.D), 2 * S.diagonal().array().log().sum(),
                1e-14 * condition(c) + 1e-12 * c.model.nv());
  });
}

// What holds body by body, and which of it armature takes away (sheet 4.1, section 5).
TEST(OperatorIdentities, RiccatiEquationAndProjections) {
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q);
    const double size = largest(o.P.matrix()) * (1 + largest(o.G.matrix())), gains = 1 + largest(o.G.matrix());
    EXPECT_SAME(o.H * o.G, identity(c.model.nv()), tolerance, gains);
    EXPECT_SAME((o.H * o.tau_bar).matrix(), Matrix::Zero(c.model.nv(), 6 * o.bodies), tolerance, gains);
    EXPECT_SAME(o.tau_bar * o.P, o.P_plus, tolerance, size);
    EXPECT_SAME(o.P * transpose(o.tau_bar), o.P_plus, tolerance, size);
    EXPECT_SAME(o.tau_bar * o.P * transpose(o.tau_bar), o.P_plus, tolerance, size * gains);
    EXPECT_SAME(o.M, o.P - o.E_psi * o.P * transpose(o.E_psi), tolerance, size * gains);
    EXPECT_SAME(o.M, o.P - o.E_phi * o.P * transpose(o.E_psi), tolerance, size * gains);
    EXPECT_SAME(o.E_psi, o.E_phi * o.tau_bar, tolerance, gains);
    EXPECT_SAME(o.Phi - 1, o.Phi * o.E_phi, tolerance, largest(o.Phi.matrix()));
    EXPECT_SAME(o.Psi - 1, o.Psi * o.E_psi, tolerance, largest(o.Psi.matrix()) * gains);
    EXPECT_SAME(1 + o.H * o.Phi * o.K, o.H * o.Phi * o.G, tolerance, largest(o.U().matrix()) * gains);
  });
}

TEST(OperatorIdentities, ArmatureTakesAwayTheProjectionsAndLeavesTheFactors) {
  Description robot = chain(4);
  for (Joint& joint : robot.joints) joint.geared(1e-2, 2);
  const Model model(robot);
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2);
  const SpatialOperators o(model, q, v);
  EXPECT_TRUE(clearly_differ((o.H * o.G).matrix(), Matrix::Identity(4, 4)));
  EXPECT_TRUE(clearly_differ((o.tau_bar * o.P * transpose(o.tau_bar)).matrix(), o.P_plus.matrix()));
  const Vector xi = transpose(o.U()) * v;
  EXPECT_CLOSE(transpose(o.Psi) * (transpose(o.H) * xi), o.V, tolerance);  // this one stays: tau_bar' = 1 - H' G'
  EXPECT_TRUE(clearly_differ((o.H * o.tau_bar).matrix(), Matrix::Zero(4, 24)));
  EXPECT_TRUE(clearly_differ((o.P - o.E_psi * o.P * transpose(o.E_psi)).matrix(), o.M.matrix()));
  EXPECT_SAME(o.tau_bar * o.P, o.P_plus, tolerance, largest(o.P.matrix()));
  EXPECT_SAME(o.P - o.E_phi * o.P * transpose(o.E_psi), o.M, tolerance, largest(o.P.matrix()));
  EXPECT_CLOSE((o.U() * o.D * transpose(o.U())).matrix(), mass_matrix(model, q), tolerance);
}

// Identity 4.2 and sheet 4.2. The first holds with armature too, and is what operational space rests on.
TEST(OperatorIdentities, RigidAndArticulatedSweepsTogether) {
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q);
    const Operator HPhi = o.H * o.Phi, Phi_t = transpose(o.Phi), H_t = transpose(o.H);
    const double phi = largest(o.Phi.matrix()), psi = largest(o.Psi.matrix()), gains = 1 + largest(o.G.matrix());
    const double scale = phi * psi * gains * gains * 10;
    EXPECT_SAME((1 - o.H * o.Psi * o.K) * HPhi, o.H * o.Psi, tolerance, scale);
    EXPECT_SAME(o.Phi * o.K * (1 - o.H * o.Psi * o.K), o.Psi * o.K, tolerance, scale);
    EXPECT_SAME(o.Phi * o.M * Phi_t * H_t, (1 + o.Phi * o.K * o.H) * o.P * Phi_t * H_t, tolerance,
                scale * phi * largest(o.P.matrix()));
    EXPECT_SAME(HPhi * o.tau_bar, HPhi * o.E_psi, tolerance, scale);
  });
}

// V = Phi' H' v = Psi' H' xi with xi = U' v.
TEST(OperatorIdentities, VelocitiesFromJointRatesAndFromQuasiVelocities) {
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    EXPECT_SAME(transpose(o.Phi) * (transpose(o.H) * c.v), o.V, tolerance, 1);
    const Vector xi = transpose(o.U()) * c.v;
    EXPECT_SAME(transpose(o.Psi) * (transpose(o.H) * xi), o.V, tolerance,
                largest(o.Psi.matrix()) * largest(xi) * (1 + largest(o.G.matrix())));
    const Vector nu = transpose(o.m()) * c.v;
    const double energy = Kinematics(c.model, c.q, c.v).kinetic_energy();
    EXPECT_NEAR(0.5 * nu.squaredNorm(), energy, 1e-12 * energy);
  });
}

// Inverse and forward dynamics, one line each. Gravity is a field of accelerations, not of wrenches.
TEST(OperatorIdentities, DynamicsInOneLine) {
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    const Operator H_t = transpose(o.H), Phi_t = transpose(o.Phi), Psi_t = transpose(o.Psi);
    const Vector b = o.crf_V * (o.M * o.V);
    const Vector tau = o.H * (o.Phi * (o.M * (Phi_t * (H_t * c.a + o.s) - o.g) + b));
    EXPECT_CLOSE(tau, inverse_dynamics(c.model, c.q, c.v, c.a), tolerance);
    // [000] (38): the Coriolis force is H Phi (M Phi' a + b), a(k) = crm(V) H v
    EXPECT_SAME(o.H * (o.Phi * (o.M * (Phi_t * o.s) + b)), coriolis_forces(c.model, c.q, c.v), tolerance, largest(tau));
    const Vector e = o.U_inv() * tau - o.H * (o.Psi * (b + o.P * o.s - o.M * o.g));
    const Vector a = transpose(o.U_inv()) * (inverse(o.D) * e) - transpose(o.K) * (Psi_t * o.s);
    EXPECT_CLOSE(a, forward_dynamics(c.model, c.q, c.v, tau), 1e-13 * condition(c) + 1e-11);
  });
}

// U and D of the operators and of Saha's elimination are the same numbers.
TEST(OperatorIdentities, FactorsOfTheDecoupledComplementAreTheSame) {
  for_each_case(uncoupled_trees(true), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q);
    const Denoc denoc(c.model, c.q, c.v);
    const DenocFactors factors = denoc.eliminate();
    EXPECT_CLOSE(denoc.U(factors), o.U().matrix(), 1e-14 * condition(c) + tolerance);
    EXPECT_CLOSE(denoc.D(factors), o.D.matrix(), 1e-14 * condition(c) + tolerance);
  });
}

Matrix random_6x6(Random& random) {
  Matrix x(6, 6);
  for (Eigen::Index i = 0; i < x.size(); ++i) x(i) = random.between(-1, 1);
  return x;
}

Operator random_blocks(int bodies, Random& random) {
  std::vector<Block> list;
  for (int k = 0; k < bodies; ++k) list.push_back({6 * k, 6 * k, random_6x6(random)});
  return block_diagonal(6 * bodies, 6 * bodies, list);
}

// The block-diagonal S with S = left S right' + X, body by body from the tips (inward) or from the base.
Operator solve_inward(const Operator& left, const Operator& right, const Operator& X, int bodies) {
  const Matrix L = left.matrix(), R = right.matrix();
  Matrix S = X.matrix();
  for (int k = 0; k < bodies; ++k) {  // N steps reach the base whatever the order
    S = X.matrix() + L * S * R.transpose();
  }
  return block_diagonal(6 * bodies, 6 * bodies, {{0, 0, S}});
}

// (A.1), (A.2): on chains and trees.
TEST(OperatorIdentities, InwardDecompositionsOfTheAppendix) {
  LONG_TEST();
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q);
    Random random(7);
    const Operator X = random_blocks(o.bodies, random), Phi_t = transpose(o.Phi), Phi_tilde_t = Phi_t - 1;
    const double scale = std::pow(largest(o.Phi.matrix()), 2) + std::pow(largest(o.Psi.matrix()), 2);
    const Operator S1 = solve_inward(o.E_phi, o.E_phi, X, o.bodies);
    EXPECT_SAME(o.Phi * X * Phi_t, o.Phi * S1 + S1 * Phi_tilde_t, tolerance, 10 * scale);
    const Operator S2 = solve_inward(o.E_psi, o.E_phi, X, o.bodies);
    EXPECT_SAME(o.Psi * X * Phi_t, o.Psi * S2 + S2 * Phi_tilde_t, tolerance, 10 * scale);
  });
}

// (A.3): S = tau_bar' S_in tau_bar + X. Siblings couple, so it is for chains.
TEST(OperatorIdentities, OutwardDecompositionOfTheAppendixOnChains) {
  LONG_TEST();
  TreeOptions options = uncoupled_trees();
  options.serial = true;
  options.several_roots = false;
  for_each_case(options, tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q);
    Random random(8);
    const Operator X = random_blocks(o.bodies, random), Psi_t = transpose(o.Psi);
    const Operator S = solve_inward(transpose(o.E_psi), transpose(o.E_psi), X, o.bodies);
    EXPECT_SAME(Psi_t * X * o.Psi, (Psi_t - 1) * S + S * o.Psi, tolerance, 10 * std::pow(largest(o.Psi.matrix()), 2));
  });
}

TEST(OperatorIdentities, OutwardDecompositionOfTheAppendixFailsOnATree) {
  LONG_TEST();
  Builder tree("fork");
  const Inertial box{1, {0.1, 0.2, 0.3}, box_inertia(1, 0.1, 0.2, 0.3)};
  tree.add_body("trunk", box, revolute("waist"));
  tree.add_body("left", box, revolute("left").on("trunk").at(0, 1, 0).about(1, 0, 0));
  tree.add_body("right", box, revolute("right").on("trunk").at(0, -1, 0).about(0, 1, 0));
  const Model model = tree.build();
  const SpatialOperators o(model, Vector::Constant(3, 0.4));
  Random random(9);
  const Operator X = random_blocks(3, random), Psi_t = transpose(o.Psi);
  // S of each body from its parent's alone, as the chain has it
  Matrix S = Matrix::Zero(18, 18);
  const Matrix E = o.E_psi.matrix(), X_full = X.matrix();
  for (int k = 0; k < 3; ++k) {
    S.block(6 * k, 6 * k, 6, 6) = X_full.block(6 * k, 6 * k, 6, 6);
    const Matrix link = E.block(0, 6 * k, 6, 6);  // from body k to the trunk
    if (k > 0) S.block(6 * k, 6 * k, 6, 6) += link.transpose() * S.topLeftCorner(6, 6) * link;
  }
  const Operator chain_S = block_diagonal(18, 18, {{0, 0, S}});
  EXPECT_TRUE(clearly_differ((Psi_t * X * o.Psi).matrix(), ((Psi_t - 1) * chain_S + chain_S * o.Psi).matrix()));
}

// (A.4), (A.5): S_i = X_i S_in X_i^-1 + X (and tau_bar' in front), each body from its parent: trees as well.
TEST(OperatorIdentities, MixedDecompositionsOfTheAppendix) {
  LONG_TEST();
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q);
    const int N = o.bodies;
    Random random(10);
    const Operator X = random_blocks(N, random);
    const Matrix E_phi = o.E_phi.matrix(), E_psi = o.E_psi.matrix(), X_full = X.matrix();
    Matrix S4 = Matrix::Zero(6 * N, 6 * N), S5 = S4;
    for (int k = 0; k < N; ++k) {
      S4.block(6 * k, 6 * k, 6, 6) = S5.block(6 * k, 6 * k, 6, 6) = X_full.block(6 * k, 6 * k, 6, 6);
      for (int parent = 0; parent < k; ++parent) {
        const Matrix link = E_phi.block(6 * parent, 6 * k, 6, 6);  // X' of body k if this is its parent
        if (link.isZero(0)) continue;
        const Matrix back = link.transpose().inverse();
        S4.block(6 * k, 6 * k, 6, 6) += link.transpose() * S4.block(6 * parent, 6 * parent, 6, 6) * back;
        S5.block(6 * k, 6 * k, 6, 6) +=
            E_psi.block(6 * parent, 6 * k, 6, 6).transpose() * S5.block(6 * parent, 6 * parent, 6, 6) * back;
      }
    }
    const Operator A4 = block_diagonal(6 * N, 6 * N, {{0, 0, S4}}), A5 = block_diagonal(6 * N, 6 * N, {{0, 0, S5}});
    const Operator Phi_t = transpose(o.Phi), Psi_t = transpose(o.Psi), Phi_tilde_t = Phi_t - 1;
    const double scale = 10 * (largest(S4) + largest(S5) + 1) * (largest(o.Phi.matrix()) + largest(o.Psi.matrix()));
    EXPECT_SAME(Phi_t * X * Phi_tilde_t, A4 * Phi_t - Phi_t * A4, tolerance, scale);
    EXPECT_SAME(Psi_t * X * Phi_tilde_t, A5 * Phi_t - Psi_t * A5, tolerance, scale);
  });
}

}  // namespace
}  // namespace catena::test
