#include "catena/model/reduced_tree.hpp"

#include <algorithm>
#include <cmath>

#include "catena/joints/joints.hpp"

namespace catena {

namespace {

using spatial::Inertia;
using spatial::Mat3;
using spatial::Transform;
using spatial::Vec3;

constexpr double rounding = 2e-15;
constexpr double parallel_sine = 1e-14;
// Below this sine the common normal of two axes lies far away and would cost digits.
constexpr double near_parallel_sine = 0.05;

double snapped(double x, double scale) { return std::abs(x) <= rounding * scale ? 0.0 : x; }

Turn turn_of(double c, double s) {
  const double length = std::hypot(c, s);
  if (length == 0) return {};
  c = snapped(c / length, 1), s = snapped(s / length, 1);
  if (c == 0) s = s > 0 ? 1 : -1;
  if (s == 0) c = c > 0 ? 1 : -1;
  return {c, s};
}

Transform<double> about_z(const Turn& t, double shift) {
  return {{{t.c, t.s, 0}, {-t.s, t.c, 0}, {0, 0, 1}}, {0, 0, shift}};
}

bool has_free_z(const TreeBody& body) {
  return kernel::visit(body, [](auto joint) { return joint.has_free_z; });
}
bool places_tip(const TreeBody& body) {
  return kernel::visit(body, [](auto joint) { return joint.places_tip; });
}

struct Split {
  Turn beta, alpha, gamma;
  Vec3<double> p{0, 0, 0};  // after Rz(beta)
  double d = 0;
};

Split split(const Transform<double>& X, bool common_normal) {
  Split out;
  const Vec3<double> z = X.R.cz;
  const double sine = std::hypot(z.x, z.y);
  const bool parallel = sine <= parallel_sine;
  if (parallel) {
    out.alpha = {z.z > 0 ? 1.0 : -1.0, 0};
    // any beta serves: take the one that puts the offset along x
    if (std::hypot(X.p.x, X.p.y) > 0) out.beta = turn_of(X.p.x, X.p.y);
  } else {
    out.beta = turn_of(-z.y, z.x);
    out.alpha = turn_of(z.z, sine);
  }
  const Turn &b = out.beta, &a = out.alpha;
  // column x of Rx(alpha)' Rz(beta)' R
  const Vec3<double> x = {b.c * X.R.cx.x + b.s * X.R.cx.y, b.c * X.R.cx.y - b.s * X.R.cx.x, X.R.cx.z};
  out.gamma = turn_of(x.x, a.c * x.y + a.s * x.z);
  out.p = {b.c * X.p.x + b.s * X.p.y, b.c * X.p.y - b.s * X.p.x, X.p.z};
  if (common_normal && sine > near_parallel_sine) {
    out.d = -out.p.y / a.s;
    out.p = {out.p.x, 0, out.p.z - out.d * a.c};
  }
  return out;
}

// Body frames: for each body the pose of its new frame in its old one.
class Frames {
 public:
  explicit Frames(const Tree& tree) : tree_(tree), favourite_(tree.count(), 0), T_(tree.count()) {
    const int count = tree.count();
    std::vector<int> size(count, 1);
    for (int k = count - 1; k > 0; --k) {
      const int parent = tree.bodies[k].parent;
      size[parent] += size[k];
      if (favourite_[parent] == 0 || size[k] >= size[favourite_[parent]]) favourite_[parent] = k;
    }
    for (auto& T : T_) T = Transform<double>::identity();
    for (int k = 1; k < count; ++k) {
      if (!has_free_z(tree.bodies[k]) || favourite_[k] == 0) continue;
      const TreeBody& child = tree.bodies[favourite_[k]];
      const Split s = split(child.placement, has_free_z(child));
      T_[k] = about_z(s.beta, s.p.z);
    }
    for (int k = 1; k < count; ++k) {
      if (places_tip(tree.bodies[k]) && favourite_[k] == 0) T_[k] = tip(k);
    }
    if (count > 1) T_[0] = tree.bodies[favourite_[0]].placement * T_[favourite_[0]];
  }

  const Transform<double>& pose(int k) const { return T_[k]; }
  Transform<double> placement(int k) const {
    const TreeBody& body = tree_.bodies[k];
    return inverse(T_[body.parent]) * body.placement * T_[k];
  }

 private:
  // The last frame of a branch: its origin where the common normal meets the axis, the first moment along x.
  Transform<double> tip(int k) const {
    const TreeBody& body = tree_.bodies[k];
    const Split s = split(inverse(T_[body.parent]) * body.placement, true);
    const Vec3<double>& h = tree_.inertias[k].M.h;
    return about_z(h.y == 0 ? Turn{} : turn_of(h.x, h.y), -s.d);
  }

  const Tree& tree_;
  std::vector<int> favourite_;  // child with the most bodies behind it
  std::vector<Transform<double>> T_;
};

// Second moments that are only rounding count as zero.
spatial::Sym3<double> clean_second_moments(const spatial::Sym3<double>& J) {
  const double scale = 1e-15 * (std::abs(J.xx) + std::abs(J.yy) + std::abs(J.zz));
  spatial::Sym3<double> second = spatial::second_moments(J);
  for (double* x : {&second.xx, &second.yy, &second.zz}) {
    if (std::abs(*x) <= scale) *x = 0;
  }
  return second;
}

// Numbers of an inertia that are only rounding beside its others, as they were before parts of it moved.
void snap(const Inertia<double>& whole, Inertia<double>& M) {
  const double J = std::abs(whole.J.xx) + std::abs(whole.J.yy) + std::abs(whole.J.zz),
               h = std::sqrt(J * std::abs(whole.m));
  for (double* x : {&M.h.x, &M.h.y, &M.h.z}) *x = snapped(*x, h);
  for (double* x : {&M.J.xx, &M.J.yy, &M.J.zz, &M.J.xy, &M.J.xz, &M.J.yz}) *x = snapped(*x, J);
}

void regroup(ReducedTree& reduced) {
  Tree& tree = reduced.tree;
  reduced.moved.assign(tree.count(), Inertia<double>::zero());
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    BodyInertia<double>& own = tree.inertias[k];
    const Inertia<double> whole = own.M;
    kernel::visit(body, [&](auto joint) {
      const Inertia<double>& moved = reduced.moved[k] = joint.unfelt(whole);
      tree.inertias[body.parent].M += apply_transposed(body.placement, moved);
      own.M = without(whole, moved);
      snap(whole, own.M);
      own.second = clean_second_moments(own.M.J);
      joint.clear_unfelt(own.second);
    });
  }
  tree.inertias[0].second = clean_second_moments(tree.inertias[0].M.J);
}

// Numbers that are 0, 1 or -1 but for rounding vanish from a program.
Transform<double> snapped(Transform<double> X, double length) {
  for (Vec3<double>* c : {&X.R.cx, &X.R.cy, &X.R.cz}) {
    for (double* x : {&c->x, &c->y, &c->z}) {
      *x = snapped(*x, 1);
      if (std::abs(std::abs(*x) - 1) <= rounding) *x = *x > 0 ? 1 : -1;
    }
  }
  for (double* x : {&X.p.x, &X.p.y, &X.p.z}) *x = snapped(*x, length);
  return X;
}

Link split_placement(const TreeBody& body, double length_scale) {
  const bool free_z = has_free_z(body);
  const Split s = split(body.placement, free_z);
  Link out;
  out.beta = s.beta;
  out.alpha = s.alpha;
  const Turn& b = s.beta;
  out.p = {snapped(b.c * s.p.x - b.s * s.p.y, length_scale), snapped(b.s * s.p.x + b.c * s.p.y, length_scale),
           snapped(s.p.z, length_scale)};
  out.d = snapped(s.d, length_scale);
  out.gamma = s.gamma;
  out.plain = free_z && b.s == 0 && b.c == 1 && out.p.y == 0 && out.p.z == 0;
  return out;
}

}  // namespace

ReducedTree make_reduced_tree(const Tree& tree) {
  ReducedTree out{tree, std::vector<Link>(tree.count()), {}, {}};
  const Frames frames(tree);
  const auto length = [](const Vec3<double>& p) { return std::abs(p.x) + std::abs(p.y) + std::abs(p.z); };
  for (int k = 0; k < tree.count(); ++k) {
    TreeBody& body = out.tree.bodies[k];
    out.frames.push_back(snapped(frames.pose(k), length(frames.pose(k).p)));
    if (k > 0) {
      body.placement = frames.placement(k);
      const double shifts = length(frames.pose(body.parent).p) + length(frames.pose(k).p);
      out.links[k] = split_placement(body, length(body.placement.p) + shifts);
    }
    out.tree.inertias[k].M = apply_transposed(inverse(frames.pose(k)), tree.inertias[k].M);
  }
  for (TreeFrame& frame : out.tree.frames) {
    const double shift = length(frames.pose(frame.body).p);
    frame.pose = snapped(inverse(frames.pose(frame.body)) * frame.pose, length(frame.pose.p) + shift);
  }
  regroup(out);
  const Vec3<double> g = transposed_times(frames.pose(0).R, tree.gravity);
  const double size = std::sqrt(dot(g, g));
  out.tree.gravity = {snapped(g.x, size), snapped(g.y, size), snapped(g.z, size)};
  return out;
}

}  // namespace catena
