#include "catena/linear/by_dual.hpp"

#include <algorithm>

#include "catena/dynamics/inverse_kernel.hpp"
#include "catena/dynamics/joint_terms.hpp"
#include "catena/kinematics/moving.hpp"
#include "catena/spatial/dual.hpp"

namespace catena {

using namespace kernel;

Vector change_of_forces_by_dual(const Model& model, ConstVector q, ConstVector v, ConstVector a, ConstVector dq,
                                ConstVector dv, ConstVector da) {
  require_configuration(model, q);
  for (const auto& [x, name] :
       {std::pair<const ConstVector&, const char*>{v, "v"}, {a, "a"}, {dq, "dq"}, {dv, "dv"}, {da, "da"}}) {
    require_velocity(model, x, name);
  }
  using S = spatial::Dual<double>;
  const Tree& tree = model.tree();
  std::vector<double> q_value(tree.nq_full), dq_full(tree.nv_full), rates(tree.nq_full);
  std::copy(q.begin(), q.end(), q_value.begin());
  std::copy(dq.begin(), dq.end(), dq_full.begin());
  position_rates(tree, q_value.data(), dq_full.data(), rates.data());
  std::vector<S> q_full(tree.nq_full), v_full(tree.nv_full), a_full(tree.nv_full), tau(tree.nv_full);
  for (int i = 0; i < tree.nq; ++i) q_full[i] = {q_value[i], rates[i]};
  for (int i = 0; i < tree.nv; ++i) v_full[i] = {v[i], dv[i]}, a_full[i] = {a[i], da[i]};
  expand_positions(tree, q_full.data());
  expand_velocities(tree, v_full.data());
  expand_velocities(tree, a_full.data());
  Positions<S> positions(tree);
  update_positions(tree, q_full.data(), positions);
  NewtonEuler<S> work(tree);
  const Vector3& g = tree.gravity;
  const Motion<S> lift = {Vec3<S>::zero(), {S(-g.x()), S(-g.y()), S(-g.z())}};
  inverse_sweeps<S>(tree, positions.X, v_full.data(), a_full.data(), Motion<S>::zero(), lift, nullptr, work,
                    tau.data());
  for (int i = 0; i < tree.nv_full; ++i) tau[i] += a_full[i] * tree.terms[i].armature;
  add_joint_forces(tree, q_full.data(), v_full.data(), tau.data());
  reduce_forces(tree, tau.data());
  Vector change(tree.nv);
  for (int i = 0; i < tree.nv; ++i) change[i] = tau[i].d;
  return change;
}

}  // namespace catena
