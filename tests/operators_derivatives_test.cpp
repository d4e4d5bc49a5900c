// Time derivatives of the operators: Table 4 of [004] and Tab. 1 of [000], local and inertial, the mass factor, and the
// derivatives of the mass matrix; formula sheet 4.4. Slopes by fourth-order differences prove rows to about 1e-9;
// the brute-force numbers in operators_reference_test.cpp prove P_ring, D_ring and m_dot to 1e-12.
#include "catena/dynamics/mass_matrix.hpp"
#include "dual.hpp"
#include "operators_support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

constexpr double slope_tolerance = 1e-7;  // h^4 times the fifth derivative, for velocities up to 2 on each of 12 joints

// Every joint type; armature where it does no harm.
TEST(OperatorDerivatives, LocalDerivativesOfTheTable) {
  LONG_TEST();
  for_each_case(uncoupled_trees(true), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    const double size = 1 + largest(o.P.matrix()), gains = std::pow(1 + largest(o.G.matrix()), 2);
    // 1: E_phi   2: Phi
    EXPECT_SAME((o.E_phi * o.Omega).matrix(), slope(c, [](const auto& x) { return x.E_phi.matrix(); }), slope_tolerance,
                1);
    const Matrix Phi_slope = slope(c, [](const auto& x) { return x.Phi.matrix(); });
    EXPECT_SAME((o.Phi * o.E_phi * o.Omega * o.Phi).matrix(), Phi_slope, slope_tolerance, 1);
    // 3, 4: H and M do not change in body axes
    EXPECT_EQ(largest(slope(c, [](const auto& x) { return x.H.matrix(); })), 0);
    EXPECT_EQ(largest(slope(c, [](const auto& x) { return x.M.matrix(); })), 0);
    // P, 5: D   6: G   7: tau_bar   8: E_psi
    const Matrix P_slope = slope(c, [](const auto& x) { return x.P.matrix(); });
    EXPECT_SAME(o.P_ring.matrix(), P_slope, slope_tolerance, size * gains);
    EXPECT_SAME((o.H * o.P_ring * transpose(o.H)).matrix(), slope(c, [](const auto& x) { return x.D.matrix(); }),
                slope_tolerance, size * gains);
    const Operator G_ring = o.tau_bar * o.P_ring * transpose(o.H) * inverse(o.D);
    EXPECT_SAME(G_ring.matrix(), slope(c, [](const auto& x) { return x.G.matrix(); }), slope_tolerance, gains);
    EXPECT_SAME(o.G_ring, G_ring, tolerance, gains * size);
    EXPECT_SAME((-(G_ring * o.H)).matrix(), slope(c, [](const auto& x) { return x.tau_bar.matrix(); }), slope_tolerance,
                gains);
    const Operator E_psi_ring =
        o.E_phi * o.Omega * o.tau_bar - o.E_psi * o.P_ring * transpose(o.H) * inverse(o.D) * o.H;
    EXPECT_SAME(E_psi_ring.matrix(), slope(c, [](const auto& x) { return x.E_psi.matrix(); }), slope_tolerance, gains);
    EXPECT_SAME(o.S_ring.matrix(), slope(c, [](const auto& x) { return x.S.matrix(); }), slope_tolerance, size * gains);
  });
}

// World-aligned components of x are R x: their derivative, turned back, is ring + W x (vectors), ring + W X - X W.
TEST(OperatorDerivatives, InertialDerivativesOfTheTable) {
  LONG_TEST();
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    const double size = 1 + largest(o.P.matrix()), gains = std::pow(1 + largest(o.G.matrix()), 2);
    const auto back = [&](const Matrix& x) -> Matrix { return transpose(o.R).apply(x); };
    const auto in_world = [&](auto pick) -> Matrix {
      const Matrix turned = slope(c, [&](const auto& x) { return (x.R * pick(x) * transpose(x.R)).matrix(); });
      return back(turned) * o.R.matrix();
    };
    const auto commutator = [&](const Operator& x) { return o.W * x - x * o.W; };
    const double w = 1 + largest(o.W.matrix());
    EXPECT_SAME((o.E_phi * o.Omega + commutator(o.E_phi)).matrix(), in_world([](const auto& x) { return x.E_phi; }),
                slope_tolerance, w);
    const Operator Phi_ring = o.Phi * o.E_phi * o.Omega * o.Phi;
    EXPECT_SAME((Phi_ring + o.Phi * commutator(o.E_phi) * o.Phi).matrix(),
                in_world([](const auto& x) { return x.Phi; }), slope_tolerance, w);
    EXPECT_SAME(commutator(o.M).matrix(), in_world([](const auto& x) { return x.M; }), slope_tolerance, w * size);
    EXPECT_SAME((o.P_ring + commutator(o.P)).matrix(), in_world([](const auto& x) { return x.P; }), slope_tolerance,
                w * size * gains);
    EXPECT_SAME((-(o.G_ring * o.H) + commutator(o.tau_bar)).matrix(), in_world([](const auto& x) { return x.tau_bar; }),
                slope_tolerance, w * gains);
    const Operator E_psi_ring =
        o.E_phi * o.Omega * o.tau_bar - o.E_psi * o.P_ring * transpose(o.H) * inverse(o.D) * o.H;
    EXPECT_SAME((E_psi_ring + commutator(o.E_psi)).matrix(), in_world([](const auto& x) { return x.E_psi; }),
                slope_tolerance, w * gains);
    const Matrix G_slope = back(slope(c, [](const auto& x) { return (x.R * x.G).matrix(); }));
    EXPECT_SAME((o.G_ring + o.W * o.G).matrix(), G_slope, slope_tolerance, w * gains);
    const Matrix H_slope = slope(c, [](const auto& x) { return (x.H * transpose(x.R)).matrix(); }) * o.R.matrix();
    EXPECT_SAME((-(o.H * o.W)).matrix(), H_slope, slope_tolerance, w);
  });
}

// (6.7): Phi_ring = Phi crf(V) - crf(V) Phi. On a base at rest.
TEST(OperatorDerivatives, LocalDerivativeOfPhiIsACommutator) {
  LONG_TEST();
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    EXPECT_SAME(o.Phi * o.E_phi * o.Omega * o.Phi, o.Phi * o.crf_V - o.crf_V * o.Phi, tolerance,
                largest(o.Phi.matrix()) * (1 + largest(o.V)));
  });
}

// (6.4): P_ring = E_psi lambda_dot E_psi', one-degree joints; (17), (19) of [000]: the diagonal of what Psi spreads.
TEST(OperatorDerivatives, ArticulatedInertiaIsDrivenByTheTurnsOfTheJoints) {
  LONG_TEST();
  for_each_case(one_degree_trees(), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    const double scale = largest(o.lambda_dot.matrix()) * std::pow(largest(o.Psi.matrix()), 2);
    EXPECT_SAME(o.P_ring, o.E_psi * o.lambda_dot * transpose(o.E_psi), tolerance, scale);
    const Operator drive = o.Omega * o.P + o.P * transpose(o.Omega), Psi_tilde = o.Psi - 1;
    const Matrix local = (Psi_tilde * drive * transpose(Psi_tilde)).matrix();
    const Matrix onward = (o.Psi * drive * transpose(o.Psi)).matrix();
    const Matrix P_ring = o.P_ring.matrix(), lambda_dot = o.lambda_dot.matrix();
    for (int k = 0; k < o.bodies; ++k) {
      EXPECT_SAME(local.block(6 * k, 6 * k, 6, 6), P_ring.block(6 * k, 6 * k, 6, 6), tolerance, scale);
      EXPECT_SAME(onward.block(6 * k, 6 * k, 6, 6), lambda_dot.block(6 * k, 6 * k, 6, 6), tolerance, scale);
    }
  });
}

TEST(OperatorDerivatives, MassFactorOfEveryJointType) {
  LONG_TEST();
  for_each_case(uncoupled_trees(true), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    const double scale = (1 + largest(o.m().matrix())) * std::pow(1 + largest(o.G.matrix()), 2);
    EXPECT_SAME(o.m_dot().matrix(), slope(c, [](const auto& x) { return x.m().matrix(); }), slope_tolerance, scale);
    // M_dot = m_dot m' + m m_dot'
    const Matrix M_dot = mass_matrix_derivative(c.model, c.q, c.v);
    EXPECT_SAME((o.m_dot() * transpose(o.m()) + o.m() * transpose(o.m_dot())).matrix(), M_dot, 1e-11,
                std::pow(largest(o.m().matrix()) + largest(o.m_dot().matrix()), 2));
  });
}

TEST(OperatorDerivatives, MassFactorAsThePapersWriteIt) {
  LONG_TEST();
  for_each_case(one_degree_trees(), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    const Operator tail = transpose(o.H) * transpose(inverse(o.S)), Phi_tilde = o.Phi - 1;
    const Operator with_ring = o.H * o.Phi * (o.Omega * o.Phi * o.P + 0.5 * (1 + o.tau_bar) * o.P_ring) * tail;
    const Operator with_lambda =
        o.H * o.Phi * (o.Omega * Phi_tilde * o.P + 0.5 * (1 + o.tau_bar) * o.lambda_dot) * tail;
    const double scale = largest(o.m_dot().matrix()) + largest(o.m().matrix());
    EXPECT_SAME(with_ring, o.m_dot(), 1e-11, scale);
    EXPECT_SAME(with_lambda, o.m_dot(), 1e-11, scale);
    // (6.12)
    const Vector nu = transpose(o.m()) * c.v, V = o.V;
    const Operator inner =
        o.Omega * o.Phi * o.K * o.H * o.P +
        0.5 * (o.Omega * o.P + o.P * transpose(o.Omega) + o.E_psi * o.lambda_dot - o.lambda_dot * transpose(o.E_psi));
    EXPECT_SAME(o.H * (o.Phi * (inner * V)), o.m_dot() * nu, 1e-11, scale * largest(nu) * condition(c));
  });
}

// Identity 6.3 over every velocity component. With several degrees of freedom H turns against itself: Phi E_phi in
// place of the first Phi; for one degree the two are equal.
TEST(OperatorDerivatives, MassMatrixAlongEveryComponent) {
  LONG_TEST();
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    for (int i = 0; i < c.model.nv(); ++i) {
      const Operator half = o.H * o.Phi * o.E_phi * o.crf_H(i) * o.Phi * o.M * transpose(o.Phi) * transpose(o.H);
      const Matrix expected = mass_matrix_derivative(c.model, c.q, Vector::Unit(c.model.nv(), i));
      EXPECT_SAME((half + transpose(half)).matrix(), expected, tolerance, largest(mass_matrix(c.model, c.q)));
    }
  });
}

TEST(OperatorDerivatives, MassMatrixAlongTheMotion) {
  LONG_TEST();
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    const Operator half = o.H * o.Phi * o.E_phi * o.Omega * o.Phi * o.M * transpose(o.Phi) * transpose(o.H);
    const Matrix M_dot = mass_matrix_derivative(c.model, c.q, c.v);
    EXPECT_SAME((half + transpose(half)).matrix(), M_dot, tolerance, largest(mass_matrix(c.model, c.q)) * 10);
  });
}

Vector energy_gradient(const Case& c) {  // col { v' (dM/dq_i) v }
  Vector g(c.model.nv());
  for (int i = 0; i < c.model.nv(); ++i) {
    g[i] = c.v.dot(mass_matrix_derivative(c.model, c.q, Vector::Unit(c.model.nv(), i)) * c.v);
  }
  return g;
}

// (6.16a)-(6.16c). Erratum: in (6.16c) M multiplies only the last term.
TEST(OperatorDerivatives, SensitivityOfTheKineticEnergy) {
  LONG_TEST();
  bool told_apart = false;
  for_each_case(one_degree_trees(), tries, [&](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    const Vector expected = energy_gradient(c), MV = o.M * o.V, PV = o.P * o.V;
    const Operator spread = 1 + o.Phi * o.K * o.H;
    const double scale = c.v.dot(mass_matrix(c.model, c.q) * c.v) + largest(o.Phi * MV) * (1 + largest(o.V));
    EXPECT_SAME(-2 * (o.H * (o.crf_V * (o.Phi * MV))), expected, tolerance, 10 * scale);
    EXPECT_SAME(2 * (o.H * (o.Phi * (o.Omega * (o.Phi * MV) - o.crf_V * MV))), expected, tolerance, 10 * scale);
    EXPECT_SAME(2 * (o.H * (o.Phi * (o.Omega * (spread * PV) - o.crf_V * MV))), expected, tolerance,
                10 * scale * (1 + largest(o.G.matrix())));
    told_apart |= clearly_differ(2 * (o.H * (o.Phi * (o.Omega * (spread * MV) - o.crf_V * MV))), expected);
  });
  EXPECT_TRUE(told_apart);
}

}  // namespace
}  // namespace catena::test
