#include "catena/dynamics/inverse.hpp"

#include <algorithm>

#include "catena/dynamics/joint_terms.hpp"
#include "catena/dynamics/storage.hpp"
#include "catena/kinematics/storage.hpp"

namespace catena {

using namespace kernel;

namespace kernel {

// tau of the bodies alone, without joint terms, from what was loaded; a may be null for zero.
void inverse_of_bodies(const Tree& tree, Workspace::Storage& work, const double* a, const Motion<double>& V_0,
                       const Motion<double>& alpha_0, const Force<double>* f_ext, double* tau) {
  if (work.packed.in_use()) {
    place_packed(tree, work.q.data(), work.positions, work.packed);
    inverse_packed(tree, work.v.data(), a, V_0, alpha_0, f_ext, work.packed, tau);
    return;
  }
  update_positions(tree, work.q.data(), work.positions);
  inverse_sweeps(tree, work.positions.X, work.v.data(), a, V_0, alpha_0, f_ext, work.newton_euler, tau);
}

Force<double> wrench_of_parent(const Workspace::Storage& work, int body) {
  return work.packed.in_use() ? work.packed.wrench(body) : work.newton_euler.f[body];
}

}  // namespace kernel

void inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, ConstVector a,
                      VectorRef tau, const Conditions& conditions) {
  Workspace::Storage& work = prepare(model, workspace);
  const Tree& tree = model.tree();
  if (conditions.wrenches.empty())
    load_coordinates(model, work, q);
  else
    load_positions(model, work, q);  // collect_wrenches asks where bodies are
  load_velocities(model, work, v);
  load_accelerations(model, work, a);
  if (tau.size() != model.nv()) throw std::invalid_argument("tau must have nv numbers");

  inverse_of_bodies(tree, work, work.a.data(), base_velocity(conditions), base_acceleration(model, conditions),
                    collect_wrenches(model, conditions, work), work.tau.data());
  if (tree.has_terms) {
    for (int i = 0; i < tree.nv_full; ++i) work.tau[i] += tree.terms[i].armature * work.a[i];
    add_joint_forces(tree, work.q.data(), work.v.data(), work.tau.data());
  }
  reduce_forces(tree, work.tau.data());
  std::copy_n(work.tau.begin(), tree.nv, tau.begin());
}

Vector inverse_dynamics(const Model& model, ConstVector q, ConstVector v, ConstVector a, const Conditions& conditions) {
  Workspace workspace(model);
  Vector tau(model.nv());
  inverse_dynamics(model, workspace, q, v, a, tau, conditions);
  return tau;
}

Vector6 joint_wrench(const Model& model, const Workspace& workspace, int joint) {
  const Tree& tree = model.tree();
  if (joint < 0 || joint >= static_cast<int>(tree.joint_body.size())) {
    throw std::invalid_argument("joint " + std::to_string(joint) + " does not exist in " + model.name());
  }
  if (model.description().joints[joint].type == JointType::fixed) {
    throw std::invalid_argument("joint " + model.description().joints[joint].name +
                                " is fixed: its bodies are lumped into one and carry no separate wrench");
  }
  const auto& frame = tree.frames[tree.joint_frame[joint]];
  return eigen(apply_inverse_transposed(frame.pose, wrench_of_parent(workspace.storage(), tree.joint_body[joint])));
}

Vector6 base_wrench(const Workspace& workspace) { return eigen(wrench_of_parent(workspace.storage(), 0)); }

namespace {

// tau of the bodies alone, without joint terms, for a = 0.
Vector bare_forces(const Model& model, ConstVector q, ConstVector v, bool with_gravity) {
  Workspace workspace(model);
  Workspace::Storage& work = workspace.storage();
  load_coordinates(model, work, q);
  load_velocities(model, work, v);
  const Motion<double> alpha_0 = with_gravity ? base_acceleration(model, {}) : Motion<double>::zero();
  inverse_of_bodies(model.tree(), work, nullptr, Motion<double>::zero(), alpha_0, nullptr, work.tau.data());
  reduce_forces(model.tree(), work.tau.data());
  return Eigen::Map<Vector>(work.tau.data(), model.nv());
}

}  // namespace

Vector gravity_forces(const Model& model, ConstVector q) {
  return bare_forces(model, q, Vector::Zero(model.nv()), true);
}

Vector coriolis_forces(const Model& model, ConstVector q, ConstVector v) { return bare_forces(model, q, v, false); }

Vector joint_forces(const Model& model, ConstVector q, ConstVector v) {
  require_configuration(model, q);
  require_velocity(model, v, "v");
  const Tree& tree = model.tree();
  std::vector<double> q_full(tree.nq_full), v_full(tree.nv_full), tau(tree.nv_full, 0.0);
  std::copy(q.begin(), q.end(), q_full.begin());
  std::copy(v.begin(), v.end(), v_full.begin());
  expand_positions(tree, q_full.data());
  expand_velocities(tree, v_full.data());
  add_joint_forces(tree, q_full.data(), v_full.data(), tau.data());
  reduce_forces(tree, tau.data());
  return Eigen::Map<Vector>(tau.data(), tree.nv);
}

Vector bias_forces(const Model& model, ConstVector q, ConstVector v, const Conditions& conditions) {
  return inverse_dynamics(model, q, v, Vector::Zero(model.nv()), conditions);
}

}  // namespace catena
