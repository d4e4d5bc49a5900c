// Operational-space inertia from the operators against the dense product of Jacobians and the mass matrix's inverse.
#include "catena/reference/operational_space.hpp"

#include "catena/dynamics/mass_matrix.hpp"
#include "operators_support.hpp"

namespace catena::test {
namespace {

Matrix stacked_jacobian(const Case& c, const std::vector<int>& frames) {
  const Kinematics kinematics(c.model, c.q);
  Matrix J(6 * frames.size(), c.model.nv());
  for (std::size_t f = 0; f < frames.size(); ++f) J.middleRows(6 * f, 6) = kinematics.jacobian(frames[f], Axes::body);
  return J;
}

TEST(OperationalSpace, FramesFollowTheirBodies) {
  for_each_case(uncoupled_trees(true), 60, [](const Case& c) {
    const SpatialOperators o(c.model, c.q);
    std::vector<int> frames;
    for (int f = 0; f < c.model.frame_count(); ++f) frames.push_back(f);
    const Operator J = transpose(o.at(frames)) * transpose(o.Phi) * transpose(o.H);
    EXPECT_SAME(J.matrix(), stacked_jacobian(c, frames), 1e-12, 1);
  });
}

TEST(OperationalSpace, MobilityIsTheDenseProduct) {
  for_each_case(uncoupled_trees(true), 60, [](const Case& c) {
    const SpatialOperators o(c.model, c.q);
    const std::vector<int> frames = {c.model.frame_count() - 1, 0};
    const Matrix J = stacked_jacobian(c, frames), M = mass_matrix(c.model, c.q);
    EXPECT_SAME(operational_space_mobility(o, frames), J * M.llt().solve(J.transpose()),
                1e-14 * condition_number(M) + 1e-12, 0);
  });
}

TEST(OperationalSpace, InertiaIsTheInverseOfTheDenseProduct) {
  int regular = 0;
  TreeOptions options = uncoupled_trees(true);
  options.min_bodies = 6;
  for_each_case(options, 100, [&](const Case& c) {
    const SpatialOperators o(c.model, c.q);
    const std::vector<int> frames = {c.model.frame_count() - 1};
    const Matrix J = stacked_jacobian(c, frames), M = mass_matrix(c.model, c.q);
    const Matrix mobility = J * M.llt().solve(J.transpose());
    const Vector length = mobility.diagonal().cwiseSqrt();
    if (length.minCoeff() < 1e-6) return;
    const Matrix scaled = length.cwiseInverse().asDiagonal() * mobility * length.cwiseInverse().asDiagonal();
    const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(scaled).eigenvalues();
    if (eigenvalues.minCoeff() < 1e-8) return;  // the dense product has no digits to compare with
    ++regular;
    const Matrix Lambda = operational_space_inertia(o, frames);
    EXPECT_SAME(mobility * Lambda, Matrix::Identity(6, 6), 1e-13 * condition_number(M) + 1e-11,
                largest(mobility) * largest(Lambda));
    EXPECT_CLOSE(Lambda, Lambda.transpose(), 1e-13);
  });
  EXPECT_GE(regular, 20);
}

// Two hands of one floating robot at once.
TEST(OperationalSpace, SeveralFramesFeelEachOther) {
  Builder robot("two hands");
  const Inertial box{1, {0.1, 0.02, 0.03}, box_inertia(1, 0.1, 0.2, 0.3)};
  robot.add_body("trunk", box, free("base"));
  for (const std::string side : {"left", "right"}) {
    const double y = side == "left" ? 0.3 : -0.3;
    robot.add_body(side + " arm", box, spherical(side + " shoulder").on("trunk").at(0, y, 0));
    robot.add_body(side + " hand", box, spherical(side + " wrist").on(side + " arm").at(0.5, 0, 0));
  }
  const Model model = robot.build();
  const Case c{model, random_configuration(model, 5), Vector::Zero(model.nv()), Vector::Zero(model.nv())};
  const std::vector<int> hands = {model.frame("left hand"), model.frame("right hand")};
  const SpatialOperators o(c.model, c.q);
  const Matrix J = stacked_jacobian(c, hands), M = mass_matrix(c.model, c.q);
  const Matrix Lambda = operational_space_inertia(o, hands);
  EXPECT_CLOSE(Lambda, (J * M.llt().solve(J.transpose())).inverse(), 1e-10);
  EXPECT_GT(largest(Lambda.topRightCorner(6, 6)), 1e-3);
}

TEST(OperationalSpace, SaysWhenFramesCannotMoveFreely) {
  const Model arm(chain(4));
  const SpatialOperators o(arm, random_configuration(arm, 1));
  const int tip = arm.frame_count() - 1;
  EXPECT_THROW(operational_space_inertia(o, {tip}), NumericalError);  // four joints, six directions
  EXPECT_EQ(operational_space_mobility(o, {tip}).rows(), 6);
  EXPECT_THROW(operational_space_inertia(o, {}), NumericalError);
  const Model long_arm(chain(14));
  const SpatialOperators many(long_arm, random_configuration(long_arm, 1));
  const int end = long_arm.frame_count() - 1;
  EXPECT_NO_THROW(operational_space_inertia(many, {end}));
  EXPECT_THROW(operational_space_inertia(many, {end, end}), NumericalError);  // the same frame twice
  ChainOptions flat;
  flat.shape = ChainShape::planar;
  const Model planar(chain(8, flat));
  EXPECT_THROW(
      operational_space_inertia(SpatialOperators(planar, random_configuration(planar, 1)), {planar.frame_count() - 1}),
      NumericalError);  // three directions only
}

}  // namespace
}  // namespace catena::test
