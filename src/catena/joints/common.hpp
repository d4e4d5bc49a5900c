// What joint types share: products with H where its columns are unit vectors, and coordinates that add.
// In the axes of its body H consists of unit vectors (formula sheet 0.3, axes rotated to z; helical: and the pitch), so
// that products with H pick components. All of it over a scalar, inlined: kernels meet it in their hottest loops.
#pragma once

#include <array>

#include "catena/joints/body.hpp"
#include "catena/joints/type.hpp"

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

// Placement rotated about its own z.
template <class S, class C>
CATENA_INLINE Mat3<S> turn_z(const Mat3<C>& R, const S& sine, const S& cosine) {
  const Vec3<S> cx = R.cx * cosine + R.cy * sine;
  const Vec3<S> cy = R.cy * cosine - R.cx * sine;
  return {cx, cy, {S(R.cz.x), S(R.cz.y), S(R.cz.z)}};
}

// The same for a reduced link: added to the link's own rotation.
template <class S, class LinkPose>
CATENA_INLINE void turn_link(LinkPose& X, const S& sine, const S& cosine) {
  const auto& gamma = X.link->gamma;
  X.gamma.c = cosine * gamma.c - sine * gamma.s;
  X.gamma.s = sine * gamma.c + cosine * gamma.s;
}

template <class S>
CATENA_INLINE void add_velocity_products(const Motion<S>& VJ, Vec3<S>& w, Motion<S>& alpha) {
  alpha.w += cross(w, VJ.w);
  alpha.v += cross(w + w + VJ.w, VJ.v);
  w += VJ.w;
}

// How far a joint slides where no limits are given: as machines do.
inline constexpr double usual_slide = 10;

// Coordinates that add: dq/dt = v. A spring stretches each by itself.
template <int n>
struct AddingCoordinates {
  static constexpr bool adds = true;
  // What of its spring the tracing scalar cannot write down, because it decides on a number.
  static constexpr bool traces_spring = true, traces_spring_slope = true;

  // q moved for unit time with v
  template <class S>
  static CATENA_INLINE void integrate(S* q, const S* v) {
    for (int i = 0; i < n; ++i) q[i] += v[i];
  }
  // the v that integrates one q to the other
  template <class S>
  static CATENA_INLINE void difference(const S* from, const S* to, S* v) {
    for (int i = 0; i < n; ++i) v[i] = to[i] - from[i];
  }
  template <class S>
  static CATENA_INLINE void rate(const S*, const S* v, S* q_dot) {
    for (int i = 0; i < n; ++i) q_dot[i] = v[i];
  }
  // How far its spring is stretched, in the directions of v. Several degrees of freedom rest at their neutral pose.
  template <class S, class C>
  static CATENA_INLINE void stretch(const S* q, const C& rest, S* x) {
    if constexpr (n == 1) {
      x[0] = q[0] - rest;
    } else {
      for (int i = 0; i < n; ++i) x[i] = q[i];
    }
  }
  // add(row, column, derivative): how that changes in the directions of v
  template <class S, class Add>
  static CATENA_INLINE void stretch_slope(const S*, const Add& add) {
    for (int i = 0; i < n; ++i) add(i, i, S(1));
  }
};

// What the reduced tree and articulated bodies do with joints about which nothing special is known.
struct GeneralInertia {
  static constexpr bool has_free_z = false;  // its body's frame may move about and along z, q and v stay the same
  static constexpr bool places_tip = false;  // ... and at a tip be put where the inertia has the fewest numbers
  // The part of the body's inertia that has no effect on the joint, for any q: unidentifiable (base parameters).
  template <class C>
  static CATENA_INLINE Inertia<C> unfelt(const Inertia<C>&) {
    return Inertia<C>::zero();
  }
  // Second moments that are gone with it, to the last digit.
  template <class C>
  static CATENA_INLINE void clear_unfelt(Sym3<C>&) {}
  // What the joint takes off P entirely if it has no armature: no difference that rounds to zero.
  template <class S>
  static CATENA_INLINE void clear_taken(ArticulatedInertia<S>&) {}
};

// What all joints with unit columns share. Columns: the components of a 6-vector that the joint moves.
template <int... Columns>
struct UnitJoint : GeneralInertia {
  static constexpr int d = sizeof...(Columns);
  static constexpr int columns[] = {Columns...};
  static constexpr bool has_angle = false;  // q[0] rotates it about z
  static constexpr bool displaces = false;  // moves a reduced link otherwise than about and along z

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

  // From a joint as described: the axes that become z of the bodies it makes, from the parent outward.
  template <class Joint>
  static std::array<Vec3<double>, 1> axes(const Joint& joint) {
    return {{{joint.axis[0], joint.axis[1], joint.axis[2]}}};
  }
  // ... and how far it may translate its body.
  template <class Joint>
  static double longest_slide(const Joint&) {
    return columns[d - 1] < 3 ? 0 : usual_slide;
  }
};

}  // namespace catena::kernel
