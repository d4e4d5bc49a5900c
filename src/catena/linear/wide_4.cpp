#include "catena/linear/wide_kernel.hpp"

namespace catena::kernel {

const WideLinear& wide_linear_4() {
  static constexpr WideLinear functions = {wide::inverse<4>, wide::begin_forward<4>, wide::end_forward<4>};
  return functions;
}

}  // namespace catena::kernel
