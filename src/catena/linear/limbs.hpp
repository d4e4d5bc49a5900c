// Limbs: everything that hangs on a joint of the description, behind fixed joints too, summed in the axes of the
// ground at one point; and the change of joint forces when a limb is displaced at its root. Source: formula sheet 3.4
// and 3.8, where the displacement is the q of a free joint at rest: theta = Hq, beta = Hw for the whole limb.
#pragma once

#include "catena/linear/storage.hpp"

namespace catena::kernel {

// One per body of the description, composite over all bodies further out.
struct Limb {
  int joint = -1;   // that carries the body; none: fixed to the ground
  int parent = -1;  // body; none: the ground
  Inertia<double> R = Inertia<double>::zero();
  VelocityInertia<double> R_bar{Mat3<double>::zero(), Vec3<double>::zero()};
  VelocityInertia<double> E{Mat3<double>::zero(), Vec3<double>::zero()};  // wrenches that keep their direction
  Force<double> f = Force<double>::zero();
};

class Limbs {
 public:
  // world: the sweep at the state. Wrenches must have been checked.
  Limbs(const Model& model, const WorldSweep<double>& world, const ExternalLoads& loads);

  // d tau (full coordinates, one column) when the limb of `joint` moves by the unit motion H (axes of the ground).
  // before: displaced in front of the joint, whose own rows then move along; otherwise behind it.
  void displace(int joint, const Motion<double>& H, bool before, double* column) const;

  const Limb& limb(int body) const { return limbs_[body]; }
  int child(int joint) const { return model_.tree().joint_frame[joint]; }

 private:
  template <class Use>
  void for_each_row(int joint, const Use& use) const;  // H of each component of the joint

  const Model& model_;
  const WorldSweep<double>& world_;
  std::vector<Limb> limbs_;
  std::vector<int> order_;        // bodies, each followed by all that it carries
  std::vector<int> first_, end_;  // of a body's limb in order_
};

}  // namespace catena::kernel
