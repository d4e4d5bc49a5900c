// Joint springs: energy stiffness/2 |q - rest|^2; a joint with several degrees of freedom rests at its neutral pose.
#pragma once

#include "catena/joints/joints.hpp"
#include "catena/model/tree.hpp"

namespace catena::kernel {

// use(x, d): how far it is stretched in the d directions of v. q: full coordinates.
template <class S, class C, class Use>
CATENA_INLINE void with_stretch(const TreeBody& body, const BasicSpring<C>& spring, const S* q, const Use& use) {
  visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
    constexpr int d = decltype(joint)::d;
    S x[d];
    joint.stretch(q + body.q, spring.rest, x);
    use(x, d);
  });
}

// tau += dE/dq in the directions of v. q, tau: full coordinates.
template <class S, class C>
void add_spring_force(const Topology& tree, const BasicSpring<C>& spring, const S* q, S* tau) {
  const TreeBody& body = tree.bodies[spring.body];
  with_stretch(body, spring, q, [&](const S* x, int d) CATENA_INLINE_LAMBDA {
    for (int i = 0; i < d; ++i) tau[body.v + i] += x[i] * spring.stiffness;
  });
}

template <class S>
S spring_energy(const Topology& tree, const Spring& spring, const S* q) {
  S square = S(0);
  with_stretch(tree.bodies[spring.body], spring, q, [&](const S* x, int d) {
    for (int i = 0; i < d; ++i) square += x[i] * x[i];
  });
  return square * (0.5 * spring.stiffness);
}

}  // namespace catena::kernel
