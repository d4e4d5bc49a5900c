// Angeles' natural orthogonal complement: joints constrain, K t = 0, and leave the motions t = T v, so K T = 0.
// Source: [002] (7.50)-(7.58), formula sheet 1.6. World components, twists and wrenches at the mass centres,
// 6N-vectors stack the moving bodies of the tree (fixed joints lumped) base -> tip; n-vectors are in the order of v.
// For chains and trees of every joint type without mimic joints, base motion and wrenches included. K has Angeles' rows for
// revolute and prismatic joints, and projections for others.
#pragma once

#include "catena/reference/mass_centres.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct NaturalComplement {
  Matrix K;           // 6N x 6N, rank 6N - n: rows of joint i say that bodies i and parent move as the joint allows
  Matrix T, T_dot;    // 6N x n, t = T v
  Matrix M, W;        // 6N x 6N: diag(I_i, m_i 1), diag([w_i]x, 0)
  Matrix A;           // 6N x n: w_A = A tau, each motor pushing its body and pushing back on the parent; T' A = 1
  Vector t;           // twists: t = T v, on a moving base with its part besides; K t = k
  Vector k;           // 0 on a base at rest
  Vector t_dot_base;  // t_dot = T a + T_dot v + t_dot_base
  Vector w_G, w_W;    // weights; other wrenches from outside

  Matrix generalized_inertia() const { return T.transpose() * M * T; }  // without armature
  // The left side of (7.57) less its right side without motors: T' (M (T_dot v + t_dot_base) + W M t)
  // - T' (w_G + w_W).
  Vector bias(ConstVector v) const;
  // w_C = M t_dot + W M t - w_A - w_G - w_W with the motor forces that cause a: in the range of K', T' w_C = 0.
  Vector constraint_wrenches(ConstVector v, ConstVector a) const;
  // lambda with K' lambda = w_C, the smallest of those (K has more rows than constraints).
  Vector multipliers(ConstVector v, ConstVector a) const;
};

// Throws std::invalid_argument for a model with mimic joints.
NaturalComplement natural_complement(const Model& model, ConstVector q, ConstVector v, const ExternalLoads& loads = {});

// (7.57) with the model's joint terms (armature, damping, friction, springs): the same results as inverse_dynamics and
// forward_dynamics. Dense: O(n^2) numbers, O(n^3) time.
Vector inverse_dynamics_noc(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                            const ExternalLoads& loads = {});
Vector forward_dynamics_noc(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                            const ExternalLoads& loads = {});

}  // namespace catena
#pragma GCC visibility pop
