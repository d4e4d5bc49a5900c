// ad(v): how velocities of a joint whose motions do not commute carry its coordinates along.
#pragma once

#include "catena/joints/joints.hpp"
#include "catena/model/tree.hpp"

namespace catena::kernel {

// take(r, c, ad(v)_rc) for all entries that may differ from zero, with H ad(v) e_c = crm(H v) H e_c. Couplings tie
// one-degree joints only, so r and c are the model's own coordinates.
template <class Take>
void for_each_bracket(const Tree& tree, const double* v, const Take& take) {
  for (const TreeBody& body : tree.bodies) {
    if (body.multi < 0) continue;
    visit(body, [&](auto joint) {
      constexpr int d = decltype(joint)::d;
      Motion<double> VJ = Motion<double>::zero();
      joint.add(body, VJ, v + body.v);
      for (int c = 0; c < d; ++c) {
        const Motion<double> turned = cross(VJ, joint.template unit<double>(body, c));
        const Force<double> components = {turned.w, turned.v};  // H is made of unit vectors: picking inverts it
        for (int r = 0; r < d; ++r) take(body.v + r, body.v + c, joint.project(body, components, r));
      }
    });
  }
}

}  // namespace catena::kernel
