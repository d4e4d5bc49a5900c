// A random model and a state of it; everything follows from the seed.
#pragma once

#include "catena/kinematics/configuration.hpp"
#include "catena/model/generate.hpp"

namespace catena::test {

struct Case {
  Model model;
  Vector q, v, a;
};

inline Case random_case(std::uint64_t seed, const TreeOptions& options = {}) {
  Model model(random_tree(seed, options));
  Vector q = random_configuration(model, seed + 1000), v = random_vector(model, seed + 2000, 2),
         a = random_vector(model, seed + 3000, 3);
  return {std::move(model), std::move(q), std::move(v), std::move(a)};
}

}  // namespace catena::test
