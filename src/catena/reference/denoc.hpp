// Saha's decoupled natural orthogonal complement: t = N_l N_d v with N_l of rigid links and N_d of joints, and what
// follows: the matrices I and C element by element, I = U D U' by reverse Gaussian elimination, O(n) dynamics.
// Source: [001], formula sheet 2. World components, twists and wrenches at the mass centres; bodies of the tree
// (fixed joints lumped) with indices base -> tip, 0 the ground; every joint type of the sheet (0.3).
#pragma once

#include "catena/reference/mass_centres.hpp"

#pragma GCC visibility push(default)
namespace catena {

// Reverse Gaussian elimination (47)-(50), per body.
struct DenocFactors {
  std::vector<Matrix6> M_hat;               // articulated inertia, all columns beyond the body eliminated
  std::vector<Matrix> psi_hat, m_hat, psi;  // M_hat p, p' psi_hat + armature, psi_hat m_hat^-1: 6 x d, d x d, 6 x d
};

// Threads: holds one state and changes nothing; any number at a time.
class Denoc {
 public:
  // Mimic joints are part of the complement, v_full = K v: t = N_l N_d v with N_d = N_d of all joints times K.
  Denoc(const Model& model, ConstVector q, ConstVector v, const ExternalLoads& loads = {});

  int count() const { return static_cast<int>(bodies_.size()); }  // with the ground
  const CentredBody& body(int i) const { return bodies_[i]; }
  const Matrix& p(int i) const { return bodies_[i].p; }
  Matrix6 B(int i, int j) const;  // twist of the point of body j's frame of motion at c_i: [1 0; [c_j - c_i]x 1]
  Matrix6 B_dot(int i, int j) const;
  Matrix6 Omega(int i) const;  // p_dot = Omega p
  Matrix6 M_dot(int i) const;  // diag([w]x I, 0), which is W M and not the derivative of M

  // Formed, to look at: t = N_l N_d v.
  Matrix N_l() const;
  Matrix N_d() const;

  // Composite bodies: M_tilde (23b), M_dot_tilde (28a), and the sum over children of B' H_tilde (28b), which with
  // H_tilde_ij = M_tilde_i B_dot_ij + children_H_tilde_i gives every H_tilde.
  std::vector<Matrix6> M_tilde() const;
  std::vector<Matrix6> M_dot_tilde() const;
  std::vector<Matrix6> children_H_tilde() const;

  // For a base at rest I v_dot + C v = tau + generalized_force of the weights and wrenches. I includes armature.
  Matrix generalized_inertia() const;                                    // (24), O(n^2)
  Matrix convective_inertia() const;                                     // (29), O(n^2); I_dot = C + C'
  Vector generalized_force(const std::vector<Vector6>& wrenches) const;  // (30): wrenches per body, [0] unused

  // Throws NumericalError naming the joint where I is singular, std::invalid_argument for a model with mimic joints, whose
  // K' I K is not of the form of a tree.
  DenocFactors eliminate() const;
  Matrix psi(const DenocFactors& factors, int i, int k) const;    // psi_ik = B_ki' psi_k, i an ancestor of k
  Matrix alpha(const DenocFactors& factors, int i, int k) const;  // alpha_ik = p_i' psi_ik, the blocks of U
  Matrix U(const DenocFactors& factors) const;
  Matrix D(const DenocFactors& factors) const;

 private:
  Matrix coupled(const Matrix& X) const;

  Model model_;
  Vector q_;
  std::vector<CentredBody> bodies_;
};

// The recursions of sec. 5.1 and (33)-(37), O(n), moving base and wrenches included, with the model's joint terms: the
// same results as inverse_dynamics and forward_dynamics. In the axes of the links (denoc_kernel.hpp), where `catena count`
// counts them.
// With mimic joints the recursion runs over all joints and K' gathers the forces; forward dynamics then is a reverse
// Gaussian elimination of K' I K as a whole, O(n^3).
Vector inverse_dynamics_denoc(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                              const ExternalLoads& loads = {});
Vector forward_dynamics_denoc(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                              const ExternalLoads& loads = {});

}  // namespace catena
#pragma GCC visibility pop
