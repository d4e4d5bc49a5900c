// Spatial vectors, angular part first: motions V = [w; v], forces f = [n; f], and the change of frame X.
// Source: formula sheet 0.2. All vectors are in the axes and at the origin of one body frame.
#pragma once

#include "catena/spatial/vector.hpp"

namespace catena::spatial {

template <class S>
struct Motion {
  Vec3<S> w, v;

  static CATENA_INLINE Motion zero() { return {Vec3<S>::zero(), Vec3<S>::zero()}; }
  template <class T>
  CATENA_INLINE Motion& operator+=(const Motion<T>& b) {
    w += b.w, v += b.v;
    return *this;
  }
};

template <class S>
struct Force {
  Vec3<S> n, f;

  static CATENA_INLINE Force zero() { return {Vec3<S>::zero(), Vec3<S>::zero()}; }
  template <class T>
  CATENA_INLINE Force& operator+=(const Force<T>& b) {
    n += b.n, f += b.f;
    return *this;
  }
  template <class T>
  CATENA_INLINE Force& operator-=(const Force<T>& b) {
    n -= b.n, f -= b.f;
    return *this;
  }
};

template <class A, class B>
CATENA_INLINE Motion<Product<A, B>> operator+(const Motion<A>& a, const Motion<B>& b) {
  return {a.w + b.w, a.v + b.v};
}
template <class A, class B>
CATENA_INLINE Motion<Product<A, B>> operator-(const Motion<A>& a, const Motion<B>& b) {
  return {a.w - b.w, a.v - b.v};
}
template <class A, class B>
CATENA_INLINE Motion<Product<A, B>> operator*(const Motion<A>& a, const B& s) {
  return {a.w * s, a.v * s};
}
template <class A, class B>
CATENA_INLINE Force<Product<A, B>> operator+(const Force<A>& a, const Force<B>& b) {
  return {a.n + b.n, a.f + b.f};
}
template <class A, class B>
CATENA_INLINE Force<Product<A, B>> operator-(const Force<A>& a, const Force<B>& b) {
  return {a.n - b.n, a.f - b.f};
}
template <class A, class B>
CATENA_INLINE Force<Product<A, B>> operator*(const Force<A>& a, const B& s) {
  return {a.n * s, a.f * s};
}
template <class A, class B>
CATENA_INLINE Product<A, B> dot(const Motion<A>& a, const Force<B>& b) {
  return dot(a.w, b.n) + dot(a.v, b.f);
}
// crm(a) b
template <class A, class B>
CATENA_INLINE Motion<Product<A, B>> cross(const Motion<A>& a, const Motion<B>& b) {
  return {cross(a.w, b.w), cross(a.v, b.w) + cross(a.w, b.v)};
}
// crf(a) b
template <class A, class B>
CATENA_INLINE Force<Product<A, B>> cross(const Motion<A>& a, const Force<B>& b) {
  return {cross(a.w, b.n) + cross(a.v, b.f), cross(a.w, b.f)};
}

// Pose of a frame in another: x_outer = R x + p. As X: motions outer -> inner, forces inner -> outer.
template <class S>
struct Transform {
  Mat3<S> R;
  Vec3<S> p;

  static CATENA_INLINE Transform identity() { return {Mat3<S>::identity(), Vec3<S>::zero()}; }
};

// X V: outer -> inner
template <class A, class B>
CATENA_INLINE Motion<Product<A, B>> apply(const Transform<A>& X, const Motion<B>& V) {
  return {transposed_times(X.R, V.w), transposed_times(X.R, V.v + cross(V.w, X.p))};
}
// X^-1 V: inner -> outer
template <class A, class B>
CATENA_INLINE Motion<Product<A, B>> apply_inverse(const Transform<A>& X, const Motion<B>& V) {
  const auto w = X.R * V.w;
  return {w, X.R * V.v + cross(X.p, w)};
}
// X' f: inner -> outer
template <class A, class B>
CATENA_INLINE Force<Product<A, B>> apply_transposed(const Transform<A>& X, const Force<B>& f) {
  const auto force = X.R * f.f;
  return {X.R * f.n + cross(X.p, force), force};
}
// X^-T f: outer -> inner
template <class A, class B>
CATENA_INLINE Force<Product<A, B>> apply_inverse_transposed(const Transform<A>& X, const Force<B>& f) {
  return {transposed_times(X.R, f.n - cross(X.p, f.f)), transposed_times(X.R, f.f)};
}
template <class A, class B>
CATENA_INLINE Transform<Product<A, B>> operator*(const Transform<A>& a, const Transform<B>& b) {
  return {a.R * b.R, a.R * b.p + a.p};
}
template <class A>
CATENA_INLINE Transform<A> inverse(const Transform<A>& X) {
  return {transpose(X.R), -transposed_times(X.R, X.p)};
}

}  // namespace catena::spatial
