// Angeles' natural orthogonal complement: K T = 0, I = T' M T, (7.57), and the constraint wrenches it eliminates.
// Formula sheet 1.6; brute-force numbers are in operators_reference_test.cpp.
#include "catena/reference/noc.hpp"

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/joints/joints.hpp"
#include "catena/kinematics/storage.hpp"
#include "catena/reference/textbook_kernel.hpp"
#include "operators_support.hpp"

namespace catena::test {
namespace {

TreeOptions simple_joints(bool terms = false) {
  TreeOptions options = uncoupled_trees(terms);
  options.types = {JointType::revolute,  JointType::continuous, JointType::prismatic,
                   JointType::universal, JointType::gimbal,     JointType::fixed};
  return options;
}

TEST(NaturalComplement, AnnihilatesTheConstraints) {
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const NaturalComplement x = natural_complement(c.model, c.q, c.v);
    EXPECT_SAME(x.K * x.T, Matrix::Zero(x.K.rows(), x.T.cols()), 1e-14, 1 + largest(x.K) * largest(x.T));
    EXPECT_SAME(x.K * x.t, Vector::Zero(x.K.rows()), 1e-13, 1 + largest(x.K) * largest(x.t));
    EXPECT_SAME(x.T * c.v, x.t, 1e-13, 1);
    // The nullity of K is exactly n: T has full rank and K loses no more than T spans.
    Eigen::JacobiSVD<Matrix> svd(x.K);
    svd.setThreshold(1e-9);
    EXPECT_EQ(svd.rank(), x.K.rows() - c.model.nv());
  });
}

// On a moving base the joints on the ground carry its twist along: K t = k, and t_dot follows from T.
TEST(NaturalComplement, KnowsAMovingBase) {
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    ExternalLoads loads;
    loads.base = {{0.3, -0.5, 0.7}, {0.2, 0.4, -0.6}, {1.1, -0.3, 0.2}, {-0.4, 0.8, 0.5}};
    const NaturalComplement x = natural_complement(c.model, c.q, c.v, loads);
    EXPECT_SAME(x.K * x.t, x.k, 1e-13, 1 + largest(x.K) * largest(x.t));
    EXPECT_GT(largest(x.k), 0);
  });
}

TEST(NaturalComplement, ShapesTheMassMatrixAndItsMotion) {
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const NaturalComplement x = natural_complement(c.model, c.q, c.v);
    EXPECT_CLOSE(x.generalized_inertia(), mass_matrix(c.model, c.q), 1e-13);
    const double h = 1e-4;
    const auto T = [&](double t) { return natural_complement(c.model, integrate(c.model, c.q, t * c.v), c.v).T; };
    const Matrix slope_of_T = (8 * (T(h) - T(-h)) - (T(2 * h) - T(-2 * h))) / (12 * h);
    EXPECT_SAME(x.T_dot, slope_of_T, 1e-8, 1 + largest(x.T) * largest(c.v));
    // w_A = A tau has the motors' power and nothing else
    EXPECT_SAME(x.T.transpose() * x.A, Matrix::Identity(c.model.nv(), c.model.nv()), 1e-13,
                1 + largest(x.A) * largest(x.T));
  });
}

// (7.57) solved for tau and for the accelerations: every joint type, joint terms, wrenches and a moving base included.
TEST(NaturalComplement, GivesTheDynamics) {
  for_each_case(uncoupled_trees(true), tries, [](const Case& c) {
    ExternalLoads loads;
    loads.base = {{0.3, -0.5, 0.7}, {0.2, 0.4, -0.6}, {1.1, -0.3, 0.2}, {-0.4, 0.8, 0.5}};
    Wrench wrench;
    wrench.frame = c.model.frame_count() - 1;
    wrench.force = {3, -1, 2};
    wrench.moment = {0.5, 1, -0.7};
    wrench.point = {0.1, -0.2, 0.3};
    wrench.axes = Axes::aligned;
    loads.wrenches.push_back(wrench);
    const Vector tau = inverse_dynamics(c.model, c.q, c.v, c.a, loads);
    EXPECT_CLOSE(inverse_dynamics_noc(c.model, c.q, c.v, c.a, loads), tau, 1e-12);
    const double bound = 1e-14 * condition_number(mass_matrix(c.model, c.q)) + 1e-12;
    EXPECT_CLOSE(forward_dynamics_noc(c.model, c.q, c.v, tau, loads), forward_dynamics(c.model, c.q, c.v, tau, loads),
                 bound);
  });
}

TEST(NaturalComplement, ConstraintWrenchesDoNoWorkAndLieInTheRangeOfKTransposed) {
  for_each_case(uncoupled_trees(), tries, [](const Case& c) {
    const NaturalComplement x = natural_complement(c.model, c.q, c.v);
    const Vector w_C = x.constraint_wrenches(c.v, c.a);
    const double scale = 1 + largest(x.M * (x.T * c.a)) + largest(x.w_G) + largest(w_C);
    EXPECT_SAME(x.T.transpose() * w_C, Vector::Zero(c.model.nv()), 1e-13, 10 * scale * (1 + largest(x.T)));
    const Matrix K_t = x.K.transpose();
    Eigen::CompleteOrthogonalDecomposition<Matrix> range(K_t);
    range.setThreshold(1e-9);
    const Vector lambda = range.solve(w_C);
    EXPECT_SAME(K_t * lambda, w_C, 1e-12, 10 * scale);
    EXPECT_SAME(K_t * x.multipliers(c.v, c.a), w_C, 1e-11, 10 * scale);
  });
}

// The same wrenches from the recursion: at each joint what the parent exerts on the body less the motor's part, and its
// reaction on the parent.
TEST(NaturalComplement, ConstraintWrenchesAreThoseOfTheNewtonEulerRecursion) {
  for_each_case(simple_joints(), tries, [](const Case& c) {
    const NaturalComplement x = natural_complement(c.model, c.q, c.v);
    const std::vector<CentredBody> bodies = centred_bodies(c.model, c.q, c.v);
    const SpatialOperators o(c.model, c.q);
    const Tree& tree = c.model.tree();
    Vector tau(tree.nv_full), expected = Vector::Zero(x.t.size());
    kernel::Positions<double> positions(tree);
    kernel::update_positions(tree, c.q.data(), positions);
    kernel::NewtonEuler<double> recursion(tree);
    const kernel::Motion<double> at_rest = kernel::Motion<double>::zero(),
                                 lift = {at_rest.w, kernel::vec3(-c.model.gravity())};
    kernel::inverse_sweeps<double>(tree, positions.X, c.v.data(), c.a.data(), at_rest, lift, nullptr, recursion,
                                   tau.data());
    for (int k = 1; k <= o.bodies; ++k) {
      Vector f = Vector::Zero(x.t.size());
      f.segment<6>(6 * (k - 1)) = kernel::eigen(recursion.f[k]);
      const bool turns = kernel::is<kernel::Revolute>(c.model.tree().bodies[k]);
      f[6 * (k - 1) + (turns ? 2 : 5)] = 0;  // the motor's part is along z of the body
      const Vector world = o.R * f;
      const Vector3 moment = world.segment<3>(6 * (k - 1)), force = world.segment<3>(6 * (k - 1) + 3);
      const int parent = bodies[k].parent;
      const auto add = [&](int body, double sign) {
        expected.segment<3>(6 * (body - 1)) += sign * (moment + (bodies[k].o - bodies[body].c).cross(force));
        expected.segment<3>(6 * (body - 1) + 3) += sign * force;
      };
      add(k, 1);
      if (parent > 0) add(parent, -1);
    }
    EXPECT_SAME(x.constraint_wrenches(c.v, c.a), expected, 1e-12, 1 + largest(x.w_G) + largest(tau));
  });
}

TEST(NaturalComplement, IsForRobotsWithoutMimicJoints) {
  Description robot = chain(3);
  robot.joints[2].mimics(robot.joints[1].name, 2);
  const Model model(robot);
  EXPECT_THROW(natural_complement(model, neutral_configuration(model), Vector::Zero(model.nv())),
               std::invalid_argument);
}

}  // namespace
}  // namespace catena::test
