// The reduced tree against the tree it was made of: other frames and inertias, the same forces, wrenches and mass matrix.
// Every type of joint, a moving ground, wrenches, couplings.
#include "catena/model/reduced_tree.hpp"

#include "catena/dynamics/composite_kernel.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/joints/joints.hpp"
#include "catena/kinematics/storage.hpp"
#include "catena/model/generate.hpp"
#include "catena/reference/textbook_kernel.hpp"
#include "tests/support.hpp"

namespace catena {
namespace {

using namespace kernel;

double largest(const Matrix& x) { return x.cwiseAbs().maxCoeff(); }

struct Case {
  explicit Case(int seed)
      : model(random_tree(static_cast<std::uint64_t>(seed))),
        tree(model.tree()),
        reduced(model.reduced()),
        positions(tree),
        links(reduced),
        q(tree.nq_full),
        v(tree.nv_full) {
    const Vector own_q = random_configuration(model, seed), own_v = random_vector(model, seed + 1);
    std::copy(own_q.begin(), own_q.end(), q.begin());
    std::copy(own_v.begin(), own_v.end(), v.begin());
    expand_positions(tree, q.data());
    expand_velocities(tree, v.data());
    a = v;
    for (double& x : a) x = 1 - x;
    update_positions(tree, q.data(), positions);
    update_links(reduced, q.data(), links);
  }

  Model model;
  const Tree& tree;
  const ReducedTree& reduced;
  Positions<double> positions;
  LinkPoses<double> links;
  std::vector<double> q, v, a;
};

TEST(ReducedTree, LinksAreThePosesOfTheTreeInOtherFrames) {
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Case c(seed);
    for (int k = 1; k < c.tree.count(); ++k) {
      const Transform<double> expected =
          inverse(c.reduced.frames[c.tree.bodies[k].parent]) * c.positions.X[k] * c.reduced.frames[k];
      const Transform<double> X = transform(c.links.X[k]);
      EXPECT_LT(largest(eigen(X.R) - eigen(expected.R)), 1e-13);
      EXPECT_LT((eigen(X.p) - eigen(expected.p)).norm(), 1e-13 * (1 + eigen(expected.p).norm()));
    }
  }
}

TEST(ReducedTree, ChangesNoForce) {
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Case c(seed);
    const Motion<double> V_0 = {{0.3, -0.2, 0.5}, {1, 2, -1}}, alpha_0 = {{-1, 0.4, 0.7}, {0.5, 0.1, 9.81}};
    std::vector<Force<double>> f_ext(c.tree.count(), Force<double>{{1, 2, 3}, {-4, 5, 6}}), f_reduced(f_ext);
    for (int k = 0; k < c.tree.count(); ++k) f_reduced[k] = apply_inverse_transposed(c.reduced.frames[k], f_ext[k]);
    NewtonEuler<double> expected(c.tree), found(c.tree);
    std::vector<double> tau(c.tree.nv_full), tau_expected(tau);
    for (const bool wrenches : {false, true}) {
      for (const bool moving : {false, true}) {
        const double* const a = moving ? c.a.data() : nullptr;
        inverse_sweeps(c.tree, c.positions.X, c.v.data(), a, V_0, alpha_0, wrenches ? f_ext.data() : nullptr, expected,
                       tau_expected.data());
        newton_euler_sweeps(c.reduced.tree, c.links.X, c.v.data(), a, moving_ground(c.reduced, V_0, alpha_0),
                            wrenches ? f_reduced.data() : nullptr, found, tau.data());
        double size = 1;
        for (int k = 0; k < c.tree.count(); ++k) size = std::max(size, largest(eigen(expected.f[k])));
        for (int i = 0; i < c.tree.nv_full; ++i) EXPECT_NEAR(tau[i], tau_expected[i], 1e-12 * size);
      }
    }
  }
}

TEST(ReducedTree, ChangesNoMassMatrix) {
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Case c(seed);
    const int n = c.tree.nv_full;
    std::vector<Inertia<double>> composite(c.tree.count());
    Matrix expected(n, n), M = Matrix::Constant(n, n, 7);
    mass_matrix_sweep(c.tree, c.positions.X, composite, expected.data(), n);
    mass_matrix_sweep(c.reduced.tree, c.links.X, composite, M.data(), n);
    EXPECT_LT(largest(M - expected), 1e-12 * largest(expected));
    if (!by_factor(c.tree)) continue;
    TreeRows<double> rows(c.tree), rows_expected(c.tree);
    mass_rows_sweep(c.tree, c.positions.X, composite, rows_expected);
    mass_rows_sweep(c.reduced.tree, c.links.X, composite, rows);
    for (int i = 0; i < n; ++i) {
      for (int p = 0; p <= c.tree.ancestors[i].depth; ++p) {
        EXPECT_NEAR(rows.row(i)[p], rows_expected.row(i)[p], 1e-12 * largest(expected));
      }
    }
  }
}

TEST(ReducedTree, LeavesRevoluteJointsNothingThatTheyCannotFeel) {
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Model model(random_tree(static_cast<std::uint64_t>(seed)));
    const Tree& tree = model.reduced().tree;
    for (std::size_t k = 0; k < tree.bodies.size(); ++k) {
      if (!kernel::is<kernel::Revolute>(tree.bodies[k])) continue;
      const BodyInertia<double>& body = tree.inertias[k];
      EXPECT_EQ(body.M.m, 0);
      EXPECT_EQ(body.M.h.z, 0);
      EXPECT_EQ(body.second.zz, 0);
    }
  }
}

// A workspace remembers whose constants it holds.
TEST(ReducedTree, WorkspaceFollowsAModelOfTheSameShape) {
  Description heavy = random_tree(3);
  const Model first(heavy);
  for (Body& body : heavy.bodies) {
    if (body.inertial) body.inertial->mass *= 2, body.inertial->inertia *= 2;
  }
  const Model second(heavy);
  const Vector q = random_configuration(first, 1), v = random_vector(first, 2), a = random_vector(first, 3);
  Workspace workspace(first);
  Vector tau(first.nv());
  inverse_dynamics(first, workspace, q, v, a, tau);
  EXPECT_EQ(tau, inverse_dynamics(first, q, v, a));
  inverse_dynamics(second, workspace, q, v, a, tau);
  EXPECT_EQ(tau, inverse_dynamics(second, q, v, a));
}

}  // namespace
}  // namespace catena
