#include "catena/dynamics/forward.hpp"

#include <algorithm>

#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/dynamics/storage.hpp"

namespace catena {

using namespace kernel;

namespace {

// Mimic joints tie joints together across the tree, which the articulated sweep does not see: solve M a = tau - bias.
void forward_coupled(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, ConstVector tau,
                     VectorRef a, const ExternalLoads& loads) {
  Workspace::Storage& work = workspace.storage();
  a.setZero();
  inverse_dynamics(model, workspace, q, v, a, a, loads);
  a = tau - a;
  mass_matrix(model, workspace, q, work.reduced_matrix);
  work.factor.compute(model, work.reduced_matrix);
  work.factor.solve_in_place(a.data());
  require_finite(model, a.data());
}

}  // namespace

void forward_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, ConstVector tau,
                      VectorRef a, const ExternalLoads& loads) {
  Workspace::Storage& work = prepare(model, workspace);
  const Tree& tree = model.tree();
  if (a.size() != model.nv()) throw std::invalid_argument("a must have nv numbers");
  if (!tree.couplings.empty()) {
    require_velocity(model, tau, "tau");
    forward_coupled(model, workspace, q, v, tau, a, loads);
    return;
  }
  load_state(model, work, q, loads);
  load_velocities(model, work, v);
  load_driving_forces(model, work, tau);
  update_links(model.reduced(), work.q.data(), work.links);
  articulated_sweeps(model.reduced().tree, work.links.X, work.v.data(), work.tau.data(),
                     ground_body_acceleration(model, loads),
                     in_reduced_frames(model, collect_wrenches(model, loads, work)), work.newton_euler,
                     work.articulated, work.a.data());
  if (work.articulated.singular_body != 0) throw_singular(model, work.articulated.singular_body);
  std::copy_n(work.a.begin(), tree.nv, a.begin());
  require_finite(model, a.data());
}

Vector forward_dynamics(const Model& model, ConstVector q, ConstVector v, ConstVector tau, const ExternalLoads& loads) {
  BorrowedWorkspace workspace(model);
  Vector a(model.nv());
  forward_dynamics(model, workspace, q, v, tau, a, loads);
  return a;
}

Vector forward_dynamics_composite(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                  const ExternalLoads& loads) {
  require_velocity(model, tau, "tau");
  const MassFactor factor(model, mass_matrix(model, q));
  const Vector a = factor.solve(tau - bias_forces(model, q, v, loads));
  require_finite(model, a.data());
  return a;
}

}  // namespace catena
