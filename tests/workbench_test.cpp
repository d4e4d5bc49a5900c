// The workbench: the papers' identities typed as they are printed, and what it says of input that is no expression.
#include "catena/reference/workbench.hpp"

#include "catena/write/npz.hpp"
#include "support.hpp"

namespace catena::test {
namespace {

Workbench bench_of(const Model& model, std::uint64_t seed) {
  return {model, random_configuration(model, seed), random_vector(model, seed + 1)};
}

void expect_zero(const Workbench& bench, const std::string& expression, double tolerance = 1e-11) {
  const Evaluation result = bench.evaluate(expression);
  EXPECT_LE(result.largest(), tolerance * result.size + 1e-14) << expression;
}

// Identities of all five papers, on trees with every joint type.
TEST(Workbench, HoldsTheIdentitiesOfThePapers) {
  TreeOptions options;
  options.couplings = options.terms = false;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model model(random_tree(seed, options));
    const Workbench bench = bench_of(model, seed);
    const double solved = 1e-13 * condition_number(mass_matrix(model, random_configuration(model, seed))) + 1e-11;
    expect_zero(bench, "H*Phi*soa.M*Phi^T*H^T - M");
    expect_zero(bench, "(1+H*Phi*K)*D*(1+H*Phi*K)^T - M");
    expect_zero(bench, "(1-H*Psi*K)*(1+H*Phi*K) - 1");
    expect_zero(bench, "M_inv - (1-H*Psi*K)^T*D^-1*(1-H*Psi*K)", solved);
    expect_zero(bench, "m*m' - M");
    expect_zero(bench, "P_plus - tau_bar*P*tau_bar^T");
    expect_zero(bench, "soa.M - (P - E_psi*P*E_psi^T)");
    expect_zero(bench, "lambda_dot - (P_ring + Omega*P + P*Omega^T)");
    expect_zero(bench, "M_dot - (m_dot*m^T + m*m_dot^T)");
    expect_zero(bench, "C + C^T - M_dot");
    expect_zero(bench, "V - Phi^T*H^T*v");
    expect_zero(bench, "N_d^T*N_l^T*denoc.M*N_l*N_d - denoc.I");
    expect_zero(bench, "denoc.U*denoc.D*denoc.U^T - denoc.I");
    expect_zero(bench, "denoc.I - M");
  }
}

TEST(Workbench, HoldsAngelesIdentities) {
  TreeOptions options;
  options.couplings = options.terms = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Model tree(random_tree(seed, options));
    const Workbench of_tree = bench_of(tree, seed);
    expect_zero(of_tree, "noc.K*noc.T");
    expect_zero(of_tree, "T - N_l*N_d");
    expect_zero(of_tree, "noc.T^T*noc.M*noc.T - M");
  }
  const Model model = read::load("stanford_arm");
  const Workbench bench = bench_of(model, 3);
  expect_zero(bench, "noc.K*noc.T");
  EXPECT_GT(bench.evaluate("noc.K*noc.T").size, 0.1);  // of the terms of the product, which cancel
  expect_zero(bench, "noc.T^T*noc.M*noc.T + J - M");
  expect_zero(bench, "T - N_l*N_d");
  expect_zero(bench, "noc.t - T*v");
}

TEST(Workbench, TellsAnIdentityFromOneThatIsNone) {
  const Workbench bench = bench_of(read::load("arm7"), 5);
  const Evaluation result = bench.evaluate("(1+H*Phi*K)*D*(1-H*Phi*K)^T - M");  // a sign wrong
  EXPECT_GT(result.largest(), 0.1 * result.size);
}

TEST(Workbench, CalculatesWithNumbers) {
  const Model arm = read::load("planar_3r");
  const Workbench bench = bench_of(arm, 1);
  const auto number = [&](const char* expression) { return bench.evaluate(expression).value.values(0, 0); };
  EXPECT_EQ(number("1 - 2*3"), -5);
  EXPECT_EQ(number("-(2 - .5) * -1e1"), 15);
  const Vector v = bench.value("v").values;
  const double energy = 0.5 * v.dot(bench.value("M").values * v);
  EXPECT_NEAR(number("0.5*v'*M*v"), energy, 1e-13 * energy);
  EXPECT_TRUE(bench.evaluate("v'*M*v").value.is_number());
  EXPECT_EQ(bench.evaluate("2*M - M - M").largest(), 0);
}

TEST(Workbench, SaysWhatIsWrong) {
  const Model arm = read::load("arm7");
  const Workbench bench = bench_of(arm, 1);
  EXPECT_MESSAGE(bench.evaluate("H*Fi"), "no operator is called 'Fi'");
  EXPECT_MESSAGE(bench.evaluate("Phu"), "did you mean");
  EXPECT_MESSAGE(bench.evaluate("H*D"), "sizes do not fit: H (n x 6N = 7 x 42) * D (n x n = 7 x 7)");
  EXPECT_MESSAGE(bench.evaluate("M + Phi"), "sizes do not fit: M (n x n = 7 x 7) + Phi (6N x 6N = 42 x 42)");
  EXPECT_MESSAGE(bench.evaluate("1 + v"), "sizes do not fit");
  EXPECT_MESSAGE(bench.evaluate("(M + 1"), "does not parse at character 7: a bracket opened at character 1");
  EXPECT_MESSAGE(bench.evaluate("M^2"), "after ^ comes T or -1");
  EXPECT_MESSAGE(bench.evaluate("M M"), "does not parse at character 3");
  EXPECT_MESSAGE(bench.evaluate(""), "does not parse at character 1: expected a name, a number or (, found the end");
  EXPECT_MESSAGE(bench.evaluate("v^-1"), "it is not square");
  EXPECT_MESSAGE(bench.evaluate("(M-M)^-1"), "it is singular");
  EXPECT_MESSAGE(bench.evaluate(std::string(500, '(')), "brackets in one another");
  EXPECT_MESSAGE(bench.evaluate(std::string(500, '-') + "1"), "in one another");
  EXPECT_MESSAGE(bench.evaluate(std::string(20'000, ' ')), "more than 10000 characters");
  EXPECT_MESSAGE(bench_of(read::load("joints"), 1).evaluate("noc.T"), "noc.T does not exist for");
  EXPECT_MESSAGE(Workbench(Model(chain(300)), Vector::Zero(300), Vector::Zero(300)), "up to 250");
}

// Every name there is has the size that it says, and rows and columns of that many labels.
TEST(Workbench, EveryNameHasItsSize) {
  const Workbench bench = bench_of(read::load("stanford_arm"), 2);
  for (const WorkbenchName& name : Workbench::names()) {
    SCOPED_TRACE(name.name);
    const WorkbenchValue& x = bench.value(name.name);
    EXPECT_EQ(static_cast<std::size_t>(x.values.rows()), bench.labels(name.rows).size());
    EXPECT_EQ(static_cast<std::size_t>(x.values.cols()), bench.labels(name.columns).size());
    EXPECT_TRUE(x.values.allFinite());
  }
}

}  // namespace
}  // namespace catena::test
