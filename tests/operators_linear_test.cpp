// [003] Lemmas 3.1, 4.6, 4.7 and 4.9 typed as they are printed, against the library's linearizations; where the print is
// wrong, it is shown to differ (formula sheet 3.2, 3.6 to 3.8).
#include "catena/reference/linear_operators.hpp"

#include "catena/linear/linearize.hpp"
#include "catena/read/robot.hpp"
#include "catena/reference/workbench.hpp"
#include "operators_support.hpp"

namespace catena::test {
namespace {

const std::string U_inv_t = "(1-H*Psi*K)^T";
// H f_H is zero for joints of one degree of freedom, which the paper has.
const std::string own = " - M_inv*H*f_H";

const std::string A_D_31 = "H*Phi*(soa.M*Phi^T*H_v^T + 2*M_bar*Phi^T*H^T)";
const std::string B_D_31 = "H*Phi*(f_H + 2*M_bar*Phi^T*H_dot^T + soa.M*Phi^T*H_ddot^T) - H*f_H";
const std::string A_C_46 = U_inv_t + "*D^-1*H*Psi*(2*M_bar*Phi^T*H^T + P*H_v^T) + K^T*Psi^T*H_v^T";
const std::string B_C_46 =
    U_inv_t + "*D^-1*H*Psi*(f_H + 2*M_bar*Phi^T*H_dot^T + P*H_ddot^T) + K^T*Psi^T*H_ddot^T" + own;
const std::string A_C_47 = U_inv_t + "*(D^-1*H*Psi*Y_A + 2*K_hat^T*Phi^T*H^T) + K^T*Psi^T*H_v^T";
const std::string B_C_47 = U_inv_t + "*(D^-1*H*Psi*Y_B + 2*K_hat^T*Phi^T*H_dot^T) + K^T*Psi^T*H_ddot^T" + own;
const std::string A_C_49 = "u*Psi*Y_A + K^T*Psi^T*E_A + Q^T*Phi^T*H^T";
const std::string B_C_49 = "u*Psi*Y_B + K^T*Psi^T*E_B + Q^T*Phi^T*H_dot^T" + own;

// Rotors may have inertia; what damps, rubs and springs is no part of the lemmas.
Model without_joint_forces(const Model& model) {
  Description robot = model.description();
  for (Joint& joint : robot.joints) joint.terms.damping = joint.terms.friction = joint.terms.stiffness = 0;
  return Model(robot);
}

BaseMotion moving_base() { return {{0.3, -0.2, 0.5}, {0.1, 0.4, -0.3}, {-1, 0.7, 0.2}, {2, -1, 0.5}}; }

struct Bench {
  Bench(const Case& c, const BaseMotion& base)
      : model(without_joint_forces(c.model)),
        bench(model, c.q, c.v, {base, {}}, c.a),
        bound(1e-13 * condition_number(mass_matrix(model, c.q)) + 1e-11) {}

  Matrix operator()(const std::string& expression) const { return bench.evaluate(expression).value.values; }
  void expect(const std::string& expression, const char* name) const {
    const Matrix expected = bench.value(name).values;
    EXPECT_SAME((*this)(expression), expected, bound, 1e-3) << name << " = " << expression;
  }

  Model model;
  Workbench bench;
  double bound;
};

TEST(LinearOperators, HoldLemma31OnTreesOfEveryJointType) {
  for_each_case(uncoupled_trees(true), tries, [](const Case& c) {
    const Bench bench(c, moving_base());
    bench.expect(A_D_31, "A_D");
    bench.expect(B_D_31, "B_D");
  });
}

TEST(LinearOperators, HoldLemmas46And47OnTreesOfEveryJointType) {
  for_each_case(uncoupled_trees(true), tries, [](const Case& c) {
    const Bench bench(c, moving_base());
    for (const std::string& expression : {A_C_46, A_C_47}) bench.expect(expression, "A_C");
    for (const std::string& expression : {B_C_46, B_C_47}) bench.expect(expression, "B_C");
  });
}

TEST(LinearOperators, HoldLemma49OnSerialChainsOfEveryJointType) {
  TreeOptions options = uncoupled_trees(true);
  options.serial = true;
  options.several_roots = false;
  for_each_case(options, tries, [](const Case& c) {
    const Bench bench(c, moving_base());
    bench.expect(A_C_49, "A_C");
    bench.expect(B_C_49, "B_C");
    bench.expect("L - K^T*Psi^T*u^T - u*Psi*K", "M_inv");
  });
}

// (4.20), and what the paper's joints make of H_v and of the term that only joints of several degrees have.
TEST(LinearOperators, HoldLemma48AndTheFormsOfOneDegreeJoints) {
  for_each_case(one_degree_chains(), tries, [](const Case& c) {
    const Bench bench(c, {});
    const Matrix whole = bench("Psi^T*H^T*D^-1*H*Psi");
    EXPECT_SAME(bench("Upsilon + (Psi-1)^T*Upsilon + Upsilon*(Psi-1)"), whole, bench.bound, 0);
    EXPECT_SAME(bench("H_v"), bench("2*H_dot"), tolerance, 1);
    EXPECT_SAME(bench("H*f_H"), bench("0*M"), tolerance, largest(bench("f")));
  });
}

TEST(LinearOperators, OfLemma49DoNotExistOnATree) {
  const Model quadruped = read::load("quadruped");
  const Workbench bench(quadruped, neutral_configuration(quadruped), Vector::Zero(quadruped.nv()));
  EXPECT_MESSAGE(bench.value("Upsilon"), "soa.Upsilon does not exist for quadruped: Lemma 4.9 is for a serial chain");
  EXPECT_NO_THROW(bench.value("Y_B"));
}

// The paper's case, chains of one-degree joints with a slide. Misprints: Lemmas 4.6, 4.7 H_bar f for H_bar* f; (4.12)
// G^ = P^ H* D^-1 for P^* H* D^-1; proof of 4.9 Q* = 2 (K* - 2 K* J) for 2 (K^* - K* J).
TEST(LinearOperators, ThePrintedFormsOfB_CDiffer) {
  const Model model = read::load("stanford_arm");
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c{model, random_configuration(model, seed), random_vector(model, seed + 1),
                 random_vector(model, seed + 2)};
    const Bench bench(c, {});
    const Matrix B_C = bench.bench.value("B_C").values;
    for (const std::string& right : {B_C_46, B_C_47, B_C_49}) bench.expect(right, "B_C");

    const LinearOperators x(bench.model, c.q, c.v, c.a);
    Matrix printed(6 * x.o.bodies, model.nv());  // crm(h) f
    for (int i = 0; i < model.nv(); ++i) printed.col(i) = transpose(x.o.crf_H(i)) * Vector(-x.f);
    const Matrix left = bench(U_inv_t + "*D^-1*H*Psi");
    EXPECT_TRUE(clearly_differ(B_C + left * (printed - bench("f_H")), B_C));

    const std::string K_hat_t = "(E_phi*P_hat*H^T*D^-1)^T";
    EXPECT_TRUE(clearly_differ(
        bench(U_inv_t + "*(D^-1*H*Psi*Y_B + 2*" + K_hat_t + "*Phi^T*H_dot^T) + K^T*Psi^T*H_ddot^T"), B_C));
    EXPECT_TRUE(clearly_differ(bench("u*Psi*Y_B + K^T*Psi^T*E_B + 2*(K^T - 2*K^T*J_hat)*Phi^T*H_dot^T"), B_C));
  }
}

}  // namespace
}  // namespace catena::test
