// The linearized dynamics of Jain and Rodriguez in operator form: what Lemmas 3.1, 4.6, 4.7 and 4.9 of [003] name, at one
// state (q, v, a). Source: [003] (2.8), (4.12), (4.14), (4.19), (4.22); formula sheet 3.1, 3.6 to 3.8.
// In the frames of SpatialOperators o; ' is the transpose, f_H stands for the paper's H_bar* f. For every joint type:
//   3.1  A_D = H Phi (M Phi' H_v' + 2 M_bar Phi' H')
//        B_D = H Phi (f_H + 2 M_bar Phi' H_dot' + M Phi' H_ddot') - H f_H
//   4.6  B_C = U^-' D^-1 H Psi (f_H + 2 M_bar Phi' H_dot' + P H_ddot') + K' Psi' H_ddot' - M^-1 H f_H
//   4.7  B_C = U^-' (D^-1 H Psi Y_B + 2 K_hat' Phi' H_dot') + K' Psi' H_ddot' - M^-1 H f_H
//   4.9  B_C = u Psi Y_B + K' Psi' E_B + Q' Phi' H_dot' - M^-1 H f_H        (serial chains)
// The paper's joints have one degree of freedom: H_v = 2 H_dot then, and H f_H = 0.
// Of the bodies and rotors: damping, friction and springs, which linearize_forward adds, are not in them.
#pragma once

#include "catena/reference/spatial_operators.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct LinearOperators {
  // Throws as SpatialOperators does. Wrenches from outside are none; the base may move.
  LinearOperators(const Model& model, ConstVector q, ConstVector v, ConstVector a, const BaseMotion& base = {});

  SpatialOperators o;  // at (q, v)
  // Accelerations less gravity, and the forces that joints pass on: 6N each.
  Vector alpha, f;
  // With V+, alpha+ of the parent: H_dot' = crm(V+) H', H_v' = H_dot' + crm(V) H', H_ddot' = crm(alpha+) H' + crm(V+) H_dot',
  // n x 6N as H is. f_H = crf(h) f for each column h of H', 6N x n.
  Operator H_dot, H_v, H_ddot, f_H;
  // M_bar = (M_dot - Q[M V]) / 2. P_hat = M_bar + E_psi P_hat E_phi', G_hat = P_hat' H' D^-1, K_hat = E_phi G_hat.
  Operator M_bar, P_hat, G_hat, K_hat;
  // Y_A = 2 P_hat H' + P H_v', Y_B = 2 P_hat H_dot' + P H_ddot' + f_H.
  Operator Y_A, Y_B;

 private:
  struct Parts;
  LinearOperators(const Model& model, SpatialOperators operators, const Parts& parts);
};

// What Lemma 4.9 adds on a serial chain: Upsilon and J run outward along it, on a tree siblings would couple.
struct SerialLinearOperators {
  // Throws std::invalid_argument for a tree.
  SerialLinearOperators(const Model& model, const LinearOperators& x);

  // Upsilon = tau_bar' Upsilon_plus tau_bar + H' D^-1 H with Upsilon_plus that of the parent, in the body's frame;
  // J_hat = tau_bar' J_hat of the parent + H' G_hat' (the paper's J; J is the armature here).
  Operator Upsilon, Upsilon_plus, J_hat;
  // L = D^-1 + G' Upsilon_plus G, u = L H - G' Upsilon_plus (the paper's U; U is the factor here), Q = 2 (K_hat - J_hat' K),
  // E_A = H_v' - Upsilon Y_A + 2 J_hat H', E_B = H_ddot' - Upsilon Y_B + 2 J_hat H_dot'.
  Operator L, u, E_A, E_B, Q;

 private:
  struct Parts;
  SerialLinearOperators(const LinearOperators& x, const Parts& parts);
};

}  // namespace catena
#pragma GCC visibility pop
