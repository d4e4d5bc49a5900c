#include "catena/dynamics/vector_factor.hpp"

namespace catena::kernel {

const VectorFactor& vector_factor_4() {
  static constexpr VectorFactor functions = {vectors::factor<4>, vectors::invert<4>, vectors::multiply<4>};
  return functions;
}

}  // namespace catena::kernel
