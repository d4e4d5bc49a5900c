#include "catena/linear/by_dual.hpp"

#include <algorithm>

#include "catena/dynamics/composite_kernel.hpp"
#include "catena/dynamics/inverse_kernel.hpp"
#include "catena/dynamics/joint_terms.hpp"
#include "catena/kinematics/moving.hpp"
#include "catena/spatial/dual.hpp"

namespace catena {

using namespace kernel;

namespace {

using S = spatial::Dual<double>;

// q moving along dq, in full coordinates.
std::vector<S> moving(const Tree& tree, ConstVector q, ConstVector dq) {
  std::vector<double> q_value(tree.nq_full), dq_full(tree.nv_full), rates(tree.nq_full);
  std::copy(q.begin(), q.end(), q_value.begin());
  std::copy(dq.begin(), dq.end(), dq_full.begin());
  position_rates(tree, q_value.data(), dq_full.data(), rates.data());
  std::vector<S> q_full(tree.nq_full);
  for (int i = 0; i < tree.nq; ++i) q_full[i] = {q_value[i], rates[i]};
  expand_positions(tree, q_full.data());
  return q_full;
}

}  // namespace

Vector inverse_dynamics_jvp_by_dual(const Model& model, ConstVector q, ConstVector v, ConstVector a, ConstVector dq,
                                    ConstVector dv, ConstVector da) {
  require_configuration(model, q);
  for (const auto& [x, name] :
       {std::pair<const ConstVector&, const char*>{v, "v"}, {a, "a"}, {dq, "dq"}, {dv, "dv"}, {da, "da"}}) {
    require_velocity(model, x, name);
  }
  const Tree& tree = model.tree();
  const std::vector<S> q_full = moving(tree, q, dq);
  std::vector<S> v_full(tree.nv_full), a_full(tree.nv_full), tau(tree.nv_full);
  for (int i = 0; i < tree.nv; ++i) v_full[i] = {v[i], dv[i]}, a_full[i] = {a[i], da[i]};
  expand_velocities(tree, v_full.data());
  expand_velocities(tree, a_full.data());
  const ReducedTree& reduced = model.reduced();
  LinkPoses<S> links(reduced);
  update_links(reduced, q_full.data(), links);
  NewtonEuler<S> work(tree);
  newton_euler_sweeps<S>(reduced.tree, links.X, v_full.data(), a_full.data(), resting_ground<S>(reduced.tree), nullptr,
                         work, tau.data());
  for (int i = 0; i < tree.nv_full; ++i) tau[i] += a_full[i] * tree.terms[i].armature;
  add_joint_forces(tree, q_full.data(), v_full.data(), tau.data());
  reduce_forces(tree, tau.data());
  Vector change(tree.nv);
  for (int i = 0; i < tree.nv; ++i) change[i] = tau[i].d;
  return change;
}

Matrix change_of_mass_matrix_by_dual(const Model& model, ConstVector q, ConstVector dq) {
  require_configuration(model, q);
  require_velocity(model, dq, "dq");
  const Tree& tree = model.tree();
  LinkPoses<S> links(model.reduced());
  update_links(model.reduced(), moving(tree, q, dq).data(), links);
  std::vector<Inertia<S>> composite(tree.count());
  std::vector<S> M(static_cast<std::size_t>(tree.nv_full) * tree.nv_full);
  mass_matrix_sweep(model.reduced().tree, links.X, composite, M.data(), tree.nv_full);
  Matrix change(tree.nv_full, tree.nv_full);
  for (Eigen::Index i = 0; i < change.size(); ++i) change.data()[i] = M[i].d;
  for (const Coupling& c : tree.couplings) change.col(c.master_v) += c.ratio * change.col(c.v);
  for (const Coupling& c : tree.couplings) change.row(c.master_v) += c.ratio * change.row(c.v);
  return change.topLeftCorner(tree.nv, tree.nv);
}

}  // namespace catena
