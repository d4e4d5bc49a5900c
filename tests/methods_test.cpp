// The other methods of the papers' tables against the plain ones, on random trees with everything the model knows.
#include "catena/reference/methods.hpp"

#include <Eigen/Eigenvalues>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "support.hpp"

namespace catena::test {
namespace {

ExternalLoads some_loads(const Model& model) {
  ExternalLoads loads;
  loads.base.angular_velocity = {0.3, -0.2, 0.5};
  loads.base.velocity = {0.1, 0.7, -0.4};
  loads.base.angular_acceleration = {-1, 0.4, 0.2};
  loads.base.acceleration = {0.5, 1, -0.3};
  Wrench wrench;
  wrench.frame = model.frame_count() - 1;
  wrench.force = {3, -2, 1};
  wrench.moment = {0.2, 0.5, -0.1};
  wrench.axes = Axes::aligned;
  loads.wrenches.push_back(wrench);
  return loads;
}

template <class Law>
void for_each_tree_and_condition(const Law& law, const TreeOptions& options = {}) {
  bool plain = false;
  const auto under_loads = [&](const Case& c) {
    plain = !plain;
    law(c, plain ? ExternalLoads{} : some_loads(c.model));
  };
  for_each_tree(under_loads, options, 150);
}

TEST(Methods, ColumnsByInverseDynamicsInvertInverseDynamics) {
  for_each_tree_and_condition([](const Case& c, const ExternalLoads& loads) {
    const Vector tau = inverse_dynamics(c.model, c.q, c.v, c.a, loads);
    const double cond = condition_number(mass_matrix(c.model, c.q));
    const double tolerance = 1e-14 * cond * force_scale(c) + 1e-12;
    const auto columns = forward_dynamics_newton_columns(c.model, c.q, c.v, tau, loads);
    const auto symmetric = forward_dynamics_newton_symmetric(c.model, c.q, c.v, tau, loads);
    EXPECT_LE((columns - c.a).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_LE((symmetric - c.a).cwiseAbs().maxCoeff(), tolerance);
  });
}

TEST(Methods, ConjugateGradientEndsWithinItsOwnBound) {
  for_each_tree_and_condition([](const Case& c, const ExternalLoads& loads) {
    const Vector tau = inverse_dynamics(c.model, c.q, c.v, c.a, loads);
    const auto result = forward_dynamics_conjugate_gradient(c.model, c.q, c.v, tau, loads);
    EXPECT_LE(result.residual, result.bound);
    // In the scaled norm |error| <= |residual| / smallest eigenvalue, and tau itself carries rounding.
    const Matrix M = mass_matrix(c.model, c.q);
    const Vector root = M.diagonal().cwiseSqrt();
    const Matrix scaled = root.cwiseInverse().asDiagonal() * M * root.cwiseInverse().asDiagonal();
    const double smallest = Eigen::SelfAdjointEigenSolver<Matrix>(scaled).eigenvalues().minCoeff();
    const double rounding = 1e-14 * c.model.nv() * force_scale(c) * root.cwiseInverse().maxCoeff();
    // couplings: the solver scales by an approximate diagonal, within a factor that M's own structure bounds
    const double slack = c.model.has_couplings() ? 10 : 1;
    EXPECT_LE((result.a - c.a).cwiseProduct(root).norm(), slack * (result.bound + rounding) / smallest);
  });
}

TEST(Methods, ConjugateGradientNeedsAboutOneStepPerCoordinateOfAWellBehavedArm) {
  const Model model(chain(6));
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2), a = random_vector(model, 3);
  const auto result = forward_dynamics_conjugate_gradient(model, q, v, inverse_dynamics(model, q, v, a));
  EXPECT_GE(result.iterations, 6);
  EXPECT_LE(result.iterations, 30);
  const Model pendulum(chain(1));
  const Vector one = Vector::Ones(1);
  EXPECT_EQ(forward_dynamics_conjugate_gradient(pendulum, one, one, one).iterations, 1);
}

TEST(Methods, FilteringAndSmoothingIsInverseDynamics) {
  const auto law = [](const Case& c, const ExternalLoads& loads) {
    const Vector expected = inverse_dynamics(c.model, c.q, c.v, c.a, loads);
    const double cond = condition_number(mass_matrix(c.model, c.q));
    const Vector tau = inverse_dynamics_kalman(c.model, c.q, c.v, c.a, loads);
    EXPECT_LE((tau - expected).cwiseAbs().maxCoeff(), (1e-14 * cond + 1e-12) * force_scale(c));
  };
  TreeOptions options;
  options.couplings = false;
  for_each_tree_and_condition(law, options);
  options.couplings = true;
  options.massless = false;  // a coupled body without mass leaves its own D singular
  for_each_tree_and_condition(law, options);
}

TEST(Methods, FilteringAndSmoothingIsForwardDynamicsBackwards) {
  TreeOptions options;
  options.couplings = false;
  for_each_tree_and_condition(
      [](const Case& c, const ExternalLoads& loads) {
        const double cond = condition_number(mass_matrix(c.model, c.q));
        const Vector tau = inverse_dynamics_kalman(c.model, c.q, c.v, c.a, loads);
        EXPECT_LE((forward_dynamics(c.model, c.q, c.v, tau, loads) - c.a).cwiseAbs().maxCoeff(),
                  1e-14 * cond * force_scale(c) + 1e-12);
      },
      options);
}

TEST(Methods, RefuseWhatTheOthersRefuse) {
  const Model model(chain(3));
  const Vector good = Vector::Zero(3), bad = Vector::Zero(2);
  EXPECT_THROW(forward_dynamics_newton_columns(model, good, good, bad), std::invalid_argument);
  EXPECT_THROW(forward_dynamics_newton_symmetric(model, good, bad, good), std::invalid_argument);
  EXPECT_THROW(forward_dynamics_conjugate_gradient(model, bad, good, good), std::invalid_argument);
  EXPECT_THROW(inverse_dynamics_kalman(model, good, good, bad), std::invalid_argument);
}

}  // namespace
}  // namespace catena::test
