// Linearized dynamics about a state (Jain and Rodriguez), with joint terms, mimic joints, base motion and wrenches:
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

// The papers' algorithms for linearized forward dynamics (sheet 3.5 to 3.7).
enum class LinearMethod {
  automatic,     // 6 on chains of over 40 joints, 4 on other short paths and with mimic joints, else 6T; in one
                 // direction 5, with mimic joints 3
  algorithm_3,   // Algorithm 1, then a solve with M: one direction; of matrices column by column
  algorithm_4,   // M^-1 A_D, M^-1 B_D, with a factor along the tree; long paths and mimic joints with Cholesky's
  algorithm_5,   // articulated bodies, one direction, O(n); of matrices column by column
  algorithm_6,   // articulated bodies, O(n^2), as published: serial chains of joints with one degree of freedom
  algorithm_6t,  // the same for trees and any joint
};
const char* name_of(LinearMethod method);             // "auto", "3", "4", "5", "6", "6T"
LinearMethod linear_method(const std::string& name);  // from such a name. Throws std::invalid_argument.
const std::vector<LinearMethod>& linear_methods();    // all but automatic
bool has_linear_method(const Model& model, LinearMethod method);
// What automatic stands for. Throws std::invalid_argument, with the reason, for a method that this robot has not.
LinearMethod method_for_matrices(const Model& model, LinearMethod method);

struct ForwardLinearization {
  Vector a;
  Matrix M_inv, A_C, B_C;

  Matrix da_dq() const { return -B_C; }
  Matrix da_dv() const { return -A_C; }
  const Matrix& da_dtau() const { return M_inv; }
};
ForwardLinearization linearize_forward(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                       const ExternalLoads& loads = {}, LinearMethod method = LinearMethod::automatic);
// Without allocating, but for Algorithms 3 and 5, and 4 on long paths.
void linearize_forward(const Model& model, LinearWorkspace& workspace, ConstVector q, ConstVector v, ConstVector tau,
                       VectorRef a, MatrixRef M_inv, MatrixRef A_C, MatrixRef B_C, const ExternalLoads& loads = {},
                       LinearMethod method = LinearMethod::automatic);

// One direction: Algorithm 1, O(n), and Algorithm 3 or 5 (std::invalid_argument for other methods).
Vector inverse_dynamics_jvp(const Model& model, ConstVector q, ConstVector v, ConstVector a, ConstVector dq,
                            ConstVector dv, ConstVector da, const ExternalLoads& loads = {});
Vector forward_dynamics_jvp(const Model& model, ConstVector q, ConstVector v, ConstVector tau, ConstVector dq,
                            ConstVector dv, ConstVector dtau, const ExternalLoads& loads = {},
                            LinearMethod method = LinearMethod::automatic);
// Without allocating, but for Algorithm 3.
void inverse_dynamics_jvp(const Model& model, LinearWorkspace& workspace, ConstVector q, ConstVector v, ConstVector a,
                          ConstVector dq, ConstVector dv, ConstVector da, VectorRef dtau,
                          const ExternalLoads& loads = {});
void forward_dynamics_jvp(const Model& model, LinearWorkspace& workspace, ConstVector q, ConstVector v, ConstVector tau,
                          ConstVector dq, ConstVector dv, ConstVector dtau, VectorRef da,
                          const ExternalLoads& loads = {}, LinearMethod method = LinearMethod::automatic);

// x = (dq, dv), x_dot = A x + B dtau. For spherical, planar and free joints v carries dq along.
struct StateSpace {
  Matrix A, B;
};
StateSpace state_space(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                       const ExternalLoads& loads = {});
StateSpace state_space(const Model& model, ConstVector v, const ForwardLinearization& forward);  // at that v
// Exact for inputs held constant over the step: exp([A B; 0 0] step). Throws std::invalid_argument for a bad step.
StateSpace discretize(const StateSpace& continuous, double step);

}  // namespace catena
#pragma GCC visibility pop
