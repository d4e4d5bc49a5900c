// One direction at a time: Algorithms 1 and 5, and Algorithm 3 where mimic joints preclude 5.
#include <algorithm>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/storage.hpp"

namespace catena {

using namespace kernel;

namespace {

void load(const Tree& tree, ConstVector x, std::vector<double>& full) {
  std::copy(x.begin(), x.end(), full.begin());
  expand_velocities(tree, full.data());
}

// V and alpha of the bodies, beside the wrenches that inverse_dynamics left.
void add_motions(const Model& model, const ExternalLoads& loads, Workspace::Storage& work) {
  motion_sweep(model.reduced().tree, work.links.X, work.v.data(), work.a.data(),
               in_reduced_frame(model, base_velocity(loads)), in_reduced_frame(model, base_acceleration(model, loads)),
               work.newton_euler);
}

// tau += d(joint forces) for the change (dq, dv)
void add_joint_change(const Tree& tree, const Workspace::Storage& work, const std::vector<double>& dq,
                      const std::vector<double>& dv, double sign, double* tau) {
  if (!tree.has_terms) return;
  for (int i = 0; i < tree.nv_full; ++i) tau[i] += sign * friction_derivative(tree.terms[i], work.v[i]) * dv[i];
  for_each_spring_derivative(tree, work.q.data(), [&](int r, int c, double k) { tau[r] += sign * k * dq[c]; });
}

}  // namespace

void inverse_dynamics_jvp(const Model& model, LinearWorkspace& workspace, ConstVector q, ConstVector v, ConstVector a,
                          ConstVector dq, ConstVector dv, ConstVector da, VectorRef dtau, const ExternalLoads& loads) {
  require_velocity(model, dq, "dq");
  require_velocity(model, dv, "dv");
  require_velocity(model, da, "da");
  const Tree& tree = model.tree();
  LinearWorkspace::Storage& x = workspace.storage();
  Workspace::Storage& work = prepare(model, x.dynamics);
  load(tree, dq, x.dq);
  load(tree, dv, x.dv);
  load(tree, da, x.change);
  inverse_dynamics(model, x.dynamics, q, v, a, dtau, loads);  // for f
  add_motions(model, loads, work);
  kernel::inverse_dynamics_jvp(model.reduced().tree, work.links.X, work.newton_euler,
                               world_fixed_in_bodies(model, loads, work.links.X, x.world_fixed), x.dq.data(),
                               x.dv.data(), x.change.data(), x.directional, work.tau.data());
  for (int i = 0; i < tree.nv_full; ++i) work.tau[i] += tree.terms[i].armature * x.change[i];
  add_joint_change(tree, work, x.dq, x.dv, 1, work.tau.data());
  reduce_forces(tree, work.tau.data());
  std::copy_n(work.tau.begin(), tree.nv, dtau.begin());
}

Vector inverse_dynamics_jvp(const Model& model, ConstVector q, ConstVector v, ConstVector a, ConstVector dq,
                            ConstVector dv, ConstVector da, const ExternalLoads& loads) {
  BorrowedLinearWorkspace workspace(model);
  Vector dtau(model.nv());
  inverse_dynamics_jvp(model, workspace, q, v, a, dq, dv, da, dtau, loads);
  return dtau;
}

void forward_dynamics_jvp(const Model& model, LinearWorkspace& workspace, ConstVector q, ConstVector v, ConstVector tau,
                          ConstVector dq, ConstVector dv, ConstVector dtau, VectorRef da, const ExternalLoads& loads,
                          LinearMethod method) {
  require_velocity(model, dq, "dq");
  require_velocity(model, dv, "dv");
  require_velocity(model, dtau, "dtau");
  if (da.size() != model.nv()) throw std::invalid_argument("da must have nv numbers");
  method = method_for_direction(model, method);
  const Tree& tree = model.tree();
  LinearWorkspace::Storage& x = workspace.storage();
  Workspace::Storage& work = prepare(model, x.dynamics);
  forward_dynamics(model, x.dynamics, q, v, tau, x.a, loads);
  if (method == LinearMethod::algorithm_3) {
    const Vector missing = dtau - inverse_dynamics_jvp(model, q, v, x.a, dq, dv, Vector::Zero(model.nv()), loads);
    da = MassFactor(model, mass_matrix(model, q)).solve(missing);
    return;
  }
  load(tree, dq, x.dq);
  load(tree, dv, x.dv);
  load(tree, dtau, x.change);
  inverse_dynamics(model, x.dynamics, q, v, x.a, da, loads);  // for f; X, P and the factors of D are in place
  add_motions(model, loads, work);
  add_joint_change(tree, work, x.dq, x.dv, -1, x.change.data());
  kernel::forward_dynamics_jvp(model.reduced().tree, work.links.X, work.newton_euler, work.articulated,
                               world_fixed_in_bodies(model, loads, work.links.X, x.world_fixed), x.dq.data(),
                               x.dv.data(), x.change.data(), x.directional, work.a.data());
  std::copy_n(work.a.begin(), tree.nv, da.begin());
}

Vector forward_dynamics_jvp(const Model& model, ConstVector q, ConstVector v, ConstVector tau, ConstVector dq,
                            ConstVector dv, ConstVector dtau, const ExternalLoads& loads, LinearMethod method) {
  BorrowedLinearWorkspace workspace(model);
  Vector da(model.nv());
  forward_dynamics_jvp(model, workspace, q, v, tau, dq, dv, dtau, da, loads, method);
  return da;
}

}  // namespace catena
