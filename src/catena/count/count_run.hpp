// One counted run of one algorithm: a fresh tally, a state whose numbers belong to it, and the steps algorithms share.
#pragma once

#include "catena/count/count.hpp"
#include "catena/diagonal/kernel.hpp"
#include "catena/dynamics/composite_kernel.hpp"
#include "catena/dynamics/joint_terms.hpp"
#include "catena/dynamics/ldl_kernel.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/reference/textbook_kernel.hpp"

namespace catena::compile {

using namespace kernel;
using S = Counting;

class Run {
 public:
  Run(const Model& model, bool fold, bool on_reduced_tree = false)
      : tree(model.tree()),
        reduced(model.reduced()),
        tip(tree.frames[static_cast<std::size_t>(model.tip_frame())]),
        tally(fold),
        n(tree.nv_full),
        q(variables(random_configuration(model, 1), tree.nq_full)),
        v(variables(random_vector(model, 2), n)),
        a(variables(random_vector(model, 3), n)),
        tau(variables(random_vector(model, 4), n)),
        dq(variables(random_vector(model, 5), n)),
        dv(variables(random_vector(model, 6), n)),
        da(variables(random_vector(model, 7), n)),
        result(n, S(0)),
        positions(tree),
        links(reduced),
        newton_euler(tree),
        articulated(tree),
        diagonal(tree),
        composite(tree.count()),
        alpha_0{Vec3<S>::zero(), {S(-tree.gravity.x), S(-tree.gravity.y), S(-tree.gravity.z)}} {
    tally.begin("positions");
    expand_positions(tree, q.data());
    for (auto* x : {&v, &a, &dq, &dv, &da}) expand_velocities(tree, x->data());
    if (on_reduced_tree) {
      update_links(reduced, q.data(), links);
    } else {
      update_positions(tree, q.data(), positions);
    }
  }

  void begin(const char* sweep) { tally.begin(sweep); }

  // tau + armature a + joint forces, in own coordinates
  void joint_terms(S* x, const S* acceleration) {
    begin("joint terms");
    if (acceleration != nullptr) {
      for (int i = 0; i < n; ++i) x[i] += acceleration[i] * tree.terms[i].armature;
    }
    if (tree.has_terms) add_joint_forces(tree, q.data(), v.data(), x);
    reduce_forces(tree, x);
  }
  // tau - joint forces
  void take_off_joint_forces() {
    begin("joint terms");
    std::vector<S> forces(n, S(0));
    if (tree.has_terms) add_joint_forces(tree, q.data(), v.data(), forces.data());
    for (int i = 0; i < n; ++i) tau[i] -= forces[i];
  }
  // result <- tau of the acceleration, or the bias for none
  void inverse(const S* acceleration) {
    const std::vector<S> zero(n, S(0));
    inverse_sweeps(tree, positions.X, v.data(), acceleration != nullptr ? acceleration : zero.data(), Motion<S>::zero(),
                   alpha_0, static_cast<const Force<S>*>(nullptr), newton_euler, result.data());
    joint_terms(result.data(), acceleration);
  }
  void velocities() {
    begin("outward: velocities");
    for (int k = 1; k < tree.count(); ++k) {
      const TreeBody& body = tree.bodies[k];
      velocity_step(body, positions.X[k], articulated.V[body.parent], v.data() + body.v, articulated.V[k],
                    articulated.s[k]);
    }
  }
  void riccati() {
    begin("inward: Riccati");
    textbook_riccati_sweep(tree, positions.X, articulated, [](int, auto, const auto&) {});
  }
  std::vector<S> square() const { return std::vector<S>(static_cast<std::size_t>(n) * n, S(0)); }
  // E' M E in place, then the leading nv x nv part counts
  void reduce(std::vector<S>& M) const {
    for (const Coupling& c : tree.couplings) {
      for (int i = 0; i < n; ++i) M[i + c.master_v * n] += M[i + c.v * n] * c.ratio;
    }
    for (const Coupling& c : tree.couplings) {
      for (int i = 0; i < n; ++i) M[c.master_v + i * n] += M[c.v + i * n] * c.ratio;
    }
  }
  std::vector<S> mass_matrix() {
    begin("inward: composite inertias");
    std::vector<S> M = square();
    mass_matrix_sweep(tree, positions.X, composite, M.data(), n);
    reduce(M);
    return M;
  }
  // M x = tau - result
  void solve(std::vector<S>& M) {
    begin("factor and solve");
    for (int i = 0; i < tree.nv; ++i) result[i] = tau[i] - result[i];
    ldl_factor(tree.nv, M.data(), n);
    ldl_solve(tree.nv, M.data(), n, result.data());
  }

  AlgorithmCount count(const char* name, const char* title) const {
    AlgorithmCount out{name, title, {}, {}};
    for (const SweepCount& sweep : tally.sweeps()) {
      out.operations += sweep.operations;
      if (sweep.operations.total() > 0) out.sweeps.push_back(sweep);
    }
    return out;
  }

  const Tree& tree;
  const ReducedTree& reduced;
  const TreeFrame& tip;  // what pose and Jacobian are counted for
  Tally tally;
  int n;
  std::vector<S> q, v, a, tau, dq, dv, da, result;
  Positions<S> positions;
  LinkPoses<S> links;
  NewtonEuler<S> newton_euler;
  TextbookArticulated<S> articulated;
  Diagonal<S> diagonal;
  std::vector<Inertia<S>> composite;
  Motion<S> alpha_0;

 private:
  std::vector<S> variables(const Vector& numbers, int size) {
    std::vector<S> out(size, S(0));
    for (int i = 0; i < numbers.size(); ++i) out[i] = S(numbers[i], tally);
    return out;
  }
};

// The papers' own recursions, each counted by itself: Denavit-Hartenberg frames, the two complements, Kozlowski's steps.
std::vector<AlgorithmCount> count_papers(const Model& model, bool fold);

}  // namespace catena::compile
