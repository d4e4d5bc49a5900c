#include "catena/dynamics/inverse.hpp"

#include <algorithm>

#include "catena/dynamics/joint_terms.hpp"
#include "catena/dynamics/storage.hpp"
#include "catena/kinematics/storage.hpp"

namespace catena {

using namespace kernel;

namespace {

// work.tau: of the bodies alone, without joint terms, from what was loaded; a may be null for zero.
void inverse_of_bodies(Workspace::Storage& work, const double* a, const BodyAcceleration<double>& ground,
                       const Force<double>* f_ext) {
  const ReducedTree& reduced = work.model.reduced();
  update_links(reduced, work.q.data(), work.links);
  newton_euler_sweeps(reduced.tree, work.links.X, work.v.data(), a, ground, f_ext, work.newton_euler, work.tau.data());
}

void give_forces(const Model& model, Workspace::Storage& work, VectorRef& tau) {
  if (tau.size() != model.nv()) throw std::invalid_argument("tau must have nv numbers");
  reduce_forces(model.tree(), work.tau.data());
  std::copy_n(work.tau.begin(), model.nv(), tau.begin());
  require_finite(model, work.tau.data());
}

}  // namespace

void inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, ConstVector a,
                      VectorRef tau, const ExternalLoads& loads) {
  Workspace::Storage& work = prepare(model, workspace);
  const Tree& tree = model.tree();
  load_state(model, work, q, loads);
  load_velocities(model, work, v);
  load_accelerations(model, work, a);
  inverse_of_bodies(work, work.a.data(), ground_body_acceleration(model, loads),
                    in_reduced_frames(model, collect_wrenches(model, loads, work)));
  if (tree.has_terms) {
    for (int i = 0; i < tree.nv_full; ++i) work.tau[i] += tree.terms[i].armature * work.a[i];
    add_joint_forces(tree, work.q.data(), work.v.data(), work.tau.data());
  }
  give_forces(model, work, tau);
}

Vector inverse_dynamics(const Model& model, ConstVector q, ConstVector v, ConstVector a, const ExternalLoads& loads) {
  BorrowedWorkspace workspace(model);
  Vector tau(model.nv());
  inverse_dynamics(model, workspace, q, v, a, tau, loads);
  return tau;
}

void gravity_forces(const Model& model, Workspace& workspace, ConstVector q, VectorRef tau) {
  Workspace::Storage& work = prepare(model, workspace);
  load_coordinates(model, work, q);
  std::fill(work.v.begin(), work.v.end(), 0.0);
  inverse_of_bodies(work, nullptr, resting_ground<double>(model.reduced().tree), nullptr);
  give_forces(model, work, tau);
}

void coriolis_forces(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, VectorRef tau) {
  Workspace::Storage& work = prepare(model, workspace);
  load_coordinates(model, work, q);
  load_velocities(model, work, v);
  BodyAcceleration<double> weightless = resting_ground<double>(model.reduced().tree);
  weightless.a = Vec3<double>::zero();
  inverse_of_bodies(work, nullptr, weightless, nullptr);
  give_forces(model, work, tau);
}

void bias_forces(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, VectorRef tau,
                 const ExternalLoads& loads) {
  Workspace::Storage& work = prepare(model, workspace);
  load_state(model, work, q, loads);
  load_velocities(model, work, v);
  inverse_of_bodies(work, nullptr, ground_body_acceleration(model, loads),
                    in_reduced_frames(model, collect_wrenches(model, loads, work)));
  if (model.tree().has_terms) add_joint_forces(model.tree(), work.q.data(), work.v.data(), work.tau.data());
  give_forces(model, work, tau);
}

Vector gravity_forces(const Model& model, ConstVector q) {
  BorrowedWorkspace workspace(model);
  Vector tau(model.nv());
  gravity_forces(model, workspace, q, tau);
  return tau;
}

Vector coriolis_forces(const Model& model, ConstVector q, ConstVector v) {
  BorrowedWorkspace workspace(model);
  Vector tau(model.nv());
  coriolis_forces(model, workspace, q, v, tau);
  return tau;
}

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

Vector bias_forces(const Model& model, ConstVector q, ConstVector v, const ExternalLoads& loads) {
  BorrowedWorkspace workspace(model);
  Vector tau(model.nv());
  bias_forces(model, workspace, q, v, tau, loads);
  return tau;
}

}  // namespace catena
