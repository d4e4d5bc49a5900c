// Each body of the description is taken by itself, lumped or not: what its motion takes is summed from the tips inward, in
// the frame of the link it belongs to. Source: formula sheet 1.5.
#include "catena/dynamics/reactions.hpp"

#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/storage.hpp"
#include "catena/kinematics/storage.hpp"

namespace catena {

using namespace kernel;

void reactions(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, ConstVector a, Reactions& out,
               const ExternalLoads& loads) {
  const Description& robot = model.description();
  const Topology& tree = model.reduced().tree;
  const int bodies = static_cast<int>(robot.bodies.size()), joints = static_cast<int>(robot.joints.size());
  out.tau.resize(model.nv());
  out.joints.resize(6, joints);
  inverse_dynamics(model, workspace, q, v, a, out.tau, loads);  // leaves poses and accelerations of the links
  Workspace::Storage& work = workspace.storage();

  // by body, the ground last: the wrench that moves it and all that it carries
  std::vector<Force<double>>& f = work.f_bodies;
  f.assign(bodies + 1, Force<double>::zero());
  for (int b = 0; b < bodies; ++b) {
    if (!robot.bodies[b].inertial) continue;
    const TreeFrame& frame = tree.frames[b];
    const Inertia<double> M = apply_transposed(frame.pose, inertia_of(*robot.bodies[b].inertial));
    const BodyAcceleration<double>& link = work.newton_euler.acceleration[frame.body];
    f[b] = spatial::inertial_wrench(M.m, M.h, spatial::second_moments(M.J), link.a, link.U);
  }
  for (const Wrench& wrench : loads.wrenches) {
    const TreeFrame& frame = tree.frames[wrench.frame];
    f[frame.owner < 0 ? bodies : frame.owner] -=
        apply_inverse_transposed(model.reduced().frames[frame.body], wrench_on_body(model, wrench, work));
  }

  // f_parent += X' f: through every body of a joint that has several, through none of a fixed one
  for (int i = joints - 1; i >= 0; --i) {
    const int j = tree.joints_outward[i], child = tree.joint_frame[j], parent = tree.joint_parent[j];
    out.joints.col(j) = eigen(apply_inverse_transposed(tree.frames[child].pose, f[child]));
    Force<double> passed = f[child];
    const int end = parent < 0 ? 0 : tree.frames[parent].body;
    for (int k = tree.frames[child].body; k != end; k = tree.bodies[k].parent) {
      passed = apply_transposed(work.links.X[k], passed);
    }
    f[parent < 0 ? bodies : parent] += passed;
  }
  for (int b = 0; b < bodies; ++b) {
    if (tree.frames[b].root) f[bodies] += f[b];
  }
  out.base = eigen(apply_transposed(model.reduced().frames[0], f[bodies]));
  if (!out.joints.allFinite() || !out.base.allFinite()) throw_not_finite(model);
}

Reactions reactions(const Model& model, ConstVector q, ConstVector v, ConstVector a, const ExternalLoads& loads) {
  BorrowedWorkspace workspace(model);
  Reactions out;
  reactions(model, workspace, q, v, a, out, loads);
  return out;
}

}  // namespace catena
