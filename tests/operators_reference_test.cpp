// The brute-force numbers (formula sheet 9) that belong to operators and complements, at the sheet's tolerances (8).
#include <algorithm>

#include "catena/dynamics/inverse.hpp"
#include "catena/kinematics/storage.hpp"
#include "catena/reference/denoc.hpp"
#include "catena/reference/noc.hpp"
#include "operators_support.hpp"

namespace catena::test {
namespace {

class OperatorsReference : public ReferenceFile {
 protected:
  SpatialOperators o{model, q, v};
  bool one_degree = values.contains("dM_dq");
};

TEST_P(OperatorsReference, MassMatrixItsFactorsAndInverse) {
  const Operator& H = o.H;
  EXPECT_CLOSE((H * o.Phi * o.M * transpose(o.Phi) * transpose(H)).matrix(), reference("M"), 1e-12);
  EXPECT_CLOSE((o.U() * o.D * transpose(o.U())).matrix(), reference("M"), 1e-12);
  EXPECT_CLOSE((transpose(o.U_inv()) * inverse(o.D) * o.U_inv()).matrix(), reference("Minv"), inverse_tolerance);
  EXPECT_CLOSE(o.U().matrix(), reference("U"), 1e-12);
  EXPECT_CLOSE(o.D.matrix(), reference("D"), 1e-12);
  EXPECT_CLOSE(o.m().matrix(), reference("m"), 1e-12);
}

TEST_P(OperatorsReference, DerivativesOfTheFactors) {
  EXPECT_CLOSE(o.D_ring.matrix(), reference("Ddot"), 1e-12);
  EXPECT_CLOSE(o.m_dot().matrix(), reference("mdot"), 1e-12);
}

// [000] (29) and [004] (6.11), one-degree joints.
TEST_P(OperatorsReference, DerivativeOfTheMassFactorAsThePapersWriteIt) {
  if (!one_degree) return;
  const Operator tail = transpose(o.H) * transpose(inverse(o.S));
  const Operator Phi_tilde = o.Phi - 1;
  EXPECT_CLOSE((o.H * o.Phi * (o.Omega * o.Phi * o.P + 0.5 * (1 + o.tau_bar) * o.P_ring) * tail).matrix(),
               reference("mdot"), 1e-12);
  EXPECT_CLOSE((o.H * o.Phi * (o.Omega * Phi_tilde * o.P + 0.5 * (1 + o.tau_bar) * o.lambda_dot) * tail).matrix(),
               reference("mdot"), 1e-12);
}

// Identity 6.3.
TEST_P(OperatorsReference, DerivativesOfTheMassMatrixWithRespectToEachJoint) {
  if (!one_degree) return;
  for (int i = 0; i < model.nv(); ++i) {
    const Operator T = o.crf_H(i), Phi_t = transpose(o.Phi);
    const Operator dM = o.H * o.Phi * (T * o.Phi * o.M + o.M * Phi_t * transpose(T)) * Phi_t * transpose(o.H);
    const Matrix expected = matrix_from(values.at("dM_dq").at(i));
    EXPECT_SAME(dM.matrix(), expected, 1e-12, largest(reference("M")));
  }
}

// P is in the tree's axes (joint axis z); the file's are the body's own.
TEST_P(OperatorsReference, ArticulatedInertiasAndTheirLocalDerivatives) {
  const Matrix P = o.P.matrix(), P_ring = o.P_ring.matrix();
  for (int b = 0; b < o.bodies; ++b) {
    const TreeFrame& frame = model.tree().frames[b];
    Matrix R = Matrix::Zero(6, 6);
    R.topLeftCorner(3, 3) = R.bottomRightCorner(3, 3) = kernel::eigen(frame.pose.R);
    const int at = 6 * (frame.body - 1);
    const Matrix P_here = P.block(at, at, 6, 6), ring_here = P_ring.block(at, at, 6, 6);
    EXPECT_CLOSE(R.transpose() * P_here * R, matrix_from(values.at("P").at(b)), 1e-12);
    EXPECT_SAME(R.transpose() * ring_here * R, matrix_from(values.at("P_local_dot").at(b)), 1e-12, largest(P_here));
  }
}

// Lemma 3.1 of [003] in body frames. Erratum: the first term of B_D is crf(H) f, its star is lost in print.
TEST_P(OperatorsReference, LinearizedDynamicsInOperatorForm) {
  if (!one_degree) return;
  const int n = model.nv();
  const Operator H_t = transpose(o.H), Phi_t = transpose(o.Phi), crm_V = -transpose(o.crf_V);
  const Vector alpha = Phi_t * (H_t * a + o.s) - o.g, MV = o.M * o.V;
  const Vector f = o.Phi * (o.M * alpha + o.crf_V * MV);
  // crf(F) for each body's force F, as Q[F] = [[a]x [b]x; [b]x 0] with Q[F] Y = -crf(Y) F
  const auto on_bodies = [&](const Vector& x, auto&& block) {
    std::vector<Block> list;
    for (int k = 0; k < o.bodies; ++k) list.push_back({6 * k, 6 * k, block(Vector6(x.segment<6>(6 * k)))});
    return block_diagonal(6 * o.bodies, 6 * o.bodies, list);
  };
  const auto cross = [](const Vector3& x) {
    Matrix3 S;
    S << 0, -x.z(), x.y(), x.z(), 0, -x.x(), -x.y(), x.x(), 0;
    return S;
  };
  const auto Q = [&](const Vector6& F) -> Matrix {
    Matrix m = Matrix::Zero(6, 6);
    m << cross(F.head<3>()), cross(F.tail<3>()), cross(F.tail<3>()), Matrix3::Zero();
    return m;
  };
  const auto crm = [&](const Vector6& A) -> Matrix {
    Matrix m = Matrix::Zero(6, 6);
    m << cross(A.head<3>()), Matrix3::Zero(), cross(A.tail<3>()), cross(A.head<3>());
    return m;
  };
  const Operator M_dot = o.crf_V * o.M - o.M * crm_V, M_bar = 0.5 * (M_dot - on_bodies(MV, Q));
  const Operator H_dot = crm_V * H_t, H_ddot = on_bodies(alpha, crm) * H_t + crm_V * H_dot;
  const Operator A_D = 2 * (o.H * o.Phi * (o.M * Phi_t * H_dot + M_bar * Phi_t * H_t));
  const Operator rest = 2 * (M_bar * Phi_t * H_dot) + o.M * Phi_t * H_ddot;
  const Operator B_D = o.H * o.Phi * (rest - on_bodies(f, Q) * H_t);
  EXPECT_CLOSE(A_D.matrix(), reference("A_D"), 1e-12);
  EXPECT_CLOSE(B_D.matrix(), reference("B_D"), 1e-12);
  // Without the star: crm(H) f instead of crf(H) f. At the origin of a revolute joint's body the two are equal (in the
  // paper's one inertial frame they are not), so a slide has to tell them apart.
  const auto slides = [](const Coordinate& c) { return c.type == JointType::prismatic; };
  if (std::none_of(model.coordinates().begin(), model.coordinates().end(), slides)) return;
  Matrix printed(6 * o.bodies, n);
  for (int i = 0; i < n; ++i) printed.col(i) = transpose(o.crf_H(i)) * Vector(-f);
  EXPECT_TRUE(clearly_differ((o.H * o.Phi * rest).matrix() + (o.H * o.Phi).apply(printed), reference("B_D")));
}

TEST_P(OperatorsReference, DecoupledComplement) {
  const Denoc denoc(model, q, v);
  const DenocFactors factors = denoc.eliminate();
  EXPECT_CLOSE(denoc.generalized_inertia(), reference("M"), 1e-12);
  EXPECT_CLOSE(denoc.convective_inertia(), reference("C_denoc"), 1e-12);
  EXPECT_CLOSE(denoc.U(factors), reference("U"), 1e-12);
  EXPECT_CLOSE(denoc.D(factors), reference("D"), 1e-12);
  EXPECT_CLOSE(inverse_dynamics_denoc(model, q, v, a), tau, 1e-12);
  EXPECT_CLOSE(forward_dynamics_denoc(model, q, v, tau), a, inverse_tolerance);
}

TEST_P(OperatorsReference, NaturalComplement) {
  if (!one_degree) return;
  EXPECT_CLOSE(natural_complement(model, q, v).generalized_inertia(), reference("M"), 1e-12);
  EXPECT_CLOSE(inverse_dynamics_noc(model, q, v, a), tau, 1e-12);
  EXPECT_CLOSE(forward_dynamics_noc(model, q, v, tau), a, inverse_tolerance);
}

TEST_P(OperatorsReference, ComplementsWithAWrenchAtTheCentreOfMassOfABody) {
  const auto loads = follower_wrench();
  if (!loads) return;
  const Vector expected = vector_from(file.at("with_wrench").at("tau"));
  EXPECT_CLOSE(inverse_dynamics_denoc(model, q, v, a, *loads), expected, 1e-12);
  EXPECT_CLOSE(forward_dynamics_denoc(model, q, v, expected, *loads), a, inverse_tolerance);
  if (one_degree) {
    EXPECT_CLOSE(inverse_dynamics_noc(model, q, v, a, *loads), expected, 1e-12);
  }
}

TEST_P(OperatorsReference, DecoupledComplementOnAMovingBase) {
  const auto loads = moving_base();
  if (!loads) return;
  const Vector expected = vector_from(file.at("moving_base").at("tau"));
  EXPECT_CLOSE(inverse_dynamics_denoc(model, q, v, a, *loads), expected, 1e-12);
  EXPECT_CLOSE(forward_dynamics_denoc(model, q, v, expected, *loads), a, inverse_tolerance);
}

ON_ALL_REFERENCE_FILES(OperatorsReference);

}  // namespace
}  // namespace catena::test
