// Small Eigen vectors and matrices over a scalar, for the papers' recursions. Not the library's spatial algebra on
// purpose: a check should not share the algebra of what it checks.
#pragma once

#include <Eigen/Geometry>

#include "catena/joints/joints.hpp"

namespace catena::kernel {

template <class S>
using Column3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using Square3 = Eigen::Matrix<S, 3, 3>;

template <class S>
Column3<S> column(const Vec3<S>& v) {
  return {v.x, v.y, v.z};
}
template <class S>
Square3<S> square(const Mat3<S>& m) {
  Square3<S> out;
  out << column(m.cx), column(m.cy), column(m.cz);
  return out;
}

template <class S>
struct Six {
  Column3<S> a, b;  // angular, linear velocity; moment, force

  static Six zero() { return {Column3<S>(S(0), S(0), S(0)), Column3<S>(S(0), S(0), S(0))}; }
  void add(const Six& x, const S& factor) { a += x.a * factor, b += x.b * factor; }
  void operator+=(const Six& x) { a += x.a, b += x.b; }
};
template <class S>
S dot(const Six<S>& x, const Six<S>& y) {
  return x.a.dot(y.a) + x.b.dot(y.b);
}

// A symmetric matrix from its entries (r, c), r <= c.
template <class S, class Entry>
Square3<S> symmetric(const Entry& entry) {
  Square3<S> out;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r <= c; ++r) out(r, c) = out(c, r) = entry(r, c);
  }
  return out;
}
// R m R', of a symmetric m one triangle
template <class S>
Square3<S> turned(const Square3<S>& R, const Square3<S>& m) {
  const Square3<S> T = R * m;
  return T * R.transpose();
}
template <class S>
Square3<S> turned_symmetric(const Square3<S>& R, const Square3<S>& m) {
  const Square3<S> T = R * m;
  return symmetric<S>([&](int r, int c) { return S(T.row(r).dot(R.row(c))); });
}
// One component of a x b.
template <class S>
S cross_component(const Column3<S>& a, const Column3<S>& b, int i) {
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  return a[j] * b[k] - a[k] * b[j];
}

// Of a body: mass, mass centre in its axes (massless: its frame's origin), inertia about that.
struct CentralInertia {
  double mass;
  Eigen::Vector3d c;
  Eigen::Matrix3d inertia;
};
inline CentralInertia central(const Inertia<double>& M) {
  const Eigen::Vector3d h = column(M.h), c = M.m > 0 ? Eigen::Vector3d(h / M.m) : Eigen::Vector3d::Zero();
  const Eigen::Matrix3d J = square(spatial::full(M.J));
  return {M.m, c, J - M.m * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose())};
}

}  // namespace catena::kernel
