#include "catena/reference/lagrange.hpp"

#include <algorithm>

#include "catena/kinematics/brackets.hpp"
#include "catena/kinematics/moving.hpp"
#include "catena/kinematics/spring.hpp"
#include "catena/spatial/dual.hpp"

namespace catena {

using namespace kernel;

namespace {

using First = spatial::Dual<double>;  // along the motion, or along one coordinate
using Second = spatial::Dual<First>;  // outer: along one coordinate of v; inner: along the motion

// K - U of the whole robot; q, v: full coordinates, mimic joints expanded here.
template <class S>
S lagrangian(const Tree& tree, std::vector<S> q, std::vector<S> v) {
  expand_positions(tree, q.data());
  expand_velocities(tree, v.data());
  Positions<S> positions(tree);
  update_positions(tree, q.data(), positions);
  std::vector<Motion<S>> V(tree.count(), Motion<S>::zero());
  std::vector<Transform<S>> world(tree.count(), Transform<S>::identity());
  S twice_kinetic = S(0.0), potential = S(0.0);
  Motion<S> s;
  const Vec3<double>& g = tree.gravity;
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    velocity_step(body, positions.X[k], V[body.parent], v.data() + body.v, V[k], s);
    world[k] = world[body.parent] * positions.X[k];
    twice_kinetic += dot(V[k], tree.inertias[k].M * V[k]);
    potential -= dot(world[k].R * tree.inertias[k].M.h + world[k].p * tree.inertias[k].M.m, g);
  }
  for (int i = 0; i < tree.nv_full; ++i) twice_kinetic += v[i] * v[i] * tree.terms[i].armature;
  for (const Spring& spring : tree.springs) potential += spring_energy(tree, spring, q.data());
  return twice_kinetic * 0.5 - potential;
}

// q moving with the joint velocity w (of the model), as a dual number.
std::vector<First> moving(const Tree& tree, ConstVector q, const Vector& w) {
  std::vector<double> q_full(tree.nq_full), w_full(tree.nv_full), rates(tree.nq_full);
  std::copy(q.begin(), q.end(), q_full.begin());
  std::copy(w.begin(), w.end(), w_full.begin());
  position_rates(tree, q_full.data(), w_full.data(), rates.data());
  std::vector<First> out(tree.nq_full);
  for (int i = 0; i < tree.nq; ++i) out[i] = {q_full[i], rates[i]};
  return out;
}

}  // namespace

Vector lagrange_forces(const Model& model, ConstVector q, ConstVector v, ConstVector a) {
  require_configuration(model, q);
  require_velocity(model, v, "v");
  require_velocity(model, a, "a");
  const Tree& tree = model.tree();
  const int n = model.nv();
  const std::vector<First> along = moving(tree, q, v);
  std::vector<Second> q_along(tree.nq_full);
  for (int i = 0; i < tree.nq; ++i) q_along[i] = Second(along[i], First(0.0));

  Vector tau(n), momentum(n);
  for (int i = 0; i < n; ++i) {
    // d/dt dL/dv_i: outer derivative along v_i, inner along the motion (q with v, v with a)
    std::vector<Second> v_along(tree.nv_full);
    for (int j = 0; j < n; ++j) v_along[j] = Second(First(v[j], a[j]), First(j == i ? 1.0 : 0.0));
    const First partial = lagrangian<Second>(tree, q_along, v_along).d;
    momentum[i] = partial.x;
    tau[i] = partial.d;
    // - dL/dq_i, q moving along coordinate i
    std::vector<First> v_still(tree.nv_full);
    for (int j = 0; j < n; ++j) v_still[j] = First(v[j]);
    tau[i] -= lagrangian<First>(tree, moving(tree, q, Vector::Unit(n, i)), v_still).d;
  }
  // - ad(v)' momentum where a joint's motions do not commute
  for_each_bracket(tree, v.data(), [&](int r, int c, double ad) { tau[c] -= momentum[r] * ad; });
  return tau;
}

}  // namespace catena
