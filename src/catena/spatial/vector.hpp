// 3-vectors, 3x3 and symmetric 3x3 matrices over a scalar, as plain structs.
// Operands may mix scalars (a constant of the model with a state): the result has their product's type.
#pragma once

#include "catena/spatial/scalar.hpp"

namespace catena::spatial {

// Copies are written out, here and below: what is trivial g++ copies in pieces of 16 bytes, and a piece that was written
// number by number is there to be read only when all of it has left for the cache.
template <class S>
struct Vec3 {
  S x, y, z;

  Vec3() = default;
  CATENA_INLINE Vec3(const S& x_in, const S& y_in, const S& z_in) : x(x_in), y(y_in), z(z_in) {}
  CATENA_INLINE Vec3(const Vec3& b) : x(b.x), y(b.y), z(b.z) {}
  CATENA_INLINE Vec3& operator=(const Vec3& b) { return x = b.x, y = b.y, z = b.z, *this; }

  template <class T>
  CATENA_INLINE Vec3& operator+=(const Vec3<T>& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  template <class T>
  CATENA_INLINE Vec3& operator-=(const Vec3<T>& b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
  static CATENA_INLINE Vec3 zero() { return {S(0), S(0), S(0)}; }
};

template <class A, class B>
CATENA_INLINE Vec3<Product<A, B>> operator+(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B>
CATENA_INLINE Vec3<Product<A, B>> operator-(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class A>
CATENA_INLINE Vec3<A> operator-(const Vec3<A>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class A, class B>
CATENA_INLINE Vec3<Product<A, B>> operator*(const Vec3<A>& a, const B& s) {
  return {a.x * s, a.y * s, a.z * s};
}
template <class A, class B>
CATENA_INLINE Product<A, B> dot(const Vec3<A>& a, const Vec3<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class A, class B>
CATENA_INLINE Vec3<Product<A, B>> cross(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Columns, because R x and R' x of a rotation R are then sums of columns and dot products with columns.
template <class S>
struct Mat3 {
  Vec3<S> cx, cy, cz;

  static CATENA_INLINE Mat3 zero() { return {Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero()}; }
  static CATENA_INLINE Mat3 identity() { return {{S(1), S(0), S(0)}, {S(0), S(1), S(0)}, {S(0), S(0), S(1)}}; }
  template <class T>
  CATENA_INLINE Mat3& operator+=(const Mat3<T>& b) {
    cx += b.cx, cy += b.cy, cz += b.cz;
    return *this;
  }
};

template <class A, class B>
CATENA_INLINE Vec3<Product<A, B>> operator*(const Mat3<A>& m, const Vec3<B>& v) {
  return {m.cx.x * v.x + m.cy.x * v.y + m.cz.x * v.z, m.cx.y * v.x + m.cy.y * v.y + m.cz.y * v.z,
          m.cx.z * v.x + m.cy.z * v.y + m.cz.z * v.z};
}
// m' v
template <class A, class B>
CATENA_INLINE Vec3<Product<A, B>> transposed_times(const Mat3<A>& m, const Vec3<B>& v) {
  return {dot(m.cx, v), dot(m.cy, v), dot(m.cz, v)};
}
template <class A, class B>
CATENA_INLINE Mat3<Product<A, B>> operator*(const Mat3<A>& m, const Mat3<B>& n) {
  return {m * n.cx, m * n.cy, m * n.cz};
}
template <class A, class B>
CATENA_INLINE Mat3<Product<A, B>> operator+(const Mat3<A>& m, const Mat3<B>& n) {
  return {m.cx + n.cx, m.cy + n.cy, m.cz + n.cz};
}
template <class A>
CATENA_INLINE Mat3<A> transpose(const Mat3<A>& m) {
  return {{m.cx.x, m.cy.x, m.cz.x}, {m.cx.y, m.cy.y, m.cz.y}, {m.cx.z, m.cy.z, m.cz.z}};
}
// [p]x m, column by column
template <class A, class B>
CATENA_INLINE Mat3<Product<A, B>> cross(const Vec3<A>& p, const Mat3<B>& m) {
  return {cross(p, m.cx), cross(p, m.cy), cross(p, m.cz)};
}

template <class S>
struct Sym3 {
  S xx, yy, zz, xy, xz, yz;

  Sym3() = default;
  CATENA_INLINE Sym3(const S& xx_in, const S& yy_in, const S& zz_in, const S& xy_in, const S& xz_in, const S& yz_in)
      : xx(xx_in), yy(yy_in), zz(zz_in), xy(xy_in), xz(xz_in), yz(yz_in) {}
  CATENA_INLINE Sym3(const Sym3& b) : xx(b.xx), yy(b.yy), zz(b.zz), xy(b.xy), xz(b.xz), yz(b.yz) {}
  CATENA_INLINE Sym3& operator=(const Sym3& b) {
    xx = b.xx, yy = b.yy, zz = b.zz, xy = b.xy, xz = b.xz, yz = b.yz;
    return *this;
  }

  static CATENA_INLINE Sym3 zero() { return {S(0), S(0), S(0), S(0), S(0), S(0)}; }
  template <class T>
  CATENA_INLINE Sym3& operator+=(const Sym3<T>& b) {
    xx += b.xx, yy += b.yy, zz += b.zz, xy += b.xy, xz += b.xz, yz += b.yz;
    return *this;
  }
};

template <class A, class B>
CATENA_INLINE Vec3<Product<A, B>> operator*(const Sym3<A>& s, const Vec3<B>& v) {
  return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
          s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
template <class A, class B>
CATENA_INLINE Sym3<Product<A, B>> operator+(const Sym3<A>& s, const Sym3<B>& t) {
  return {s.xx + t.xx, s.yy + t.yy, s.zz + t.zz, s.xy + t.xy, s.xz + t.xz, s.yz + t.yz};
}
template <class A>
CATENA_INLINE Mat3<A> full(const Sym3<A>& s) {
  return {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
}
// R s R'
template <class A, class B>
CATENA_INLINE Sym3<Product<A, B>> rotate(const Mat3<A>& R, const Sym3<B>& s) {
  const auto T = R * full(s);  // rows of T times rows of R
  return {T.cx.x * R.cx.x + T.cy.x * R.cy.x + T.cz.x * R.cz.x, T.cx.y * R.cx.y + T.cy.y * R.cy.y + T.cz.y * R.cz.y,
          T.cx.z * R.cx.z + T.cy.z * R.cy.z + T.cz.z * R.cz.z, T.cx.x * R.cx.y + T.cy.x * R.cy.y + T.cz.x * R.cz.y,
          T.cx.x * R.cx.z + T.cy.x * R.cy.z + T.cz.x * R.cz.z, T.cx.y * R.cx.z + T.cy.y * R.cy.z + T.cz.y * R.cz.z};
}
// R m R'
template <class A, class B>
CATENA_INLINE Mat3<Product<A, B>> rotate(const Mat3<A>& R, const Mat3<B>& m) {
  const auto T = transpose(R * m);  // columns of T are the rows of R m
  return transpose(Mat3<Product<A, B>>{R * T.cx, R * T.cy, R * T.cz});
}

}  // namespace catena::spatial
