#include "catena/dynamics/vector_factor.hpp"

namespace catena::kernel {

const VectorFactor& vector_factor_2() {
  static constexpr VectorFactor functions = {vectors::factor<2>, vectors::invert<2>, vectors::multiply<2>};
  return functions;
}

}  // namespace catena::kernel
