#include "catena/kinematics/sweeps.hpp"

namespace catena::kernel {

CATENA_CLONES void update_positions(const Tree& tree, const double* q, Positions<double>& out) {
  update_positions<double>(tree, q, out);
}

}  // namespace catena::kernel
