// Poses of the reduced links over a scalar, as planar rotations and translations: 4 multiplications a rotation of a
// vector, and about 10 of an inertia, where a 3x3 rotation takes 9 and 45. Constants fold in the tracing scalar.
// down: from the parent's axes to the body's; up: back.
#pragma once

#include "catena/kinematics/sweeps.hpp"
#include "catena/model/reduced_tree.hpp"

namespace catena::kernel {

template <class S>
struct PlanarTurn {
  S c, s;
};

// R of the planar rotation times (x, y), and R' times (x, y)
template <class T, class S>
CATENA_INLINE void turn_up(const T& t, S& x, S& y) {
  const S old = x;
  x = old * t.c - y * t.s;
  y = old * t.s + y * t.c;
}
template <class T, class S>
CATENA_INLINE void turn_down(const T& t, S& x, S& y) {
  const S old = x;
  x = old * t.c + y * t.s;
  y = y * t.c - old * t.s;
}
// R [xx xy; xy yy] R': with k = s (xx - yy) + 2 c xy, xx' = xx - s k, yy' = yy + s k, xy' = c k - xy
template <class T, class S>
CATENA_INLINE void turn_up(const T& t, S& xx, S& yy, S& xy) {
  const S k = (xx - yy) * t.s + (xy + xy) * t.c;
  const S shift = k * t.s;
  xx = xx - shift;
  yy = yy + shift;
  xy = k * t.c - xy;
}
// R [xx xy; yx yy] R': trace and xy - yx stay
template <class T, class S>
CATENA_INLINE void turn_up(const T& t, S& xx, S& yy, S& xy, S& yx) {
  const S k = (xx - yy) * t.s + (xy + yx) * t.c;
  const S shift = k * t.s;
  const S turned = k * t.c;
  const S old = xy;
  xx = xx - shift;
  yy = yy + shift;
  xy = turned - yx;
  yx = turned - old;
}
template <class T, class S>
CATENA_INLINE void turn_up_z(const T& t, Vec3<S>& x) {
  turn_up(t, x.x, x.y);
}
template <class T, class S>
CATENA_INLINE void turn_up_x(const T& t, Vec3<S>& x) {
  turn_up(t, x.y, x.z);
}
template <class T, class S>
CATENA_INLINE void turn_up_z(const T& t, Sym3<S>& A) {
  turn_up(t, A.xx, A.yy, A.xy);
  turn_up(t, A.xz, A.yz);
}
template <class T, class S>
CATENA_INLINE void turn_up_x(const T& t, Sym3<S>& A) {
  turn_up(t, A.yy, A.zz, A.yz);
  turn_up(t, A.xy, A.xz);
}
template <class T, class S>
CATENA_INLINE void turn_up_z(const T& t, Mat3<S>& A) {
  turn_up(t, A.cx.x, A.cy.y, A.cy.x, A.cx.y);
  turn_up(t, A.cz.x, A.cz.y);
  turn_up(t, A.cx.z, A.cy.z);
}
template <class T, class S>
CATENA_INLINE void turn_up_x(const T& t, Mat3<S>& A) {
  turn_up(t, A.cy.y, A.cz.z, A.cz.y, A.cy.z);
  turn_up(t, A.cx.y, A.cx.z);
  turn_up(t, A.cy.x, A.cz.x);
}
template <class T, class S>
CATENA_INLINE void turn_up_z(const T& t, Inertia<S>& M) {
  turn_up_z(t, M.J), turn_up_z(t, M.h);
}
template <class T, class S>
CATENA_INLINE void turn_up_x(const T& t, Inertia<S>& M) {
  turn_up_x(t, M.J), turn_up_x(t, M.h);
}
template <class T, class S>
CATENA_INLINE void turn_up_z(const T& t, ArticulatedInertia<S>& P) {
  turn_up_z(t, P.J), turn_up_z(t, P.H), turn_up_z(t, P.M);
}
template <class T, class S>
CATENA_INLINE void turn_up_x(const T& t, ArticulatedInertia<S>& P) {
  turn_up_x(t, P.J), turn_up_x(t, P.H), turn_up_x(t, P.M);
}
template <class S>
CATENA_INLINE void rotate_up(const Mat3<S>& R, Vec3<S>& x) {
  x = R * x;
}
template <class S>
CATENA_INLINE void rotate_up(const Mat3<S>& R, Inertia<S>& M) {
  M.J = rotate(R, M.J), M.h = R * M.h;
}
template <class S>
CATENA_INLINE void rotate_up(const Mat3<S>& R, ArticulatedInertia<S>& P) {
  P.J = rotate(R, P.J), P.H = rotate(R, P.H), P.M = rotate(R, P.M);
}

// Seen from a point p before the origin.
template <class V, class S>
CATENA_INLINE void shift(const Vec3<V>& p, Force<S>& f) {
  f.n += cross(p, f.f);
}
template <class V, class S>
CATENA_INLINE void shift(const Vec3<V>& p, Inertia<S>& M) {
  M.J += cross_cross(p, M.h + p * (M.m * 0.5));
  M.h += p * M.m;
}
template <class V, class S>
CATENA_INLINE void shift(const Vec3<V>& p, ArticulatedInertia<S>& P) {
  // H' = H + [p]x M     J' = J + [p]x H' - H' [p]x with the old H in the first product, the new in the second
  const Mat3<S> H = P.H + cross(p, full(P.M));
  const Mat3<S> A = cross(p, transpose(P.H)), B = cross(p, transpose(H));
  P.J.xx += A.cx.x + B.cx.x, P.J.yy += A.cy.y + B.cy.y, P.J.zz += A.cz.z + B.cz.z;
  P.J.xy += A.cy.x + B.cx.y, P.J.xz += A.cz.x + B.cx.z, P.J.yz += A.cz.y + B.cy.z;
  P.H = H;
}
// The same along one axis.
template <class V, class S>
CATENA_INLINE void shift_x(const V& x, Force<S>& f) {
  f.n.y -= f.f.z * x, f.n.z += f.f.y * x;
}
template <class V, class S>
CATENA_INLINE void shift_z(const V& z, Force<S>& f) {
  f.n.x -= f.f.y * z, f.n.y += f.f.x * z;
}
template <class V, class S>
CATENA_INLINE void shift_x(const V& x, Inertia<S>& M) {
  const S m_x = M.m * x, k = (M.h.x + M.h.x + m_x) * x;
  M.J.yy += k, M.J.zz += k;
  M.J.xy -= M.h.y * x, M.J.xz -= M.h.z * x;
  M.h.x += m_x;
}
template <class V, class S>
CATENA_INLINE void shift_z(const V& z, Inertia<S>& M) {
  const S m_z = M.m * z, k = (M.h.z + M.h.z + m_z) * z;
  M.J.xx += k, M.J.yy += k;
  M.J.xz -= M.h.x * z, M.J.yz -= M.h.y * z;
  M.h.z += m_z;
}
template <class V, class S>
CATENA_INLINE void shift_x(const V& x, ArticulatedInertia<S>& P) {
  // rows y and z of H lose x times rows z, and gain x times rows y, of M; J likewise of the old and of the new H'
  const Mat3<S> old = P.H;
  P.H.cx.y -= P.M.xz * x, P.H.cy.y -= P.M.yz * x, P.H.cz.y -= P.M.zz * x;
  P.H.cx.z += P.M.xy * x, P.H.cy.z += P.M.yy * x, P.H.cz.z += P.M.yz * x;
  P.J.xy -= old.cz.x * x, P.J.xz += old.cy.x * x;
  P.J.yy -= (old.cz.y + P.H.cz.y) * x, P.J.zz += (old.cy.z + P.H.cy.z) * x;
  P.J.yz += (old.cy.y - P.H.cz.z) * x;
}
template <class V, class S>
CATENA_INLINE void shift_z(const V& z, ArticulatedInertia<S>& P) {
  const Mat3<S> old = P.H;
  P.H.cx.x -= P.M.xy * z, P.H.cy.x -= P.M.yy * z, P.H.cz.x -= P.M.yz * z;
  P.H.cx.y += P.M.xx * z, P.H.cy.y += P.M.xy * z, P.H.cz.y += P.M.xz * z;
  P.J.xz -= old.cy.z * z, P.J.yz += old.cx.z * z;
  P.J.xx -= (old.cy.x + P.H.cy.x) * z, P.J.yy += (old.cx.y + P.H.cx.y) * z;
  P.J.xy += (old.cx.x - P.H.cy.y) * z;
}

// How a joint has moved its body otherwise than about and along z: a translation, then a rotation about z or any
// other axis.
template <class S>
struct Displacement {
  Vec3<S> t = Vec3<S>::zero();
  bool planar = false;
  PlanarTurn<S> own{S(1), S(0)};  // if planar
  Mat3<S> R = Mat3<S>::identity();
};

// Where a body is in its parent: the constants of the link, what q has made of gamma and d, and of most joints no more.
template <class S>
struct LinkPose {
  const Link* link = nullptr;
  Displacement<S>* moved = nullptr;
  PlanarTurn<S> gamma{S(1), S(0)};
  S d = S(0);
};

// Rotations one after the other, on either side of the displacement.
template <class S>
CATENA_INLINE void turn_down_to_t(const LinkPose<S>& X, Vec3<S>& x) {
  if (!X.link->plain) turn_down(X.link->beta, x.x, x.y);
  turn_down(X.link->alpha, x.y, x.z);
  turn_down(X.gamma, x.x, x.y);
}
template <class S>
CATENA_INLINE void turn_down_from_t(const Displacement<S>& moved, Vec3<S>& x) {
  if (moved.planar) {
    turn_down(moved.own, x.x, x.y);
  } else {
    x = transposed_times(moved.R, x);
  }
}
template <class S>
CATENA_INLINE Vec3<S> turn_down(const LinkPose<S>& X, Vec3<S> x) {
  turn_down_to_t(X, x);
  if (X.moved != nullptr) turn_down_from_t(*X.moved, x);
  return x;
}
// A vector, a rigid or an articulated inertia.
template <class S, class T>
CATENA_INLINE void turn_up_to_t(const Displacement<S>& moved, T& x) {
  if (moved.planar) {
    turn_up_z(moved.own, x);
  } else {
    rotate_up(moved.R, x);
  }
}
template <class S, class T>
CATENA_INLINE void turn_up_from_t(const LinkPose<S>& X, T& x) {
  turn_up_z(X.gamma, x);
  turn_up_x(X.link->alpha, x);
  if (!X.link->plain) turn_up_z(X.link->beta, x);
}
template <class S>
CATENA_INLINE Vec3<S> turn_up(const LinkPose<S>& X, Vec3<S> x) {
  if (X.moved != nullptr) turn_up_to_t(*X.moved, x);
  turn_up_from_t(X, x);
  return x;
}

template <class S>
CATENA_INLINE Vec3<S> turn_up(const Transform<S>& X, const Vec3<S>& x) {
  return X.R * x;
}

// X' f and X' M X: seen at the parent's origin, in its axes
template <class S>
CATENA_INLINE Force<S> apply_transposed(const LinkPose<S>& X, Force<S> f) {
  const Link& link = *X.link;
  shift_z(X.d, f);
  if (link.plain) [[likely]] {
    turn_up_from_t(X, f.n), turn_up_from_t(X, f.f);
    shift_x(link.p.x, f);
    return f;
  }
  if (X.moved != nullptr) {
    turn_up_to_t(*X.moved, f.n), turn_up_to_t(*X.moved, f.f);
    shift(X.moved->t, f);
  }
  turn_up_from_t(X, f.n), turn_up_from_t(X, f.f);
  shift(link.p, f);
  return f;
}
template <class S, template <class> class Matrix>
CATENA_INLINE Matrix<S> apply_transposed(const LinkPose<S>& X, Matrix<S> M) {
  const Link& link = *X.link;
  shift_z(X.d, M);
  if (link.plain) [[likely]] {
    turn_up_from_t(X, M);
    shift_x(link.p.x, M);
    return M;
  }
  if (X.moved != nullptr) {
    turn_up_to_t(*X.moved, M);
    shift(X.moved->t, M);
  }
  turn_up_from_t(X, M);
  shift(link.p, M);
  return M;
}
// X V
template <class S>
CATENA_INLINE Motion<S> apply(const LinkPose<S>& X, Motion<S> V) {
  const Link& link = *X.link;
  if (link.plain) [[likely]] {
    V.v.y += V.w.z * link.p.x, V.v.z -= V.w.y * link.p.x;
    turn_down_to_t(X, V.w), turn_down_to_t(X, V.v);
  } else {
    V.v += cross(V.w, link.p);
    turn_down_to_t(X, V.w), turn_down_to_t(X, V.v);
    if (X.moved != nullptr) {
      V.v += cross(V.w, X.moved->t);
      turn_down_from_t(*X.moved, V.w), turn_down_from_t(*X.moved, V.v);
    }
  }
  V.v.x += V.w.y * X.d, V.v.y -= V.w.x * X.d;
  return V;
}
template <class S>
CATENA_INLINE Vec3<S> position(const LinkPose<S>& X) {
  Vec3<S> at = {S(0), S(0), X.d};
  if (X.moved != nullptr) {
    turn_up_to_t(*X.moved, at);
    at += X.moved->t;
  }
  turn_up_from_t(X, at);
  return at + X.link->p;
}
template <class S>
CATENA_INLINE Vec3<S> position(const Transform<S>& X) {
  return X.p;
}
template <class S>
Transform<S> transform(const LinkPose<S>& X) {
  const S o = S(0), one = S(1);
  return {{turn_up(X, {one, o, o}), turn_up(X, {o, one, o}), turn_up(X, {o, o, one})}, position(X)};
}
// The body's pose in the axes in which its parent's is given: R R_link by rotating the rows of R.
template <class S>
CATENA_INLINE Transform<S> placed_on(const Transform<S>& parent, const LinkPose<S>& X) {
  Mat3<S> rows = transpose(parent.R);
  Vec3<S> at = parent.p + parent.R * X.link->p;
  for (Vec3<S>* row : {&rows.cx, &rows.cy, &rows.cz}) turn_down_to_t(X, *row);
  if (X.moved != nullptr) {
    at += transposed_times(rows, X.moved->t);
    for (Vec3<S>* row : {&rows.cx, &rows.cy, &rows.cz}) turn_down_from_t(*X.moved, *row);
  }
  const Mat3<S> R = transpose(rows);
  return {R, at + R.cz * X.d};
}
template <class S>
CATENA_INLINE Transform<S> placed_on(const Transform<S>& parent, const Transform<S>& X) {
  return parent * X;
}

// Refers to the links of the reduced tree, which has to outlive it.
template <class S>
struct LinkPoses : Angles<S> {
  std::vector<LinkPose<S>> X;
  std::vector<Displacement<S>> moved;  // of the joints that have one

  explicit LinkPoses(const ReducedTree& reduced) : Angles<S>(reduced.tree), X(reduced.links.size()) {
    const auto displaces = [](const TreeBody& body) { return visit(body, [](auto joint) { return joint.displaces; }); };
    std::size_t count = 0;
    for (const TreeBody& body : reduced.tree.bodies) count += displaces(body) ? 1 : 0;
    moved.resize(count);
    for (std::size_t k = 0, next = 0; k < X.size(); ++k) {
      const Link& link = reduced.links[k];
      X[k].link = &link;
      X[k].gamma = {S(link.gamma.c), S(link.gamma.s)};  // joints without an angle leave it so, and d
      X[k].d = S(link.d);
      if (displaces(reduced.tree.bodies[k])) X[k].moved = &moved[next++];
    }
  }
  LinkPoses(LinkPoses&&) = default;  // a copy would point into the original
  LinkPoses& operator=(LinkPoses&&) = default;
};

// q: full coordinates.
template <class S>
CATENA_INLINE void update_links(const ReducedTree& reduced, const S* q, LinkPoses<S>& out) {
  const Topology& tree = reduced.tree;
  update_angles(tree, q, out);
  const int count = tree.count();
  const S none = S(0);
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      if constexpr (decltype(joint)::has_angle) {
        joint.move_link(body, q + body.q, out.sine[body.angle], out.cosine[body.angle], out.X[k]);
      } else {
        joint.move_link(body, q + body.q, none, none, out.X[k]);
      }
    });
  }
}

void update_links(const ReducedTree& reduced, const double* q, LinkPoses<double>& out);

// Poses of all bodies in the world.
template <class S>
std::vector<Transform<S>> world_poses(const ReducedTree& reduced, const std::vector<LinkPose<S>>& X) {
  const auto constant = [](const Vec3<double>& x) { return Vec3<S>{S(x.x), S(x.y), S(x.z)}; };
  const auto& [R, p] = reduced.frames[0];
  std::vector<Transform<S>> world = {{{constant(R.cx), constant(R.cy), constant(R.cz)}, constant(p)}};
  for (int k = 1; k < reduced.tree.count(); ++k) {
    world.push_back(placed_on(world[reduced.tree.bodies[k].parent], X[k]));
  }
  return world;
}

}  // namespace catena::kernel
