// Poses of the lean links over a scalar, as planar turns and shifts: 4 multiplications a turn of a vector, and about 10
// of an inertia, where a 3x3 rotation takes 9 and 45. Constants fold in the tracing scalar.
// down: from the parent's axes to the body's; up: back.
#pragma once

#include "catena/compile/lean.hpp"
#include "catena/kinematics/joints.hpp"

namespace catena::compile {

using kernel::Force;
using kernel::Mat3;
using kernel::Motion;
using kernel::Sym3;
using kernel::Vec3;

template <class S>
struct Planar {
  S c = S(1), s = S(0);
};

// R of the turn times (x, y), and R' times (x, y)
template <class S>
void turn_up(const Planar<S>& t, S& x, S& y) {
  const S old = x;
  x = t.c * old - t.s * y;
  y = t.s * old + t.c * y;
}
template <class S>
void turn_down(const Planar<S>& t, S& x, S& y) {
  const S old = x;
  x = t.c * old + t.s * y;
  y = t.c * y - t.s * old;
}
// R [xx xy; xy yy] R': with k = s (xx - yy) + 2 c xy, xx' = xx - s k, yy' = yy + s k, xy' = c k - xy
template <class S>
void turn_up(const Planar<S>& t, S& xx, S& yy, S& xy) {
  const S k = t.s * (xx - yy) + t.c * (xy + xy);
  const S shift = t.s * k;
  xx = xx - shift;
  yy = yy + shift;
  xy = t.c * k - xy;
}
template <class S>
void turn_up_x(const Planar<S>& t, Sym3<S>& A) {
  turn_up(t, A.yy, A.zz, A.yz);
  turn_up(t, A.xy, A.xz);
}
template <class S>
void turn_up_z(const Planar<S>& t, Sym3<S>& A) {
  turn_up(t, A.xx, A.yy, A.xy);
  turn_up(t, A.xz, A.yz);
}
// R [xx xy; yx yy] R': trace and xy - yx stay
template <class S>
void turn_up(const Planar<S>& t, S& xx, S& yy, S& xy, S& yx) {
  const S k = t.s * (xx - yy) + t.c * (xy + yx);
  const S shift = t.s * k;
  const S turned = t.c * k;
  const S old = xy;
  xx = xx - shift;
  yy = yy + shift;
  xy = turned - yx;
  yx = turned - old;
}
template <class S>
void turn_up_x(const Planar<S>& t, Mat3<S>& A) {
  turn_up(t, A.cy.y, A.cz.z, A.cz.y, A.cy.z);
  turn_up(t, A.cx.y, A.cx.z);
  turn_up(t, A.cy.x, A.cz.x);
}
template <class S>
void turn_up_z(const Planar<S>& t, Mat3<S>& A) {
  turn_up(t, A.cx.x, A.cy.y, A.cy.x, A.cx.y);
  turn_up(t, A.cz.x, A.cz.y);
  turn_up(t, A.cx.z, A.cy.z);
}

template <class S>
class LinkPose {
 public:
  LinkPose(const Link& link, const TreeBody& body, const S* q)
      : beta_{S(link.beta.c), S(link.beta.s)},
        alpha_{S(link.alpha.c), S(link.alpha.s)},
        t(Vec3<S>::zero()),
        d(S(link.d)) {
    const auto constant = [](const Vec3<double>& x) { return Vec3<S>{S(x.x), S(x.y), S(x.z)}; };
    Vec3<S> at = constant(link.p);
    turn_up(beta_, at.x, at.y);
    p = at;
    S angle = S(link.rest);
    bool turns = false;
    switch (body.kind) {
      case JointKind::ground: break;
      case JointKind::revolute: turns = true; break;
      case JointKind::prismatic: d += q[0]; break;
      case JointKind::helical:
        turns = true;
        d += q[0] * body.pitch;
        break;
      case JointKind::cylindrical:
        turns = true;
        d += q[1];
        break;
      case JointKind::planar: {
        t = {q[1], q[2], S(0)};
        own_ = planar(q[0]);
        break;
      }
      case JointKind::spherical:
        general_ = true;
        R_ = kernel::rotation(q);
        break;
      case JointKind::free:
        t = {q[0], q[1], q[2]};
        general_ = true;
        R_ = kernel::rotation(q + 3);
        break;
    }
    if (turns) angle += q[0];
    gamma_ = quarter_turns(planar(angle), link.quarters);
  }

  // Turns in the order they happen; t acts after gamma, d at the end.
  void turn_down_to_t(Vec3<S>& x) const {
    turn_down(beta_, x.x, x.y);
    turn_down(alpha_, x.y, x.z);
    turn_down(gamma_, x.x, x.y);
  }
  void turn_down_from_t(Vec3<S>& x) const {
    if (general_) x = transposed_times(R_, x);
    turn_down(own_, x.x, x.y);
  }
  void turn_up_to_t(Vec3<S>& x) const {
    turn_up(own_, x.x, x.y);
    if (general_) x = R_ * x;
  }
  void turn_up_from_t(Vec3<S>& x) const {
    turn_up(gamma_, x.x, x.y);
    turn_up(alpha_, x.y, x.z);
    turn_up(beta_, x.x, x.y);
  }
  Vec3<S> down(Vec3<S> x) const {
    turn_down_to_t(x);
    turn_down_from_t(x);
    return x;
  }
  Vec3<S> up(Vec3<S> x) const {
    turn_up_to_t(x);
    turn_up_from_t(x);
    return x;
  }
  template <class Matrix>  // Sym3 or Mat3
  void up_to_t(Matrix& A) const {
    turn_up_z(own_, A);
    if (general_) A = rotate(R_, A);
  }
  template <class Matrix>
  void up_from_t(Matrix& A) const {
    turn_up_z(gamma_, A);
    turn_up_x(alpha_, A);
    turn_up_z(beta_, A);
  }
  // X' f: a wrench at the body's origin, seen at the parent's
  Force<S> up(Force<S> f) const {
    f.n += cross(Vec3<S>{S(0), S(0), d}, f.f);
    turn_up_to_t(f.n), turn_up_to_t(f.f);
    f.n += cross(t, f.f);
    turn_up_from_t(f.n), turn_up_from_t(f.f);
    f.n += cross(p, f.f);
    return f;
  }
  // X V
  Motion<S> down(Motion<S> V) const {
    V.v += cross(V.w, p);
    turn_down_to_t(V.w), turn_down_to_t(V.v);
    V.v += cross(V.w, t);
    turn_down_from_t(V.w), turn_down_from_t(V.v);
    V.v += cross(V.w, Vec3<S>{S(0), S(0), d});
    return V;
  }
  kernel::Transform<S> transform() const {
    const S o = S(0), one = S(1);
    Vec3<S> at = {o, o, d};
    turn_up_to_t(at);
    at += t;
    turn_up_from_t(at);
    return {{up(Vec3<S>{one, o, o}), up(Vec3<S>{o, one, o}), up(Vec3<S>{o, o, one})}, at + p};
  }

  // The body's pose in the axes in which its parent's is given: R R_link by turning the rows of R.
  kernel::Transform<S> placed_on(const kernel::Transform<S>& parent) const {
    Mat3<S> rows = transpose(parent.R);
    Vec3<S> at = parent.p + parent.R * p;
    for (Vec3<S>* row : {&rows.cx, &rows.cy, &rows.cz}) turn_down_to_t(*row);
    at += transposed_times(rows, t);
    for (Vec3<S>* row : {&rows.cx, &rows.cy, &rows.cz}) turn_down_from_t(*row);
    const Mat3<S> R = transpose(rows);
    return {R, at + R.cz * d};
  }

 private:
  static Planar<S> planar(const S& angle) {
    using spatial::sincos;
    S sine, cosine;
    sincos(angle, sine, cosine);
    return {cosine, sine};
  }
  static Planar<S> quarter_turns(const Planar<S>& t, int quarters) {
    switch (quarters & 3) {
      case 1: return {-t.s, t.c};
      case 2: return {-t.c, -t.s};
      case 3: return {t.s, -t.c};
      default: return t;
    }
  }

  Planar<S> beta_, alpha_, gamma_, own_;
  bool general_ = false;
  Mat3<S> R_;

 public:
  Vec3<S> p;  // shifts: in the parent's axes,
  Vec3<S> t;  // after gamma,
  S d;        // along the body's own z
};

template <class S>
std::vector<LinkPose<S>> lean_poses(const Lean& lean, const S* q) {
  std::vector<LinkPose<S>> out;
  for (int k = 0; k < lean.tree.count(); ++k) {
    const TreeBody& body = lean.tree.bodies[k];
    out.emplace_back(lean.links[k], body, q + body.q);
  }
  return out;
}

// Poses of all bodies in the world.
template <class S>
std::vector<kernel::Transform<S>> lean_world(const Lean& lean, const std::vector<LinkPose<S>>& poses) {
  const auto constant = [](const Vec3<double>& x) { return Vec3<S>{S(x.x), S(x.y), S(x.z)}; };
  const auto& R = lean.ground.R;
  std::vector<kernel::Transform<S>> world = {
      {{constant(R.cx), constant(R.cy), constant(R.cz)}, constant(lean.ground.p)}};
  for (int k = 1; k < lean.tree.count(); ++k) {
    world.push_back(poses[k].placed_on(world[lean.tree.bodies[k].parent]));
  }
  return world;
}

}  // namespace catena::compile
