// Riccati equations by doubling. The flow of (x, lambda), x_dot = A x - S lambda, lambda_dot = -Q x - A' lambda with
// S = B R^-1 B', over a short step by the matrix exponential; written as (x_0, lambda_h) -> (x_h, lambda_0) it stays
// bounded while the step doubles (structure-preserving doubling), and H tends to the stabilising P.
#include "catena/control/riccati.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "catena/linear/exponential.hpp"

namespace catena {
namespace {

double largest(const Matrix& X) { return X.size() == 0 ? 0 : X.cwiseAbs().maxCoeff(); }
Matrix symmetric(const Matrix& X) { return 0.5 * (X + X.transpose()); }
Matrix input_term(const RegulatorProblem& p) { return symmetric(p.B * p.R.llt().solve(p.B.transpose())); }

// States in units that bring rows and columns of the Hamiltonian to one size: x = diag(d) x_scaled. Powers of two, so
// that scaling rounds nothing.
Vector balance(Matrix A, Matrix S, Matrix Q) {
  const Eigen::Index n = A.rows();
  Vector d = Vector::Ones(n);
  for (int round = 0; round < 20; ++round) {
    bool done = true;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double diagonal = std::abs(A(i, i));
      const double in = A.row(i).cwiseAbs().sum() - diagonal + S.row(i).cwiseAbs().sum();
      const double out = A.col(i).cwiseAbs().sum() - diagonal + Q.row(i).cwiseAbs().sum();
      if (!(in > 0) || !(out > 0)) continue;
      const double f = std::exp2(std::round(0.5 * std::log2(in / out)));
      if (f == 1) continue;
      done = false;
      d[i] *= f;
      A.row(i) /= f, A.col(i) *= f;
      S.row(i) /= f, S.col(i) /= f;
      Q.row(i) *= f, Q.col(i) *= f;
    }
    if (done) break;
  }
  return d;
}

RegulatorProblem scaled(const RegulatorProblem& p, const Vector& d) {
  const Vector inverse = d.cwiseInverse();
  return {inverse.asDiagonal() * p.A * d.asDiagonal(), inverse.asDiagonal() * p.B,
          d.asDiagonal() * p.Q * d.asDiagonal(), p.R};
}

// One Newton step: X with (A - B K)' X + X (A - B K) = -residual. A shift p turns it into X = U' X U + V; each round of
// the sum X = V + U' V U + ... takes twice as many terms (Smith's method, squared), and U^(2^k) tells whether A - B K decays.
struct Correction {
  Matrix X;
  double left;  // of U in the end: 0 if all decays, about 1 if something stays within rounding, beyond if it grows
};
Correction newton_correction(const Matrix& closed, const Matrix& residual) {
  const Eigen::Index n = closed.rows();
  const double p = std::max(closed.norm() / std::sqrt(static_cast<double>(n)), 1e-300);
  const Matrix one = Matrix::Identity(n, n);
  const Eigen::PartialPivLU<Matrix> divide(p * one - closed);
  const Matrix by = divide.inverse();
  Matrix U = divide.solve(p * one + closed), X = 2 * p * (by.transpose() * residual * by);
  for (int k = 0; k < 50 && largest(U) > 1e-9; ++k) {  // beyond 2^50, rounding of U is all that is left of slow motions
    X = symmetric(X + U.transpose() * X * U);
    U = (U * U).eval();
    if (!U.allFinite()) return {X, std::numeric_limits<double>::infinity()};
  }
  return {X, largest(U)};
}

// P S P as K' R K: the product with S would square the condition of B.
struct Residual {
  Matrix K, value;
  double relative;
};
Residual residual_of(const RegulatorProblem& p, const Matrix& P) {
  Residual out;
  out.K = regulator_gain(p, P);
  const Matrix PA = P * p.A, cost = out.K.transpose() * p.R * out.K;
  out.value = symmetric(PA + PA.transpose() - cost + p.Q);
  out.relative = largest(out.value) / std::max({largest(PA), largest(cost), largest(p.Q), 1e-300});
  return out;
}

[[noreturn]] void no_solution() {
  throw NumericalError(
      "the Riccati equation has no stabilising solution: the inputs do not reach an unstable motion, or one that does "
      "not decay has no weight",
      "");
}

}  // namespace

void require_problem(const RegulatorProblem& p) {
  const Eigen::Index n = p.A.rows(), m = p.B.cols();
  if (n == 0 || p.A.cols() != n || p.B.rows() != n || m == 0 || p.Q.rows() != n || p.Q.cols() != n || p.R.rows() != m ||
      p.R.cols() != m)
    throw std::invalid_argument("A and Q must be n x n, B n x m and R m x m");
  if (!p.A.allFinite() || !p.B.allFinite() || !p.Q.allFinite() || !p.R.allFinite())
    throw std::invalid_argument("A, B, Q and R must be finite");
  const auto is_symmetric = [](const Matrix& X) { return largest(X - X.transpose()) <= 1e-12 * largest(X); };
  if (!is_symmetric(p.Q) || !is_symmetric(p.R)) throw std::invalid_argument("the weights Q and R must be symmetric");
  if (p.R.llt().info() != Eigen::Success) throw std::invalid_argument("the weight R of the inputs must be positive");
  const Matrix raised = p.Q + (1e-12 * largest(p.Q) + 1e-300) * Matrix::Identity(n, n);
  if (raised.llt().info() != Eigen::Success)
    throw std::invalid_argument("the weight Q of the states must not be negative in any direction");
}

RiccatiFlow::RiccatiFlow(const RegulatorProblem& problem, double step) {
  const Eigen::Index n = problem.A.rows();
  const Vector d = balance(problem.A, input_term(problem), problem.Q), d_inv = d.cwiseInverse();
  const RegulatorProblem p = scaled(problem, d);
  Matrix hamiltonian(2 * n, 2 * n);
  hamiltonian << p.A, -input_term(p), -p.Q, -p.A.transpose();
  // Halved until the exponential is near 1, where its blocks can be divided safely.
  const double size = step * hamiltonian.cwiseAbs().colwise().sum().maxCoeff();
  if (!std::isfinite(size)) throw std::invalid_argument("the step of a Riccati flow must be finite");
  const int halvings = size > 0.25 ? static_cast<int>(std::ceil(std::log2(size / 0.25))) : 0;
  const Matrix Phi = exponential(hamiltonian * std::ldexp(step, -halvings));
  const Eigen::PartialPivLU<Matrix> divide(Phi.bottomRightCorner(n, n));
  H = symmetric(-divide.solve(Phi.bottomLeftCorner(n, n)));
  F = divide.inverse().transpose();
  G = symmetric(-Phi.topRightCorner(n, n) * F.transpose());
  for (int k = 0; k < halvings; ++k) twice();
  F = (d.asDiagonal() * F * d_inv.asDiagonal()).eval();
  G = (d.asDiagonal() * G * d.asDiagonal()).eval();
  H = (d_inv.asDiagonal() * H * d_inv.asDiagonal()).eval();
}

void RiccatiFlow::twice() {
  const Eigen::Index n = F.rows();
  const Eigen::PartialPivLU<Matrix> divide(Matrix::Identity(n, n) + G * H);
  const Matrix WF = divide.solve(F), WG = divide.solve(G);
  G = symmetric(G + F * WG * F.transpose());
  H = symmetric(H + F.transpose() * H * WF);
  F = (F * WF).eval();
}

Matrix RiccatiFlow::back(const Matrix& P) const {
  const Eigen::Index n = F.rows();
  const Eigen::PartialPivLU<Matrix> divide(Matrix::Identity(n, n) + G * P);
  return symmetric(H + F.transpose() * P * divide.solve(F));
}

double riccati_residual(const RegulatorProblem& p, const Matrix& P) { return residual_of(p, P).relative; }

Matrix regulator_gain(const RegulatorProblem& p, const Matrix& P) { return p.R.llt().solve(p.B.transpose() * P); }

Matrix solve_riccati(const RegulatorProblem& problem) {
  require_problem(problem);
  const Vector d = balance(problem.A, input_term(problem), problem.Q);
  const RegulatorProblem p = scaled(problem, d);
  RiccatiFlow flow(p, 1 / std::max({largest(p.A), largest(input_term(p)), largest(p.Q), 1e-300}));
  Matrix P = flow.H;
  bool settled = false;
  for (int k = 0; k < 60 && !settled; ++k) {
    flow.twice();
    if (!flow.H.allFinite()) no_solution();
    settled = largest(flow.H - P) <= 1e-15 * largest(flow.H);
    P = flow.H;
  }
  // Newton's method takes off what rounding left, as long as it helps.
  Residual now = residual_of(p, P);
  const bool weighed = p.Q.llt().info() == Eigen::Success;
  for (int k = 0; k < 6; ++k) {
    const Matrix closed = p.A - p.B * now.K;
    const Correction correction = newton_correction(closed, now.value);
    // How fast slow motions of stiff robots decay is lost in rounding. Where every motion has a weight, one that does not
    // decay would have cost without end: there what stays may be forgiven.
    if (!(correction.left <= (weighed ? 1e3 : 1e-3))) no_solution();  // NaN too
    const Matrix better = P + correction.X;
    const Residual next = residual_of(p, better);
    if (!better.allFinite() || !(next.relative < 0.5 * now.relative)) break;
    P = better;
    now = next;
  }
  if (!(now.relative <= 1e-6))
    throw NumericalError("rounding leaves the solution of the Riccati equation less than six digits", "");
  const Vector inverse = d.cwiseInverse();
  return inverse.asDiagonal() * P * inverse.asDiagonal();
}

}  // namespace catena
