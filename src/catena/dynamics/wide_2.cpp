#include "catena/dynamics/wide_kernel.hpp"

namespace catena::kernel {

BeginForward begin_forward_2() { return wide::begin_forward<2>; }

}  // namespace catena::kernel
