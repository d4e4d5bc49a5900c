// The tangent space of joints that rotate about several axes or in a plane (spherical, free, planar), where joint rates
// do not add:
// their velocities as twists in body axes, carried between poses. Every other joint adds, and needs none of this.
// x: twist with q = q_0 exp(x), as integrate() moves; 6-vectors are [angular; linear].
#pragma once

#include <Eigen/Geometry>
#include <algorithm>

#include "catena/joints/joints.hpp"
#include "catena/kinematics/configuration.hpp"

namespace catena::tangent {

inline bool turns(const Coordinate& c) {
  return kernel::visit(c.type, [](auto joint) { return !joint.adds; });
}

inline bool any_turns(const Model& model) {
  return std::any_of(model.coordinates().begin(), model.coordinates().end(), turns);
}

// First of the components that such a joint moves, one behind the other: planar joints move about z and along x and y
// of the joint's frame.
inline int first_component(const Coordinate& c) {
  return kernel::visit(c.type, [](auto joint) {
    if constexpr (decltype(joint)::adds)
      return 0;
    else
      return decltype(joint)::columns[0];
  });
}
inline Vector6 twist(const Coordinate& c, ConstVector v) {
  Vector6 x = Vector6::Zero();
  x.segment(first_component(c), c.nv) = v.segment(c.v, c.nv);
  return x;
}
inline void put(const Coordinate& c, const Vector6& x, VectorRef v) {
  v.segment(c.v, c.nv) = x.segment(first_component(c), c.nv);
}

inline Vector6 ad(const Vector6& x, const Vector6& y) {
  const Vector3 w = x.head<3>(), u = x.tail<3>(), yw = y.head<3>(), yv = y.tail<3>();
  Vector6 out;
  out.head<3>() = w.cross(yw);
  out.tail<3>() = w.cross(yv) + u.cross(yw);
  return out;
}

// The series below converge for every x; for rotations up to pi this many terms reach rounding: pi^40 / 40! = 1e-28.
inline constexpr int terms = 40;

// exp(ad_x) y: a twist in the axes at exp(x), in the axes from which x leads there.
inline Vector6 carry_back(const Vector6& x, const Vector6& y) {
  Vector6 term = y, sum = y;
  for (int k = 1; k <= terms; ++k) sum += term = Vector6(ad(x, term) / k);
  return sum;
}

// v = Jr(x) x_dot with Jr = sum (-ad_x)^k / (k + 1)!, and a = dv/dt.
struct BodyRates {
  Vector6 v, a;
};
inline BodyRates body_rates(const Vector6& x, const Vector6& x_dot, const Vector6& x_ddot) {
  Vector6 term = x_dot, term_dot = x_ddot;
  BodyRates out{x_dot, x_ddot};
  for (int k = 0; k < terms; ++k) {
    term_dot = Vector6(-(ad(x_dot, term) + ad(x, term_dot)) / (k + 2));
    term = Vector6(-ad(x, term) / (k + 2));
    out.v += term;
    out.a += term_dot;
  }
  return out;
}

}  // namespace catena::tangent
