// The other methods in the papers' tables: Walker and Orin's four methods of forward dynamics (the third is
// forward_dynamics_composite), and inverse dynamics by filtering and smoothing (Rodriguez, Kozlowski).
// All take every joint, joint terms, mimic joints, base motion and wrenches. For study and for checking: they allocate.
#pragma once

#include "catena/dynamics/workspace.hpp"

#pragma GCC visibility push(default)
namespace catena {

// M column by column, n products M e_j by Newton-Euler at rest and without gravity; then L D L'. O(n^2) and O(n^3).
Vector forward_dynamics_newton_columns(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                       const ExternalLoads& loads = {});
// The same with half the work: only the bodies outward of joint j move for e_j; the other half of M by symmetry.
Vector forward_dynamics_newton_symmetric(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                         const ExternalLoads& loads = {});

// M a = tau - bias by conjugate gradients, one O(n) product per step, scaled by the diagonal of M. Exact arithmetic
// would need nv steps; rounding may need more. Stops when the residual, computed anew, is what rounding in the product
// explains: |r| <= bound = 16 n eps (|M| |a| + |b|) in the scaled norm, so that a solves a problem within 16 n eps of
// the given one. Throws NumericalError if that takes more than 40 nv + 100 steps (M nearly singular).
struct ConjugateGradientResult {
  Vector a;
  int iterations = 0;
  double residual = 0, bound = 0;
};
ConjugateGradientResult forward_dynamics_conjugate_gradient(const Model& model, ConstVector q, ConstVector v,
                                                            ConstVector tau, const ExternalLoads& loads = {});

// Inverse dynamics through the factors of M instead of around them: a goes outward through the smoother to the
// innovations e = D (a + G' alpha'), e goes inward through the filter to tau = e + H' z. Formula sheet 4.1, 4.3, 4.9.
// Throws NumericalError naming the joint where D is singular, which plain inverse dynamics would not mind.
Vector inverse_dynamics_kalman(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                               const ExternalLoads& loads = {});

}  // namespace catena
#pragma GCC visibility pop
