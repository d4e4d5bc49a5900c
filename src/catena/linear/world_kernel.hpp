// The kinematic sweep of the linearizations: everything in the axes of the world and at one point near the robot, so
// that the change of frame between bodies is the identity and products with ancestors are plain dot products.
// Source: formula sheet 3.1 and, for joints with several degrees of freedom, 3.8.
#pragma once

#include "catena/dynamics/composite_kernel.hpp"

namespace catena::kernel {

// One column h of a joint map in world axes, and what its motion does to velocities and accelerations further out.
template <class S>
struct WorldColumn {
  Motion<S> H;
  Motion<S> Hq;  // crm(V_parent) H: multiplies dq in theta (H_dot for one-degree joints)
  Motion<S> Hv;  // Hq + crm(V) H:   multiplies dv in beta  (2 H_dot)
  Motion<S> Hw;  // crm(alpha_parent) H + crm(V_parent) Hq: multiplies dq in beta (H_ddot)
};

template <class S>
struct WorldSweep {
  std::vector<Transform<S>> world;  // pose of each body; positions relative to `point`
  Vec3<S> point{};                  // in the world: the origin of all 6-vectors here
  std::vector<Motion<S>> V, alpha;  // alpha includes -gravity
  std::vector<Inertia<S>> M;
  std::vector<VelocityInertia<S>> M_bar;  // sheet 3.1
  std::vector<Force<S>> f;                // accumulated: wrench of the parent on the body
  std::vector<WorldColumn<S>> column;     // by full velocity index

  explicit WorldSweep(const Tree& tree)
      : world(tree.count(), Transform<S>::identity()),
        V(tree.count(), Motion<S>::zero()),
        alpha(V),
        M(tree.count(), Inertia<S>::zero()),
        M_bar(tree.count()),
        f(tree.count(), Force<S>::zero()),
        column(tree.nv_full) {}
};

// What follows from out.world and the motion of the ground (slot 0).
template <class S>
CATENA_INLINE void world_motion(const Tree& tree, const S* v, const S* a, const Force<S>* f_ext, WorldSweep<S>& out) {
  const int count = tree.count();
  // outward:  V = V_parent + H v     alpha = alpha_parent + H a + crm(V) H v     f = M alpha + M_bar V - f_ext
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    const Motion<S>&V_parent = out.V[body.parent], &alpha_parent = out.alpha[body.parent];
    Motion<S> V = V_parent, alpha = alpha_parent, VJ = Motion<S>::zero();
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      for (int i = 0; i < joint.d; ++i) {
        WorldColumn<S>& c = out.column[body.v + i];
        c.H = apply_inverse(out.world[k], joint.template unit<S>(body, i));
        c.Hq = cross(V_parent, c.H);
        c.Hw = cross(alpha_parent, c.H) + cross(V_parent, c.Hq);
        VJ += c.H * v[body.v + i];
        alpha += c.H * a[body.v + i];
      }
      V += VJ;
      alpha += cross(V, VJ);
      for (int i = 0; i < joint.d; ++i) {
        WorldColumn<S>& c = out.column[body.v + i];
        c.Hv = c.Hq + cross(V, c.H);
      }
    });
    out.V[k] = V;
    out.alpha[k] = alpha;
    out.M[k] = spatial::apply_transposed(out.world[k], body.M);
    out.M_bar[k] = velocity_inertia(out.M[k], V);
    out.f[k] = out.M[k] * alpha + out.M_bar[k] * V;
    if (f_ext != nullptr) out.f[k] -= spatial::apply_transposed(out.world[k], f_ext[k]);
  }
  // inward:  f_parent += f
  begin_sweep(v, "inward: wrenches");
  for (int k = count - 1; k > 0; --k) {
    if (tree.bodies[k].parent > 0) out.f[tree.bodies[k].parent] += out.f[k];
  }
}

// X: pose of each body in its parent. V_0, alpha_0: of the ground at the world's origin, gravity subtracted.
// f_ext: wrenches in body axes by tree body, or null.
template <class S>
CATENA_INLINE void world_sweep(const Tree& tree, const std::vector<Transform<S>>& X, const S* v, const S* a, const Motion<S>& V_0,
                 const Motion<S>& alpha_0, const Force<S>* f_ext, WorldSweep<S>& out) {
  const int count = tree.count();
  begin_sweep(v, "outward: motion");
  // The point: where the first body is. Far from the robot, digits would cancel like (distance / size)^2.
  out.point = count > 1 ? X[1].p : Vec3<S>::zero();
  const Transform<S> shift = {Mat3<S>::identity(), out.point};
  out.world[0] = {Mat3<S>::identity(), -out.point};
  out.V[0] = spatial::apply(shift, V_0);
  out.alpha[0] = spatial::apply(shift, alpha_0);
  for (int k = 1; k < count; ++k) out.world[k] = out.world[tree.bodies[k].parent] * X[k];
  world_motion(tree, v, a, f_ext, out);
}

// How wrenches that keep their direction in the world change, seen from the bodies that turn under them:
// eta += [c x (w x F) + w x N; w x F] for a turn w, which has the form of M_bar. Sheet 3.8, third bullet.
template <class S>
CATENA_INLINE VelocityInertia<S> steady_wrench(const Vec3<S>& c, const Vec3<S>& force, const Vec3<S>& moment) {
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
