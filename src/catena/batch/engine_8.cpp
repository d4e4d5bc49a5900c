// The engine for vectors of 8: AVX-512. CMakeLists.txt gives this file its instruction set.
#include "catena/batch/engine_impl.hpp"

namespace catena::batch {

std::unique_ptr<Engine> make_engine_8(const Tree& tree, const ReducedTree& reduced, const Job& job) {
  return std::make_unique<LaneEngine<8>>(tree, reduced, job);
}

}  // namespace catena::batch
