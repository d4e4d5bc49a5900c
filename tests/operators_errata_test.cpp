// Misprints of Jain and Rodriguez [003], [004] and Kozlowski [000] in what the operators say: the corrected form holds,
// the printed one does not (formula sheet 7). One-degree chains, as in the papers, with the brute-force numbers.
#include "catena/dynamics/composite_kernel.hpp"
#include "catena/model/random.hpp"
#include "catena/reference/dense.hpp"
#include "operators_support.hpp"

namespace catena::test {
namespace {

using kernel::crf;
using kernel::crm;

class OperatorErrata : public ReferenceFile {
 protected:
  Case c{model, q, v, a};
  SpatialOperators o{model, q, v};
  int n = model.nv();
  Operator H_t = transpose(o.H), Phi_t = transpose(o.Phi), D_inv = inverse(o.D);
  bool slides = std::string(GetParam()) != "chain_6r";
};

// [000] Tab. 1, row 1: E_phi Omega; printed E_phi Omega Phi.
TEST_P(OperatorErrata, KozlowskiTable1Row1) {
  const Matrix E_ring = slope(c, [](const auto& x) { return x.E_phi.matrix(); });
  EXPECT_SAME((o.E_phi * o.Omega).matrix(), E_ring, 1e-8, 1);
  EXPECT_TRUE(clearly_differ((o.E_phi * o.Omega * o.Phi).matrix(), E_ring));
}

// [000] (16): the bracket holds P_dot; printed P. [004] (6.5): psi lambda_dot psi'; the second star is missing.
TEST_P(OperatorErrata, RatesOfTheArticulatedInertia) {
  const Matrix P_ring = o.P_ring.matrix();
  const Operator turning = o.Omega * o.P + o.P * transpose(o.Omega);
  EXPECT_CLOSE((o.E_psi * (o.P_ring + turning) * transpose(o.E_psi)).matrix(), P_ring, tolerance);
  EXPECT_TRUE(clearly_differ((o.E_psi * (o.P + turning) * transpose(o.E_psi)).matrix(), P_ring));
  EXPECT_CLOSE((o.E_psi * o.lambda_dot * transpose(o.E_psi)).matrix(), P_ring, tolerance);
  // without the star the blocks psi(k, k-1) lambda_dot psi(k, k-1) on the diagonal
  const Matrix E = o.E_psi.matrix(), lambda_dot = o.lambda_dot.matrix();
  const int k = n - 2;
  const Matrix psi = E.block(6 * k, 6 * (k + 1), 6, 6), inner = lambda_dot.block(6 * (k + 1), 6 * (k + 1), 6, 6);
  EXPECT_SAME(psi * inner * psi.transpose(), P_ring.block(6 * k, 6 * k, 6, 6), tolerance, largest(P_ring));
  EXPECT_TRUE(clearly_differ(psi * inner * psi, P_ring.block(6 * k, 6 * k, 6, 6)));
}

// [000] (31), (42), (47): E_psi lambda_dot - lambda_dot E_psi'; printed as the commutator.
TEST_P(OperatorErrata, CommutatorInTheMassFactorRate) {
  const Vector expected = o.m_dot() * (transpose(o.m()) * v);
  const Operator common = o.Omega * o.Phi * o.K * o.H * o.P + 0.5 * (o.Omega * o.P + o.P * transpose(o.Omega));
  const auto with = [&](const Operator& last) { return o.H * (o.Phi * ((common + 0.5 * last) * o.V)); };
  EXPECT_CLOSE(with(o.E_psi * o.lambda_dot - o.lambda_dot * transpose(o.E_psi)), expected, 1e-11);
  EXPECT_TRUE(clearly_differ(with(o.E_psi * o.lambda_dot - o.lambda_dot * o.E_psi), expected));
}

// [000] (36): Phi' with the local derivative, Phi~' with lambda_dot; the print does not say which P_dot it means.
TEST_P(OperatorErrata, RateOfXi) {
  const Operator Phi_tilde_t = Phi_t - 1, tau_bar_t = transpose(o.tau_bar), Omega_t = transpose(o.Omega);
  const auto xi_dot = [&](const Operator& P_dot, const Operator& Phi_star) -> Vector {
    return D_inv * (o.H * (P_dot * (tau_bar_t * o.V) + o.P * (Phi_star * (Omega_t * o.V)))) +
           transpose(o.G) * (Phi_t * (H_t * a));
  };
  const Vector expected = reference("xidot");
  const double bound = 1e-14 * condition_number(matrix_from(values.at("M"))) + tolerance;
  EXPECT_CLOSE(xi_dot(o.P_ring, Phi_t), expected, bound);
  EXPECT_CLOSE(xi_dot(o.lambda_dot, Phi_tilde_t), expected, bound);
  EXPECT_TRUE(clearly_differ(xi_dot(o.P_ring, Phi_tilde_t), expected));
  EXPECT_TRUE(clearly_differ(xi_dot(o.lambda_dot, Phi_t), expected));
}

// [000] (29) with (30): P_ring goes with Phi, lambda_dot with Phi~; mixing them is wrong.
TEST_P(OperatorErrata, RatesOfTheMassFactorDoNotMix) {
  const Operator tail = H_t * transpose(inverse(o.S));
  const auto m_dot = [&](const Operator& Phi_star, const Operator& P_dot) {
    return (o.H * o.Phi * (o.Omega * Phi_star * o.P + 0.5 * (1 + o.tau_bar) * P_dot) * tail).matrix();
  };
  const Matrix expected = matrix_from(values.at("mdot"));
  EXPECT_CLOSE(m_dot(o.Phi, o.P_ring), expected, tolerance);
  EXPECT_CLOSE(m_dot(o.Phi - 1, o.lambda_dot), expected, tolerance);
  EXPECT_TRUE(clearly_differ(m_dot(o.Phi - 1, o.P_ring), expected));
  EXPECT_TRUE(clearly_differ(m_dot(o.Phi, o.lambda_dot), expected));
}

// [000] (4): Omega = crf(H q_dot), for a slide too; [h]x in both diagonal blocks turns what only moves.
TEST_P(OperatorErrata, OmegaOfASlide) {
  std::vector<Block> list;
  for (int k = 0; k < n; ++k) {
    const Vector6 joint = (H_t * v).segment<6>(6 * k);
    const bool turns = !joint.head<3>().isZero(0);
    list.push_back({6 * k, 6 * k, kernel::twice(kernel::skew(turns ? joint.head<3>() : joint.tail<3>()))});
  }
  const Operator printed = block_diagonal(6 * n, 6 * n, list);
  const Matrix E_ring = slope(c, [](const auto& x) { return x.E_phi.matrix(); });
  EXPECT_SAME((o.E_phi * o.Omega).matrix(), E_ring, 1e-8, 1);
  EXPECT_EQ(clearly_differ((o.E_phi * printed).matrix(), E_ring), slides);
}

// [000] nomenclature: H is N x 6N; phi carries wrenches over the vector from O_k to O_{k-1}, outward; b's force row
// is m w x v + m w x (w x p).
TEST_P(OperatorErrata, Nomenclature) {
  EXPECT_EQ(o.H.rows(), n);
  EXPECT_EQ(o.H.cols(), 6 * o.bodies);
  const Tree& tree = model.tree();
  const Vector b = o.crf_V * (o.M * o.V);
  for (int k = 0; k < n; ++k) {
    const Vector3 w = o.V.segment<3>(6 * k), u = o.V.segment<3>(6 * k + 3);
    const double m = tree.inertias[k + 1].M.m;
    const Vector3 p = kernel::eigen(tree.inertias[k + 1].M.h) / m;
    const Matrix3 J = kernel::eigen(spatial::full(tree.inertias[k + 1].M.J));
    Vector6 expected;
    expected << w.cross(J * w) + m * p.cross(w.cross(u)), m * w.cross(u) + m * w.cross(w.cross(p));
    EXPECT_SAME(b.segment<6>(6 * k), expected, tolerance, 1 + largest(b));
    if (k > 0) {
      EXPECT_TRUE(clearly_differ(m * p.cross(u) + m * w.cross(w.cross(p)), expected.tail<3>()));
    }
  }
  // the mass matrix with the arms turned round is another robot's
  auto links = std::make_shared<Links>();
  for (int k = 0; k < n; ++k) {
    const Matrix full = o.E_phi.matrix();
    Matrix6 link = k > 0 ? Matrix6(full.block(6 * (k - 1), 6 * k, 6, 6)) : Matrix6(Matrix6::Zero());
    link.topRightCorner<3, 3>() *= -1;
    links->parent.push_back(k - 1);
    links->link.push_back(link);
  }
  const Operator turned = sweep(links);
  EXPECT_TRUE(clearly_differ((o.H * turned * o.M * transpose(turned) * H_t).matrix(), matrix_from(values.at("M"))));
}

// [004] sec. 3: nu = m' v, v = l' nu; [000] (35): xi = (1 + H Phi K)' v; (43): the energy is xi' D xi / 2.
TEST_P(OperatorErrata, TransposesOfTheQuasiVelocities) {
  const double energy = values.at("kinetic_energy").get<double>();
  const Vector nu = transpose(o.m()) * v, xi = transpose(o.U()) * v;
  EXPECT_CLOSE(nu, reference("nu"), tolerance);
  EXPECT_CLOSE(xi, reference("xi"), tolerance);
  EXPECT_CLOSE(transpose(o.l()) * nu, v, 1e-10);
  EXPECT_NEAR(0.5 * nu.squaredNorm(), energy, tolerance * energy);
  EXPECT_NEAR(0.5 * xi.dot(o.D * xi), energy, tolerance * energy);
  EXPECT_TRUE(clearly_differ(o.m() * v, nu));
  EXPECT_TRUE(clearly_differ(o.U() * v, xi));
  EXPECT_TRUE(clearly_differ(o.l() * nu, v));
  const Vector xi_dot = reference("xidot");
  EXPECT_GT(std::abs(0.5 * xi_dot.dot(o.D * xi_dot) - energy), 1e-2 * energy);
}

// [004] after (5.5): crm(x) crm(z) y = crm(z) crm(x) y + crm(crm(x) z) y, not -crm(z) crm(x) y.
TEST(CrossProductErrata, JacobiIdentityOfTheCrossProduct) {
  Random random(3);
  const auto draw = [&] {
    Vector6 x;
    for (double& number : x) number = random.between(-1, 1);
    return x;
  };
  for (int i = 0; i < 20; ++i) {
    const Vector6 x = draw(), y = draw(), z = draw(), left = crm(x) * crm(z) * y;
    EXPECT_CLOSE(left, crm(z) * crm(x) * y + crm(crm(x) * z) * y, 1e-13);
    EXPECT_TRUE(clearly_differ(left, -crm(z) * crm(x) * y));
  }
}

// What the forward algorithms of [003] rest on, in body frames: M_bar, H_dot, P^, G^, Y_A.
struct Linearized {
  Operator M_bar, H_dot, P_hat, G_hat, Y_A;
};

Matrix inward(const Matrix& X, const Matrix& left, const Matrix& right, int bodies) {
  Matrix S = X;
  for (int k = 1; k < bodies; ++k) S = X + left * S * right.transpose();
  return S;
}

Operator whole(const Matrix& x) {
  return block_diagonal(static_cast<int>(x.rows()), static_cast<int>(x.cols()), {{0, 0, x}});
}

Linearized linearized(const SpatialOperators& o, bool G_hat_as_printed) {
  const Vector MV = o.M * o.V;
  std::vector<Block> list;
  for (int k = 0; k < o.bodies; ++k) {
    const Matrix3 f = kernel::skew(MV.segment<3>(6 * k + 3));
    list.push_back({6 * k, 6 * k, kernel::blocks(kernel::skew(MV.segment<3>(6 * k)), f, f, Matrix3::Zero())});
  }
  const Operator Q = block_diagonal(6 * o.bodies, 6 * o.bodies, list), crm_V = -transpose(o.crf_V);
  const Operator M_bar = 0.5 * (o.crf_V * o.M - o.M * crm_V - Q), H_t = transpose(o.H), H_dot = crm_V * H_t;
  const Operator P_hat = whole(inward(M_bar.matrix(), o.E_psi.matrix(), o.E_phi.matrix(), o.bodies));
  const Operator G_hat = (G_hat_as_printed ? P_hat : transpose(P_hat)) * H_t * inverse(o.D);
  return {M_bar, H_dot, P_hat, G_hat, 2 * (P_hat * H_t + o.P * H_dot)};
}

// [003] (2.8) and Algorithm 1, M_bar unreadable: it is (M_dot - Q[M V]) / 2, as the kernel's closed form has it. It
// is not symmetric, M_bar V = crf(V) M V, and neither half of M_dot alone nor the other sign of Q gives A_D.
TEST_P(OperatorErrata, Equation28) {
  const Linearized x = linearized(o, false);
  const Matrix M_bar = x.M_bar.matrix();
  const Vector columns = H_t * v;
  for (int k = 0; k < n; ++k) {
    const Vector6 V = o.V.segment<6>(6 * k), h = columns.segment<6>(6 * k);
    const auto closed = kernel::velocity_inertia(
        model.tree().inertias[k + 1].M, spatial::Motion<double>{kernel::vec3(V.head<3>()), kernel::vec3(V.tail<3>())});
    const auto force = closed * spatial::Motion<double>{kernel::vec3(h.head<3>()), kernel::vec3(h.tail<3>())};
    Vector6 by_kernel;
    by_kernel << kernel::eigen(force.n), kernel::eigen(force.f);
    EXPECT_SAME(by_kernel, M_bar.block(6 * k, 6 * k, 6, 6) * h, tolerance, largest(M_bar) * largest(h));
  }
  EXPECT_SAME(M_bar * o.V, o.crf_V * (o.M * o.V), tolerance, largest(M_bar) * largest(o.V));
  EXPECT_TRUE(clearly_differ(M_bar, M_bar.transpose()));
  const auto A_D = [&](const Operator& bar) {
    return (2 * (o.H * o.Phi * (o.M * Phi_t * x.H_dot + bar * Phi_t * H_t))).matrix();
  };
  const Operator half = 0.5 * (o.crf_V * o.M + o.M * transpose(o.crf_V)), Q_part = half - x.M_bar;
  EXPECT_CLOSE(A_D(x.M_bar), reference("A_D"), tolerance);
  EXPECT_TRUE(clearly_differ(A_D(half), reference("A_D")));
  EXPECT_TRUE(clearly_differ(A_D(half + Q_part), reference("A_D")));
  EXPECT_TRUE(clearly_differ(A_D(transpose(x.M_bar)), reference("A_D")));
}

// [003] Algorithm 2: X_bar = 2 R_bar' H; printed 2 R_bar H. Its rows k, columns j of ancestors, for all at once:
// A_kj = 2 X' H_dot_j + X_bar' H_j.
TEST_P(OperatorErrata, Algorithm2) {
  const Linearized x = linearized(o, false);
  const Matrix E_phi = o.E_phi.matrix();
  const Operator R = whole(inward(o.M.matrix(), E_phi, E_phi, n)),
                 R_bar = whole(inward(x.M_bar.matrix(), E_phi, E_phi, n));
  const Operator X = R * H_t, X_A = 2 * (R * x.H_dot + R_bar * H_t), up = Phi_t - 1;
  const auto A_D = [&](const Operator& X_bar) {
    return (o.H * o.Phi * X_A + 2 * (transpose(X) * up * x.H_dot) + transpose(X_bar) * up * H_t).matrix();
  };
  EXPECT_CLOSE(A_D(2 * (transpose(R_bar) * H_t)), reference("A_D"), tolerance);
  EXPECT_TRUE(clearly_differ(A_D(2 * (R_bar * H_t)), reference("A_D")));
}

// [003] (4.12): G^ = P^' H D^-1; printed without the transpose.
TEST_P(OperatorErrata, Equation412) {
  const auto A_C = [&](bool as_printed) {
    const Linearized x = linearized(o, as_printed);
    const Operator K_hat = o.E_phi * x.G_hat;
    return (transpose(o.U_inv()) * (D_inv * o.H * o.Psi * x.Y_A + 2 * (transpose(K_hat) * Phi_t * H_t) +
                                    2 * (transpose(o.K) * Phi_t * x.H_dot)))
        .matrix();
  };
  const Matrix expected = matrix_from(values.at("A_C"));
  const double bound = 1e-13 * condition_number(matrix_from(values.at("M"))) + tolerance;
  EXPECT_CLOSE(A_C(false), expected, bound);
  EXPECT_TRUE(clearly_differ(A_C(true), expected));
}

// [003] proof of Lemma 4.9: Q = 2 (K^ - J' K); printed 2 (K' - 2 K' J), transposed. Serial chains (sheet 3.7).
TEST_P(OperatorErrata, ProofOfLemma49) {
  const Linearized x = linearized(o, false);
  const Matrix E_phi = o.E_phi.matrix(), E_psi = o.E_psi.matrix();
  const Matrix Upsilon = inward((H_t * D_inv * o.H).matrix(), E_psi.transpose(), E_psi.transpose(), n);
  const Matrix Upsilon_in = E_phi.transpose() * Upsilon * E_phi;
  const Operator L = D_inv + transpose(o.G) * whole(Upsilon_in) * o.G, u = L * o.H - transpose(o.G) * whole(Upsilon_in);
  const Matrix source = (H_t * transpose(x.G_hat)).matrix();
  Matrix J = Matrix::Zero(6 * n, 6 * n);
  for (int k = 0; k < n; ++k) {
    J.block(6 * k, 6 * k, 6, 6) = source.block(6 * k, 6 * k, 6, 6);
    if (k == 0) continue;
    J.block(6 * k, 6 * k, 6, 6) += E_psi.block(6 * (k - 1), 6 * k, 6, 6).transpose() *
                                   J.block(6 * (k - 1), 6 * (k - 1), 6, 6) *
                                   E_phi.block(6 * (k - 1), 6 * k, 6, 6).transpose().inverse();
  }
  const Operator E_A = 2 * x.H_dot - whole(Upsilon) * x.Y_A + 2 * (whole(J) * H_t);
  const Operator K_hat = o.E_phi * x.G_hat, K_t = transpose(o.K);
  const auto A_C = [&](const Operator& Q_t) {
    return (u * o.Psi * x.Y_A + K_t * transpose(o.Psi) * E_A + Q_t * Phi_t * H_t).matrix();
  };
  const Matrix expected = matrix_from(values.at("A_C"));
  const double bound = 1e-13 * condition_number(matrix_from(values.at("M"))) + tolerance;
  const Operator M_inv = L - K_t * transpose(o.Psi) * transpose(u) - u * o.Psi * o.K;
  EXPECT_CLOSE(M_inv.matrix(), matrix_from(values.at("Minv")), bound);
  EXPECT_CLOSE(A_C(2 * (transpose(K_hat) - K_t * whole(J))), expected, bound);
  EXPECT_TRUE(clearly_differ(A_C(2 * (K_t - 2 * (K_t * whole(J)))), expected));
}

ON_REFERENCE_FILES(OperatorErrata, "chain_6r", "chain_rprpr", "chain_8mixed");

}  // namespace
}  // namespace catena::test
