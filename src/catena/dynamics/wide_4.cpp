#include "catena/dynamics/wide_kernel.hpp"

namespace catena::kernel {

BeginForward begin_forward_4() { return wide::begin_forward<4>; }

}  // namespace catena::kernel
