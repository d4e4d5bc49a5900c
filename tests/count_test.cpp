// Operation counts: the scalar itself, counts that can be derived by hand, formulas, and the papers' tables.
#include "catena/count/count.hpp"

#include <map>

#include "catena/reference/dh_kernel.hpp"
#include "catena/reference/textbook_kernel.hpp"
#include "support.hpp"
#include "tool_support.hpp"

namespace catena::test {
namespace {

using compile::Counting;
using compile::Tally;

Operations total(const Tally& tally) {
  Operations sum;
  for (const SweepCount& sweep : tally.sweeps()) sum += sweep.operations;
  return sum;
}

const AlgorithmCount& find(const std::vector<AlgorithmCount>& counts, const std::string& name) {
  for (const AlgorithmCount& c : counts)
    if (c.name == name) return c;
  throw std::out_of_range(name);
}
const AlgorithmFormula& find(const std::vector<AlgorithmFormula>& formulas, const std::string& name) {
  for (const AlgorithmFormula& f : formulas)
    if (f.name == name) return f;
  throw std::out_of_range(name);
}

TEST(CountingScalar, CountsWhatDependsOnTheStateAndFoldsZerosAndOnes) {
  Tally tally(true);
  const Counting x(3, tally), y(4, tally), c(2.5);
  EXPECT_EQ((x * 0.0).value(), 0);
  EXPECT_TRUE((x * 0.0).constant());
  (void)(x * 1.0), (void)(-1.0 * x), (void)(x + 0.0), (void)(0.0 - x), (void)(-x), (void)(c * c + c / 2.0),
      (void)(0.0 / x);
  EXPECT_EQ(total(tally), Operations());
  EXPECT_EQ((0.0 - x).value(), -3);
  (void)(x * c), (void)(x * y), (void)(x + c), (void)(x - y), (void)(x / y), (void)(1.0 / x), (void)(x / 2.0);
  (void)sqrt(x), (void)tanh(x), (void)atan2(y, x);
  Counting sine, cosine;
  sincos(x, sine, cosine);
  EXPECT_EQ(total(tally), (Operations{.mul = 3, .add = 2, .div = 2, .sqrt = 1, .trig = 4}));
}

TEST(CountingScalar, WithoutFoldingCountsEveryOperationOnTheState) {
  Tally tally(false);
  const Counting x(3, tally);
  (void)(x * 0.0), (void)(x * 1.0), (void)(x + 0.0), (void)(Counting(2) * 3.0);
  EXPECT_EQ(total(tally), (Operations{.mul = 2, .add = 1}));
}

TEST(CountingScalar, TalliesDoNotMix) {
  Tally one(true), two(true);
  const Counting x(3, one), y(4, two);
  (void)(x * x), (void)(y + y), (void)(y + 2.0);
  EXPECT_EQ(total(one), (Operations{.mul = 1}));
  EXPECT_EQ(total(two), (Operations{.add = 2}));
}

TEST(CountingScalar, ACountedRunComputesTheNumbers) {
  const Model model(random_tree(7));
  const Tree& tree = model.tree();
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2), a = random_vector(model, 3);
  Tally tally(true);
  const auto variables = [&](const Vector& numbers, int size) {
    std::vector<Counting> out(size);
    for (int i = 0; i < numbers.size(); ++i) out[i] = Counting(numbers[i], tally);
    return out;
  };
  auto cq = variables(q, tree.nq_full), cv = variables(v, tree.nv_full), ca = variables(a, tree.nv_full);
  std::vector<Counting> tau(tree.nv_full);
  kernel::expand_positions(tree, cq.data());
  kernel::expand_velocities(tree, cv.data());
  kernel::expand_velocities(tree, ca.data());
  kernel::Positions<Counting> positions(tree);
  kernel::update_positions(tree, cq.data(), positions);
  kernel::NewtonEuler<Counting> state(tree);
  kernel::inverse_sweeps<Counting>(tree, positions.X, cv.data(), ca.data(), kernel::Motion<Counting>::zero(),
                                   kernel::Motion<Counting>::zero(), nullptr, state, tau.data());
  for (int i = 0; i < tree.nv_full; ++i) tau[i] += ca[i] * tree.terms[i].armature;
  kernel::reduce_forces(tree, tau.data());
  Vector result(model.nv());
  for (int i = 0; i < model.nv(); ++i) result[i] = tau[i].value();
  const Vector expected = inverse_dynamics(model, q, v, a) - gravity_forces(model, q) - joint_forces(model, q, v);
  EXPECT_LE((result - expected).cwiseAbs().maxCoeff(),
            1e-12 * (1 + gravity_forces(model, q).cwiseAbs().maxCoeff() +
                     joint_forces(model, q, v).cwiseAbs().maxCoeff() + expected.cwiseAbs().maxCoeff()));
}

TEST(Polynomials, GoThroughTheirPointsAndReadWell) {
  const Polynomial p = Polynomial::sixths({1, 69, 230, -282});  // Walker and Orin in Saha's Table 2
  EXPECT_EQ(p(6), 633);
  EXPECT_EQ(p(12), 2357);
  EXPECT_EQ(p.text(), "n³/6 + 23n²/2 + 115n/3 − 47");
  EXPECT_EQ(Polynomial::through(4, {20, 35, 56, 84}), Polynomial::sixths({1, 3, 2, 0}) + Polynomial());
  EXPECT_EQ(Polynomial::through(3, {368, 498}).text(), "130n − 22");
  EXPECT_EQ(Polynomial::through(1, {5, 5, 5}).text(), "5");
  EXPECT_EQ(Polynomial().text(), "0");
  EXPECT_EQ(Polynomial::linear(-1, 0).text(), "−n");
}

// turn_z: two columns of three, two products and a sum each.
TEST(OperationCounts, PositionsOfAGeneralChainAreTwelveProductsAndSixSumsEach) {
  const auto counts = count_operations(Model(counted_chain(5, CountedChain::general)));
  const SweepCount& positions = find(counts, "inverse").sweeps.front();
  EXPECT_EQ(positions.name, "positions");
  EXPECT_EQ(positions.operations, (Operations{.mul = 60, .add = 30, .trig = 10}));
}

TEST(OperationCounts, TheDenseSolveIsTheTextbooks) {
  for (const int n : {3, 6, 11}) {
    const auto counts = count_operations(Model(counted_chain(n, CountedChain::general)));
    const Operations solve = find(counts, "forward_composite").sweeps.back().operations;
    EXPECT_EQ(solve.mul, (n * n * n + 3 * n * n - 4 * n) / 6 + n * n);
    EXPECT_EQ(solve.add, (n * n * n - n) / 6 + n * n);  // factor, two triangles n (n - 1), tau - bias n
    EXPECT_EQ(solve.div, n);
  }
}

// Formula sheet 1.4: 137n - 20, 110n - 13 with Q (4n), the positions c (8n, 10n) and only the z of the last wrench.
TEST(OperationCounts, AngelesRecursionIsCountedExactly) {
  for (const int n : {1, 2, 6, 13}) {
    SCOPED_TRACE(n);
    std::vector<DhLink> links(n);
    for (int i = 0; i < n; ++i) {
      DhLink& link = links[i];
      link.a = 0.3 + 0.01 * i, link.b = 0.2, link.alpha = 0.7, link.mass = 2;
      link.rho = {0.1, 0.2, 0.3};
      link.inertia << 3, 0.1, 0.2, 0.1, 4, 0.3, 0.2, 0.3, 5;
    }
    Tally tally(true);
    const auto three = [&](double x) {
      return kernel::Column3<Counting>(Counting(x, tally), Counting(2 * x, tally), Counting(3 * x, tally));
    };
    const kernel::DhGround<Counting> ground = {{0.1, 0.2, 0.3}, three(0.1), three(0.2), three(0.3), three(0.4)};
    const std::vector<Counting> state(n, Counting(0.5, tally));
    std::vector<Counting> tau(n);
    kernel::DhState<Counting> work(n);
    kernel::dh_sweeps(links, ground, state.data(), state.data(), state.data(), three(0.5), three(0.6), work,
                      tau.data());
    const Operations counted = total(tally);
    EXPECT_EQ(counted.mul + (4 + 8) * n - 14, 137 * n - 20);
    EXPECT_EQ(counted.add + 10 * n - 7, 110 * n - 13);
    EXPECT_EQ(counted.trig, 2 * n);
  }
}

TEST(OperationCounts, FormulasHoldOnLongerChains) {
  for (const CountedChain shape :
       {CountedChain::general, CountedChain::denavit_hartenberg, CountedChain::perpendicular}) {
    const auto formulas = count_formulas(shape);
    for (const int n : {5, 20}) {
      const auto counts = count_operations(Model(counted_chain(n, shape)));
      ASSERT_EQ(counts.size(), formulas.size());
      for (std::size_t k = 0; k < counts.size(); ++k) {
        SCOPED_TRACE(counts[k].name + " at n = " + std::to_string(n));
        const Operations& o = counts[k].operations;
        ASSERT_EQ(formulas[k].name, counts[k].name);
        ASSERT_LE(formulas[k].from, 5);
        EXPECT_EQ(formulas[k].mul(n), static_cast<double>(o.mul));
        EXPECT_EQ(formulas[k].add(n), static_cast<double>(o.add));
        EXPECT_EQ(formulas[k].div(n), static_cast<double>(o.div));
        EXPECT_EQ(formulas[k].sqrt(n), static_cast<double>(o.sqrt));
        EXPECT_EQ(formulas[k].trig(n), static_cast<double>(o.trig));
      }
    }
  }
}

TEST(OperationCounts, GrowAsThePapersSay) {
  const auto formulas = count_formulas(CountedChain::general);
  const auto degree = [&](const char* name) { return find(formulas, name).total().degree(); };
  for (const char* name : {"inverse",
                           "inverse_dh",
                           "inverse_kalman",
                           "bias",
                           "forward_articulated",
                           "linear_1",
                           "linear_5",
                           "nu",
                           "xi",
                           "epsilon",
                           "kappa",
                           "coriolis_nu",
                           "coriolis_xi",
                           "forward_nu",
                           "forward_xi",
                           "pose",
                           "jacobian",
                           "inverse_denoc",
                           "forward_denoc",
                           "kozlowski_nu",
                           "kozlowski_xi"})
    EXPECT_EQ(degree(name), 1) << name;
  for (const char* name : {"mass_matrix", "mass_matrix_inverse", "coriolis_matrix", "linear_2", "linear_6", "linear_6T",
                           "forward_conjugate_gradient", "inverse_noc"})
    EXPECT_EQ(degree(name), 2) << name;
  for (const char* name : {"forward_composite", "forward_newton_columns", "forward_newton_symmetric", "forward_noc",
                           "linear_3", "linear_4"})
    EXPECT_EQ(degree(name), 3) << name;
}

TEST(OperationCounts, ZerosOfTheRobotAreSaved) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model model(random_tree(seed));
    const auto folded = count_operations(model), plain = count_operations(model, false);
    ASSERT_EQ(folded.size(), plain.size());
    for (std::size_t k = 0; k < folded.size(); ++k) {
      Operations sum;
      for (const SweepCount& sweep : folded[k].sweeps) sum += sweep.operations;
      EXPECT_EQ(sum, folded[k].operations) << folded[k].name;
      EXPECT_LE(folded[k].operations.mul, plain[k].operations.mul) << folded[k].name;
      EXPECT_LE(folded[k].operations.add, plain[k].operations.add) << folded[k].name;
    }
  }
  const auto general = count_operations(Model(counted_chain(6, CountedChain::general)));
  const auto perpendicular = count_operations(Model(counted_chain(6, CountedChain::perpendicular)));
  for (std::size_t k = 0; k < general.size(); ++k)
    EXPECT_LT(perpendicular[k].operations.mul, general[k].operations.mul) << general[k].name;
}

TEST(OperationCounts, CouplingsLeaveTheArticulatedSweepsOut) {
  Description description = counted_chain(3, CountedChain::general);
  description.joints[2].mimics(description.joints[0].name, 2, 0);
  description.joints[2].limits = {};
  std::map<std::string, int> names;
  for (const AlgorithmCount& c : count_operations(Model(description))) ++names[c.name];
  EXPECT_TRUE(names.contains("inverse") && names.contains("forward_composite"));
  EXPECT_FALSE(names.contains("forward_articulated") || names.contains("nu") || names.contains("inverse_dh"));
}

// Formula sheet section 6: the printed values at n = 6 and 12.
TEST(PrintedCounts, GiveThePrintedNumbers) {
  const std::map<std::string, std::vector<double>> six = {
      {"Hollerbach 1980", {2195, 1719}},       {"Luh, Walker & Paul 1980", {852, 738}},
      {"Angeles, sec. 7.4", {802, 647}},       {"Khalil et al. 1986", {538, 478}},
      {"Angeles et al. 1989", {521, 435}},     {"Balafoutis & Patel 1991", {489, 421}},
      {"Li & Sankar 1992", {459, 390}},        {"Featherstone 1983", {996, 871}},
      {"Algorithm 1", {1761, 1669}},           {"Algorithm 2", {2622, 2516}},
      {"Algorithm 3", {1841, 1730}},           {"Algorithm 4", {3250, 3006}},
      {"Algorithm 5", {1425, 1269}},           {"Algorithm 6", {5757, 5571}},
      {"Hollerbach & Sahar 1983", {688, 558}}, {"Kane & Levinson 1983", {646, 394}}};
  const std::map<std::string, std::vector<double>> flops = {
      {"Featherstone 1987", {2948, 6422}}, {"Walker & Orin 1", {5920, 21701}},
      {"Walker & Orin 2", {4000, 13253}},  {"Walker & Orin 3", {2882, 7857}},
      {"Walker & Orin 4", {5981, 21533}},  {"Brandl, Johanni & Otter 1986", {2400, 5220}},
      {"Kozłowski 1992", {2462, 7227}},    {"Kalman filter, Kozłowski 1993", {2359, 5221}}};
  const auto formulas = count_formulas(CountedChain::general);
  std::size_t checked = 0;
  for (const PrintedCount& p : printed_counts()) {
    SCOPED_TRACE(p.method);
    EXPECT_NO_THROW(find(formulas, p.algorithm));
    if (const auto row = six.find(p.method); row != six.end()) {
      EXPECT_EQ(p.mul(6), row->second[0]);
      EXPECT_EQ(p.add(6), row->second[1]);
      ++checked;
    }
    if (const auto row = flops.find(p.method); row != flops.end()) {
      EXPECT_EQ(p.flops(6), row->second[0]);
      EXPECT_EQ(p.flops(12), row->second[1]);
      ++checked;
    }
  }
  EXPECT_EQ(checked, six.size() + flops.size());
}

// Misprints of the tables: a formula that gives the printed number, and the printed one that does not.
TEST(PrintedCounts, CorrectedFormulasGiveWhatTheTablesThemselvesSay) {
  const auto L = [](int slope, int constant) { return Polynomial::linear(slope, constant); };
  // Angeles, Table 7.1: the rows Q, omega, c_dot, omega_dot, c_ddot lack the row c of the total 82n, 66n
  const Polynomial mul = L(4, 0) + L(8, 0) + L(20, 0) + L(10, 0) + L(32, 0),
                   add = L(5, 0) + L(16, 0) + L(7, 0) + L(28, 0);
  EXPECT_EQ(mul + L(8, 0), L(82, 0));
  EXPECT_EQ(add + L(10, 0), L(66, 0));
  EXPECT_NE(mul, L(82, 0));
  // Angeles, Table 7.4, prints 420 for 81n - 65
  EXPECT_EQ(L(81, -65)(6), 421);
  // Saha, Table 1, prints 131n + 48 for Luh et al.; Angeles' table has 738 for the same method
  EXPECT_EQ(L(131, -48)(6), 738);
  EXPECT_EQ(L(131, 48)(6), 834);
  // Saha, Table 2, prints 480 for Walker and Orin's n^3/6 + 7 n^2 + 38 5/6 n - 46, which gives the printed 1716 too
  EXPECT_EQ(Polynomial::sixths({1, 42, 233, -276})(6), 475);
  EXPECT_EQ(Polynomial::sixths({1, 42, 233, -276})(12), 1716);
  // Kozłowski, Tab. 2: the subtotal of the additions and z+ of the unnormalized equations, perpendicular
  const Polynomial parts = L(94, -105) + L(6, -12) + L(9, -17) + L(6, -12) + L(19, -1) + L(40, -27) + L(171, -6);
  EXPECT_EQ(parts, L(345, -180));
  EXPECT_NE(parts, L(354, -180));
  EXPECT_EQ(L(5, -9) + L(13, -3) + L(47, -71) + L(1, 0), L(66, -83));
  EXPECT_NE(L(5, -9) + L(43, -3) + L(47, -71) + L(1, 0), L(66, -83));
  // Kozłowski, Tab. 3, Walker-Orin 3: the values 2882 and 7857 need n^3/3
  EXPECT_EQ(Polynomial::sixths({2, 129, 2149, -678})(6), 2882);
  EXPECT_EQ(Polynomial::sixths({2, 129, 2149, -678})(12), 7857);
  EXPECT_NE(Polynomial::sixths({1, 129, 2149, -678})(6), 2882);
}

class CountCommand : public ToolTest {};

TEST_F(CountCommand, KeepsTheContract) {
  const ToolResult result = run("count stanford_arm --json");
  ASSERT_EQ(result.code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json.at("joints").size(), 6u);
  for (const char* algorithm : {"inverse", "forward_articulated", "forward_composite", "linear_6T", "forward_nu"})
    for (const char* kind : {"mul", "add", "div", "sqrt", "trig"})
      EXPECT_TRUE(json.at("counts").at(algorithm).at(kind).is_number_integer()) << algorithm << kind;
  EXPECT_EQ(json.at("counts").at("inverse").at("trig"), 10);  // five revolute joints
  for (const char* function : {"nu", "xi", "kappa", "forward_xi", "force_from_kappa", "pose", "jacobian"})
    EXPECT_GT(json.at("specialised").at(function).at("mul"), 0) << function;
  EXPECT_LT(json.at("specialised").at("jacobian").at("mul"), json.at("counts").at("jacobian").at("mul"));
  EXPECT_EQ(json.at("formulas").at("general").at("inverse").at("trig"), "2n");
  EXPECT_EQ(json.at("formulas").at("denavit_hartenberg").at("inverse_denoc").at("sweeps").at("arms").at("mul"),
            "6n − 6");
  EXPECT_EQ(json.at("tables").size(), 6u);
  EXPECT_EQ(json.at("tables").at(0).at("rows").at(0).at("printed").at("mul"), "101n − 108");
  EXPECT_EQ(json.at("crossovers").at(0).at("from"), 12);
  const ToolResult tables = run("count --tables");
  ASSERT_EQ(tables.code, 0) << tables.err;
  for (const char* text : {"Tab. 2, general", "Table 7.1", "Table 7.2", "prismatic", "43N"})
    EXPECT_NE(tables.out.find(text), std::string::npos) << text;
}

}  // namespace
}  // namespace catena::test
