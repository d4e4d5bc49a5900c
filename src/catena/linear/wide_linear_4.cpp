#include "catena/linear/wide_linear_kernel.hpp"

namespace catena::kernel {

const WideLinear& wide_linear_4() {
  static constexpr WideLinear functions = {wide::inverse<4>, wide::forward<4>};
  return functions;
}

}  // namespace catena::kernel
