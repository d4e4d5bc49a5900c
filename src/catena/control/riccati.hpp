// Riccati equations of linear-quadratic control, for x_dot = A x + B u and the cost integral of x' Q x + u' R u:
//   algebraic     0 = A' P + P A - P B R^-1 B' P + Q          differential  -P_dot = the same
// Both by the exact flow over a step and doubling of that step, which keeps P symmetric and needs no eigenvectors.
#pragma once

#include "catena/kinematics/configuration.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct RegulatorProblem {
  Matrix A, B;
  Matrix Q;  // symmetric, positive semidefinite
  Matrix R;  // symmetric, positive definite
};

// Throws std::invalid_argument for sizes that do not fit, NaN, Q or R not symmetric, Q indefinite, R not positive.
void require_problem(const RegulatorProblem& problem);

// What backward time does to P while A, B, Q, R stay constant: P(t - step) = H + F' P (1 + G P)^-1 F.
struct RiccatiFlow {
  Matrix F, G, H;

  RiccatiFlow(const RegulatorProblem& problem, double step);
  void twice();  // the flow over twice the step
  Matrix back(const Matrix& P) const;
};

// The stabilising solution P. Throws NumericalError if there is none that the numbers allow to find: (A, B) cannot be
// stabilised, or a motion that does not decay costs nothing.
Matrix solve_riccati(const RegulatorProblem& problem);

// R^-1 B' P, for u = -K x.
Matrix regulator_gain(const RegulatorProblem& problem, const Matrix& P);

// Largest entry of the left-hand side of the algebraic equation, relative to the largest of its terms.
double riccati_residual(const RegulatorProblem& problem, const Matrix& P);

}  // namespace catena
#pragma GCC visibility pop
