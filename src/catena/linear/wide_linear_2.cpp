#include "catena/linear/wide_linear_kernel.hpp"

namespace catena::kernel {

const WideLinear& wide_linear_2() {
  static constexpr WideLinear functions = {wide::inverse<2>, wide::forward<2>};
  return functions;
}

}  // namespace catena::kernel
