// Rigid-body inertia M (10 numbers) and articulated-body inertia P (21 numbers) at a frame's origin.
// Source: formula sheet 0.2: M = [J, [h]x; [h]x', m 1] with h = m c and J about the origin.
#pragma once

#include "catena/spatial/motion.hpp"

namespace catena::spatial {

template <class S>
struct Inertia {
  S m;
  Vec3<S> h;
  Sym3<S> J;

  static CATENA_INLINE Inertia zero() { return {S(0), Vec3<S>::zero(), Sym3<S>::zero()}; }
  template <class T>
  CATENA_INLINE Inertia& operator+=(const Inertia<T>& b) {
    m += b.m, h += b.h, J += b.J;
    return *this;
  }
};

// M V
template <class A, class B>
CATENA_INLINE Force<Product<A, B>> operator*(const Inertia<A>& M, const Motion<B>& V) {
  return {M.J * V.w + cross(M.h, V.v), V.v * M.m - cross(M.h, V.w)};
}

// [dw]x + [w]x[w]x: the ordinary acceleration of a point r of a body is a + U r.
template <class S>
CATENA_INLINE Mat3<S> acceleration_matrix(const Vec3<S>& w, const Vec3<S>& dw) {
  const S xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const S xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return {{-(yy + zz), xy + dw.z, xz - dw.y}, {xy - dw.z, -(xx + zz), yz + dw.x}, {xz + dw.y, yz - dw.x, -(xx + yy)}};
}

// Second moments of mass, int r r' dm = tr(J)/2 1 - J.
template <class C>
CATENA_INLINE Sym3<C> second_moments(const Sym3<C>& J) {
  return {(J.yy + J.zz - J.xx) * 0.5, (J.xx + J.zz - J.yy) * 0.5, (J.xx + J.yy - J.zz) * 0.5, -J.xy, -J.xz, -J.yz};
}

// Wrench that moves a body whose points accelerate by a + U r: f = m a + U h, n = int r x (U r) dm + h x a.
template <class S, class C>
CATENA_INLINE Force<S> inertial_wrench(const C& m, const Vec3<C>& h, const Sym3<C>& second, const Vec3<S>& a,
                                       const Mat3<S>& U) {
  const Vec3<S>&cx = U.cx, &cy = U.cy, &cz = U.cz;
  const Vec3<S> n = {
      cx.z * second.xy - cx.y * second.xz + (cz.z - cy.y) * second.yz + cy.z * second.yy - cz.y * second.zz,
      (cx.x - cz.z) * second.xz + cy.x * second.yz - cx.z * second.xx - cy.z * second.xy + cz.x * second.zz,
      cx.y * second.xx + (cy.y - cx.x) * second.xy + cz.y * second.xz - cy.x * second.yy - cz.x * second.yz,
  };
  return {n + cross(h, a), a * m + U * h};
}

// -[a]x [b]x - [b]x [a]x, the change of J when the first moment changes
template <class A, class B>
CATENA_INLINE Sym3<Product<A, B>> cross_cross(const Vec3<A>& a, const Vec3<B>& b) {
  const auto xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z;
  const auto two_x = xx + xx, two_y = yy + yy, two_z = zz + zz;
  return {two_y + two_z,           two_x + two_z, two_x + two_y, -(a.x * b.y + a.y * b.x), -(a.x * b.z + a.z * b.x),
          -(a.y * b.z + a.z * b.y)};
}

// X' M X: the inertia seen from the outer frame
template <class A, class B>
CATENA_INLINE Inertia<Product<A, B>> apply_transposed(const Transform<A>& X, const Inertia<B>& M) {
  using S = Product<A, B>;
  const auto h = X.R * M.h;
  const Vec3<S> shifted = h + X.p * M.m;
  // J' = R J R' - [p]x [h]x - [h]x [p]x - m [p]x [p]x, written with h + m p / 2 so that one product does both
  const Vec3<S> half = h + X.p * (M.m * 0.5);
  return {S(M.m), shifted, rotate(X.R, M.J) + cross_cross(X.p, half)};
}

// P = [J, H; H', M], symmetric 6x6
template <class S>
struct ArticulatedInertia {
  Sym3<S> J;
  Mat3<S> H;
  Sym3<S> M;

  static CATENA_INLINE ArticulatedInertia zero() { return {Sym3<S>::zero(), Mat3<S>::zero(), Sym3<S>::zero()}; }
  template <class T>
  CATENA_INLINE ArticulatedInertia& operator+=(const ArticulatedInertia<T>& b) {
    J += b.J, H += b.H, M += b.M;
    return *this;
  }
  template <class T>
  CATENA_INLINE ArticulatedInertia& operator+=(const Inertia<T>& b) {
    J += b.J;
    H.cx.y += b.h.z, H.cx.z -= b.h.y, H.cy.x -= b.h.z, H.cy.z += b.h.x, H.cz.x += b.h.y, H.cz.y -= b.h.x;
    M.xx += b.m, M.yy += b.m, M.zz += b.m;
    return *this;
  }
};

template <class A, class B>
CATENA_INLINE Force<Product<A, B>> operator*(const ArticulatedInertia<A>& P, const Motion<B>& V) {
  return {P.J * V.w + P.H * V.v, transposed_times(P.H, V.w) + P.M * V.v};
}

// P -= a b' where the result is known to be symmetric (a and b parallel up to a symmetric weight)
template <class S>
CATENA_INLINE void subtract_outer(ArticulatedInertia<S>& P, const Force<S>& a, const Force<S>& b) {
  P.J.xx -= a.n.x * b.n.x, P.J.yy -= a.n.y * b.n.y, P.J.zz -= a.n.z * b.n.z;
  P.J.xy -= a.n.x * b.n.y, P.J.xz -= a.n.x * b.n.z, P.J.yz -= a.n.y * b.n.z;
  P.H.cx -= a.n * b.f.x, P.H.cy -= a.n * b.f.y, P.H.cz -= a.n * b.f.z;
  P.M.xx -= a.f.x * b.f.x, P.M.yy -= a.f.y * b.f.y, P.M.zz -= a.f.z * b.f.z;
  P.M.xy -= a.f.x * b.f.y, P.M.xz -= a.f.x * b.f.z, P.M.yz -= a.f.y * b.f.z;
}

// crf(V) P + P crf(V)': how P changes when what it describes moves with V
template <class S>
CATENA_INLINE ArticulatedInertia<S> rate_of_change(const Motion<S>& V, const ArticulatedInertia<S>& P) {
  const Mat3<S> A = cross(V.w, full(P.J)) + cross(V.v, transpose(P.H));  // J' = A + A'
  const Mat3<S> B = cross(V.w, full(P.M));                               // M' = B + B'
  // H' = [w]x H + [v]x M - H [w]x, and -H [w]x = ([w]x H')'
  return {{A.cx.x + A.cx.x, A.cy.y + A.cy.y, A.cz.z + A.cz.z, A.cx.y + A.cy.x, A.cx.z + A.cz.x, A.cy.z + A.cz.y},
          cross(V.w, P.H) + cross(V.v, full(P.M)) + transpose(cross(V.w, transpose(P.H))),
          {B.cx.x + B.cx.x, B.cy.y + B.cy.y, B.cz.z + B.cz.z, B.cx.y + B.cy.x, B.cx.z + B.cz.x, B.cy.z + B.cz.y}};
}

// X' P X
template <class A, class B>
CATENA_INLINE ArticulatedInertia<Product<A, B>> apply_transposed(const Transform<A>& X,
                                                                 const ArticulatedInertia<B>& P) {
  using S = Product<A, B>;
  const Sym3<S> M = rotate(X.R, P.M);
  const Mat3<S> H = rotate(X.R, P.H);
  const Mat3<S> K = H + cross(X.p, full(M));  // the new H
  // J' = R J R' + [p]x H' - K [p]x; the two products are not symmetric, their sum is: only one triangle is formed.
  // column j of [p]x H' is p x (row j of H); row i of -K [p]x is p x (row i of K)
  const Mat3<S> rows_H = transpose(H), rows_K = transpose(K);
  const Mat3<S> A1 = cross(X.p, rows_H);
  const Mat3<S> B1 = cross(X.p, rows_K);
  Sym3<S> J = rotate(X.R, P.J);
  J.xx += A1.cx.x + B1.cx.x, J.yy += A1.cy.y + B1.cy.y, J.zz += A1.cz.z + B1.cz.z;
  J.xy += A1.cy.x + B1.cx.y, J.xz += A1.cz.x + B1.cx.z, J.yz += A1.cz.y + B1.cy.z;
  return {J, K, M};
}

}  // namespace catena::spatial
