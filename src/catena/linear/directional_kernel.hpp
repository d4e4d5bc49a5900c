// Algorithms 1 and 5 of Jain and Rodriguez: the change of tau, or of the acceleration, for one given change of state,
// in O(n). Source: formula sheet 3.3, 3.6, 3.8, in body frames (the changes of frame X restored): those of the reduced
// tree with LinkPose, or the user's with Transform.
#pragma once

#include "catena/dynamics/articulated_kernel.hpp"
#include "catena/dynamics/inverse_kernel.hpp"
#include "catena/linear/articulated_world.hpp"

namespace catena::kernel {

// What one body's joint contributes to beta and theta (and to the rotation under world-fixed wrenches).
template <class S>
struct JointChange {
  Motion<S> turn;   // H dq
  Motion<S> theta;  // H dv + Hq dq
  Motion<S> beta;   // H da + Hv dv + Hw dq (H da added where known)
};

template <class S>
struct Directional {
  std::vector<JointChange<S>> own;           // of each joint
  std::vector<Motion<S>> turn, theta, beta;  // accumulated outward
  std::vector<Force<S>> eta;
  std::vector<OneSided<S>> P_hat, E_hat;
  std::vector<Vec3<S>> G_hat, G_E;
  std::vector<S> epsilon;

  explicit Directional(const Tree& tree)
      : own(tree.count()),
        turn(tree.count(), Motion<S>::zero()),
        theta(turn),
        beta(turn),
        eta(tree.count(), Force<S>::zero()),
        P_hat(tree.count()),
        E_hat(tree.count()),
        G_hat(tree.nv_full, Vec3<S>::zero()),
        G_E(G_hat),
        epsilon(tree.nv_full, S(0)) {}
};

// Hq = crm(V+) H     Hv = Hq + crm(V) H     Hw = crm(alpha+) H + crm(V+) Hq     with + : the parent's, in this frame
template <class Pose, class S>
JointChange<S> joint_change(const TreeBody& body, const Pose& X, const NewtonEuler<S>& state, int k, const S* dq,
                            const S* dv) {
  const Motion<S> V_plus = apply(X, state.V[body.parent]);
  const Motion<S> alpha_plus = apply(X, state.alpha[body.parent]);
  Motion<S> hq = Motion<S>::zero(), hv = Motion<S>::zero();
  visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
    joint.add(body, hq, dq + body.v);
    joint.add(body, hv, dv + body.v);
  });
  const Motion<S> Hq = cross(V_plus, hq);
  return {hq, hv + Hq, cross(V_plus, hv) + cross(state.V[k], hv) + cross(alpha_plus, hq) + cross(V_plus, Hq)};
}

// Algorithm 1. state: V, alpha, f of Newton-Euler at (q, v, a). world_fixed: in body axes, or null. Full coordinates.
template <class Pose, class S>
CATENA_INLINE void inverse_dynamics_jvp(const Tree& tree, const std::vector<Pose>& X, const NewtonEuler<S>& state,
                                        const VelocityInertia<S>* world_fixed, const S* dq, const S* dv, const S* da,
                                        Directional<S>& out, S* dtau) {
  const int count = tree.count();
  begin_sweep(dq, "outward: changes");
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    out.own[k] = joint_change(body, X[k], state, k, dq, dv);
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA { joint.add(body, out.own[k].beta, da + body.v); });
    out.theta[k] = apply(X[k], out.theta[body.parent]) + out.own[k].theta;
    out.beta[k] = apply(X[k], out.beta[body.parent]) + out.own[k].beta;
    const Motion<S> twice = out.theta[k] * 2.0;
    out.eta[k] = tree.inertias[k].M * out.beta[k] + velocity_inertia(tree.inertias[k].M, state.V[k]) * twice;
    if (world_fixed != nullptr) {
      out.turn[k] = apply(X[k], out.turn[body.parent]) + out.own[k].turn;
      out.eta[k] += world_fixed[k] * out.turn[k];
    }
  }
  begin_sweep(dq, "inward: changes");
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      for (int i = 0; i < joint.d; ++i) dtau[body.v + i] = joint.project(body, out.eta[k], i);
    });
    // crf(H dq) f concerns the parents only
    const Force<S> eta = out.eta[k] + cross(out.own[k].turn, state.f[k]);
    if (body.parent > 0) out.eta[body.parent] += apply_transposed(X[k], eta);
  }
}

// X' [A, 0; B, 0] X: both rotated, and A += [p]x B
template <class T, class S>
CATENA_INLINE void turn_up_z(const T& t, OneSided<S>& P) {
  turn_up_z(t, P.A), turn_up_z(t, P.B);
}
template <class T, class S>
CATENA_INLINE void turn_up_x(const T& t, OneSided<S>& P) {
  turn_up_x(t, P.A), turn_up_x(t, P.B);
}
template <class S>
CATENA_INLINE void rotate_up(const Mat3<S>& R, OneSided<S>& P) {
  P.A = rotate(R, P.A), P.B = rotate(R, P.B);
}
template <class V, class S>
CATENA_INLINE void shift(const Vec3<V>& p, OneSided<S>& P) {
  P.A += cross(p, P.B);
}
template <class V, class S>
CATENA_INLINE void shift_x(const V& x, OneSided<S>& P) {
  for (const auto& [a, b] : {std::pair{&P.A.cx, &P.B.cx}, {&P.A.cy, &P.B.cy}, {&P.A.cz, &P.B.cz}}) {
    a->y -= b->z * x, a->z += b->y * x;
  }
}
template <class V, class S>
CATENA_INLINE void shift_z(const V& z, OneSided<S>& P) {
  for (const auto& [a, b] : {std::pair{&P.A.cx, &P.B.cx}, {&P.A.cy, &P.B.cy}, {&P.A.cz, &P.B.cz}}) {
    a->x -= b->y * z, a->y += b->x * z;
  }
}
template <class S>
CATENA_INLINE OneSided<S> apply_transposed(const Transform<S>& X, const OneSided<S>& P) {
  const Mat3<S> B = rotate(X.R, P.B);
  return {rotate(X.R, P.A) + cross(X.p, B), B};
}

// Algorithm 5. art: after a Riccati sweep at q; state as above. dtau without joint terms.
template <class Pose, class S>
CATENA_INLINE void forward_dynamics_jvp(const Tree& tree, const std::vector<Pose>& X, const NewtonEuler<S>& state,
                                        const Articulated<S>& art, const VelocityInertia<S>* world_fixed, const S* dq,
                                        const S* dv, const S* dtau, Directional<S>& out, S* da) {
  const int count = tree.count();
  begin_sweep(dq, "outward: changes of the joints");
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    out.own[k] = joint_change(body, X[k], state, k, dq, dv);
    out.P_hat[k] = one_sided(velocity_inertia(tree.inertias[k].M, state.V[k]));
    if (world_fixed != nullptr) out.E_hat[k] = one_sided(world_fixed[k]);
    out.eta[k] = Force<S>::zero();
  }
  // inward:  z = P beta_own + 2 P_hat theta_own + crf(H dq) f + sum (z + G eps)     eps = dtau + H' crf(H dq) f - H' z
  begin_sweep(dq, "inward: changes");
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    const Motion<S> twice = out.own[k].theta * 2.0;
    Force<S> z = out.eta[k] + art.P[k] * out.own[k].beta + out.P_hat[k] * twice;
    if (world_fixed != nullptr) z += out.E_hat[k] * out.own[k].turn;
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      constexpr int d = decltype(joint)::d;
      const S* L = triangle(art, body);
      const S* D_inv = art.D_inv.data() + body.v;
      S* eps = out.epsilon.data() + body.v;
      for (int i = 0; i < d; ++i) eps[i] = dtau[body.v + i] - joint.project(body, z, i);
      z += cross(out.own[k].turn, state.f[k]);
      Vec3<S> hat[d], hat_E[d] = {};
      for (int i = 0; i < d; ++i) {
        hat[i] = transposed_times(out.P_hat[k], joint.template unit<S>(body, i));
        if (world_fixed != nullptr) hat_E[i] = transposed_times(out.E_hat[k], joint.template unit<S>(body, i));
      }
      for (int i = 0; i < d; ++i) {  // row i of D^-1 times hat
        S unit[d], row[d];
        for (int c = 0; c < d; ++c) unit[c] = S(c == i ? 1 : 0);
        solve_joint<d>(L, D_inv, unit, row);
        Vec3<S> g = hat[0] * row[0];
        for (int c = 1; c < d; ++c) g += hat[c] * row[c];
        out.G_hat[body.v + i] = g;
        if (world_fixed != nullptr) {
          Vec3<S> g_E = hat_E[0] * row[0];
          for (int c = 1; c < d; ++c) g_E += hat_E[c] * row[c];
          out.G_E[body.v + i] = g_E;
        }
      }
      if (body.parent > 0) {
        S x[d];
        solve_joint<d>(L, D_inv, eps, x);
        OneSided<S> hat_plus = out.P_hat[k], E_plus = out.E_hat[k];
        for (int i = 0; i < d; ++i) {
          z += art.PH[body.v + i] * x[i];
          subtract_outer(hat_plus, art.PH[body.v + i], out.G_hat[body.v + i]);
          if (world_fixed != nullptr) subtract_outer(E_plus, art.PH[body.v + i], out.G_E[body.v + i]);
        }
        out.eta[body.parent] += apply_transposed(X[k], z);
        const OneSided<S> up = apply_transposed(X[k], hat_plus);
        out.P_hat[body.parent].A += up.A;
        out.P_hat[body.parent].B += up.B;
        if (world_fixed != nullptr) {
          const OneSided<S> up_E = apply_transposed(X[k], E_plus);
          out.E_hat[body.parent].A += up_E.A;
          out.E_hat[body.parent].B += up_E.B;
        }
      }
    });
  }
  // outward:  da = D^-1 (eps - (P H)' beta+) - 2 G_hat' theta+     beta = beta+ + H da + ...     theta = theta+ + ...
  begin_sweep(dq, "outward: accelerations");
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    const Motion<S> beta = apply(X[k], out.beta[body.parent]);
    const Motion<S> theta = apply(X[k], out.theta[body.parent]);
    Motion<S> turn = Motion<S>::zero();
    if (world_fixed != nullptr) turn = apply(X[k], out.turn[body.parent]);
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      constexpr int d = decltype(joint)::d;
      S y[d];
      for (int i = 0; i < d; ++i) y[i] = out.epsilon[body.v + i] - dot(beta, art.PH[body.v + i]);
      solve_joint<d>(triangle(art, body), art.D_inv.data() + body.v, y, da + body.v);
      for (int i = 0; i < d; ++i) {
        da[body.v + i] -= dot(out.G_hat[body.v + i], theta.w) * 2.0;
        if (world_fixed != nullptr) da[body.v + i] -= dot(out.G_E[body.v + i], turn.w);
      }
      out.beta[k] = beta + out.own[k].beta;
      joint.add(body, out.beta[k], da + body.v);
    });
    out.theta[k] = theta + out.own[k].theta;
    out.turn[k] = turn + out.own[k].turn;
  }
}

}  // namespace catena::kernel
