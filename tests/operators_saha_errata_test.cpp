// Misprints of Saha's paper [001]: the corrected formula holds, the printed one does not (formula sheet 2, 7).
// Serial arms of revolute and prismatic joints, as in the paper; and the paper's free falls (sheet 2.6, 2.7).
#include <numbers>

#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/reference/denoc.hpp"
#include "operators_support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

class SahaErrata : public ::testing::Test {
 protected:
  // A 5-joint arm of the paper's kind; bodies 1 ... 5 carry the velocities 0 ... 4.
  static Case arm() {
    TreeOptions options = one_degree_chains();
    options.types = {JointType::revolute, JointType::prismatic};
    options.min_bodies = options.max_bodies = 5;
    options.shuffled = options.massless = false;
    return random_case(1, options);
  }
  Case c = arm();
  Denoc denoc{c.model, c.q, c.v};
  int n = denoc.count() - 1;
  std::vector<Matrix6> M_tilde = denoc.M_tilde(), M_dots = denoc.M_dot_tilde();
  Matrix C = denoc.convective_inertia();

  double element(int i, const Matrix& inner, int j) const {
    return (denoc.p(i).transpose() * inner * denoc.p(j))(0, 0);
  }
};

// (28): H~_ij = M~_i B_dot_ij + B_{i+1,i}' H~_{i+1,i}; printed with B_ij. with(i, j) stands for the matrix in question.
template <class With>
Matrix H_tilde(const Denoc& denoc, const std::vector<Matrix6>& M_tilde, int i, int j, const With& with) {
  Matrix H = M_tilde[i] * with(i, j);
  if (i + 1 < denoc.count()) H += denoc.B(i + 1, i).transpose() * H_tilde(denoc, M_tilde, i + 1, i, with);
  return H;
}

TEST_F(SahaErrata, Equations28And29) {
  ASSERT_EQ(n, 5);
  const auto B_dot = [&](int i, int j) { return denoc.B_dot(i, j); };
  const auto B = [&](int i, int j) { return denoc.B(i, j); };
  const auto H = [&](int i, int j, const auto& with) { return H_tilde(denoc, M_tilde, i, j, with); };
  Matrix corrected = Matrix::Zero(n, n), printed_28 = corrected, printed_29 = corrected;
  for (int i = 1; i <= n; ++i) {
    for (int j = 1; j <= n; ++j) {
      const auto entry = [&](const auto& with, bool index_as_printed) {
        if (i > j) return element(i, M_tilde[i] * denoc.B(i, j) * denoc.Omega(j) + H(i, j, with) + M_dots[i], j);
        Matrix inner = denoc.B(j, i).transpose() * M_tilde[j] * denoc.Omega(j) + M_dots[j];
        if (j < n) {  // H~_{j+1,j}; printed H~_{j+1,i}
          inner += denoc.B(j + 1, i).transpose() * H(j + 1, index_as_printed ? i : j, with);
        }
        return element(i, inner, j);
      };
      corrected(i - 1, j - 1) = entry(B_dot, false);
      printed_28(i - 1, j - 1) = entry(B, false);
      printed_29(i - 1, j - 1) = entry(B_dot, true);
    }
  }
  const Vector force = coriolis_forces(c.model, c.q, c.v);
  EXPECT_CLOSE(corrected, C, 1e-12);
  EXPECT_CLOSE(corrected * c.v, force, 1e-12);
  EXPECT_TRUE(clearly_differ(printed_28 * c.v, force));
  EXPECT_TRUE(clearly_differ(printed_29 * c.v, force));
}

// Sec. 5.1: nu_i = p_i theta_dot_i + B_{i,i-1} nu_{i-1}; printed without B.
TEST_F(SahaErrata, TwistRecursion) {
  Vector6 corrected = Vector6::Zero(), printed = Vector6::Zero();
  for (int i = 1; i <= n; ++i) {
    const Vector6 joint = denoc.p(i).col(0) * c.v[i - 1];
    corrected = (joint + denoc.B(i, i - 1) * corrected).eval();
    printed = (joint + printed).eval();
  }
  EXPECT_CLOSE(corrected, denoc.body(n).t, 1e-13);
  EXPECT_TRUE(clearly_differ(printed, denoc.body(n).t));
}

// (35): eta_{i+1} = psi_{i+1} tau^_{i+1} + eta_{i+1,i+2}; printed tau^_{i-1}, not known yet at that step: it is
// read here from the right solution, to give the print its best chance.
TEST_F(SahaErrata, Equation35) {
  const DenocFactors factors = denoc.eliminate();
  const Vector phi = random_vector(c.model, 5, 3);
  const Vector tau_hat = denoc.U(factors).partialPivLu().solve(phi);
  const auto step_one = [&](bool as_printed) {
    Vector out(n);
    Vector6 eta = Vector6::Zero();  // eta_{i,i+1}
    for (int i = n; i >= 1; --i) {
      out[i - 1] = phi[i - 1] - denoc.p(i).col(0).dot(eta);
      const double source = as_printed ? (i >= 3 ? tau_hat[i - 3] : 0) : out[i - 1];
      eta = (denoc.B(i, i - 1).transpose() * (factors.psi[i].col(0) * source + eta)).eval();
    }
    return out;
  };
  EXPECT_CLOSE(step_one(false), tau_hat, 1e-11);
  EXPECT_TRUE(clearly_differ(step_one(true), tau_hat));
}

// (49): M^_ik = M~_i - Psi_ik with the composite inertia; printed M^_i. (50): M^_kk = M^_k - psi^_k psi_k'.
TEST_F(SahaErrata, Equations49And50) {
  const DenocFactors factors = denoc.eliminate();
  const auto Psi = [&](int i, int k) {
    Matrix sum = Matrix::Zero(6, 6);
    for (int l = k; l <= n; ++l) {
      sum += denoc.B(l, i).transpose() * factors.psi_hat[l] * denoc.psi(factors, i, l).transpose();
    }
    return sum;
  };
  for (int k = n; k >= 2; --k) {
    const Matrix M_kk = factors.M_hat[k] - factors.psi_hat[k] * factors.psi[k].transpose();  // (50)
    EXPECT_SAME(M_tilde[k] - Psi(k, k), M_kk, 1e-11, largest(M_tilde[k]));
    // M^_{k-1,k}, the articulated inertia of the body before: from (50) carried inward, and from (49)
    const Matrix link = denoc.B(k, k - 1);
    const Matrix expected = denoc.body(k - 1).M() + link.transpose() * M_kk * link;
    EXPECT_SAME(factors.M_hat[k - 1], expected, 1e-11, largest(M_tilde[k - 1]));
    EXPECT_SAME(M_tilde[k - 1] - Psi(k - 1, k), expected, 1e-11, largest(M_tilde[k - 1]));
    EXPECT_TRUE(clearly_differ(factors.M_hat[k - 1] - Psi(k - 1, k), expected));
  }
}

// (39) repeats (38) and ends at pi; the stated end values need the law of sheet 2.7.
TEST(SahaTrajectory, Equation39DoesNotReachTheStatedEndValues) {
  const double T = 10, pi = std::numbers::pi;
  const auto printed = [&](double t) { return 0.5 * (2 * pi * t / T - std::sin(2 * pi * t / T)); };
  const auto law = [&](double from, double to, double t) {
    return from + (to - from) / T * (t - T / (2 * pi) * std::sin(2 * pi * t / T));
  };
  EXPECT_NEAR(printed(T), pi, 1e-14);
  const Json rows = read_reference("inverse_dynamics_examples").at("stanford").at("rows");
  const Vector start{{0, pi / 2, 0, 0, 0, 0}}, end{{pi / 3, pi / 3, 0.1, pi / 3, pi / 3, pi / 3}};
  for (const Json& row : rows) {
    const Vector q = vector_from(row.at("q"));
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(law(start[i], end[i], row.at("t").get<double>()), q[i], 1e-14);
  }
  for (int i = 0; i < 6; ++i) EXPECT_GT(std::abs(printed(T) - end[i]), 0.5);
}

// Gragg's midpoint steps with Aitken-Neville extrapolation, order 16: enough for all digits in macro steps of 1/40 s.
Vector extrapolated_step(const Vector& y, double step, const auto& rate) {
  constexpr int columns = 8;
  std::vector<Vector> row(columns);
  for (int k = 0; k < columns; ++k) {
    const int parts = 2 * (k + 1);
    const double h = step / parts;
    Vector before = y, now = y + h * rate(y);
    for (int i = 1; i < parts; ++i) {
      const Vector next = before + 2 * h * rate(now);
      before = now;
      now = next;
    }
    Vector value = 0.5 * (now + before + h * rate(now));
    for (int j = 1; j <= k; ++j) {  // to the left: row[k - j] holds the entry of the last line
      const double ratio = double(k + 1) / (k + 1 - j);
      const Vector better = value + (value - row[j - 1]) / (ratio * ratio - 1);
      row[j - 1] = value;
      value = better;
    }
    row[k] = value;
  }
  return row[columns - 1];
}

TEST(SahaExamples, FreeFallByTheDecoupledComplement) {
  LONG_TEST();
  const Json models = read_reference("inverse_dynamics_examples"), falls = read_reference("free_fall_examples");
  for (const char* name : {"planar", "stanford"}) {
    SCOPED_TRACE(name);
    const Model model(description_from(models.at(name).at("model")));
    const int n = model.nv();
    const auto rate = [&](const Vector& y) {
      const Vector acceleration = forward_dynamics_denoc(model, y.head(n), y.tail(n), Vector::Zero(n));
      Vector y_dot(2 * n);
      y_dot << y.tail(n), acceleration;
      return y_dot;
    };
    Vector y(2 * n);
    y << vector_from(falls.at(name).at("initial_q")), vector_from(falls.at(name).at("initial_v"));
    double t = 0;
    for (const Json& row : falls.at(name).at("rows")) {
      const double until = row.at("t").get<double>();
      const int steps = static_cast<int>(std::lround((until - t) * 40));
      for (int i = 0; i < steps; ++i) y = extrapolated_step(y, (until - t) / steps, rate);
      t = until;
      EXPECT_CLOSE(y.head(n), vector_from(row.at("q")), 1e-11) << "t = " << t;
      EXPECT_CLOSE(y.tail(n), vector_from(row.at("v")), 1e-11) << "t = " << t;
    }
  }
}

}  // namespace
}  // namespace catena::test
