// The engine for vectors of 2: what every processor has: SSE2, NEON. CMakeLists.txt gives this file its instruction set.
#include "catena/batch/engine_impl.hpp"

namespace catena::batch {

std::unique_ptr<Engine> make_engine_2(const Tree& tree, const ReducedTree& reduced, const Job& job) {
  return std::make_unique<LaneEngine<2>>(tree, reduced, job);
}

}  // namespace catena::batch
