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

template <class Add>
void for_each_spring_slope(const Tree& tree, const double* q_full, const Add& add) {
  for (const Spring& spring : tree.springs) {
    const TreeBody& body = tree.bodies[spring.body];
    const double k = spring.stiffness;
    const double* q = q_full + body.q;
    const auto add_block = [&](int row, int column, const Mat3<double>& m) {
      const Vec3<double> columns[3] = {m.cx, m.cy, m.cz};
      for (int c = 0; c < 3; ++c) {
        add(body.v + row, body.v + column + c, k * columns[c].x);
        add(body.v + row + 1, body.v + column + c, k * columns[c].y);
        add(body.v + row + 2, body.v + column + c, k * columns[c].z);
      }
    };
    switch (body.kind) {
      case JointKind::ground: break;
      case JointKind::revolute:
      case JointKind::prismatic:
      case JointKind::helical: add(body.v, body.v, k); break;
      case JointKind::cylindrical:
        add(body.v, body.v, k);
        add(body.v + 1, body.v + 1, k);
        break;
      case JointKind::planar: {
        const double s = std::sin(q[0]), c = std::cos(q[0]);
        add(body.v, body.v, k);
        add(body.v + 1, body.v, k * (q[2] * c - q[1] * s));
        add(body.v + 2, body.v, -k * (q[1] * c + q[2] * s));
        add(body.v + 1, body.v + 1, k);
        add(body.v + 2, body.v + 2, k);
        break;
      }
      case JointKind::spherical: add_block(0, 0, inverse_right_jacobian(rotation_vector(q))); break;
      case JointKind::free: {
        add_block(0, 0, inverse_right_jacobian(rotation_vector(q + 3)));
        const Vec3<double> p = spatial::transposed_times(rotation(q + 3), Vec3<double>{q[0], q[1], q[2]});
        add_block(3, 0, cross(p, Mat3<double>::identity()));
        add_block(3, 3, Mat3<double>::identity());
        break;
      }
    }
  }
}

}  // namespace catena::kernel
