#include "dual.hpp"

#include "catena/dynamics/joint_terms.hpp"
#include "catena/reference/textbook_kernel.hpp"

namespace catena::test {

Vector extended_inverse_dynamics(const Model& model, const Vector& q, const Vector& v, const Vector& a) {
  using S = long double;
  const Tree& tree = model.tree();
  std::vector<S> q_full(tree.nq_full), v_full(tree.nv_full), a_full(tree.nv_full), tau(tree.nv_full);
  std::copy(q.begin(), q.end(), q_full.begin());
  std::copy(v.begin(), v.end(), v_full.begin());
  std::copy(a.begin(), a.end(), a_full.begin());
  kernel::expand_positions(tree, q_full.data());
  kernel::expand_velocities(tree, v_full.data());
  kernel::expand_velocities(tree, a_full.data());
  kernel::Positions<S> positions(tree);
  kernel::update_positions(tree, q_full.data(), positions);
  kernel::NewtonEuler<S> work(tree);
  const auto& g = tree.gravity;
  const kernel::Motion<S> lift = {{0, 0, 0}, {-g.x, -g.y, -g.z}};
  kernel::inverse_sweeps<S>(tree, positions.X, v_full.data(), a_full.data(), kernel::Motion<S>::zero(), lift, nullptr,
                            work, tau.data());
  for (int i = 0; i < tree.nv_full; ++i) tau[i] += tree.terms[i].armature * a_full[i];
  kernel::add_joint_forces(tree, q_full.data(), v_full.data(), tau.data());
  kernel::reduce_forces(tree, tau.data());
  Vector rounded(tree.nv);
  for (int i = 0; i < tree.nv; ++i) rounded[i] = static_cast<double>(tau[i]);
  return rounded;
}

namespace {

// Chains of mimics resolved: joint -> (master that carries a coordinate, ratio, offset).
struct Link {
  std::string master;
  double ratio = 1, offset = 0;
};

Link resolve(const Description& robot, const Joint& joint) {
  if (!joint.mimic) return {joint.name, 1, 0};
  for (const Joint& other : robot.joints) {
    if (other.name != joint.mimic->joint) continue;
    const Link up = resolve(robot, other);
    return {up.master, joint.mimic->ratio * up.ratio, joint.mimic->ratio * up.offset + joint.mimic->offset};
  }
  throw std::logic_error("dangling mimic");
}

}  // namespace

Matrix coupling_matrix(const Model& coupled, const Model& uncoupled) {
  Matrix E = Matrix::Zero(uncoupled.nv(), coupled.nv());
  for (const Coordinate& c : uncoupled.coordinates()) {
    const Link link = resolve(coupled.description(), coupled.description().joints[c.index]);
    const Coordinate& master = coupled.coordinate(link.master);
    for (int i = 0; i < c.nv; ++i) E(c.v + i, master.v + i) = link.ratio;
  }
  return E;
}

Vector uncoupled_configuration(const Model& coupled, const Model& uncoupled, const Vector& q) {
  Vector full(uncoupled.nq());
  for (const Coordinate& c : uncoupled.coordinates()) {
    const Link link = resolve(coupled.description(), coupled.description().joints[c.index]);
    const Coordinate& master = coupled.coordinate(link.master);
    for (int i = 0; i < c.nq; ++i) full[c.q + i] = link.ratio * q[master.q + i] + link.offset;
  }
  return full;
}

Vector body_bias_forces(const Model& model, const Vector& q, const Vector& v) {
  const Tree& tree = model.tree();
  kernel::Positions<double> positions(tree);
  kernel::update_positions(tree, q.data(), positions);
  std::vector<kernel::Motion<double>> V(tree.count(), kernel::Motion<double>::zero());
  std::vector<kernel::Force<double>> f(tree.count(), kernel::Force<double>::zero());
  kernel::Motion<double> s;
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    kernel::velocity_step(body, positions.X[k], V[body.parent], v.data() + body.v, V[k], s);
    f[k] = cross(V[k], tree.inertias[k].M * V[k]);
  }
  Vector tau(tree.nv);
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    kernel::visit(body, [&](auto joint) {
      for (int i = 0; i < joint.d; ++i) tau[body.v + i] = joint.project(body, f[k], i);
    });
    f[body.parent] += apply_transposed(positions.X[k], f[k]);
  }
  return tau;
}

}  // namespace catena::test
