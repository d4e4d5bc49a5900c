// Rows of Kozlowski's Tab. 2 and Angeles' Tables 7.1 and 7.2 as printed, each with the count of the step of that name.
#include "catena/count/tables.hpp"

#include <algorithm>

#include "catena/count/count_angeles.hpp"

namespace catena {
namespace {

using P = Polynomial;

P L(long long slope, long long constant) { return P::linear(slope, constant); }

template <class Named>
const Named& find(const std::vector<Named>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& x) { return x.name == name; });
  if (found == all.end()) throw std::logic_error("nothing is counted under the name " + name);
  return *found;
}

TableRow sum(std::string name, const std::vector<TableRow>& rows, std::size_t first, std::string remark = "") {
  TableRow out{std::move(name), {}, {}, {}, {}, std::move(remark), true, true};
  for (std::size_t k = first; k < rows.size(); ++k) {
    out.mul = out.mul + rows[k].mul, out.add = out.add + rows[k].add;
    out.own_mul = out.own_mul + rows[k].own_mul, out.own_add = out.own_add + rows[k].own_add;
  }
  return out;
}
TableRow sum(std::string name, const TableRow& a, const TableRow& b) { return sum(std::move(name), {a, b}, 0); }

// A row of Tab. 2: multiplications and additions of a general arm, then of one with parallel and perpendicular axes.
struct PrintedRow {
  const char* name;
  P mul, add, mul_2, add_2;
  const char* remark = "";
  const char* remark_2 = "";
};
std::vector<PrintedRow> common_rows() {
  return {{"P", L(101, -108), L(94, -105), L(51, -58), L(53, -64)}, {"G", L(5, -1), P(), L(5, -1), P()},
          {"V⁺", L(6, -12), L(6, -12), L(2, -4), L(2, -4)},         {"V", L(16, -29), L(9, -17), L(8, -16), L(5, -9)},
          {"z", L(6, -12), L(6, -12), L(2, -4), L(2, -4)},          {"ψ", L(44, -1), L(19, -1), L(12, -1), L(5, -1)},
          {"b", L(59, -43), L(40, -27), L(55, -53), L(38, -35)},    {"X", L(18, -12), P(), L(18, -12), P()},
          {"λ̇", L(159, -6), L(171, -6), L(95, -6), L(113, -6)}};
}
std::vector<PrintedRow> normalized_rows() {
  return {
      {"θ̇", L(7, -10), L(6, -10), L(7, -11), L(6, -11)},  {"ε", L(1, 0), L(1, -1), L(1, 0), L(1, -1)},
      {"z⁺", L(23, -4), L(15, -8), L(14, -3), L(10, -7)}, {"y", L(158, -223), L(162, -249), L(134, -211), L(140, -217)},
      {"C(θ,ν)", L(2, -1), P(), L(2, -1), P()},           {"ν̇", P(), L(1, 0), P(), L(1, 0)}};
}
std::vector<PrintedRow> unnormalized_rows() {
  return {{"θ̇", L(5, -8), L(5, -8), L(5, -9), L(5, -9)},
          {"κ", P(), L(1, -1), P(), L(1, -1)},
          {"z⁺", L(21, -4), L(13, -8), L(13, -3), L(9, -7), "", "printed 43N − 3; the sum needs 13N − 3"},
          {"y", L(59, -83), L(61, -89), L(47, -71), L(50, -78)},
          {"C(θ,ξ)", P(), P(), P(), P()},
          {"ξ̇", L(1, 0), L(1, 0), L(1, 0), L(1, 0)}};
}

CountTable kozlowski(const std::vector<AlgorithmFormula>& formulas, bool perpendicular) {
  CountTable out{perpendicular ? "Kozłowski, Tab. 2, parallel or perpendicular axes" : "Kozłowski, Tab. 2, general",
                 perpendicular ? "his recursions on perpendicular chains"
                               : "his recursions on chains in "
                                 "modified Denavit–Hartenberg frames",
                 {}};
  const auto add = [&](const std::vector<PrintedRow>& rows, const char* algorithm) {
    const std::vector<Formula>& sweeps = find(formulas, algorithm).sweeps;
    for (const PrintedRow& row : rows) {
      TableRow r{row.name, perpendicular ? row.mul_2 : row.mul,      perpendicular ? row.add_2 : row.add, {},
                 {},       perpendicular ? row.remark_2 : row.remark};
      // C(theta, xi) picks a component: no operations, no line in the tally
      const auto own = std::find_if(sweeps.begin(), sweeps.end(), [&](const Formula& f) { return f.name == row.name; });
      if (own != sweeps.end()) r.own_mul = own->mul + own->div, r.own_add = own->add;
      out.rows.push_back(std::move(r));
    }
  };
  add(common_rows(), "kozlowski_nu");
  const TableRow subtotal = sum("subtotal", out.rows, 0, perpendicular ? "" : "additions printed 354N − 180");
  out.rows.push_back(subtotal);
  for (const bool normalized : {true, false}) {
    const std::size_t first = out.rows.size();
    add(normalized ? normalized_rows() : unnormalized_rows(), normalized ? "kozlowski_nu" : "kozlowski_xi");
    const TableRow part = sum("sum", out.rows, first);
    out.rows.push_back(part);
    out.rows.push_back(sum(normalized ? "normalized equations" : "unnormalized equations", subtotal, part));
  }
  const Formula& positions = find(find(formulas, "kozlowski_nu").sweeps, "positions");
  out.rows.push_back({"A (rotations)", {}, {}, positions.mul, positions.add, "besides, in both; not in Tab. 2", false});
  return out;
}

// Angeles counts with a moving base and a wrench at the tip: nothing folds, rows are linear from n = 1.
struct AngelesRows {
  bool prismatic;
  TableRow row(const char* name, P mul, P add, std::initializer_list<const char*> steps,
               const char* remark = "") const {
    TableRow out{name, mul, add, {}, {}, remark};
    for (const char* step : steps) {
      const auto values = [&](long long Operations::*member) {
        std::vector<long long> v;
        for (int n = 6; n < 10; ++n) {
          for (const SweepCount& s : compile::count_angeles(n, prismatic)) {
            if (s.name == step) v.push_back(s.operations.*member);
          }
        }
        if (v.size() != 4) throw std::logic_error("nothing is counted under the name " + std::string(step));
        return P::through(6, v);
      };
      out.own_mul = out.own_mul + values(&Operations::mul), out.own_add = out.own_add + values(&Operations::add);
    }
    return out;
  }
};

CountTable outward(bool prismatic) {
  const AngelesRows x{prismatic};
  CountTable out;
  out.counted = "dh_newton_euler on a moving base, every joint of that kind";
  if (prismatic) {
    out.title = "Angeles, after Algorithm 7.4.1: outward, prismatic joints";
    out.rows = {x.row("Q", L(4, 0), P(), {"Q"}, "constant: no state in it"),
                x.row("c", L(16, 0), L(15, 0), {"c"}, "Qᵀδ is constant but for the slide"),
                x.row("ω", L(8, 0), L(4, 0), {"ω"}),
                x.row("ċ", L(14, 0), L(11, 0), {"ċ"}),
                x.row("ω̇", L(8, 0), L(4, 0), {"ω̇"}),
                x.row("c̈", L(20, 0), L(19, 0), {"c̈"}, "2ḃ ω × e belongs inside the bracket: 3n products more")};
    out.rows.push_back(sum("total", out.rows, 0, "not printed"));
  } else {
    out.title = "Angeles, Table 7.1: outward, revolute joints";
    out.rows = {x.row("Q", L(4, 0), P(), {"Q"}),
                x.row("c", L(8, 0), L(10, 0), {"c"}, "missing in the table; the total has it"),
                x.row("ω", L(8, 0), L(5, 0), {"ω"}),
                x.row("ċ", L(20, 0), L(16, 0), {"ċ"}),
                x.row("ω̇", L(10, 0), L(7, 0), {"ω̇"}),
                x.row("c̈", L(32, 0), L(28, 0), {"c̈"})};
    out.rows.push_back(sum("total", out.rows, 0));
  }
  return out;
}
CountTable inward(bool prismatic) {
  const AngelesRows x{prismatic};
  CountTable out;
  out.title = prismatic ? "Angeles, Table 7.2 for prismatic joints (\"remain as in (7.38c & d)\"): inward"
                        : "Angeles, Table 7.2: inward, revolute joints";
  out.counted = "dh_newton_euler with a wrench at the tip, every joint of that kind";
  out.rows = {
      x.row("1", L(0, 3), L(0, 3), {"1: f of the last link"}),
      x.row("2", L(0, 30), L(0, 27), {"2: n of the last link"}), x.row("5", L(8, -8), L(4, -4), {"5: Q f"}),
      x.row("6", L(3, -3), L(3, -3), {"6: f"}),
      x.row("7", L(44, -44), L(37, -37), {"7: n"}, prismatic ? "the arm ends at A, not O: b is added to it" : "")};
  out.rows.push_back(sum("total", out.rows, 0));
  TableRow base =
      x.row("wrench on the base", {}, {}, {"wrench on the base"},
            "rotated whole; of it τ₁ needs 2 products and a sum, which make 137n − 20, 110n − 13 of (7.43)");
  base.printed = false;
  out.rows.push_back(std::move(base));
  return out;
}

const PrintedCount& printed(const char* method, const char* source) {
  for (const PrintedCount& p : printed_counts()) {
    if (std::string(p.method) == method && std::string(p.source) == source) return p;
  }
  throw std::logic_error(std::string("no count is printed for ") + method);
}

Crossover by_print(const char* fast, const char* slow, const char* source) {
  const PrintedCount &a = printed(fast, source), &b = printed(slow, source);
  Crossover out{fast, slow, source};
  out.only_sum = a.only_sum();
  if (!out.only_sum) out.mul = less_from(a.mul, b.mul), out.add = less_from(a.add, b.add);
  out.all = less_from(a.total(), b.total());
  return out;
}
// Of two sums of formulas.
Crossover by_count(std::string fast, std::string slow, const char* chains, const Formula& a, const Formula& b) {
  Crossover out{std::move(fast), std::move(slow), chains, true};
  out.mul = less_from(a.mul + a.div + a.sqrt, b.mul + b.div + b.sqrt), out.add = less_from(a.add, b.add);
  out.all = less_from(a.operations(), b.operations());
  return out;
}
Formula parts(const AlgorithmFormula& of, std::initializer_list<const char*> sweeps) {
  Formula out;
  for (const char* sweep : sweeps) {
    const Formula& f = find(of.sweeps, sweep);
    out.mul = out.mul + f.mul, out.add = out.add + f.add, out.div = out.div + f.div, out.sqrt = out.sqrt + f.sqrt;
  }
  return out;
}

std::vector<Crossover> crossovers(const PaperCounts& counts) {
  constexpr const char *saha = "Saha, Table 2", *kozlowski_3 = "Kozłowski, Tab. 3";
  std::vector<Crossover> out = {by_print("Saha (DeNOC)", "Walker & Orin 1982", saha),
                                by_print("Featherstone 1983", "Walker & Orin 1982", saha),
                                by_print("Featherstone 1987", "Walker & Orin 3", kozlowski_3),
                                by_print("Brandl, Johanni & Otter 1986", "Walker & Orin 3", kozlowski_3),
                                by_print("Kalman filter, Kozłowski 1993", "Kozłowski 1992", kozlowski_3)};
  for (const bool general : {true, false}) {
    const auto& formulas = general ? counts.general : counts.denavit_hartenberg;
    const char* const chains = general ? "general chains" : "Denavit–Hartenberg frames";
    const AlgorithmFormula &denoc = find(formulas, "forward_denoc"), &composite = find(formulas, "forward_composite");
    out.push_back(by_count("forward_denoc", "forward_composite", chains, denoc, composite));
    out.push_back(by_count("forward_denoc without φ", "forward_composite without the bias", chains,
                           parts(denoc, {"inward: elimination", "inward: tau^ and tau~", "outward: accelerations"}),
                           parts(composite, {"inward: composite inertias", "factor and solve"})));
    out.push_back(
        by_count("forward_articulated", "forward_composite", chains, find(formulas, "forward_articulated"), composite));
    out.push_back(by_count("forward_denoc", "forward_noc", chains, denoc, find(formulas, "forward_noc")));
  }
  return out;
}

}  // namespace

const AlgorithmFormula& PaperCounts::formula_of(const PrintedCount& p) const {
  return find(p.perpendicular ? perpendicular : general, p.algorithm);
}

double PaperCounts::ratio(const PrintedCount& p, int n) const { return formula_of(p).operations()(n) / p.total()(n); }

PaperCounts paper_counts() {
  PaperCounts out{count_formulas(CountedChain::general),
                  count_formulas(CountedChain::denavit_hartenberg),
                  count_formulas(CountedChain::perpendicular),
                  {},
                  {}};
  out.tables = {kozlowski(out.denavit_hartenberg, false),
                kozlowski(out.perpendicular, true),
                outward(false),
                outward(true),
                inward(false),
                inward(true)};
  out.crossovers = crossovers(out);
  return out;
}

}  // namespace catena
