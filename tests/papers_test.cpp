// Items of the five papers that no other test names: definitions, lemmas in operator form, closed forms of an example,
// operation counts of single steps. The tables in docs/papers say which item each of them proves.
#include "catena/count/counting.hpp"
#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/model/random.hpp"
#include "catena/read/robot.hpp"
#include "catena/reference/denoc.hpp"
#include "catena/reference/dh_kernel.hpp"
#include "catena/reference/methods.hpp"
#include "catena/reference/noc.hpp"
#include "dual.hpp"
#include "operators_support.hpp"

namespace catena::test {
namespace {

using compile::Counting;
using compile::Tally;

Matrix3 cross_matrix(const Vector3& x) {
  Matrix3 out;
  out << 0, -x.z(), x.y(), x.z(), 0, -x.x(), -x.y(), x.x(), 0;
  return out;
}
Matrix6 four_blocks(const Matrix3& a, const Matrix3& b, const Matrix3& c, const Matrix3& d) {
  Matrix6 out;
  out << a, b, c, d;
  return out;
}
// (1.5) of [003]; crf(X) = S[X], crm(X) = -S*[X].
Matrix6 S_of(const Vector6& x) {
  const Matrix3 a = cross_matrix(x.head<3>()), b = cross_matrix(x.tail<3>());
  return four_blocks(a, b, Matrix3::Zero(), a);
}
Matrix6 Q_of(const Vector6& x) {
  const Matrix3 a = cross_matrix(x.head<3>()), b = cross_matrix(x.tail<3>());
  return four_blocks(a, b, b, Matrix3::Zero());
}
Matrix6 crm_of(const Vector6& x) { return -S_of(x).transpose(); }

Operator blocks_of(const Vector& stacked, Matrix6 (*block)(const Vector6&)) {
  std::vector<Block> list;
  const int bodies = static_cast<int>(stacked.size()) / 6;
  for (int k = 0; k < bodies; ++k) list.push_back({6 * k, 6 * k, block(Vector6(stacked.segment<6>(6 * k)))});
  return block_diagonal(6 * bodies, 6 * bodies, list);
}

TEST(LinearizationItems, CrossProductsOfSpatialVectors) {
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    Vector6 X, Y;
    for (int i = 0; i < 6; ++i) X[i] = random.between(-1, 1), Y[i] = random.between(-1, 1);
    EXPECT_SAME(Q_of(X) * Y, -S_of(Y) * X, 1e-15, 1);  // (1.6)
    EXPECT_SAME(S_of(X).transpose() * X, Vector6::Zero(), 1e-15, 1);
    EXPECT_SAME(S_of(X).transpose() * Y, -S_of(Y).transpose() * X, 1e-15, 1);
    EXPECT_FALSE(clearly_differ(crm_of(X) * Y, -crm_of(Y) * X));     // (5.5) of [004]: anti-symmetric,
    EXPECT_TRUE(clearly_differ(crm_of(X), -crm_of(X).transpose()));  // though its matrix is not skew
    // (6.9) of [004]: the cross product of a vector carried to another point
    Matrix6 phi_t = Matrix6::Identity();
    phi_t.bottomLeftCorner<3, 3>() = -cross_matrix(Y.head<3>());
    EXPECT_SAME(crm_of(phi_t * X), phi_t * crm_of(X) * phi_t.inverse(), 1e-14, 1);
  }
}

// What Lemmas 3.1 and 3.2 are made of, in the frames of the bodies, for joints with one degree of freedom.
struct InverseTerms {
  explicit InverseTerms(const Case& c)
      : o(c.model, c.q, c.v),
        alpha(transpose(o.Phi) * (transpose(o.H) * c.a + o.s) - o.g),
        f(o.Phi * (o.M * alpha + o.crf_V * (o.M * o.V))),
        M_bar(0.5 * (o.crf_V * o.M + o.M * transpose(o.crf_V) - blocks_of(o.M * o.V, Q_of))),
        H_dot(-(transpose(o.crf_V) * transpose(o.H))),
        H_ddot(blocks_of(alpha, crm_of) * transpose(o.H) - transpose(o.crf_V) * H_dot),
        f_H(-(blocks_of(f, Q_of) * transpose(o.H))),
        R(composite(o.M)),
        R_bar(composite(M_bar)) {}
  // (3.7), the sum over what a joint carries: R = E_phi R E_phi' + M
  Operator composite(const Operator& M) const {
    const Matrix E = o.E_phi.matrix(), own = M.matrix();
    Matrix sum = own;
    for (int k = 0; k < o.bodies; ++k) sum = own + E * sum * E.transpose();
    return block_diagonal(6 * o.bodies, 6 * o.bodies, {{0, 0, sum}});
  }
  SpatialOperators o;
  Vector alpha, f;
  Operator M_bar, H_dot, H_ddot, f_H, R, R_bar;
};

// (3.6) of [003]
TEST(LinearizationItems, Lemma32) {
  for_each_case(one_degree_trees(), 30, [](const Case& c) {
    const InverseTerms x(c);
    const Operator H_t = transpose(x.o.H), onward = transpose(x.o.Phi) - 1, HPhi = x.o.H * x.o.Phi;
    const Operator M = HPhi * x.R * H_t + x.o.H * x.R * onward * H_t;
    const Operator A_D =
        2 * (HPhi * (x.R * x.H_dot + x.R_bar * H_t)) + 2 * (x.o.H * (x.R * onward * x.H_dot + x.R_bar * onward * H_t));
    const Operator B_D = HPhi * (x.f_H + 2 * (x.R_bar * x.H_dot) + x.R * x.H_ddot) +
                         x.o.H * (2 * (x.R_bar * onward * x.H_dot) + x.R * onward * x.H_ddot);
    const InverseLinearization expected = linearize_inverse(c.model, c.q, c.v, c.a);
    const double scale = largest(x.R.matrix()) * (1 + largest(x.o.V)) * (1 + largest(x.o.V)) + largest(x.f);
    EXPECT_SAME(M.matrix(), expected.M, 1e-12, largest(x.R.matrix()));
    EXPECT_SAME(A_D.matrix(), expected.A_D, 1e-12, 10 * scale);
    EXPECT_SAME(B_D.matrix(), expected.B_D, 1e-12, 10 * scale);
    // (3.3): one direction, the sums taken first
    const Vector dq = random_vector(c.model, 5), dv = random_vector(c.model, 6), da = random_vector(c.model, 7);
    const Operator Phi_t = transpose(x.o.Phi);
    const Vector beta = Phi_t * (H_t * da + 2 * (x.H_dot * dv) + x.H_ddot * dq);
    const Vector theta = Phi_t * (H_t * dv + x.H_dot * dq);
    const Vector dtau = HPhi * (x.o.M * beta + 2 * (x.M_bar * theta) + x.f_H * dq);
    EXPECT_SAME(dtau, inverse_dynamics_jvp(c.model, c.q, c.v, c.a, dq, dv, da), 1e-12, 10 * scale);
  });
}

// The joint maps and inertias of a robot without fixed joints in one inertial frame, as [003] has them.
struct InertialFrame {
  InertialFrame(const Model& model, const Vector& q) : H(model.nv(), Vector6::Zero()), M(H.size(), Matrix6::Zero()) {
    const Description& robot = model.description();
    const Kinematics motion(model, q);
    for (std::size_t j = 0; j < H.size(); ++j) {
      const Joint& joint = robot.joints[j];
      const Pose child = motion.pose(joint.child), frame = child * joint.body_in_joint.inverse();
      const Vector3 axis = frame.R * joint.axis.normalized();
      if (joint.type == JointType::prismatic) {
        H[j] << Vector3::Zero(), axis;
      } else {
        H[j] << axis, frame.p.cross(axis);
      }
      const Inertial& own = *robot.bodies[j].inertial;
      const Vector3 p = child.p + child.R * own.com;
      const Matrix3 px = cross_matrix(p), I = child.R * own.inertia * child.R.transpose();
      M[j] = four_blocks(I - own.mass * px * px, own.mass * px, -own.mass * px, own.mass * Matrix3::Identity());
    }
  }
  std::vector<Vector6> H;
  std::vector<Matrix6> M;
};

// Lemma A.2 of [003], (A.6) to (A.9): derivatives of H* x, H X, M X and M V by the angles, in one inertial frame.
TEST(LinearizationItems, LemmaA2) {
  for (const char* name : {"stanford_arm", "puma560", "arm7"}) {
    const Model model = read::load(name);
    const int n = model.nv();
    const Vector q = random_configuration(model, 4), v = random_vector(model, 5), x = random_vector(model, 6);
    Random random(7);
    std::vector<Vector6> X(n);
    for (Vector6& own : X) {
      for (double& number : own) number = random.between(-1, 1);
    }
    const InertialFrame here(model, q);
    for (int j = 0; j < n; ++j) {  // by q_j: bodies k >= j of the chain move by H_j
      const auto column = [&](auto f) -> Vector {
        const double h = 1e-4;
        const auto at = [&](double t) -> Vector { return f(InertialFrame(model, Vector(q + t * Vector::Unit(n, j)))); };
        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      };
      const auto velocity = [&](const InertialFrame& w, int k) {
        Vector6 V = Vector6::Zero();
        for (int i = 0; i <= k; ++i) V += w.H[i] * v[i];
        return V;
      };
      for (int k = 0; k < n; ++k) {
        const Vector6 moved = k >= j ? here.H[j] : Vector6(Vector6::Zero()), V = velocity(here, k);
        EXPECT_SAME(column([&](const InertialFrame& w) { return Vector(w.H[k] * x[k]); }),
                    -crm_of(here.H[k] * x[k]) * moved, 1e-9, 1);
        const Vector6 inward = k > j ? moved : Vector6(Vector6::Zero());  // Phi~ will do: a joint's own part is zero
        const auto projected = [&](const InertialFrame& w) { return Vector(w.H[k].transpose() * X[k]); };
        EXPECT_SAME(column(projected), here.H[k].transpose() * Q_of(X[k]) * moved, 1e-9, 1);
        EXPECT_SAME(column(projected), here.H[k].transpose() * Q_of(X[k]) * inward, 1e-9, 1);
        EXPECT_SAME(column([&](const InertialFrame& w) { return Vector(w.M[k] * X[k]); }),
                    -(Q_of(here.M[k] * X[k]) + here.M[k] * S_of(X[k]).transpose()) * moved, 1e-9,
                    1 + largest(here.M[k]));
        Vector6 rate = Vector6::Zero();  // (Phi* H_dot*)_kj = crm(V_j) H_j for j inboard of k
        if (k >= j) rate = crm_of(velocity(here, j)) * here.H[j];
        EXPECT_SAME(column([&](const InertialFrame& w) { return Vector(w.M[k] * velocity(w, k)); }),
                    -Q_of(here.M[k] * V) * moved + here.M[k] * rate, 1e-8, 1 + largest(here.M[k]));
      }
    }
  }
}

// (3.2) of [004], (41) of [000]: C(theta, nu) = l (m_dot nu - theta_dot* M_theta theta_dot / 2), and beside it (2.1).
TEST(DiagonalItems, CoriolisTermFromDerivativesOfTheMassMatrix) {
  for_each_case(one_degree_trees(), 30, [](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    const DiagonalTerms terms = diagonal_terms(c.model, c.q, c.v, Vector::Zero(c.model.nv()));
    Vector gradient(c.model.nv());
    for (int i = 0; i < c.model.nv(); ++i) {
      gradient[i] = c.v.dot(mass_matrix_derivative(c.model, c.q, Vector::Unit(c.model.nv(), i)) * c.v);
    }
    const Vector from_m = o.l() * Vector(o.m_dot() * terms.nu - 0.5 * gradient);
    const double scale = largest(o.m_dot() * terms.nu) + largest(gradient) + 1;
    EXPECT_SAME(from_m, terms.C_nu, 1e-11, scale * largest(o.l().matrix()));
    const Matrix M_dot = mass_matrix_derivative(c.model, c.q, c.v);
    EXPECT_SAME(M_dot * c.v - 0.5 * gradient, coriolis_forces(c.model, c.q, c.v), 1e-12, scale * (1 + largest(c.v)));
  });
}

// After Lemma 7.1: the Coriolis forces of the ordinary equations do work, theta_dot* M_dot theta_dot / 2, and those of xi
// do xi* D_dot xi / 2; only in nu they do none.
TEST(DiagonalItems, OnlyInNuTheCoriolisTermDoesNoWork) {
  bool ordinary = false, unnormalized = false;
  for_each_case(uncoupled_trees(), 30, [&](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    const DiagonalTerms terms = diagonal_terms(c.model, c.q, c.v, Vector::Zero(c.model.nv()));
    const Vector C = coriolis_forces(c.model, c.q, c.v);
    const double work = c.v.dot(C), of_xi = terms.xi.dot(terms.C_xi);
    const double M_dot = 0.5 * c.v.dot(mass_matrix_derivative(c.model, c.q, c.v) * c.v);
    const double D_dot = 0.5 * terms.xi.dot(o.D_ring * terms.xi);
    const double scale = 1 + c.v.cwiseAbs().dot(C.cwiseAbs()) + terms.xi.cwiseAbs().dot(terms.C_xi.cwiseAbs());
    EXPECT_NEAR(work, M_dot, 1e-11 * scale);
    EXPECT_NEAR(of_xi, D_dot, 1e-11 * scale * (1 + largest(o.G.matrix())));
    EXPECT_NEAR(terms.nu.dot(terms.C_nu), 0, 1e-11 * scale * (1 + largest(o.G.matrix())));
    ordinary |= std::abs(work) > 1e-2 * scale, unnormalized |= std::abs(of_xi) > 1e-2 * scale;
  });
  EXPECT_TRUE(ordinary && unnormalized);
}

// (6.8) of [004], joints with one degree of freedom: H Omega = 0.
TEST(DiagonalItems, Equation68) {
  for_each_case(one_degree_trees(), 30, [](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    const double scale = largest(o.Phi.matrix()) * largest(o.Phi.matrix()) * (1 + largest(o.V));
    EXPECT_SAME(o.H * (o.Phi * o.crf_V - o.crf_V * o.Phi), o.H * o.Phi * o.Omega * o.Phi, 1e-12, scale);
    EXPECT_SAME((o.H * o.Omega).matrix(), Matrix::Zero(c.model.nv(), 6 * o.bodies), 1e-15, 1);
  });
}

// Lemma 2.1 where its assumption holds: slides in any directions make M constant, so nu_dot = epsilon.
TEST(DiagonalItems, Lemma21OnFlatRobots) {
  TreeOptions options = uncoupled_trees();
  options.types = {JointType::prismatic};
  for_each_case(options, 30, [](const Case& c) {
    const Vector tau = random_vector(c.model, 8);
    const DiagonalTerms terms = diagonal_terms(c.model, c.q, c.v, tau);
    EXPECT_SAME(terms.C_nu, Vector::Zero(c.model.nv()), 1e-13, 1 + largest(terms.epsilon));
    EXPECT_SAME(terms.nu_dot, terms.epsilon - terms.G_nu, 1e-13, 1 + largest(terms.epsilon));
  });
}

// Saha, section 6.1: the torques of the planar arm written out, with the angles phi of the rods against the horizontal.
TEST(SahaItems, PlanarArmInClosedForm) {
  const Model arm = read::load("planar_3r");
  const Matrix3 a{{7.0 / 3, 3.0 / 2, 1.0 / 2}, {3.0 / 2, 4.0 / 3, 1.0 / 2}, {1.0 / 2, 1.0 / 2, 1.0 / 3}};
  const Vector3 b(5.0 / 2, 3.0 / 2, 1.0 / 2);
  const Matrix3 sums{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Vector q = random_configuration(arm, seed), v = random_vector(arm, seed + 1, 3),
                 u = random_vector(arm, seed + 2, 3);
    const Vector3 phi = sums * q, w = sums * v, dw = sums * u;
    Vector3 torque;
    for (int i = 0; i < 3; ++i) {
      torque[i] = 9.81 * b[i] * std::cos(phi[i]);
      for (int j = 0; j < 3; ++j)
        torque[i] += a(i, j) * (std::cos(phi[i] - phi[j]) * dw[j] + std::sin(phi[i] - phi[j]) * w[j] * w[j]);
    }
    const Vector tau = sums.transpose() * torque;
    EXPECT_SAME(inverse_dynamics(arm, q, v, u), tau, 1e-13, 10);
    EXPECT_SAME(inverse_dynamics_denoc(arm, q, v, u), tau, 1e-13, 10);
    EXPECT_SAME(inverse_dynamics_noc(arm, q, v, u), tau, 1e-13, 10);
    EXPECT_SAME(inverse_dynamics_kalman(arm, q, v, u), tau, 1e-13, 10);
  }
}

// Saha (6) to (10), (18), (19): the wrench on each body alone, M t_dot + M_dot t, which N^T turns into joint forces.
TEST(SahaItems, UnconstrainedEquationsOfTheBodies) {
  for_each_case(uncoupled_trees(), 30, [](const Case& c) {
    const Denoc denoc(c.model, c.q, c.v);
    const Matrix N = denoc.N_l() * denoc.N_d();
    const NaturalComplement noc = natural_complement(c.model, c.q, c.v);  // N_dot: T_dot of the undecoupled one
    const Vector t = N * c.v, t_dot = N * c.a + noc.T_dot * c.v;
    Vector w(t.size());
    for (int i = 1; i < denoc.count(); ++i) {
      const CentredBody& body = denoc.body(i);
      const int at = 6 * (i - 1);
      const Vector3 spin = t.segment<3>(at);
      w.segment<3>(at) = body.inertia * t_dot.segment<3>(at) + spin.cross(body.inertia * spin);  // (6a)
      w.segment<3>(at + 3) = body.mass * (t_dot.segment<3>(at + 3) - c.model.gravity());         // (6b)
    }
    EXPECT_SAME(N.transpose() * w, inverse_dynamics(c.model, c.q, c.v, c.a), 1e-12, 1 + largest(w));
  });
}

// Angeles: a change of frame takes 8 multiplications and 4 additions either way, and a prismatic joint takes less than a
// revolute one, per joint: outward and inward together.
TEST(AngelesItems, ChangesOfFrameAndPrismaticJointsAsCounted) {
  const auto counted = [](auto run) {
    Tally tally(true);
    run(tally);
    Operations sum;
    for (const SweepCount& sweep : tally.sweeps()) sum += sweep.operations;
    return sum;
  };
  const auto vector = [](Tally& tally) {
    return kernel::Column3<Counting>(Counting(1.5, tally), Counting(2.5, tally), Counting(3.5, tally));
  };
  for (const bool transposed : {true, false}) {
    const Operations one = counted([&](Tally& tally) {
      const kernel::DhTurn<Counting> Q{Counting(0.6, tally), Counting(0.8, tally), 0.28, 0.96};
      (void)(transposed ? Q.transposed_times(vector(tally)) : Q.times(vector(tally)));
    });
    EXPECT_EQ(one.mul, 8) << transposed;
    EXPECT_EQ(one.add, 4) << transposed;
  }
  const auto chain_of = [&](int n, bool prismatic) {
    return counted([&](Tally& tally) {
      std::vector<DhLink> links(static_cast<std::size_t>(n));
      for (DhLink& link : links) {
        link.a = 0.3, link.b = 0.2, link.alpha = 0.7, link.mass = 2, link.prismatic = prismatic;
        link.rho = {0.1, 0.2, 0.3};
        link.inertia << 3, 0.1, 0.2, 0.1, 4, 0.3, 0.2, 0.3, 5;
      }
      const kernel::DhGround<Counting> ground = {
          {0.1, 0.2, 0.3}, vector(tally), vector(tally), vector(tally), vector(tally)};
      const std::vector<Counting> state(links.size(), Counting(0.5, tally));
      std::vector<Counting> tau(links.size());
      kernel::DhState<Counting> work(n);
      kernel::dh_sweeps(links, ground, state.data(), state.data(), state.data(), vector(tally), vector(tally), work,
                        tau.data());
    });
  };
  const auto per_joint = [&](bool prismatic) {
    const Operations five = chain_of(5, prismatic), six = chain_of(6, prismatic);
    return std::pair(six.mul - five.mul, six.add - five.add);
  };
  const auto [mul_R, add_R] = per_joint(false);
  const auto [mul_P, add_P] = per_joint(true);
  EXPECT_LT(mul_P, mul_R);
  EXPECT_LE(add_P, add_R);
}

}  // namespace
}  // namespace catena::test
