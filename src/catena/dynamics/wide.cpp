#include "catena/dynamics/wide.hpp"

#include "catena/spatial/lanes.hpp"

namespace catena::kernel {

Wide::Wide(const Tree& tree) {
  if (!is_wide(tree)) return;
  world.resize(tree.count());
  M.resize(tree.count(), Inertia<double>::zero());
  V.resize(tree.count(), Motion<double>::zero());
  alpha = V;
  load.resize(tree.count());
  H.resize(tree.nv_full, Motion<double>::zero());
  stride = (tree.nv_full + 3) / 4 * 4 + 4;  // room for a vector from any place
  numbers.resize(static_cast<std::size_t>(rows) * stride, 0.0);
}

BeginForward begin_forward() { return spatial::processor_has_lanes(4) ? begin_forward_4() : begin_forward_2(); }

}  // namespace catena::kernel
