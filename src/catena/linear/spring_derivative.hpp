// Derivative of the joint springs' forces in the directions of the tangent space (see catena/kinematics/spring.hpp).
#pragma once

#include <cmath>

#include "catena/kinematics/spring.hpp"

namespace catena::kernel {

// log(R exp(d)) = log R + J^-1 d: inverse right Jacobian of the rotation vector r.
inline Mat3<double> inverse_right_jacobian(const Vec3<double>& r) {
  const double square = dot(r, r), angle = std::sqrt(square);
  const double c = angle < 1e-3 ? 1.0 / 12 + square / 720 : 1 / square - 0.5 / (angle * std::tan(0.5 * angle));
  const auto column = [&](const Vec3<double>& e) { return e + cross(r, e) * 0.5 + cross(r, cross(r, e)) * c; };
  return {column({1, 0, 0}), column({0, 1, 0}), column({0, 0, 1})};
}

// S: double or lanes. add(row, column, slope), full coordinates.
template <class S, class Add>
void for_each_spring_derivative(const Tree& tree, const S* q_full, const Add& add) {
  for (const Spring& spring : tree.springs) {
    const TreeBody& body = tree.bodies[spring.body];
    const double k = spring.stiffness;
    const S* q = q_full + body.q;
    const auto add_block = [&](int row, int column, const Mat3<S>& m) {
      const Vec3<S> columns[3] = {m.cx, m.cy, m.cz};
      for (int c = 0; c < 3; ++c) {
        add(body.v + row, body.v + column + c, columns[c].x * k);
        add(body.v + row + 1, body.v + column + c, columns[c].y * k);
        add(body.v + row + 2, body.v + column + c, columns[c].z * k);
      }
    };
    switch (body.kind) {
      case JointKind::ground: break;
      case JointKind::revolute:
      case JointKind::prismatic:
      case JointKind::helical: add(body.v, body.v, S(k)); break;
      case JointKind::cylindrical:
        add(body.v, body.v, S(k));
        add(body.v + 1, body.v + 1, S(k));
        break;
      case JointKind::planar: {
        using spatial::sincos;
        S s, c;
        sincos(q[0], s, c);
        add(body.v, body.v, S(k));
        add(body.v + 1, body.v, (q[2] * c - q[1] * s) * k);
        add(body.v + 2, body.v, (q[1] * c + q[2] * s) * -k);
        add(body.v + 1, body.v + 1, S(k));
        add(body.v + 2, body.v + 2, S(k));
        break;
      }
      case JointKind::spherical: add_block(0, 0, inverse_right_jacobian(rotation_vector(q))); break;
      case JointKind::free: {
        add_block(0, 0, inverse_right_jacobian(rotation_vector(q + 3)));
        const Vec3<S> p = spatial::transposed_times(rotation(q + 3), Vec3<S>{q[0], q[1], q[2]});
        add_block(3, 0, cross(p, Mat3<S>::identity()));
        add_block(3, 3, Mat3<S>::identity());
        break;
      }
    }
  }
}

}  // namespace catena::kernel
