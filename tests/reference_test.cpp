// The brute-force numbers of 120-digit arithmetic (formula sheet section 9), at the sheet's tolerances (section 8):
// 1e-12 of the largest entry, and 1e-14 cond(M) + 1e-12 behind an inverse.
#include <Eigen/Dense>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "support.hpp"

namespace catena::test {
namespace {

class Reference : public ReferenceFile {};

TEST_P(Reference, InverseDynamics) {
  EXPECT_CLOSE(inverse_dynamics(model, q, v, a), vector_from(values.at("tau")), 1e-12);
}

TEST_P(Reference, BiasIsCoriolisPlusGravity) {
  EXPECT_CLOSE(coriolis_forces(model, q, v), vector_from(values.at("coriolis")), 1e-12);
  EXPECT_CLOSE(gravity_forces(model, q), vector_from(values.at("gravity_force")), 1e-12);
  EXPECT_CLOSE(bias_forces(model, q, v), vector_from(values.at("bias")), 1e-12);
}

TEST_P(Reference, MassMatrixAndItsInverse) {
  EXPECT_CLOSE(mass_matrix(model, q), reference("M"), 1e-12);
  EXPECT_CLOSE(mass_matrix_inverse(model, q), matrix_from(values.at("Minv")), inverse_tolerance);
}

TEST_P(Reference, ForwardDynamicsReturnsTheAcceleration) {
  EXPECT_CLOSE(forward_dynamics(model, q, v, tau), a, inverse_tolerance);
  EXPECT_CLOSE(forward_dynamics_composite(model, q, v, tau), a, inverse_tolerance);
}

TEST_P(Reference, CoriolisMatrixHasTheDerivativeOfTheMassMatrix) {
  const Matrix C_denoc = matrix_from(values.at("C_denoc"));
  const Matrix M_dot = C_denoc + C_denoc.transpose();
  const Matrix C = coriolis_matrix(model, q, v);
  EXPECT_CLOSE(mass_matrix_dot(model, q, v), M_dot, 1e-12);
  EXPECT_CLOSE(Vector(C * v), vector_from(values.at("coriolis")), 1e-12);
}

TEST_P(Reference, CoriolisMatrixOfOneDegreeJointsIsChristoffels) {
  if (!values.contains("dM_dq")) return;  // only files with one-degree joints have it
  const int n = model.nv();
  std::vector<Matrix> dM;
  for (const Json& slice : values.at("dM_dq")) dM.push_back(matrix_from(slice));
  Matrix C = Matrix::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) C(i, j) += 0.5 * (dM[k](i, j) + dM[j](i, k) - dM[i](j, k)) * v[k];
    }
  }
  EXPECT_CLOSE(coriolis_matrix(model, q, v), C, 1e-12);
}

TEST_P(Reference, PosesAndEnergies) {
  const Kinematics kinematics(model, q, v);
  for (std::size_t b = 0; b < values.at("body_pose_world").size(); ++b) {
    const Json& expected = values.at("body_pose_world").at(b);
    const Pose pose = kinematics.pose(static_cast<int>(b));
    EXPECT_CLOSE(pose.R, matrix3_from(expected.at("R")), 1e-12);
    EXPECT_LE((pose.p - vector3_from(expected.at("p"))).norm(), 1e-12 * (1 + pose.p.norm()));
  }
  const double kinetic = values.at("kinetic_energy").get<double>();
  const double potential = values.at("potential_energy").get<double>();
  EXPECT_NEAR(kinematics.kinetic_energy(), kinetic, 1e-12 * kinetic);
  EXPECT_NEAR(kinematics.potential_energy(), potential, 1e-12 * (std::abs(potential) + 10));
}

TEST_P(Reference, WrenchAtTheCentreOfMassOfABody) {
  const auto loads = follower_wrench();
  if (!loads) return;
  const Vector expected = vector_from(file.at("with_wrench").at("tau"));
  EXPECT_CLOSE(inverse_dynamics(model, q, v, a, *loads), expected, 1e-12);
  EXPECT_CLOSE(forward_dynamics(model, q, v, expected, *loads), a, inverse_tolerance);
}

TEST_P(Reference, MovingBase) {
  const auto loads = moving_base();
  if (!loads) return;
  const Vector expected = vector_from(file.at("moving_base").at("tau"));
  EXPECT_CLOSE(inverse_dynamics(model, q, v, a, *loads), expected, 1e-12);
  EXPECT_CLOSE(forward_dynamics(model, q, v, expected, *loads), a, inverse_tolerance);
}

ON_ALL_REFERENCE_FILES(Reference);

// Saha's two examples along the paper's trajectory (sheet 2.6, 2.7), and the trajectory (39) as printed.
TEST(SahaExamples, JointForcesAlongTheTrajectories) {
  const Json examples = read_reference("inverse_dynamics_examples");
  for (const char* name : {"planar", "stanford", "stanford_literal"}) {
    SCOPED_TRACE(name);
    const bool literal = examples.at(name).at("model").is_string();
    const Model model(description_from(examples.at(literal ? "stanford" : name).at("model")));
    for (const Json& row : examples.at(name).at("rows")) {
      const Vector tau =
          inverse_dynamics(model, vector_from(row.at("q")), vector_from(row.at("v")), vector_from(row.at("a")));
      EXPECT_CLOSE(tau, vector_from(row.at("tau")), 1e-12);
    }
  }
}

}  // namespace
}  // namespace catena::test
