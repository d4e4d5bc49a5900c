// The kinematic sweep of the linearizations: everything in the axes of the reduced tree's ground and at one point near
// the robot, so that the change of frame between bodies is the identity and products with ancestors are plain dot
// products.
// ("World" in the names below is this frame; the user's world differs from it by ReducedTree::frames[0].)
// Source: formula sheet 3.1 and, for joints with several degrees of freedom, 3.8.
#pragma once

#include "catena/dynamics/composite_kernel.hpp"

namespace catena::kernel {

// One column H of a joint map in ground axes, and what its motion does to velocities and accelerations further out:
//   Hq = crm(V_parent) H multiplies dq in theta (H_dot for one-degree joints)
//   Hv = Hq + crm(V) H multiplies dv in beta (2 H_dot)
//   Hw = crm(alpha_parent) H + crm(V_parent) Hq multiplies dq in beta (H_ddot)
template <class S>
struct WorldColumn {
  Motion<S> H, Hq;
  S pairs[9][2];  // (Hv, Hw), then the angular parts of (H, Hq): what products with dv and dq use side by side

  CATENA_INLINE Motion<S> side(int t) const {
    return {{pairs[0][t], pairs[1][t], pairs[2][t]}, {pairs[3][t], pairs[4][t], pairs[5][t]}};
  }
  CATENA_INLINE Motion<S> Hv() const { return side(0); }
  CATENA_INLINE Motion<S> Hw() const { return side(1); }
  CATENA_INLINE void set_side(int t, const Motion<S>& h) {
    pairs[0][t] = h.w.x, pairs[1][t] = h.w.y, pairs[2][t] = h.w.z;
    pairs[3][t] = h.v.x, pairs[4][t] = h.v.y, pairs[5][t] = h.v.z;
  }
  CATENA_INLINE void set_turns() {
    pairs[6][0] = H.w.x, pairs[7][0] = H.w.y, pairs[8][0] = H.w.z;
    pairs[6][1] = Hq.w.x, pairs[7][1] = Hq.w.y, pairs[8][1] = Hq.w.z;
  }
};

template <class S>
struct WorldSweep {
  std::vector<Transform<S>> world;  // pose of each body; positions relative to `point`
  Vec3<S> point{};                  // on the ground: the origin of all 6-vectors here
  std::vector<Motion<S>> V, alpha;  // alpha includes -gravity
  std::vector<Motion<S>> s;         // crm(V) H v
  std::vector<Inertia<S>> M;
  std::vector<VelocityInertia<S>> M_bar;  // sheet 3.1
  std::vector<Force<S>> f;                // accumulated: wrench of the parent on the body
  std::vector<WorldColumn<S>> column;     // by full velocity index

  explicit WorldSweep(const Topology& tree)
      : world(tree.count(), Transform<S>::identity()),
        V(tree.count(), Motion<S>::zero()),
        alpha(V),
        s(V),
        M(tree.count(), Inertia<S>::zero()),
        M_bar(tree.count()),
        f(tree.count(), Force<S>::zero()),
        column(tree.nv_full) {}
};

// outward:  V = V_parent + H v     s = crm(V) H v     M and M_bar in ground axes
template <class S, class C>
CATENA_INLINE void world_velocities(const BasicTree<C>& tree, const S* v, WorldSweep<S>& out) {
  const int count = tree.count();
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    const Motion<S>& V_parent = out.V[body.parent];
    Motion<S> V = V_parent, VJ = Motion<S>::zero();
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      for (int i = 0; i < joint.d; ++i) {
        WorldColumn<S>& c = out.column[body.v + i];
        c.H = joint.outer_unit(body, out.world[k], i);
        c.Hq = cross(V_parent, c.H);
        VJ += c.H * v[body.v + i];
      }
      V += VJ;
      out.s[k] = Motion<S>::zero();
      for (int i = 0; i < joint.d; ++i) {
        WorldColumn<S>& c = out.column[body.v + i];
        const Motion<S> turned = cross(V, c.H);
        out.s[k] += turned * v[body.v + i];
        c.set_side(0, c.Hq + turned);
        c.set_turns();
      }
    });
    out.V[k] = V;
    out.M[k] = spatial::apply_transposed(out.world[k], tree.inertias[k].M);
    out.M_bar[k] = velocity_inertia(out.M[k], V);
  }
}

// outward:  alpha = alpha_parent + H a + s     f = M alpha + M_bar V - f_ext       inward:  f_parent += f
// a: null for zero. f_ext: wrenches in body axes by tree body, or null.
template <class S>
CATENA_INLINE void world_accelerations(const Topology& tree, const S* a, const Force<S>* f_ext, WorldSweep<S>& out) {
  const int count = tree.count();
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    const Motion<S>& alpha_parent = out.alpha[body.parent];
    Motion<S> alpha = alpha_parent + out.s[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      for (int i = 0; i < joint.d; ++i) {
        WorldColumn<S>& c = out.column[body.v + i];
        c.set_side(1, cross(alpha_parent, c.H) + cross(out.V[body.parent], c.Hq));
        if (a != nullptr) alpha += c.H * a[body.v + i];
      }
    });
    out.alpha[k] = alpha;
    out.f[k] = out.M[k] * alpha + out.M_bar[k] * out.V[k];
    if (f_ext != nullptr) out.f[k] -= spatial::apply_transposed(out.world[k], f_ext[k]);
  }
  for (int k = count - 1; k > 0; --k) {
    if (tree.bodies[k].parent > 0) out.f[tree.bodies[k].parent] += out.f[k];
  }
}

// X: pose of each body in its parent, a LinkPose or, for counts in the user's frames, a Transform.
// V_0, alpha_0: of the ground in its own frame, gravity subtracted.
template <class Pose, class S>
CATENA_INLINE void world_poses(const Topology& tree, const std::vector<Pose>& X, const Motion<S>& V_0,
                               const Motion<S>& alpha_0, WorldSweep<S>& out) {
  const int count = tree.count();
  // The point: where the first body is. Far from the robot, digits would cancel like (distance / size)^2.
  out.point = count > 1 ? position(X[1]) : Vec3<S>::zero();
  const Transform<S> shift = {Mat3<S>::identity(), out.point};
  out.world[0] = {Mat3<S>::identity(), -out.point};
  out.V[0] = spatial::apply(shift, V_0);
  out.alpha[0] = spatial::apply(shift, alpha_0);
  for (int k = 1; k < count; ++k) out.world[k] = placed_on(out.world[tree.bodies[k].parent], X[k]);
}

template <class Pose, class S, class C>
CATENA_INLINE void world_sweep(const BasicTree<C>& tree, const std::vector<Pose>& X, const S* v, const S* a,
                               const Motion<S>& V_0, const Motion<S>& alpha_0, const Force<S>* f_ext,
                               WorldSweep<S>& out) {
  begin_sweep(v, "outward: motion");
  world_poses(tree, X, V_0, alpha_0, out);
  world_velocities(tree, v, out);
  world_accelerations(tree, a, f_ext, out);
}
void world_sweep(const Tree& tree, const std::vector<LinkPose<double>>& X, const double* v, const double* a,
                 const Motion<double>& V_0, const Motion<double>& alpha_0, const Force<double>* f_ext,
                 WorldSweep<double>& out);

// How wrenches that keep their direction in the world change, seen from the bodies that rotate under them:
// eta += [c x (w x F) + w x N; w x F] for a rotation w, which has the form of M_bar. Sheet 3.8, third bullet.
template <class S>
CATENA_INLINE VelocityInertia<S> world_fixed_wrench(const Vec3<S>& c, const Vec3<S>& force, const Vec3<S>& moment) {
  // c x (w x F) = w (c . F) - F (c . w)     w x N = -[N]x w
  const S cF = dot(c, force);
  Mat3<S> A = {force * -c.x, force * -c.y, force * -c.z};
  A.cx.x += cF, A.cy.y += cF, A.cz.z += cF;
  A.cx.y -= moment.z, A.cx.z += moment.y;
  A.cy.x += moment.z, A.cy.z -= moment.x;
  A.cz.x -= moment.y, A.cz.y += moment.x;
  return {A, force};
}

}  // namespace catena::kernel
