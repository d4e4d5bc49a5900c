// The papers' own recursions counted by themselves: DeNOC, NOC, Kozlowski's steps, Angeles' rows; crossovers.
#include "catena/count/tables.hpp"

#include <algorithm>

#include "catena/diagonal/diagonal.hpp"
#include "catena/kinematics/sweeps.hpp"
#include "catena/reference/denoc_kernel.hpp"
#include "catena/reference/dh_kernel.hpp"
#include "catena/reference/kozlowski_kernel.hpp"
#include "catena/reference/mass_centres.hpp"
#include "catena/reference/noc_kernel.hpp"
#include "operators_support.hpp"

namespace catena::test {
namespace {

using compile::Counting;
using compile::Tally;
using kernel::Six;

const PaperCounts& papers() {
  static const PaperCounts counts = paper_counts();
  return counts;
}

const CountTable& table(const std::string& title) {
  for (const CountTable& t : papers().tables)
    if (t.title.starts_with(title)) return t;
  throw std::out_of_range(title);
}

// "row: mul / add" of a table as counted, rows one after another.
std::string counted(const CountTable& t) {
  std::string out;
  for (const TableRow& row : t.rows) out += row.row + ": " + row.own_mul.text() + " / " + row.own_add.text() + "\n";
  return out;
}

const AlgorithmCount& find(const std::vector<AlgorithmCount>& counts, const std::string& name) {
  for (const AlgorithmCount& c : counts)
    if (c.name == name) return c;
  throw std::out_of_range(name);
}

// A kernel on a chain of revolute joints at a state that counts: what the row of that name must cost.
struct CountedState {
  explicit CountedState(const Model& model_in, std::uint64_t seed = 1)
      : model(model_in),
        tree(model.tree()),
        tally(true),
        q(numbers(random_configuration(model, seed))),
        v(numbers(random_vector(model, seed + 1))),
        a(numbers(random_vector(model, seed + 2))),
        tau(a),
        positions(tree) {
    kernel::update_positions(tree, q.data(), positions);
    up = Six<Counting>::zero();
    up.b = {Counting(-tree.gravity.x), Counting(-tree.gravity.y), Counting(-tree.gravity.z)};
  }
  std::vector<Counting> numbers(const Vector& from) {
    std::vector<Counting> out;
    for (const double x : from) out.emplace_back(x, tally);
    return out;
  }
  Operations total() const {
    Operations sum;
    for (const SweepCount& sweep : tally.sweeps()) sum += sweep.operations;
    return sum;
  }

  Model model;
  const Tree& tree;
  Tally tally;
  std::vector<Counting> q, v, a, tau;
  kernel::Positions<Counting> positions;
  Six<Counting> up;
};

void denoc_inverse(CountedState& x, const Counting* a) {
  const kernel::DenocLinks<Counting> links(x.tree, x.positions.X, x.v.data());
  kernel::denoc_inverse<Counting>(x.tree, links, x.v.data(), a, Six<Counting>::zero(), x.up, nullptr, x.tau.data());
}
void denoc_forward(CountedState& x) {
  const kernel::DenocLinks<Counting> links(x.tree, x.positions.X, x.v.data());
  std::vector<Counting> phi(x.v.size());
  kernel::denoc_inverse<Counting>(x.tree, links, x.v.data(), nullptr, Six<Counting>::zero(), x.up, nullptr, phi.data());
  for (std::size_t i = 0; i < phi.size(); ++i) phi[i] = x.tau[i] - phi[i];
  kernel::denoc_solve(x.tree, links, kernel::denoc_eliminate(x.tree, links, x.v.data()), phi.data(), phi.data());
}

// The rows "inverse_denoc" and "forward_denoc" are Saha's kernel and none other, and so are those of the complement T.
TEST(PaperCounts, ComplementsAreCountedByThemselves) {
  const Model model(counted_chain(7, CountedChain::general));
  const auto counts = count_operations(model);
  CountedState inverse(model), forward(model);
  denoc_inverse(inverse, inverse.a.data());
  denoc_forward(forward);
  EXPECT_EQ(find(counts, "inverse_denoc").operations, inverse.total());
  EXPECT_EQ(find(counts, "forward_denoc").operations, forward.total());

  CountedState x(model);
  const kernel::WorldBodies<Counting> bodies(x.tree, x.positions.X, x.v.data(), Six<Counting>::zero());
  const kernel::Complement<Counting> shape(x.tree, bodies, x.v.data());
  kernel::noc_forces(
      x.tree, bodies, shape, x.v.data(), x.a.data(), [&](int) { return x.up; }, [](int, Six<Counting>&) {},
      x.tau.data());
  EXPECT_EQ(find(counts, "inverse_noc").operations, x.total());
  const AlgorithmCount& noc = find(counts, "forward_noc");
  ASSERT_EQ(noc.sweeps[noc.sweeps.size() - 2].name, "TᵀMT");
  // for each body its i columns: M T 12 products, then 6 for each of i (i + 1) / 2 pairs
  EXPECT_EQ(noc.sweeps[noc.sweeps.size() - 2].operations.mul, 7 * 7 * 7 + 9 * 7 * 7 + 8 * 7);
}

// An order is measured: operations on chains of growing length, which are linear in n to the last one.
TEST(Denoc, TakesOperationsInProportionToTheLength) {
  std::vector<Operations> inverse, forward;
  const std::vector<int> lengths = {20, 40, 80, 160};
  for (const int n : lengths) {
    const Model model(counted_chain(n, CountedChain::general));
    CountedState one(model), other(model);
    denoc_inverse(one, one.a.data());
    denoc_forward(other);
    inverse.push_back(one.total()), forward.push_back(other.total());
  }
  for (const auto* counts : {&inverse, &forward}) {
    for (const auto member : {&Operations::mul, &Operations::add, &Operations::div, &Operations::trig}) {
      const auto at = [&](std::size_t k) { return (*counts)[k].*member; };
      const long long slope = (at(1) - at(0)) / 20;
      EXPECT_EQ(at(1) - at(0), slope * 20);
      EXPECT_EQ(at(2) - at(1), slope * 40);
      EXPECT_EQ(at(3) - at(2), slope * 80);
    }
    EXPECT_GT((*counts)[0].mul, 0);
  }
}

// In the frames that Saha counts in, his recursion takes what he prints, a product and a sum a link apart.
TEST(PaperCounts, SahasInverseDynamicsTakesWhatHePrints) {
  for (const AlgorithmFormula& f : papers().denavit_hartenberg) {
    if (f.name != "inverse_denoc") continue;
    EXPECT_EQ(f.mul.text(), "121n − 117");  // printed 120n − 44
    EXPECT_EQ(f.add.text(), "98n − 105");   // printed 97n − 55
  }
}

// Printed rows give the printed sums, the two misprints replaced.
TEST(CountTables, RowsOfKozlowskiSumToHisTotals) {
  const auto totals = [](const CountTable& t) {
    std::string out;
    for (const TableRow& row : t.rows)
      if (row.sum) out += row.row + ": " + row.mul.text() + " / " + row.add.text() + "\n";
    return out;
  };
  EXPECT_EQ(
      totals(table("Kozłowski, Tab. 2, general")),
      "subtotal: 414n − 224 / 345n − 180\nsum: 191n − 238 / 185n − 268\nnormalized equations: 605n − 462 / 530n − "
      "448\nsum: 86n − 95 / 81n − 106\nunnormalized equations: 500n − 319 / 426n − 286\n");
  EXPECT_EQ(
      totals(table("Kozłowski, Tab. 2, parallel")),
      "subtotal: 248n − 155 / 218n − 123\nsum: 158n − 226 / 158n − 236\nnormalized equations: 406n − 381 / 376n − "
      "359\nsum: 66n − 83 / 66n − 95\nunnormalized equations: 314n − 238 / 284n − 218\n");
}

TEST(CountTables, EachRowOfKozlowskiIsCounted) {
  EXPECT_EQ(counted(table("Kozłowski, Tab. 2, general")),
            "P: 164n − 196 / 134n − 160\nG: 5n − 5 / 0\nV⁺: 6n − 10 / 6n − 12\nV: 16n − 24 / 11n − 19\n"
            "z: 6n − 6 / 6n − 6\nψ: 32n − 34 / 20n − 22\nb: 59n − 60 / 41n − 44\nX: 18n − 5 / 0\n"
            "λ̇: 189n − 226 / 167n − 194\nsubtotal: 495n − 566 / 385n − 457\n"
            "θ̇: 7n − 7 / 6n − 7\nε: n / n − 1\nz⁺: 23n − 27 / 15n − 22\ny: 138n − 162 / 149n − 167\n"
            "C(θ,ν): 2n / 0\nν̇: 0 / n\nsum: 171n − 196 / 172n − 197\nnormalized equations: 666n − 762 / 557n − 654\n"
            "θ̇: 5n − 6 / 6n − 7\nκ: 0 / n − 1\nz⁺: 21n − 24 / 15n − 22\ny: 58n − 58 / 58n − 59\n"
            "C(θ,ξ): 0 / 0\nξ̇: n / n\nsum: 85n − 88 / 81n − 89\nunnormalized equations: 580n − 654 / 466n − 546\n"
            "A (rotations): 4n − 4 / 0\n");
  EXPECT_EQ(counted(table("Kozłowski, Tab. 2, parallel")),
            "P: 82n − 108 / 64n − 89\nG: 5n − 5 / 0\nV⁺: 2n − 3 / 2n − 5\nV: 8n − 16 / 5n − 12\n"
            "z: 2n − 3 / 2n − 3\nψ: 12n − 13 / 5n − 6\nb: 55n − 60 / 38n − 49\nX: 18n − 8 / 0\n"
            "λ̇: 107n − 138 / 97n − 128\nsubtotal: 291n − 354 / 213n − 292\n"
            "θ̇: 7n − 9 / 6n − 10\nε: n / n − 1\nz⁺: 15n − 17 / 9n − 15\ny: 127n − 194 / 139n − 206\n"
            "C(θ,ν): 2n / 0\nν̇: 0 / n\nsum: 152n − 220 / 156n − 232\nnormalized equations: 443n − 574 / 369n − 524\n"
            "θ̇: 5n − 8 / 6n − 10\nκ: 0 / n − 1\nz⁺: 13n − 14 / 9n − 15\ny: 47n − 61 / 48n − 63\n"
            "C(θ,ξ): 0 / 0\nξ̇: n / n\nsum: 66n − 83 / 65n − 89\nunnormalized equations: 357n − 437 / 278n − 381\n"
            "A (rotations): 0 / 0\n");
}

// No step is left out and none counted twice: the rows and the rotations are the whole algorithm.
TEST(CountTables, RowsOfKozlowskiAreTheWholeAlgorithm) {
  for (const bool perpendicular : {false, true}) {
    const auto& formulas = perpendicular ? papers().perpendicular : papers().denavit_hartenberg;
    const CountTable& t = table(perpendicular ? "Kozłowski, Tab. 2, parallel" : "Kozłowski, Tab. 2, general");
    for (const AlgorithmFormula& f : formulas) {
      if (!f.name.starts_with("kozlowski_")) continue;
      const std::string whole = f.name == "kozlowski_nu" ? "normalized equations" : "unnormalized equations";
      for (const TableRow& row : t.rows) {
        if (row.row != whole) continue;
        EXPECT_EQ(row.own_mul + t.rows.back().own_mul, f.mul + f.div) << f.name;
        EXPECT_EQ(row.own_add + t.rows.back().own_add, f.add) << f.name;
      }
    }
  }
}

// What is counted computes: his steps give the library's nu_dot and xi_dot, on trees of revolute and prismatic joints.
TEST(CountTables, KozlowskisStepsGiveTheQuasiAccelerations) {
  TreeOptions options = uncoupled_trees();
  options.types = {JointType::revolute, JointType::prismatic};
  for_each_case(options, 40, [](const Case& c) {
    const Tree& tree = c.model.tree();
    kernel::Positions<double> positions(tree);
    kernel::update_positions(tree, c.q.data(), positions);
    const Vector state = random_vector(c.model, 3), tau = random_vector(c.model, 4);
    const double bound = 1e-13 * condition(c) + 1e-12;
    kernel::Kozlowski<double> nu(tree), xi(tree);
    Vector rate(c.model.nv());
    kernel::kozlowski_sweeps<true>(tree, positions.X, state.data(), tau.data(), nu, rate.data());
    EXPECT_CLOSE(rate, forward_dynamics_nu(c.model, c.q, state, tau).rate, bound);
    kernel::kozlowski_sweeps<false>(tree, positions.X, state.data(), tau.data(), xi, rate.data());
    EXPECT_CLOSE(rate, forward_dynamics_xi(c.model, c.q, state, tau).rate, bound);
  });
}

// Angeles' rows come out as printed, but for what his own misprints and constants of prismatic joints change.
TEST(CountTables, EachRowOfAngelesIsAsPrinted) {
  const std::vector<std::string> differ = {"prismatic Q", "prismatic c", "prismatic c̈", "prismatic total",
                                           "prismatic 7"};
  for (const char* title : {"Angeles, Table 7.1", "Angeles, after", "Angeles, Table 7.2:", "Angeles, Table 7.2 for"}) {
    for (const TableRow& row : table(title).rows) {
      SCOPED_TRACE(title + (" " + row.row));
      if (!row.printed) continue;
      const bool prismatic = std::string(title).ends_with("after") || std::string(title).ends_with("for");
      const bool same = row.mul == row.own_mul && row.add == row.own_add;
      const std::string name = (prismatic ? "prismatic " : "") + row.row;
      EXPECT_EQ(same, std::find(differ.begin(), differ.end(), name) == differ.end());
      if (row.row != "total") {
        EXPECT_EQ(same, row.remark.empty() || (row.row == "c" && !prismatic));
      }
    }
  }
  EXPECT_EQ(counted(table("Angeles, after")),
            "Q: 0 / 0\nc: 10n / 12n\nω: 8n / 4n\nċ: 14n / 11n\nω̇: 8n / 4n\nc̈: 23n / 19n\ntotal: 63n / 50n\n");
  EXPECT_EQ(counted(table("Angeles, Table 7.2 for")),
            "1: 3 / 3\n2: 30 / 27\n5: 8n − 8 / 4n − 4\n6: 3n − 3 / 3n − 3\n7: 44n − 44 / 38n − 38\n"
            "total: 55n − 22 / 45n − 15\nwrench on the base: 16 / 8\n");
  EXPECT_EQ(counted(table("Angeles, Table 7.1")),
            "Q: 4n / 0\nc: 8n / 10n\nω: 8n / 5n\nċ: 20n / 16n\nω̇: 10n / 7n\nc̈: 32n / 28n\ntotal: 82n / 66n\n");
}

// Row c of Table 7.1 is where the mass centres are.
TEST(CountTables, AngelesPositionsAreTheMassCentres) {
  TreeOptions options = one_degree_chains();
  options.types = {JointType::revolute, JointType::prismatic};
  for_each_case(options, 40, [](const Case& c) {
    const auto chain = dh_chain(c.model);
    if (!chain) return;
    const auto centres = kernel::dh_positions<double>(chain->links, chain->base.delta, Vector3::Zero(), c.q.data());
    const auto bodies = centred_bodies(c.model, c.q, Vector::Zero(c.model.nv()));
    Matrix3 Q = Matrix3::Identity();
    std::vector<Vector3> in_first;  // in F_1, from O_1
    for (std::size_t i = 0; i < centres.size(); ++i) {
      const DhLink& link = chain->links[i];
      const double theta = link.theta + (link.prismatic ? 0 : c.q[static_cast<int>(i)]);
      const kernel::DhTurn<double> turn{std::cos(theta), std::sin(theta), std::cos(link.alpha), std::sin(link.alpha)};
      Q = Q * turn.entries();
      in_first.push_back(Q * centres[i]);
    }
    for (std::size_t i = 1; i < centres.size(); ++i) {  // massless bodies have their centre anywhere
      EXPECT_NEAR((in_first[i] - in_first[0]).norm(), (bodies[i + 1].c - bodies[1].c).norm(), 1e-11);
    }
  });
}

TEST(Crossovers, AreExact) {
  const auto of = [](const std::string& fast, const std::string& source) -> const Crossover& {
    for (const Crossover& c : papers().crossovers)
      if (c.fast == fast && c.source == source && c.slow != "forward_noc") return c;
    throw std::out_of_range(fast);
  };
  const auto expect = [](const Crossover& c, int mul, int add, int all) {
    SCOPED_TRACE(c.fast + " " + c.source);
    EXPECT_EQ(c.mul, mul);
    EXPECT_EQ(c.add, add);
    EXPECT_EQ(c.all, all);
  };
  // Saha: "all the O(n) schemes are efficient when n >= 12, as is evident from Table 2"
  expect(of("Saha (DeNOC)", "Saha, Table 2"), 11, 15, 12);
  expect(of("Featherstone 1983", "Saha, Table 2"), 12, 14, 13);
  expect(of("Featherstone 1987", "Kozłowski, Tab. 3"), 0, 0, 7);
  expect(of("forward_denoc", "general chains"), 16, 14, 15);
  expect(of("forward_denoc without φ", "general chains"), 15, 14, 14);
  expect(of("forward_articulated", "general chains"), 14, 13, 13);
  // by hand: 394n - 696 against n^3/3 + 18 1/2 n^2 + 77 1/6 n - 93
  const Polynomial saha = Polynomial::linear(394, -696), walker = Polynomial::sixths({2, 111, 463, -558});
  EXPECT_EQ(saha(12), 4032);
  EXPECT_EQ(walker(12), 4073);
  EXPECT_GT(saha(11), walker(11));
  EXPECT_EQ(less_from(saha, walker), 12);
  EXPECT_EQ(less_from(walker, saha), 0);
  EXPECT_EQ(less_from(saha, saha), 0);
}

}  // namespace
}  // namespace catena::test
