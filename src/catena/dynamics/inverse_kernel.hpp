// Inverse dynamics by recursive Newton-Euler. Source: formula sheet 1.5.
// Every quantity of body k is in frame k; body 0 is the ground, its slot collects the base reaction.
#pragma once

#include "catena/kinematics/sweeps.hpp"

namespace catena::kernel {

template <class S>
struct NewtonEuler {
  std::vector<Motion<S>> V, alpha;
  std::vector<Force<S>> f;  // wrench of the parent on the body

  explicit NewtonEuler(const Tree& tree)
      : V(tree.count(), Motion<S>::zero()), alpha(V), f(tree.count(), Force<S>::zero()) {}
};

// V_0, alpha_0: motion of the ground, gravity subtracted from alpha_0. f_ext: wrenches on the bodies, or none (null).
// tau, v, a: full coordinates. Without joint terms.
template <class S>
CATENA_INLINE void inverse_sweeps(const Tree& tree, const std::vector<Transform<S>>& X, const S* v, const S* a, const Motion<S>& V_0,
                    const Motion<S>& alpha_0, const Force<S>* f_ext, NewtonEuler<S>& out, S* tau) {
  const int count = tree.count();

  // outward:  V = X V_parent + H v     alpha = X alpha_parent + H a + crm(V) H v
  //           f = M alpha + crf(V) M V - f_ext
  begin_sweep(v, "outward");
  out.V[0] = V_0;
  out.alpha[0] = alpha_0;
  out.f[0] = net_force(tree.bodies[0].M, V_0, alpha_0);
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    Motion<S> V = apply(X[k], out.V[body.parent]);
    Motion<S> alpha = apply(X[k], out.alpha[body.parent]);
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      joint.add(body, V, v + body.v);
      alpha += joint.cross_velocity(body, V, v + body.v);
      joint.add(body, alpha, a + body.v);
    });
    out.V[k] = V;
    out.alpha[k] = alpha;
    out.f[k] = net_force(body.M, V, alpha);
  }
  if (f_ext != nullptr) {
    for (int k = 0; k < count; ++k) out.f[k] -= f_ext[k];
  }

  // inward:  tau = H' f     f_parent += X' f
  begin_sweep(v, "inward");
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      for (int i = 0; i < joint.d; ++i) tau[body.v + i] = joint.project(body, out.f[k], i);
    });
    out.f[body.parent] += apply_transposed(X[k], out.f[k]);
  }
}

void inverse_sweeps(const Tree& tree, const std::vector<Transform<double>>& X, const double* v, const double* a,
                    const Motion<double>& V_0, const Motion<double>& alpha_0, const Force<double>* f_ext,
                    NewtonEuler<double>& out, double* tau);

}  // namespace catena::kernel
