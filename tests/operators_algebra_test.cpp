// The operator value type: expressions behave as the matrices they stand for, and sizes are checked.
#include "catena/dynamics/mass_matrix.hpp"
#include "operators_support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

Operator dense_block(const Matrix& values) {
  return block_diagonal(static_cast<int>(values.rows()), static_cast<int>(values.cols()), {{0, 0, values}});
}

TEST(Operator, ExpressionsAreTheMatricesTheyStandFor) {
  const Matrix A = Matrix::Random(4, 4), B = Matrix::Random(4, 4), C = Matrix::Random(4, 3);
  const Operator a = dense_block(A), b = dense_block(B), c = dense_block(C);
  EXPECT_CLOSE((a * b * c).matrix(), A * B * C, 1e-14);
  EXPECT_CLOSE((a + b).matrix(), A + B, 1e-15);
  EXPECT_CLOSE((a - b).matrix(), A - B, 1e-15);
  EXPECT_CLOSE((-a).matrix(), -A, 1e-15);
  EXPECT_CLOSE((2.5 * c).matrix(), 2.5 * C, 1e-15);
  EXPECT_CLOSE(transpose(a * c).matrix(), (A * C).transpose(), 1e-14);
  EXPECT_CLOSE((1 + a).matrix(), Matrix::Identity(4, 4) + A, 1e-15);
  EXPECT_CLOSE((1 - a * b).matrix(), Matrix::Identity(4, 4) - A * B, 1e-14);
  EXPECT_CLOSE((a - 2).matrix(), A - 2 * Matrix::Identity(4, 4), 1e-15);
  EXPECT_CLOSE((a + 2).matrix(), A + 2 * Matrix::Identity(4, 4), 1e-15);
  EXPECT_CLOSE(transpose(a + 2 * transpose(b)).matrix(), A.transpose() + 2 * B, 1e-15);
  const Vector x = Vector::Random(3);
  EXPECT_CLOSE(Vector(a * c * x), A * C * x, 1e-14);
  EXPECT_CLOSE(identity(3).apply(C.transpose()), C.transpose(), 0);
}

TEST(Operator, InversesOfBlocksSweepsProductsMultiplesAndTransposes) {
  const Case c = random_case(3, uncoupled_trees());
  const SpatialOperators o(c.model, c.q);
  const Matrix one = Matrix::Identity(c.model.nv(), c.model.nv());
  EXPECT_CLOSE((inverse(o.D) * o.D).matrix(), one, 1e-10);
  EXPECT_CLOSE((inverse(2 * transpose(o.S)) * (2 * transpose(o.S))).matrix(), one, 1e-10);
  EXPECT_CLOSE((inverse(o.Phi * o.Psi) * o.Phi * o.Psi).matrix(), Matrix::Identity(o.Phi.rows(), o.Phi.rows()), 1e-10);
  EXPECT_CLOSE(inverse(o.Phi).matrix(), (1 - o.E_phi).matrix(), 0);
  EXPECT_THROW(inverse(o.U()), std::invalid_argument);
  EXPECT_THROW(inverse(o.G), std::invalid_argument);
  EXPECT_THROW(inverse(dense_block(Matrix::Zero(2, 2))), NumericalError);
}

TEST(Operator, RefusesSizesThatDoNotFit) {
  const Operator square = identity(3), wide = dense_block(Matrix::Ones(2, 3));
  EXPECT_THROW(square * transpose(wide) * square, std::invalid_argument);
  EXPECT_THROW(square + wide, std::invalid_argument);
  EXPECT_THROW(1 + wide, std::invalid_argument);
  EXPECT_THROW(wide * Vector::Zero(2), std::invalid_argument);
  EXPECT_THROW(block_diagonal(2, 2, {{1, 0, Matrix::Ones(2, 2)}}), std::invalid_argument);
  EXPECT_THROW(block_diagonal(4, 4, {{0, 0, Matrix::Ones(2, 2)}, {1, 2, Matrix::Ones(2, 2)}}), std::invalid_argument);
  EXPECT_THROW(log_determinant(square), std::invalid_argument);
}

// Nothing of size n^2 is ever made: 6N = 60,000 squared would not fit in memory.
TEST(Operator, AppliesToTenThousandBodiesWithoutFormingAnything) {
  LONG_TEST();
  const Model model(chain(10000));
  const Vector q = random_configuration(model, 1), x = random_vector(model, 2);
  const SpatialOperators o(model, q);
  const Vector b = o.U() * (o.D * (transpose(o.U()) * x));
  const Vector back = transpose(o.U_inv()) * (inverse(o.D) * (o.U_inv() * b));
  EXPECT_LE((back - x).cwiseAbs().maxCoeff(), 1e-4);  // cond M of such a chain is above 1e10
  EXPECT_CLOSE(b, o.H * (o.Phi * (o.M * (transpose(o.Phi) * (transpose(o.H) * x)))), 1e-10);
}

TEST(SpatialOperators, DescribeTheUncoupledRobotOnly) {
  Description robot = chain(3);
  robot.joints[2].mimics(robot.joints[1].name, 2);
  const Model coupled(robot);
  EXPECT_THROW(SpatialOperators(coupled, Vector::Zero(coupled.nq())), std::invalid_argument);
  const Model model(chain(3));
  EXPECT_THROW(SpatialOperators(model, Vector::Zero(2)), std::invalid_argument);
  EXPECT_THROW(SpatialOperators(model, Vector::Zero(3), Vector::Zero(2)), std::invalid_argument);
  EXPECT_THROW(SpatialOperators(model, Vector::Zero(3)).crf_H(3), std::invalid_argument);
  EXPECT_THROW(SpatialOperators(model, Vector::Zero(3)).at({99}), std::invalid_argument);
}

TEST(SpatialOperators, NameTheJointOfASingularMassMatrix) {
  // A point mass that slides along an arm without mass: on the axis nothing resists the spin.
  Builder builder("slider");
  builder.add_body("arm", Inertial{}, revolute("spin").about(0, 0, 1));
  builder.add_body("ball", Inertial{1, Vector3::Zero(), Matrix3::Zero()}, prismatic("slide").on("arm").along(1, 0, 0));
  const Model model = builder.build();
  EXPECT_NO_THROW(SpatialOperators(model, Vector{{0.0, 0.5}}));
  try {
    SpatialOperators(model, Vector{{0.0, 0.0}});
    FAIL() << "a point mass on the axis cannot resist";
  } catch (const NumericalError& error) {
    EXPECT_EQ(error.body(), "spin");
  }
}

}  // namespace
}  // namespace catena::test
