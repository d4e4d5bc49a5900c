// The engine for vectors of 4: AVX2 with fused multiply-add. CMakeLists.txt gives this file its instruction set.
#include "catena/batch/engine_impl.hpp"

namespace catena::batch {

std::unique_ptr<Engine> make_engine_4(const Tree& tree, const ReducedTree& reduced, const Job& job) {
  return std::make_unique<LaneEngine<4>>(tree, reduced, job);
}

}  // namespace catena::batch
