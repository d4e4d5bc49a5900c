#include "catena/kinematics/sweeps.hpp"

#include "catena/kinematics/link_pose.hpp"

namespace catena::kernel {

CATENA_CLONES void update_positions(const Topology& tree, const double* q, Positions<double>& out) {
  update_positions<double>(tree, q, out);
}

CATENA_CLONES void update_links(const ReducedTree& reduced, const double* q, LinkPoses<double>& out) {
  update_links<double>(reduced, q, out);
}

}  // namespace catena::kernel
