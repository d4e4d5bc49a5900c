// The spatial operators of Jain and Rodriguez at one state of a robot, named as in their papers.
// Source: [003], [004], [000]; formula sheet 0.5, 4.1, 4.4, section 5 for armature.
// 6N-vectors stack the moving bodies of the tree in the order base -> tip, each in its own frame (axes and origin of
// the tree's body, joint axis z); fixed joints are lumped. n-vectors are in the order of v. With o(model, q):
//   M(q) = o.H * o.Phi * o.M * transpose(o.Phi) * transpose(o.H) + o.J = U D U',  U = 1 + o.H * o.Phi * o.K
// Armature J adds to D. Then H G = 1, H tau_bar = 0, P_plus = tau_bar P tau_bar' and M = P - E_psi P E_psi' no longer
// hold; the factors, P_plus = tau_bar P, M = P - E_phi P E_psi' and V = Psi' H' U' v do.
#pragma once

#include "catena/kinematics/kinematics.hpp"
#include "catena/reference/operator.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct SpatialOperators {
  // Throw std::invalid_argument for a model with mimic joints (operators describe the robot without), NumericalError
  // naming the joint where the mass matrix is singular.
  SpatialOperators(const Model& model, ConstVector q);  // v = 0
  SpatialOperators(const Model& model, ConstVector q, ConstVector v, const BaseMotion& base = {});

  int bodies = 0;  // N

  // Rigid: E_phi has X' at (parent, body), Phi = (1 - E_phi)^-1, H = diag(H_i') is n x 6N, M = diag(M_i).
  Operator E_phi, Phi, H, M, J;
  // Articulated: P, D = H P H' + J = S S' (S lower triangular, block by block), G = P H' D^-1, tau_bar = 1 - G H,
  // P_plus = tau_bar P, K = E_phi G, E_psi = E_phi tau_bar, Psi = (1 - E_psi)^-1.
  Operator P, D, S, G, tau_bar, P_plus, K, E_psi, Psi;
  // Moving. Omega = diag(crf(H_i v_i)); crf_V = diag(crf(V_i)); W = diag([w_i]x, [w_i]x); R rotates body axes to world.
  // Rings are local time derivatives (of components in body axes); lambda_dot = P_ring + Omega P + P Omega'.
  Operator Omega, crf_V, W, R, P_ring, lambda_dot, D_ring, S_ring, G_ring;
  // Velocities of the bodies, crm(V) H v, and the gravity field in body axes, 6N each.
  Vector V, s, g;

  Operator U() const { return 1 + H * Phi * K; }
  Operator U_inv() const { return 1 - H * Psi * K; }
  Operator m() const { return U() * S; }               // M(q) = m m'
  Operator l() const { return inverse(S) * U_inv(); }  // l = m^-1
  Operator U_dot() const { return H * Phi * E_phi * (Omega * Phi * G + G_ring); }
  Operator m_dot() const { return U_dot() * S + U() * S_ring; }

  // crf(h) in the block of the body that velocity component i moves, h its column of the joint map; zero elsewhere.
  Operator crf_H(int i) const;
  // 6N x 6m: wrenches on m frames, each in the frame's axes at its origin, to the bodies that carry them; transposed:
  // the bodies' velocities to the frames'. J = transpose(o.at(frames)) * transpose(o.Phi) * transpose(o.H).
  Operator at(const std::vector<int>& frames) const;

 private:
  struct Parts;
  SpatialOperators(const Model& model, const Parts& parts);
  Model model_;
};

}  // namespace catena
#pragma GCC visibility pop
