// The kernels with a 3-vector in each vector of the processor against the same sweeps over single numbers, which other
// processors run: every type of joint, a moving ground, wrenches, couplings.
#include "catena/dynamics/packed.hpp"

#include "catena/kinematics/storage.hpp"
#include "catena/model/generate.hpp"
#include "catena/spatial/lanes.hpp"
#include "tests/support.hpp"

namespace catena {
namespace {

using namespace kernel;

double largest(const Matrix& x) { return x.cwiseAbs().maxCoeff(); }

struct Case {
  explicit Case(int seed)
      : model(random_tree(static_cast<std::uint64_t>(seed))),
        tree(model.tree()),
        positions(tree),
        packed(tree),
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
    Positions<double> angles(tree);
    place_packed(tree, q.data(), angles, packed);
  }

  Model model;
  const Tree& tree;
  Positions<double> positions;
  Packed packed;
  std::vector<double> q, v, a;
};

class Packing : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!spatial::processor_has_lanes(4)) GTEST_SKIP() << "this processor has no vectors of four";
  }
};

TEST_F(Packing, ChangesNoForceAndNoWrench) {
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Case c(seed);
    const Motion<double> V_0 = {{0.3, -0.2, 0.5}, {1, 2, -1}}, alpha_0 = {{-1, 0.4, 0.7}, {0.5, 0.1, 9.81}};
    std::vector<Force<double>> f_ext(c.tree.count(), Force<double>{{1, 2, 3}, {-4, 5, 6}});
    NewtonEuler<double> expected(c.tree);
    std::vector<double> tau(c.tree.nv_full), tau_expected(tau);
    for (const bool wrenches : {false, true}) {
      for (const bool moving : {false, true}) {
        const Force<double>* const f = wrenches ? f_ext.data() : nullptr;
        const double* const a = moving ? c.a.data() : nullptr;
        inverse_sweeps(c.tree, c.positions.X, c.v.data(), a, V_0, alpha_0, f, expected, tau_expected.data());
        inverse_packed(c.tree, c.v.data(), a, V_0, alpha_0, f, c.packed, tau.data());
        double size = 1;
        for (int k = 0; k < c.tree.count(); ++k) size = std::max(size, largest(eigen(expected.f[k])));
        for (int i = 0; i < c.tree.nv_full; ++i) EXPECT_NEAR(tau[i], tau_expected[i], 1e-13 * size);
        for (int k = 0; k < c.tree.count(); ++k) {
          EXPECT_LT(largest(eigen(c.packed.wrench(k)) - eigen(expected.f[k])), 1e-13 * size);
        }
      }
    }
  }
}

TEST_F(Packing, ChangesNoMassMatrix) {
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Case c(seed);
    const int n = c.tree.nv_full;
    std::vector<Inertia<double>> composite(c.tree.count());
    Matrix expected(n, n), M = Matrix::Constant(n, n, 7);
    mass_matrix_sweep(c.tree, c.positions.X, composite, expected.data(), n);
    mass_matrix_packed(c.tree, c.packed, M.data(), n);
    EXPECT_LT(largest(M - expected), 1e-13 * largest(expected));
    if (!by_factor(c.tree)) continue;
    TreeRows<double> rows(c.tree), rows_expected(c.tree);
    mass_rows_sweep(c.tree, c.positions.X, composite, rows_expected);
    mass_rows_packed(c.tree, c.packed, rows);
    for (int i = 0; i < n; ++i) {
      for (int p = 0; p <= c.tree.steps[i].depth; ++p) {
        EXPECT_NEAR(rows.row(i)[p], rows_expected.row(i)[p], 1e-13 * largest(expected));
      }
    }
  }
}

}  // namespace
}  // namespace catena
