// Interpretations as numbers: each split adds up to its whole, which another algorithm computes, and each part is what
// its name says.
#include "catena/reference/explain.hpp"

#include <Eigen/Eigenvalues>

#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/joints/joints.hpp"
#include "catena/model/tree.hpp"
#include "catena/reference/coriolis_components.hpp"
#include "catena/reference/operational_space.hpp"
#include "operators_support.hpp"

namespace catena::test {
namespace {

template <class Law>
void for_each_explained(const TreeOptions& options, const Law& law) {
  for_each_tree(law, options, 150);
}

Vector explained_forces(const Case& c) { return random_vector(c.model, 9, 5); }

DiagonalExplanation explained(const Case& c) { return explain_diagonal(c.model, c.q, c.v, explained_forces(c)); }

bool joint_on_ground(const Tree& tree, int body) { return tree.bodies[body].parent == 0; }
bool joint_at_tip(const Tree& tree, int body) {
  return std::none_of(tree.bodies.begin() + 1, tree.bodies.end(), [&](const TreeBody& b) { return b.parent == body; });
}

// A part of a split, in the rows of the bodies that the condition picks.
template <class Condition>
double largest_where(const Model& model, const Matrix& part, const Condition& condition) {
  const Tree& tree = model.tree();
  double found = 0;
  for (int k = 1; k < tree.count(); ++k) {
    const int first = tree.bodies[k].v, d = kernel::velocity_count(tree.bodies[k]);
    if (condition(tree, k)) found = std::max(found, largest(part.middleRows(first, d)));
  }
  return found;
}

// The size of what is added up, for sums that cancel.
double size_of(const PartsByPlace& parts) {
  return largest(parts.outboard) + largest(parts.present) + largest(parts.inboard);
}

TEST(ExplainDiagonal, TotalRatesAreOwnRatesPlusWhatTheInboardLinksCarryIn) {
  double carried = 0;
  for_each_explained(uncoupled_trees(true), [&](const Case& c) {
    const DiagonalExplanation e = explained(c);
    const DiagonalForm form(c.model, c.q);
    const double scale = e.rate_shares.lpNorm<1>(), root = largest(form.m());
    EXPECT_EQ(e.own_rate, c.v);
    EXPECT_SAME(e.own_rate + e.carried_rate, form.xi(c.v), tolerance, scale);
    EXPECT_SAME(e.own_nu + e.carried_nu, form.nu(c.v), tolerance, scale * root);
    EXPECT_SAME(e.rate_shares.rowwise().sum(), form.xi(c.v), tolerance, scale);
    EXPECT_SAME(e.rate_shares.diagonal(), c.v, tolerance, scale);
    EXPECT_EQ(largest_where(c.model, e.carried_rate, joint_on_ground), 0);  // nothing there to carry them
    carried = std::max(carried, largest(e.carried_rate));
  });
  EXPECT_GT(carried, 0.1);
}

// The spatial meaning of (5.3): V+ is how the link inboard of the joint moves.
TEST(ExplainDiagonal, TheCarryingVelocityIsThatOfTheInboardLink) {
  const Model model(chain(5));
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2);
  const DiagonalExplanation e = explain_diagonal(model, q, v, 0 * v);
  Kinematics kinematics(model);
  kinematics.update(q, v);
  EXPECT_EQ(largest(e.V_plus.col(0)), 0);
  for (int k = 1; k < 5; ++k) {
    const std::string inboard = model.description().joints[static_cast<std::size_t>(k - 1)].child;
    const int own = model.frame(model.description().joints[static_cast<std::size_t>(k)].child);
    const Vector6 V = kinematics.velocity(model.frame(inboard), Axes::aligned);
    const Vector3 arm = kinematics.pose(own).p - kinematics.pose(model.frame(inboard)).p;
    const Vector3 w = V.head<3>(), there = V.tail<3>() + w.cross(arm);
    EXPECT_CLOSE(e.V_plus.col(k).head<3>(), w, tolerance);
    EXPECT_CLOSE(e.V_plus.col(k).tail<3>(), there, 1e-11);
  }
}

TEST(ExplainDiagonal, AppliedMomentsAreWorkingMomentsPlusWhatOutboardDrivesAskFor) {
  double passed = 0;
  for_each_explained(uncoupled_trees(true), [&](const Case& c) {
    const DiagonalExplanation e = explained(c);
    const Vector tau = explained_forces(c), kappa = DiagonalForm(c.model, c.q).kappa(tau);
    const double scale = largest(tau) + largest(e.passed_on) + largest(e.moment_shares);
    EXPECT_SAME(e.kappa, kappa, tolerance, scale);
    EXPECT_SAME(e.passed_on, tau - kappa, tolerance, scale);
    EXPECT_SAME(e.moment_shares.rowwise().sum(), kappa, tolerance, scale);
    EXPECT_SAME(e.moment_shares.diagonal(), tau, tolerance, scale);  // each works in full at its own joint
    EXPECT_EQ(largest_where(c.model, e.passed_on, joint_at_tip), 0);
    passed = std::max(passed, largest(e.passed_on));
  });
  EXPECT_GT(passed, 0.1);
}

// The spatial meaning of (5.4): z holds the link still against the drives outboard of it. Exerted from outside on link
// k of a chain whose other drives are idle, it keeps the links up to k at rest.
TEST(ExplainDiagonal, TheCarriedWrenchHoldsTheLinkAgainstTheOutboardDrives) {
  Description robot = chain(5);
  robot.gravity.setZero();
  const Model model(robot);
  const Vector q = random_configuration(model, 1);
  const int held = 2;
  Vector tau = random_vector(model, 3);
  tau.head(held + 1).setZero();
  const DiagonalExplanation e = explain_diagonal(model, q, 0 * tau, tau);
  ExternalLoads loads;
  const int frame = model.frame(model.description().joints[static_cast<std::size_t>(held)].child);
  loads.wrenches.push_back({frame, e.z.col(held).head<3>(), e.z.col(held).tail<3>(), Vector3::Zero(), Axes::aligned});
  const Vector a = forward_dynamics(model, q, 0 * tau, tau, loads);
  EXPECT_LE(largest(a.head(held + 1)), 1e-9 * largest(a));
  EXPECT_GT(largest(a), 1e-3);
}

// Lemma 7.3, against Algorithm 8.1's sweeps on the reduced tree.
TEST(ExplainDiagonal, CoriolisTermsAreOutboardPlusPresentPlusInboard) {
  for_each_explained(uncoupled_trees(true), [](const Case& c) {
    const DiagonalExplanation e = explained(c);
    const DiagonalTerms terms = diagonal_terms(c.model, c.q, c.v, 0 * c.v);
    const double links = largest(e.C_xi_outboard) + largest(e.C_xi_present) + largest(e.C_xi_inboard);
    EXPECT_SAME(e.C_xi.sum(), terms.C_xi, tolerance, size_of(e.C_xi) + links);
    EXPECT_SAME(e.C_nu.sum(), terms.C_nu, tolerance, size_of(e.C_nu) + links);
    EXPECT_SAME(e.C_xi_outboard.rowwise().sum(), e.C_xi.outboard, tolerance, links);
    EXPECT_SAME(e.C_xi_present.rowwise().sum(), e.C_xi.present, tolerance, links);
    EXPECT_SAME(e.C_xi_inboard.rowwise().sum(), e.C_xi.inboard, tolerance, links);
    EXPECT_EQ(largest_where(c.model, e.C_xi.outboard, joint_at_tip), 0);
    EXPECT_EQ(largest_where(c.model, e.C_nu.outboard, joint_at_tip), 0);
    EXPECT_EQ(largest_where(c.model, e.C_xi.inboard, joint_at_tip), 0);
  });
}

// What the brackets hold at a link, and so what joints gather from it: nothing from the outboard part where the joints
// beyond the link rest, nothing from the inboard part where those before it rest, nothing from a present link at rest.
TEST(ExplainDiagonal, EachPartOfTheCoriolisTermVanishesWithTheMotionItIsNamedAfter) {
  const int n = 6, link = 3;
  const Model model(chain(n));
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2);
  Vector outboard_rest = v, inboard_rest = v;
  outboard_rest.tail(n - 1 - link).setZero();
  inboard_rest.head(link).setZero();
  const DiagonalExplanation all = explain_diagonal(model, q, v, 0 * v);
  const DiagonalExplanation in = explain_diagonal(model, q, outboard_rest, 0 * v);
  const DiagonalExplanation out = explain_diagonal(model, q, inboard_rest, 0 * v);
  EXPECT_EQ(largest(in.C_xi_outboard.rightCols(n - link)), 0);
  EXPECT_GT(largest(in.C_xi_outboard.leftCols(link)), 1e-8);
  EXPECT_EQ(largest(in.C_xi.outboard.tail(n - link)), 0);
  EXPECT_EQ(largest(in.C_nu.outboard.tail(n - link)), 0);
  EXPECT_EQ(largest(out.C_xi_inboard.leftCols(link + 1)), 0);
  EXPECT_GT(largest(out.C_xi_inboard.rightCols(n - link - 1)), 1e-8);
  EXPECT_EQ(largest(out.C_xi_present.leftCols(link)), 0);
  EXPECT_GT(largest(out.C_xi_present.rightCols(n - link)), 1e-8);
  for (const Matrix* part : {&all.C_xi_outboard, &all.C_xi_present, &all.C_xi_inboard}) {
    EXPECT_GT(largest(part->col(link)), 1e-8);
  }
}

// The size of the terms whose sums the coefficients are: P Omega, which cancels where nothing else is left.
double size_of_coefficients(const SpatialOperators& o) { return largest(o.P.matrix()) * largest(o.Omega.matrix()); }
double size_of_normalized(const SpatialOperators& o) {
  return size_of_coefficients(o) * largest(inverse(o.S).matrix()) * largest(inverse(o.S).matrix());
}

TEST(ExplainDiagonal, TheTableOfCoefficientsAndTheBiasGiveTheCoriolisTerms) {
  for_each_explained(uncoupled_trees(true), [](const Case& c) {
    const DiagonalExplanation e = explained(c);
    const DiagonalTerms terms = diagonal_terms(c.model, c.q, c.v, 0 * c.v);
    const SpatialOperators o(c.model, c.q, c.v);
    const double of_nu = size_of_normalized(o) + largest(e.c_nu), of_xi = size_of_coefficients(o) + largest(e.c_xi);
    EXPECT_SAME(e.c_nu + e.c_nu.transpose(), 0 * e.c_nu, tolerance, of_nu);
    EXPECT_SAME(e.c_xi + e.c_xi.transpose(), o.D_ring.matrix(), tolerance, of_xi);
    EXPECT_SAME(e.c_nu * terms.nu + e.bias_nu, terms.C_nu, tolerance,
                of_nu * terms.nu.lpNorm<1>() + largest(e.bias_nu));
    EXPECT_SAME(e.c_xi * terms.xi + e.bias_xi, terms.C_xi, tolerance,
                of_xi * terms.xi.lpNorm<1>() + largest(e.bias_xi));
    EXPECT_SAME(e.bias_xi, Vector(o.H * (o.Psi * (o.crf_V * (o.M * o.V)))), tolerance, 0);
  });
}

// The sum of (48) as the sheet has it (4.8), which is skew by its own making: i outboard of k.
TEST(ExplainDiagonal, TheCoefficientsAreThoseOfTheSum48) {
  for_each_explained(uncoupled_trees(), [](const Case& c) {
    const SpatialOperators o(c.model, c.q, c.v);
    const Matrix H = o.H.matrix(), Psi = o.Psi.matrix(), middle = (-1.0 * (o.P * transpose(o.Omega))).matrix();
    Matrix sum = Matrix::Zero(c.model.nv(), c.model.nv());
    const Tree& tree = c.model.tree();
    for (int i = 1; i < tree.count(); ++i) {
      Matrix strictly_below = Psi.middleRows(6 * (i - 1), 6);
      strictly_below.middleCols(6 * (i - 1), 6).setZero();
      const int vi = tree.bodies[i].v, di = kernel::velocity_count(tree.bodies[i]);
      const Matrix right = middle * strictly_below.transpose() * H.block(vi, 6 * (i - 1), di, 6).transpose();
      for (int k = tree.bodies[i].parent; k > 0; k = tree.bodies[k].parent) {
        const int vk = tree.bodies[k].v, dk = kernel::velocity_count(tree.bodies[k]);
        sum.block(vk, vi, dk, di) = -H.block(vk, 6 * (k - 1), dk, 6) * Psi.middleRows(6 * (k - 1), 6) * right;
        sum.block(vi, vk, di, dk) = -sum.block(vk, vi, dk, di).transpose();
      }
    }
    const DiagonalExplanation e = explained(c);
    Matrix outside = e.c_xi;  // of the blocks on the diagonal, of which the sum says nothing
    for (const TreeBody& body : tree.bodies) {
      const int d = kernel::velocity_count(body);
      outside.block(body.v, body.v, d, d).setZero();
    }
    EXPECT_SAME(outside, sum, tolerance, size_of_coefficients(o));
  });
  for_each_explained(one_degree_trees(), [](const Case& c) {
    const DiagonalExplanation e = explained(c);
    EXPECT_SAME(e.c_nu, coriolis_components(c.model, c.q, c.v), tolerance,
                size_of_normalized(SpatialOperators(c.model, c.q, c.v)));
  });
}

// Kozlowski's Fig. 1: every summand of a row at its link, and none at a link that does not lie outboard of both joints.
TEST(ExplainDiagonal, TheSummandsOfARowAddUpToTheTable) {
  double summands = 0;
  for_each_explained(uncoupled_trees(true), [&](const Case& c) {
    const DiagonalExplanation e = explained(c);
    const SpatialOperators o(c.model, c.q, c.v);
    const Tree& tree = c.model.tree();
    const double of_xi = size_of_coefficients(o) + largest(e.c_xi), of_nu = size_of_normalized(o) + largest(e.c_nu);
    const auto outboard = [&](int m, int body) {  // strictly
      for (m = tree.bodies[m].parent; m > 0 && m != body;) m = tree.bodies[m].parent;
      return m == body;
    };
    for (int k = 1; k < tree.count(); ++k) {
      const int row = tree.bodies[k].v + kernel::velocity_count(tree.bodies[k]) - 1;
      const CoefficientRow of = explain_coefficients(c.model, c.q, c.v, row);
      EXPECT_SAME(Vector(of.xi.colwise().sum()), Vector(e.c_xi.row(row)), tolerance, of_xi);
      EXPECT_SAME(Vector(of.nu.colwise().sum()), Vector(e.c_nu.row(row)), tolerance, of_nu);
      for (int m = 1; m < tree.count(); ++m) {
        for (int i = 1; i < tree.count(); ++i) {
          if (outboard(m, k) && outboard(m, i)) continue;
          const int first = tree.bodies[i].v, d = kernel::velocity_count(tree.bodies[i]);
          EXPECT_EQ(largest(of.xi.block(m - 1, first, 1, d)), 0);
          EXPECT_EQ(largest(of.nu.block(m - 1, first, 1, d)), 0);
        }
      }
      summands = std::max(summands, largest(of.xi));
    }
  });
  EXPECT_GT(summands, 0.1);
  const Model model(chain(3));
  const Vector three = Vector::Ones(3);
  EXPECT_MESSAGE(explain_coefficients(model, three, three, 3), "no velocity component 3: there are 0 to 2");
}

double least_eigenvalue(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(0.5 * (A + A.transpose())).eigenvalues().minCoeff();
}

// Joints that give way take off in every direction, and never all: 0 <= P <= composite.
TEST(InertiasAtJoints, FreeJointsTakeOffInEveryDirection) {
  double taken_off = 0;
  for_each_explained(uncoupled_trees(true), [&](const Case& c) {
    const InertiasAtJoints at = inertias_at_joints(c.model, c.q);
    const ReducedManipulators reduced = explained(c).reduced;
    const Tree& tree = c.model.tree();
    ASSERT_EQ(at.joints.size(), c.model.coordinates().size());
    for (std::size_t j = 0; j < at.joints.size(); ++j) {
      const Matrix &P = at.articulated[j], &R = at.composite[j];
      const int body = tree.joint_body[at.joints[j]];
      EXPECT_GE(least_eigenvalue(P), -tolerance * largest(R));
      EXPECT_GE(least_eigenvalue(R - P), -tolerance * largest(R));
      EXPECT_NEAR(R(3, 3), reduced.mass[tree.bodies[body].v], tolerance * R(3, 3));
      if (joint_at_tip(tree, body)) {
        EXPECT_SAME(P, R, tolerance, largest(R));
      }
      taken_off = std::max(taken_off, least_eigenvalue(P - R) / -largest(R));
    }
  });
  EXPECT_GT(taken_off, 0.3);
}

// About the joint's axis they are D and what locked joints would leave; of a robot that floats, P at its root is what a
// force there has to move.
TEST(InertiasAtJoints, AreWhatOtherAlgorithmsSayAboutTheAxisAndAtAFloatingRoot) {
  Description robot = chain(5);
  const Model model(robot);
  const Vector q = random_configuration(model, 1), rest = Vector::Zero(5);
  const InertiasAtJoints at = inertias_at_joints(model, q);
  const ReducedManipulators reduced = explain_diagonal(model, q, rest, rest).reduced;
  for (int k = 0; k < 5; ++k) {
    const Joint& joint = model.description().joints[static_cast<std::size_t>(at.joints[static_cast<std::size_t>(k)])];
    ASSERT_EQ(joint.type, JointType::revolute);
    Vector6 h = Vector6::Zero();
    h.head<3>() = joint.body_in_joint.R.transpose() * joint.axis;
    const Matrix &P = at.articulated[static_cast<std::size_t>(k)], &R = at.composite[static_cast<std::size_t>(k)];
    EXPECT_NEAR(h.dot(P * h), reduced.articulated(k, k), 1e-12 * reduced.locked(k, k));
    EXPECT_NEAR(h.dot(R * h), reduced.locked(k, k), 1e-12 * reduced.locked(k, k));
  }

  robot.joints[0].type = JointType::free;
  const Model floating(robot);
  const Vector q_floating = random_configuration(floating, 2);
  const int root = floating.frame(robot.joints[0].child);
  const Matrix P = inertias_at_joints(floating, q_floating).articulated[0];
  EXPECT_SAME(P, operational_space_inertia(SpatialOperators(floating, q_floating), {root}), 1e-9, largest(P));
}

TEST(ExplainDiagonal, ReducedManipulatorsGiveWayByWhatTheirFreeJointsTakeOff) {
  double most = 0;
  for_each_explained(uncoupled_trees(true), [&](const Case& c) {
    const ReducedManipulators r = explained(c).reduced;
    Kinematics kinematics(c.model);
    kinematics.update(c.q, c.v);
    EXPECT_NEAR(r.energy.sum(), kinematics.kinetic_energy(), tolerance * kinematics.kinetic_energy());
    EXPECT_SAME(r.articulated, DiagonalForm(c.model, c.q).D(), tolerance, 0);
    EXPECT_GE(r.gives_way.minCoeff(), -tolerance);
    EXPECT_LT(r.gives_way.maxCoeff(), 1);
    EXPECT_LE(largest_where(c.model, r.gives_way, joint_at_tip), tolerance);
    EXPECT_GT(r.links.minCoeff(), 0);
    EXPECT_LE(r.mass.maxCoeff(), c.model.total_mass() * (1 + tolerance));
    most = std::max(most, r.gives_way.maxCoeff());
  });
  EXPECT_GT(most, 0.3);
}

// With the joints beyond k made fixed, nothing is left that could give way: the free robot's locked inertia is felt.
TEST(ExplainDiagonal, LockedJointsDoNotGiveWay) {
  const int n = 5, joint = 1;
  Description robot = chain(n);
  const Model free(robot);
  Vector q = random_configuration(free, 1);
  q.tail(n - 1 - joint).setZero();
  for (int j = joint + 1; j < n; ++j) robot.joints[static_cast<std::size_t>(j)].type = JointType::fixed;
  const Model locked(robot);
  const Vector rest = Vector::Zero(n), own = rest.head(joint + 1);
  const ReducedManipulators of_free = explain_diagonal(free, q, rest, rest).reduced;
  const ReducedManipulators of_locked = explain_diagonal(locked, q.head(joint + 1), own, own).reduced;
  EXPECT_NEAR(of_locked.articulated(joint, joint), of_free.locked(joint, joint), 1e-13);
  EXPECT_NEAR(of_locked.gives_way[joint], 0, 1e-13);
  EXPECT_GT(of_free.gives_way[joint], 0.01);
  EXPECT_EQ(of_free.links[joint], n - joint);
  EXPECT_NEAR(of_free.mass[0], free.total_mass(), 1e-13);
}

ExternalLoads explained_wrench(const Case& c) {
  ExternalLoads loads;
  loads.wrenches.push_back({c.model.frame_count() - 1, {1, 2, 3}, {4, 5, 6}, {0.1, 0.2, 0.3}, Axes::aligned});
  loads.wrenches.push_back({0, {0.3, 0, 1}, {-1, 2, 0}, {0, 0.1, 0}, Axes::body});
  return loads;
}

// Kozlowski (39): term by term, and each family of terms is what another algorithm says.
TEST(ExplainTorque, TheTermsAddUpToInverseDynamics) {
  for_each_explained(uncoupled_trees(true), [](const Case& c) {
    const ExternalLoads loads = explained_wrench(c);
    const TorqueExplanation e = explain_torque(c.model, c.q, c.v, c.a, loads);
    const double scale = size_of(e.acceleration) + size_of(e.bias_acceleration) + size_of(e.bias_force) +
                         size_of(e.weight) + size_of(e.wrench) + largest(e.by_bias_force) + largest(e.by_weight) +
                         largest(e.by_wrench) + largest(e.by_bias_acceleration) + largest(e.by_acceleration);
    const Vector sum = e.acceleration.sum() + e.bias_acceleration.sum() + e.bias_force.sum() + e.weight.sum() +
                       e.wrench.sum() + e.joint_terms;
    EXPECT_SAME(sum, inverse_dynamics(c.model, c.q, c.v, c.a, loads), tolerance, scale);
    EXPECT_EQ(e.tau, inverse_dynamics(c.model, c.q, c.v, c.a, loads));
    EXPECT_SAME(e.by_acceleration, mass_matrix(c.model, c.q) * c.a.asDiagonal(), tolerance, scale);
    EXPECT_SAME(e.coriolis, coriolis_forces(c.model, c.q, c.v), tolerance, scale);
    EXPECT_SAME(e.weight.sum(), gravity_forces(c.model, c.q), tolerance, scale);
    EXPECT_SAME(e.by_weight.rowwise().sum(), e.weight.sum(), tolerance, scale);
    EXPECT_SAME(e.by_wrench.rowwise().sum(), e.wrench.sum(), tolerance, scale);
    EXPECT_SAME(e.by_bias_force.rowwise().sum(), e.bias_force.sum(), tolerance, scale);
    EXPECT_SAME(e.by_bias_acceleration.rowwise().sum(), e.bias_acceleration.sum(), tolerance, scale);
    EXPECT_SAME(e.by_acceleration.rowwise().sum(), e.acceleration.sum(), tolerance, scale);
  });
}

TEST(ExplainTorque, PartsComeFromThePlaceTheyAreNamedAfter) {
  double inboard = 0, outboard = 0;
  for_each_explained(uncoupled_trees(true), [&](const Case& c) {
    const TorqueExplanation e = explain_torque(c.model, c.q, c.v, c.a, explained_wrench(c));
    for (const PartsByPlace* parts : {&e.acceleration, &e.bias_acceleration, &e.bias_force, &e.weight, &e.wrench}) {
      EXPECT_EQ(largest_where(c.model, parts->inboard, joint_on_ground), 0);
      EXPECT_EQ(largest_where(c.model, parts->outboard, joint_at_tip), 0);
    }
    // forces are carried inward only: a joint does not feel those on links inboard of it
    for (const PartsByPlace* parts : {&e.bias_force, &e.weight, &e.wrench}) EXPECT_EQ(largest(parts->inboard), 0);
    inboard = std::max(inboard, largest(e.acceleration.inboard)),
    outboard = std::max(outboard, largest(e.weight.outboard));
  });
  EXPECT_GT(inboard, 0.1);
  EXPECT_GT(outboard, 0.1);
}

// (39) as printed: three joints, the torque of the middle one; r is the composite inertia there.
TEST(ExplainTorque, EquationThirtyNineOfTheMiddleJointOfThree) {
  const Model model(chain(3));
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2), a = random_vector(model, 3);
  const SpatialOperators o(model, q, v);
  const Matrix H = o.H.matrix(), Phi = o.Phi.matrix(), M = o.M.matrix();
  const Matrix h2 = H.block(1, 6, 1, 6), h1 = H.block(0, 0, 1, 6), h3 = H.block(2, 12, 1, 6);
  const Matrix to_2_from_3 = Phi.block(6, 12, 6, 6), to_1_from_2 = Phi.block(0, 6, 6, 6), M3 = M.block(12, 12, 6, 6);
  const Matrix r2 = M.block(6, 6, 6, 6) + to_2_from_3 * M3 * to_2_from_3.transpose();
  const auto at = [](const Vector& stacked, int link) -> Vector { return stacked.segment<6>(6 * link); };
  const Vector b = o.crf_V * (o.M * o.V);
  const TorqueExplanation e = explain_torque(model, q, v, a);
  const auto same = [&](double x, const Matrix& expected) { EXPECT_NEAR(x, expected(0, 0), 1e-12 * e.tau.norm()); };
  same(e.by_acceleration(1, 2), h2 * to_2_from_3 * M3 * h3.transpose() * a[2]);
  same(e.by_acceleration(1, 1), h2 * r2 * h2.transpose() * a[1]);
  same(e.by_acceleration(1, 0), h2 * r2 * to_1_from_2.transpose() * h1.transpose() * a[0]);
  same(e.by_bias_acceleration(1, 2), h2 * to_2_from_3 * M3 * at(o.s, 2));
  same(e.by_bias_acceleration(1, 1), h2 * r2 * at(o.s, 1));
  same(e.by_bias_acceleration(1, 0), h2 * r2 * to_1_from_2.transpose() * at(o.s, 0));
  same(e.by_bias_force(1, 2), h2 * to_2_from_3 * at(b, 2));
  same(e.by_bias_force(1, 1), h2 * at(b, 1));
  EXPECT_EQ(e.by_bias_force(1, 0), 0);
}

// H Psi = U^-1 H Phi: what the joints see as torque, freed of what the outboard ones take by giving way.
TEST(ExplainTorque, TheBiasCarriedThroughFreeJointsIsTheWorkingMomentOfTheBiasCarriedRigidly) {
  double kept = 0;
  for_each_explained(uncoupled_trees(true), [&](const Case& c) {
    const BiasCarried bias = explain_torque(c.model, c.q, c.v, c.a).bias;
    const DiagonalForm form(c.model, c.q);
    const double U = largest(form.U());
    EXPECT_SAME(bias.force_articulated, form.kappa(bias.force_rigid), tolerance, U * bias.force_rigid.lpNorm<1>());
    EXPECT_SAME(bias.acceleration_articulated, form.kappa(bias.acceleration_rigid), tolerance,
                U * bias.acceleration_rigid.lpNorm<1>());
    EXPECT_SAME(bias.force_rigid + bias.acceleration_rigid, coriolis_forces(c.model, c.q, c.v), tolerance,
                largest(bias.force_rigid) + largest(bias.acceleration_rigid));
    const DiagonalExplanation e = explained(c);
    EXPECT_SAME(bias.force_articulated, e.bias_xi, tolerance, largest(bias.force_rigid));
    EXPECT_LE(largest_where(c.model, bias.force_rigid - bias.force_articulated, joint_at_tip),
              tolerance * largest(bias.force_rigid));
    kept = std::max(kept, largest(bias.force_rigid - bias.force_articulated));
  });
  EXPECT_GT(kept, 0.1);
}

TEST(Explain, NamesEveryLinkOnce) {
  for_each_explained(uncoupled_trees(), [](const Case& c) {
    std::vector<std::string> links = explained(c).links;
    EXPECT_EQ(static_cast<int>(links.size()), c.model.tree().count() - 1);
    std::sort(links.begin(), links.end());
    EXPECT_EQ(std::adjacent_find(links.begin(), links.end()), links.end());
  });
}

TEST(Explain, RefusesMimicJointsAndAMovingBase) {
  Description robot = chain(3);
  const Vector three = Vector::Ones(3);
  BaseMotion base;
  base.velocity = {0, 0, 1};
  ExternalLoads loads;
  loads.base.angular_acceleration = {1, 0, 0};
  EXPECT_MESSAGE(explain_diagonal(Model(robot), three, three, three, base), "base at rest");
  EXPECT_MESSAGE(explain_torque(Model(robot), three, three, three, loads), "base at rest");
  robot.joints[2].mimic = Mimic{robot.joints[1].name, 2, 0};
  const Model coupled(robot);
  const Vector two = Vector::Ones(2);
  EXPECT_MESSAGE(explain_diagonal(coupled, two, two, two), "mimic joints");
  EXPECT_MESSAGE(explain_torque(coupled, two, two, two), "mimic joints");
}

}  // namespace
}  // namespace catena::test
