// Derivative of the joint springs' forces in the directions of the tangent space (see catena/kinematics/spring.hpp).
#pragma once

#include "catena/kinematics/spring.hpp"

namespace catena::kernel {

// S: double or lanes. add(row, column, derivative), full coordinates.
template <class S, class Add>
void for_each_spring_derivative(const Tree& tree, const S* q_full, const Add& add) {
  for (const Spring& spring : tree.springs) {
    const TreeBody& body = tree.bodies[spring.body];
    visit(body, [&](auto joint) {
      joint.stretch_slope(q_full + body.q, [&](int row, int column, const S& slope) {
        add(body.v + row, body.v + column, slope * spring.stiffness);
      });
    });
  }
}

}  // namespace catena::kernel
