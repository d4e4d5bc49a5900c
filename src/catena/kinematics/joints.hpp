// The joint types of the sweeps: visit() picks one, and a joint is its pose, its map H and products with H. In the axes of
// its body H consists of unit vectors (formula sheet 0.3, axes turned to z; helical: and the pitch), so that products with
// H pick components. What a new type needs besides a struct here and a case in visit(): docs/tour.md.
#pragma once

#include "catena/model/tree.hpp"

namespace catena::kernel {

using spatial::ArticulatedInertia;
using spatial::begin_sweep;
using spatial::Force;
using spatial::Inertia;
using spatial::Mat3;
using spatial::Motion;
using spatial::Sym3;
using spatial::Transform;
using spatial::vanishes;
using spatial::Vec3;

template <class S>
CATENA_INLINE S& component(Motion<S>& V, int c) {
  S* const parts[] = {&V.w.x, &V.w.y, &V.w.z, &V.v.x, &V.v.y, &V.v.z};
  return *parts[c];
}
template <class S>
CATENA_INLINE const S& component(const Force<S>& f, int c) {
  const S* const parts[] = {&f.n.x, &f.n.y, &f.n.z, &f.f.x, &f.f.y, &f.f.z};
  return *parts[c];
}

// Column c of P.
template <class S>
CATENA_INLINE Force<S> column(const ArticulatedInertia<S>& P, int c) {
  switch (c) {
    case 0: return {{P.J.xx, P.J.xy, P.J.xz}, {P.H.cx.x, P.H.cy.x, P.H.cz.x}};
    case 1: return {{P.J.xy, P.J.yy, P.J.yz}, {P.H.cx.y, P.H.cy.y, P.H.cz.y}};
    case 2: return {{P.J.xz, P.J.yz, P.J.zz}, {P.H.cx.z, P.H.cy.z, P.H.cz.z}};
    case 3: return {P.H.cx, {P.M.xx, P.M.xy, P.M.xz}};
    case 4: return {P.H.cy, {P.M.xy, P.M.yy, P.M.yz}};
    default: return {P.H.cz, {P.M.xz, P.M.yz, P.M.zz}};
  }
}
template <class S>
CATENA_INLINE Force<S> column(const Inertia<S>& M, int c) {
  const S o = S(0);
  switch (c) {
    case 0: return {{M.J.xx, M.J.xy, M.J.xz}, {o, -M.h.z, M.h.y}};
    case 1: return {{M.J.xy, M.J.yy, M.J.yz}, {M.h.z, o, -M.h.x}};
    case 2: return {{M.J.xz, M.J.yz, M.J.zz}, {-M.h.y, M.h.x, o}};
    case 3: return {{o, M.h.z, -M.h.y}, {M.m, o, o}};
    case 4: return {{-M.h.z, o, M.h.x}, {o, M.m, o}};
    default: return {{M.h.y, -M.h.x, o}, {o, o, M.m}};
  }
}

// Placement turned about its own z.
template <class S, class C>
CATENA_INLINE Mat3<S> turn_z(const Mat3<C>& R, const S& sine, const S& cosine) {
  const Vec3<S> cx = R.cx * cosine + R.cy * sine;
  const Vec3<S> cy = R.cy * cosine - R.cx * sine;
  return {cx, cy, {S(R.cz.x), S(R.cz.y), S(R.cz.z)}};
}

// Rotation of a quaternion (x, y, z, w), divided by its squared length so that rounding in q does not stretch bodies.
template <class S>
CATENA_INLINE Mat3<S> rotation(const S* q) {
  const S x = q[0], y = q[1], z = q[2], w = q[3];
  const S k = S(2) / (x * x + y * y + z * z + w * w);
  const S one = S(1);
  return {{one - (y * y + z * z) * k, (x * y + z * w) * k, (x * z - y * w) * k},
          {(x * y - z * w) * k, one - (x * x + z * z) * k, (y * z + x * w) * k},
          {(x * z + y * w) * k, (y * z - x * w) * k, one - (x * x + y * y) * k}};
}

template <class S>
CATENA_INLINE void add_velocity_products(const Motion<S>& VJ, Vec3<S>& w, Motion<S>& alpha) {
  alpha.w += cross(w, VJ.w);
  alpha.v += cross(w + w + VJ.w, VJ.v);
  w += VJ.w;
}

// What all joints with unit columns share. Columns: the components of a 6-vector that the joint moves.
template <int... Columns>
struct UnitJoint {
  static constexpr int d = sizeof...(Columns);
  static constexpr int columns[] = {Columns...};
  static constexpr bool has_angle = false;

  // V += H v
  template <class S>
  static CATENA_INLINE void add(const TreeBody&, Motion<S>& V, const S* v) {
    for (int k = 0; k < d; ++k) component(V, columns[k]) += v[k];
  }
  // (H' f)_k
  template <class S>
  static CATENA_INLINE S project(const TreeBody&, const Force<S>& f, int k) {
    return component(f, columns[k]);
  }
  // M H e_k, for a rigid or an articulated inertia
  template <class Matrix>
  static CATENA_INLINE auto times_column(const TreeBody&, const Matrix& M, int k) {
    return column(M, columns[k]);
  }
  // crm(V) H v
  template <class S>
  static CATENA_INLINE Motion<S> cross_velocity(const TreeBody& body, const Motion<S>& V, const S* v) {
    Motion<S> VJ = Motion<S>::zero();
    add(body, VJ, v);
    return cross(V, VJ);
  }
  // What the joint's own velocity adds to the ordinary motion: w += w_J, dw += w x w_J, a += (2 w - w_J) x u_J, with
  // the new w
  template <class S>
  static CATENA_INLINE void add_velocity_products(const TreeBody& body, Vec3<S>& w, Motion<S>& alpha, const S* v) {
    Motion<S> VJ = Motion<S>::zero();
    add(body, VJ, v);
    kernel::add_velocity_products(VJ, w, alpha);
  }
  // H e_k
  template <class S>
  static CATENA_INLINE Motion<S> unit(const TreeBody&, int k) {
    Motion<S> h = Motion<S>::zero();
    component(h, columns[k]) = S(1);
    return h;
  }
  // X^-1 H e_k: a column of the body's map in outer axes
  template <class S>
  static CATENA_INLINE Motion<S> outer_unit(const TreeBody&, const Transform<S>& X, int k) {
    const Vec3<S>* const axes[] = {&X.R.cx, &X.R.cy, &X.R.cz};
    const Vec3<S>& axis = *axes[columns[k] % 3];
    if (columns[k] < 3) return {axis, cross(X.p, axis)};
    return {Vec3<S>::zero(), axis};
  }
};

struct Revolute : UnitJoint<2> {
  static constexpr bool has_angle = true;
  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S*, const S& sine, const S& cosine) {
    const auto& T = body.placement;
    return {turn_z(T.R, sine, cosine), {S(T.p.x), S(T.p.y), S(T.p.z)}};
  }
  template <class S>
  static CATENA_INLINE Motion<S> cross_velocity(const TreeBody&, const Motion<S>& V, const S* v) {
    return {{V.w.y * v[0], -(V.w.x * v[0]), S(0)}, {V.v.y * v[0], -(V.v.x * v[0]), S(0)}};
  }
  template <class S>
  static CATENA_INLINE void add_velocity_products(const TreeBody&, Vec3<S>& w, Motion<S>& alpha, const S* v) {
    alpha.w.x += w.y * v[0], alpha.w.y -= w.x * v[0];
    w.z += v[0];
  }
};

struct Prismatic : UnitJoint<5> {
  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S* q, const S&, const S&) {
    const auto& T = body.placement;
    const auto constant = [](const Vec3<double>& c) { return Vec3<S>{S(c.x), S(c.y), S(c.z)}; };
    return {{constant(T.R.cx), constant(T.R.cy), constant(T.R.cz)}, T.R.cz * q[0] + T.p};
  }
  template <class S>
  static CATENA_INLINE Motion<S> cross_velocity(const TreeBody&, const Motion<S>& V, const S* v) {
    return {Vec3<S>::zero(), {V.w.y * v[0], -(V.w.x * v[0]), S(0)}};
  }
  template <class S>
  static CATENA_INLINE void add_velocity_products(const TreeBody&, Vec3<S>& w, Motion<S>& alpha, const S* v) {
    const S twice = v[0] + v[0];
    alpha.v.x += w.y * twice, alpha.v.y -= w.x * twice;
  }
};

// H = [z; pitch z]: the one map that is not made of unit vectors.
struct Helical {
  static constexpr int d = 1;
  static constexpr int columns[] = {2};
  static constexpr bool has_angle = true;
  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S* q, const S& sine, const S& cosine) {
    const auto& T = body.placement;
    return {turn_z(T.R, sine, cosine), T.R.cz * (q[0] * body.pitch) + T.p};
  }
  template <class S>
  static CATENA_INLINE void add(const TreeBody& body, Motion<S>& V, const S* v) {
    V.w.z += v[0];
    V.v.z += v[0] * body.pitch;
  }
  template <class S>
  static CATENA_INLINE S project(const TreeBody& body, const Force<S>& f, int) {
    return f.n.z + f.f.z * body.pitch;
  }
  template <class Matrix>
  static CATENA_INLINE auto times_column(const TreeBody& body, const Matrix& M, int) {
    return column(M, 2) + column(M, 5) * body.pitch;
  }
  template <class S>
  static CATENA_INLINE void add_velocity_products(const TreeBody& body, Vec3<S>& w, Motion<S>& alpha, const S* v) {
    Motion<S> VJ = Motion<S>::zero();
    add(body, VJ, v);
    kernel::add_velocity_products(VJ, w, alpha);
  }
  template <class S>
  static CATENA_INLINE Motion<S> unit(const TreeBody& body, int) {
    return {{S(0), S(0), S(1)}, {S(0), S(0), S(body.pitch)}};
  }
  template <class S>
  static CATENA_INLINE Motion<S> outer_unit(const TreeBody& body, const Transform<S>& X, int) {
    return {X.R.cz, cross(X.p, X.R.cz) + X.R.cz * body.pitch};
  }
  template <class S>
  static CATENA_INLINE Motion<S> cross_velocity(const TreeBody& body, const Motion<S>& V, const S* v) {
    Motion<S> VJ = Motion<S>::zero();
    add(body, VJ, v);
    return cross(V, VJ);
  }
};

struct Cylindrical : UnitJoint<2, 5> {  // q = (angle, slide)
  static constexpr bool has_angle = true;
  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S* q, const S& sine, const S& cosine) {
    const auto& T = body.placement;
    return {turn_z(T.R, sine, cosine), T.R.cz * q[1] + T.p};
  }
};

struct Planar : UnitJoint<2, 3, 4> {  // q = (angle, x, y); v in body axes
  static constexpr bool has_angle = true;
  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S* q, const S& sine, const S& cosine) {
    const auto& T = body.placement;
    return {turn_z(T.R, sine, cosine), T.R.cx * q[1] + T.R.cy * q[2] + T.p};
  }
};

struct Spherical : UnitJoint<0, 1, 2> {
  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S* q, const S&, const S&) {
    const auto& T = body.placement;
    return {T.R * rotation(q), {S(T.p.x), S(T.p.y), S(T.p.z)}};
  }
};

struct Free : UnitJoint<0, 1, 2, 3, 4, 5> {
  template <class S>
  static CATENA_INLINE Transform<S> pose(const TreeBody& body, const S* q, const S&, const S&) {
    const auto& T = body.placement;
    return {T.R * rotation(q + 3), T.R * Vec3<S>{q[0], q[1], q[2]} + T.p};
  }
};

// Calls f with the joint type of the body.
template <class F>
CATENA_INLINE decltype(auto) visit(const TreeBody& body, F&& f) {
  if (body.kind == JointKind::revolute) [[likely]]
    return f(Revolute{});
  switch (body.kind) {
    case JointKind::prismatic: return f(Prismatic{});
    case JointKind::helical: return f(Helical{});
    case JointKind::cylindrical: return f(Cylindrical{});
    case JointKind::planar: return f(Planar{});
    case JointKind::spherical: return f(Spherical{});
    case JointKind::free: return f(Free{});
    case JointKind::ground:
    case JointKind::revolute: break;
  }
  return f(Revolute{});
}

CATENA_INLINE int velocity_count(const TreeBody& body) {
  return visit(body, [](auto joint) { return decltype(joint)::d; });
}

}  // namespace catena::kernel
