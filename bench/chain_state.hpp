// A revolute chain of n joints and a state of it.
#pragma once

#include "catena/dynamics/inverse.hpp"
#include "catena/model/generate.hpp"

namespace catena {

struct ChainState {
  explicit ChainState(int n)
      : model(chain(n)),
        q(random_configuration(model, 1)),
        v(random_vector(model, 2)),
        a(random_vector(model, 3)),
        tau(inverse_dynamics(model, q, v, a)),
        change(random_vector(model, 4)) {}

  Model model;
  Vector q, v, a, tau, change;
};

}  // namespace catena
