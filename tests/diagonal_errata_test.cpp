// Misprints of Jain and Rodriguez [004] and Kozlowski [000] in the diagonalized equations: the corrected form holds,
// the printed one does not (formula sheet 7). One-degree chains, as in the papers, with the brute-force numbers.
#include "catena/diagonal/control.hpp"
#include "catena/linear/curvature.hpp"
#include "catena/reference/coriolis_components.hpp"
#include "operators_support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

class DiagonalErrata : public ReferenceFile {
 protected:
  SpatialOperators o{model, q, v};
  int n = model.nv();
  Operator H_t = transpose(o.H), Phi_t = transpose(o.Phi), Psi_t = transpose(o.Psi);
  Operator D_inv = inverse(o.D), S_inv = inverse(o.S);
  Vector b = o.crf_V * (o.M * o.V);  // bias forces; with gravity: b - M g
};

// [004] Table 3: z+ = z + G D^1/2 epsilon; printed z + G epsilon, in both columns.
TEST_P(DiagonalErrata, Table3) {
  const Matrix E = o.E_phi.matrix(), H = o.H.matrix(), G = o.G.matrix(), S = o.S.matrix();
  const auto z_plus = [&](int k, const Vector& z, double epsilon, bool root) -> Vector {
    return z + G.block(6 * k, k, 6, 1) * (root ? S(k, k) * epsilon : epsilon);
  };
  // epsilon from tau, and tau from epsilon
  const auto sweep = [&](const Vector& given, bool to_epsilon, bool root) {
    Vector out(n), collected = Vector::Zero(6 * n);
    for (int k = n - 1; k >= 0; --k) {
      const Vector z = E.middleRows(6 * k, 6) * collected;
      const double met = H.block(k, 6 * k, 1, 6).row(0).dot(z);
      out[k] = to_epsilon ? (given[k] - met) / S(k, k) : S(k, k) * given[k] + met;
      collected.segment(6 * k, 6) = z_plus(k, z, to_epsilon ? out[k] : given[k], root);
    }
    return out;
  };
  const Vector epsilon = reference("epsilon");
  EXPECT_CLOSE(sweep(tau, true, true), epsilon, tolerance);
  EXPECT_CLOSE(sweep(epsilon, false, true), tau, tolerance);
  EXPECT_TRUE(clearly_differ(sweep(tau, true, false), epsilon));
  EXPECT_TRUE(clearly_differ(sweep(epsilon, false, false), tau));
}

// [004] (8.1), (8.2): xi_dot = D^-1 (tau - H Psi sigma); printed without D^-1.
TEST_P(DiagonalErrata, Equation81) {
  const Vector xi = reference("xi"), expected = reference("xidot");
  const Vector sigma = o.K * tau + o.lambda_dot * (H_t * xi) - o.Omega * (o.P * o.V) + b - o.M * o.g;
  const Vector rest = tau - o.H * (o.Psi * sigma);
  EXPECT_CLOSE(D_inv * rest, expected, inverse_tolerance);
  EXPECT_TRUE(clearly_differ(rest, expected));
}

// [004] (8.6): epsilon = -c nu + D^-1/2 H Psi B W e; printed -c1 nu - c2 H Psi B e. The Lyapunov function
// L = (nu' nu + e' W e) / 2 must fall by nu' c nu, and from rest the error must shrink.
TEST_P(DiagonalErrata, Equation86) {
  PoseGoal goal;
  goal.frame = model.frame_count() - 1;
  goal.goal = Kinematics(model, q + Vector::Constant(n, 0.3)).pose(goal.frame);
  const Pose pose = Kinematics(model, q).pose(goal.frame);
  // B W e in the frame's axes at its origin, W = 1
  Vector wrench = Vector::Zero(6);
  for (int axis = 0; axis < 3; ++axis) wrench.head(3) += Vector3(pose.R.col(axis)).cross(goal.goal.R.col(axis));
  wrench.tail(3) = goal.goal.p - pose.p;
  wrench.head(3) = (pose.R.transpose() * wrench.head(3)).eval();
  wrench.tail(3) = (pose.R.transpose() * wrench.tail(3)).eval();
  const Operator B = o.at({goal.frame});
  const Vector pull = o.H * (o.Phi * (B * wrench)), drive = o.H * (o.Psi * (B * wrench)), nu = reference("nu");
  const Vector right = S_inv * drive;
  const double c = 1.5;

  DiagonalControlOptions options;
  options.c = Vector::Constant(n, c);
  options.compensate_gravity = options.limit_effort = false;
  EXPECT_CLOSE(o.m() * Vector(right - c * nu), reach(model, q, v, goal, options).tau, 1e-11);

  // L_dot = nu' epsilon - v' J' B W e, gravity compensated
  const auto rate = [&](const Vector& epsilon) { return nu.dot(epsilon) - v.dot(pull); };
  const double expected = -c * nu.squaredNorm(), scale = std::abs(expected) + nu.norm() * right.norm();
  EXPECT_NEAR(rate(right - c * nu), expected, 1e-11 * scale);
  const double cancels = std::abs(v.dot(pull));
  EXPECT_GT(std::abs(rate(-drive - c * nu) - expected), 1e-1 * cancels);
  EXPECT_GT(std::abs(rate(-right - c * nu) - expected), 1e-1 * cancels);
  EXPECT_GT(std::abs(rate(drive - c * nu) - expected), 1e-1 * cancels);
  // d^2 (e' W e / 2) / dt^2 = -(J' B W e)' a at rest: a = l' epsilon
  const Operator l_t = transpose(o.l());
  EXPECT_LT(-pull.dot(l_t * right), 0);
  EXPECT_GT(-pull.dot(l_t * Vector(-drive)), 0);
}

// [000] (34): xi = (1 + H Phi K)' q_dot; printed with q. (35): its rate ends in (1 + H Phi K)' q_ddot, the star lost.
TEST_P(DiagonalErrata, Equations34And35) {
  EXPECT_CLOSE(transpose(o.U()) * v, reference("xi"), tolerance);
  EXPECT_TRUE(clearly_differ(transpose(o.U()) * q, reference("xi")));
  const Vector turned = transpose(o.U_dot()) * v;
  EXPECT_CLOSE(turned + transpose(o.U()) * a, reference("xidot"), inverse_tolerance);
  EXPECT_TRUE(clearly_differ(turned + o.U() * a, reference("xidot")));
}

// [000] (38): M q_ddot + H Phi M Phi' a + H Phi b = tau; printed M q.
TEST_P(DiagonalErrata, Equation38) {
  const Vector rest = o.H * (o.Phi * (o.M * (Phi_t * o.s - o.g) + b));
  const auto forces = [&](const Vector& x) -> Vector { return o.H * (o.Phi * (o.M * (Phi_t * (H_t * x)))) + rest; };
  EXPECT_CLOSE(forces(a), tau, tolerance);
  EXPECT_TRUE(clearly_differ(forces(q), tau));
}

// [000] (42), (47): E_psi lambda_dot - lambda_dot E_psi' in C(q, nu); printed as the commutator.
TEST_P(DiagonalErrata, Equations42And47) {
  const Operator turning = o.P * transpose(o.Omega) - o.Omega * o.P;
  const Operator skew = o.E_psi * o.lambda_dot - o.lambda_dot * transpose(o.E_psi) + turning;
  const Operator printed = o.E_psi * o.lambda_dot - o.lambda_dot * o.E_psi + turning;
  const auto C = [&](const Operator& bracket) { return S_inv * (0.5 * (o.H * (o.Psi * (bracket * o.V + 2 * b)))); };
  EXPECT_CLOSE(C(skew), reference("C_nu"), 1e-11);
  EXPECT_TRUE(clearly_differ(C(printed), reference("C_nu")));
  const double size = largest(o.V) * largest(skew.matrix() * o.V);
  EXPECT_NEAR(o.V.dot(skew * o.V), 0, tolerance * size);
  EXPECT_GT(std::abs(o.V.dot(printed * o.V)), 1e-3 * size);
}

// [000] (48): minus for k inboard of i; printed plus.
TEST_P(DiagonalErrata, Equation48) {
  const Matrix W = (o.H * o.Psi).matrix(), middle = (o.P * -transpose(o.Omega)).matrix(), D_half = S_inv.matrix();
  Matrix c = Matrix::Zero(n, n);  // as printed
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) {
      for (int m = i + 1; m < n; ++m) {
        c(k, i) +=
            D_half(k, k) * D_half(i, i) *
            (W.block(k, 6 * m, 1, 6) * middle.block(6 * m, 6 * m, 6, 6) * W.block(i, 6 * m, 1, 6).transpose())(0);
      }
      c(i, k) = -c(k, i);
    }
  }
  const Vector nu = reference("nu"), bias = S_inv * (o.H * (o.Psi * b));
  const double scale = largest(c) * largest(nu) + largest(bias);
  EXPECT_SAME(-c * nu + bias, reference("C_nu"), tolerance, scale);
  EXPECT_SAME(-c, coriolis_components(model, q, v), tolerance, largest(c));
  EXPECT_TRUE(clearly_differ(c * nu + bias, reference("C_nu")));
}

ON_REFERENCE_FILES(DiagonalErrata, "chain_6r", "chain_rprpr", "chain_8mixed");

// [004] (7.10) is for one-degree joints; with spherical and free ones the form of Lemma 7.3 with the local rate of P
// stays right.
class SeveralDegrees : public DiagonalErrata {};

TEST_P(SeveralDegrees, Equation710) {
  const Vector xi = reference("xi"), V_plus = o.V - H_t * v;
  const Vector one_degree = o.lambda_dot * (H_t * xi) + b - o.Omega * (o.P * o.V);
  const Vector general = o.P_ring * (H_t * xi) + b - o.Omega * (o.P_plus * V_plus);
  EXPECT_CLOSE(o.H * (o.Psi * general), reference("C_xi"), 1e-11);
  EXPECT_TRUE(clearly_differ(o.H * (o.Psi * one_degree), reference("C_xi")));
}

ON_REFERENCE_FILES(SeveralDegrees, "tree_multidof");

// [004] Algorithm 8.1: "two sweeps", velocities from xi with the G of the previous configuration. A Runge-Kutta method
// of fourth order keeps its order with the third sweep and falls to the first without.
class TwoSweeps : public ReferenceFile {
 protected:
  Vector before = q;  // the configuration of the last evaluation

  Vector rate(const Vector& x, bool third_sweep) {
    const int n = model.nv();
    const Vector at = x.head(n), xi = x.tail(n);
    if (third_sweep) before = at;
    const Vector q_dot = DiagonalForm(model, before).velocity_from_xi(xi);
    const SpatialOperators o(model, at, q_dot);
    const Vector V = SpatialOperators(model, before, q_dot).V;
    const Vector sigma = o.lambda_dot * (transpose(o.H) * xi) - o.Omega * (o.P * V) + o.crf_V * (o.M * V) - o.M * o.g;
    before = at;
    Vector x_dot(2 * n);
    x_dot << q_dot, -(inverse(o.D) * (o.H * (o.Psi * sigma)));
    return x_dot;
  }

  Vector end(int steps, bool third_sweep) {
    before = q;
    Vector x(2 * model.nv());
    x << q, DiagonalForm(model, q).xi(v);
    const double h = 0.1 / steps;
    for (int i = 0; i < steps; ++i) {
      const Vector k1 = rate(x, third_sweep), k2 = rate(x + 0.5 * h * k1, third_sweep),
                   k3 = rate(x + 0.5 * h * k2, third_sweep), k4 = rate(x + h * k3, third_sweep);
      x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return x;
  }
};

TEST_P(TwoSweeps, LoseTheOrderOfTheIntegrator) {
  if (GetParam() == std::string("stanford_arm")) LONG_TEST();
  const Vector expected = end(320, true);
  const auto order = [&](bool third_sweep) {
    return std::log2((end(20, third_sweep) - expected).norm() / (end(40, third_sweep) - expected).norm());
  };
  EXPECT_NEAR(order(true), 4, 0.5);
  EXPECT_NEAR(order(false), 1, 0.3);
}

ON_REFERENCE_FILES(TwoSweeps, "planar_3r", "stanford_arm");

// [004] Lemma 2.2: N^2 (N^2 - 1) / 12 independent symbols; printed N (N + 1) / 2, which is 10 for four joints. That the
// others follow from them is Curvature.AgreesWithDifferencesOfTheCoriolisMatrix.
TEST(RiemannSymbolErrata, FourJointsHaveTwentyIndependentSymbols) {
  const int robots = 60;
  Matrix samples(robots, 20);
  for (int r = 0; r < robots; ++r) {
    const auto seed = static_cast<std::uint64_t>(r + 1);
    const Model arm(chain(4, {ChainShape::general, seed}));
    const Curvature here = curvature(arm, random_configuration(arm, seed));
    ASSERT_EQ(here.symbols.size(), 20u);
    for (int s = 0; s < 20; ++s) samples(r, s) = here.symbols[s].value;
  }
  for (int s = 0; s < 20; ++s) samples.col(s).normalize();
  const Vector singular = samples.jacobiSvd().singularValues();
  EXPECT_GT(singular[19], 1e-6 * singular[0]);                                // none is a combination of the others
  EXPECT_EQ(curvature(Model(chain(2)), Vector::Zero(2)).symbols.size(), 1u);  // and not 3
}

}  // namespace
}  // namespace catena::test
