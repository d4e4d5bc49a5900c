// Linearized dynamics about a state (Jain and Rodriguez), with joint terms, couplings, base motion and wrenches:
//   inverse:  d tau = M da + A_D dv + B_D dq          forward:  da = M^-1 d tau - A_C dv - B_C dq
// The partial derivatives by their usual names, with their usual signs: dtau_dv = A_D, dtau_dq = B_D, da_dtau = M^-1,
// da_dv = -A_C, da_dq = -B_C.
// dq is a change in the tangent space: q (+) dq, as integrate() moves. Source: formula sheet section 3.
// Wrenches given in body axes follow their body; those in world axes keep their direction.
#pragma once

#include "catena/dynamics/workspace.hpp"

#pragma GCC visibility push(default)
namespace catena {

// Threads: one at a time; each thread has its own.
class LinearWorkspace {
 public:
  explicit LinearWorkspace(const Model& model);
  LinearWorkspace(LinearWorkspace&&) noexcept;
  LinearWorkspace& operator=(LinearWorkspace&&) noexcept;
  ~LinearWorkspace();

  struct Storage;  // catena/linear/storage.hpp
  Storage& storage() { return *storage_; }

 private:
  std::unique_ptr<Storage> storage_;
};

// Algorithm 2, O(n depth).
struct InverseLinearization {
  Matrix M, A_D, B_D;

  const Matrix& dtau_dq() const { return B_D; }
  const Matrix& dtau_dv() const { return A_D; }
  const Matrix& dtau_da() const { return M; }
};
InverseLinearization linearize_inverse(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                                       const ExternalLoads& loads = {});
void linearize_inverse(const Model& model, LinearWorkspace& workspace, ConstVector q, ConstVector v, ConstVector a,
                       MatrixRef M, MatrixRef A_D, MatrixRef B_D, const ExternalLoads& loads = {});

// Algorithm 4 with a factor along the tree where paths are short, else Algorithm 6T, O(n^2). Couplings: Algorithm 4 with
// a Cholesky factor.
struct ForwardLinearization {
  Vector a;
  Matrix M_inv, A_C, B_C;

  Matrix da_dq() const { return -B_C; }
  Matrix da_dv() const { return -A_C; }
  const Matrix& da_dtau() const { return M_inv; }
};
ForwardLinearization linearize_forward(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                       const ExternalLoads& loads = {});
void linearize_forward(const Model& model, LinearWorkspace& workspace, ConstVector q, ConstVector v, ConstVector tau,
                       VectorRef a, MatrixRef M_inv, MatrixRef A_C, MatrixRef B_C, const ExternalLoads& loads = {});

// Algorithms 1 and 5: one direction, O(n). Couplings: Algorithm 3 for the second.
Vector inverse_dynamics_jvp(const Model& model, ConstVector q, ConstVector v, ConstVector a, ConstVector dq,
                            ConstVector dv, ConstVector da, const ExternalLoads& loads = {});
Vector forward_dynamics_jvp(const Model& model, ConstVector q, ConstVector v, ConstVector tau, ConstVector dq,
                            ConstVector dv, ConstVector dtau, const ExternalLoads& loads = {});
// Without allocating; the second allocates for models with couplings.
void inverse_dynamics_jvp(const Model& model, LinearWorkspace& workspace, ConstVector q, ConstVector v, ConstVector a,
                          ConstVector dq, ConstVector dv, ConstVector da, VectorRef dtau,
                          const ExternalLoads& loads = {});
void forward_dynamics_jvp(const Model& model, LinearWorkspace& workspace, ConstVector q, ConstVector v, ConstVector tau,
                          ConstVector dq, ConstVector dv, ConstVector dtau, VectorRef da,
                          const ExternalLoads& loads = {});

// x = (dq, dv), x_dot = A x + B dtau. For joints that turn in several directions dq itself turns with v.
struct StateSpace {
  Matrix A, B;
};
StateSpace state_space(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                       const ExternalLoads& loads = {});
// Exact for inputs held constant over the step: exp([A B; 0 0] step). Throws std::invalid_argument for a bad step.
StateSpace discretize(const StateSpace& continuous, double step);

}  // namespace catena
#pragma GCC visibility pop
