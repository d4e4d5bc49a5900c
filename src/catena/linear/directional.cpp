// One direction at a time: Algorithms 1 and 5, and Algorithm 3 where couplings rule out 5.
#include <Eigen/Cholesky>
#include <algorithm>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/storage.hpp"

namespace catena {

using namespace kernel;

namespace {

std::vector<double> full_vector(const Tree& tree, ConstVector x) {
  std::vector<double> full(tree.nv_full);
  std::copy(x.begin(), x.end(), full.begin());
  expand_velocities(tree, full.data());
  return full;
}

// tau += d(joint forces) for the change (dq, dv)
void add_joint_change(const Tree& tree, const Workspace::Storage& work, const std::vector<double>& dq,
                      const std::vector<double>& dv, double sign, double* tau) {
  for (int i = 0; i < tree.nv_full; ++i) tau[i] += sign * friction_slope(tree.terms[i], work.v[i]) * dv[i];
  for_each_spring_slope(tree, work.q.data(), [&](int r, int c, double k) { tau[r] += sign * k * dq[c]; });
}

}  // namespace

Vector change_of_forces(const Model& model, ConstVector q, ConstVector v, ConstVector a, ConstVector dq, ConstVector dv,
                        ConstVector da, const Conditions& conditions) {
  require_velocity(model, dq, "dq");
  require_velocity(model, dv, "dv");
  require_velocity(model, da, "da");
  const Tree& tree = model.tree();
  Workspace workspace(model);
  Workspace::Storage& work = workspace.storage();
  Vector tau(model.nv());
  inverse_dynamics(model, workspace, q, v, a, tau, conditions);
  std::vector<VelocityInertia<double>> steady(tree.count());
  Directional<double> out(tree);
  const std::vector<double> dq_full = full_vector(tree, dq), dv_full = full_vector(tree, dv),
                            da_full = full_vector(tree, da);
  kernel::change_of_forces(tree, work.positions.X, work.newton_euler,
                           steady_in_bodies(model, conditions, work.positions, steady), dq_full.data(), dv_full.data(),
                           da_full.data(), out, work.tau.data());
  for (int i = 0; i < tree.nv_full; ++i) work.tau[i] += tree.terms[i].armature * da_full[i];
  add_joint_change(tree, work, dq_full, dv_full, 1, work.tau.data());
  reduce_forces(tree, work.tau.data());
  return Eigen::Map<Vector>(work.tau.data(), tree.nv);
}

Vector change_of_acceleration(const Model& model, ConstVector q, ConstVector v, ConstVector tau, ConstVector dq,
                              ConstVector dv, ConstVector dtau, const Conditions& conditions) {
  require_velocity(model, dq, "dq");
  require_velocity(model, dv, "dv");
  require_velocity(model, dtau, "dtau");
  const Tree& tree = model.tree();
  Workspace workspace(model);
  Workspace::Storage& work = workspace.storage();
  Vector a(model.nv());
  forward_dynamics(model, workspace, q, v, tau, a, conditions);
  if (!tree.couplings.empty()) {
    const Vector missing = dtau - change_of_forces(model, q, v, a, dq, dv, Vector::Zero(model.nv()), conditions);
    return mass_matrix(model, q).llt().solve(missing);
  }
  Vector tau_again(model.nv());
  inverse_dynamics(model, workspace, q, v, a, tau_again, conditions);  // for V, alpha and f; P, D, G are in place
  std::vector<VelocityInertia<double>> steady(tree.count());
  Directional<double> out(tree);
  const std::vector<double> dq_full = full_vector(tree, dq), dv_full = full_vector(tree, dv);
  std::vector<double> dtau_full = full_vector(tree, dtau);
  add_joint_change(tree, work, dq_full, dv_full, -1, dtau_full.data());
  kernel::change_of_acceleration(tree, work.positions.X, work.newton_euler, work.articulated,
                                 steady_in_bodies(model, conditions, work.positions, steady), dq_full.data(),
                                 dv_full.data(), dtau_full.data(), out, work.a.data());
  return Eigen::Map<Vector>(work.a.data(), tree.nv);
}

}  // namespace catena
