// catena count: operations of every algorithm for a robot, as formulas in n, and beside the papers' tables.
#include "catena/count/count.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catena/compile/specialised.hpp"
#include "catena/count/tables.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

constexpr int count_ceiling = 400;  // coordinates: the matrices' counts grow with n² and n³

Json to_json(const Operations& o) {
  return Json()
      .add_int("mul", o.mul)
      .add_int("add", o.add)
      .add_int("div", o.div)
      .add_int("sqrt", o.sqrt)
      .add_int("trig", o.trig);
}

std::string specialised_part(const std::vector<Specialised>& all, const std::string& algorithm) {
  for (const Specialised& s : all) {
    if (std::find(s.algorithms.begin(), s.algorithms.end(), algorithm) == s.algorithms.end()) continue;
    return fmt::format("{} / {}", s.operations.mul + s.operations.div, s.operations.add);
  }
  return "";
}

std::string part(long long count) { return count == 0 ? "" : std::to_string(count); }

void print_robot(Output& out, const Model& model, const std::vector<AlgorithmCount>& folded,
                 const std::vector<AlgorithmCount>& plain, const std::vector<Specialised>& special, bool sweeps) {
  out.line(out.paint(Tone::title, fmt::format("Operations per call for {}", printable(model.name()))));
  out.explain(
      "One state, base at rest, no wrenches, joint terms and gravity as in the model; sines and cosines included. "
      "Every "
      "number that comes from the robot is a constant: products with 0 and ±1 and sums with 0 are free. \"saved\" is "
      "the "
      "part of the multiplications and additions that this folding removes from the plain kernels. \"specialised\": "
      "multiplications with divisions, and additions, of the program that `catena generate` writes for this robot: "
      "frames and inertias regrouped, common terms shared, the cheaper of two methods.");
  out.line();
  Table table({"algorithm", ">mul", ">add", ">div", ">sqrt", ">trig", ">saved", ">specialised", "computes"});
  for (std::size_t k = 0; k < folded.size(); ++k) {
    const Operations &o = folded[k].operations, &p = plain[k].operations;
    const double before = static_cast<double>(p.mul + p.add), after = static_cast<double>(o.mul + o.add);
    table.row({folded[k].name, std::to_string(o.mul), std::to_string(o.add), part(o.div), part(o.sqrt), part(o.trig),
               before > 0 ? fmt::format("{:.0f} %", 100 * (1 - after / before)) : "",
               specialised_part(special, folded[k].name), folded[k].title});
    if (!sweeps) continue;
    for (const SweepCount& sweep : folded[k].sweeps) {
      const Operations& s = sweep.operations;
      table.row({"  " + sweep.name, std::to_string(s.mul), std::to_string(s.add), part(s.div), part(s.sqrt),
                 part(s.trig), "", "", ""},
                Tone::faint);
    }
  }
  table.print(out);
  out.explain(
      printable(fmt::format("pose, jacobian: of {}, the tip of the robot.", model.frame_name(model.tip_frame()))));
  if (model.has_couplings())
    out.explain("Joints that follow another rule out the articulated and diagonalized sweeps; they are not listed.");
}

void print_formulas(Output& out, const PaperCounts& counts) {
  const auto print = [&](const char* title, const char* meaning, const std::vector<AlgorithmFormula>& formulas) {
    out.title(title);
    out.explain(meaning);
    Table table({"algorithm", "multiplications", "additions", "div", "sqrt", ">n from"});
    for (const AlgorithmFormula& f : formulas)
      table.row({f.name, f.mul.text(), f.add.text(), f.div.is_zero() ? "" : f.div.text(),
                 f.sqrt.is_zero() ? "" : f.sqrt.text(), std::to_string(f.from)});
    table.print(out);
  };
  print("Formulas in n: general revolute chains",
        "Every axis and offset of every link general, gravity along the base's z, 2n sines and cosines beside. Fitted "
        "exactly on n = 6 to 9, verified on 10, 11 and 14.",
        counts.general);
  print("Formulas in n: perpendicular revolute chains",
        "Consecutive axes at right angles, links along x, inertias general: what Kozłowski counts as parallel or "
        "perpendicular.",
        counts.perpendicular);
}

// A number of a printed polynomial, which misprints may leave a fraction.
std::string whole(double x) { return fmt::format("{:.10g}", x); }

void print_papers(Output& out, const PaperCounts& counts) {
  out.title("Beside the papers");
  out.explain(
      "Counts printed in the papers, corrected where they contradict themselves, under the algorithm of ours that does "
      "the same. Multiplications include divisions, as in the papers. ratio: ours / printed, all operations but sines "
      "and cosines, at n = 6 and 12; below 1 ours is cheaper.");
  std::vector<std::string> remarks;
  for (const AlgorithmFormula& ours : counts.general) {
    Table table({"method", "source", ">mul", ">add", ">n=6", ">ratio 6", ">12"});
    bool any = false;
    for (const PrintedCount& p : printed_counts()) {
      if (p.algorithm != ours.name) continue;
      any = true;
      std::string mul = p.at_six_only ? "" : p.mul.text(), add = p.at_six_only ? "" : p.add.text();
      if (p.only_sum()) mul = p.flops.text(), add = "both";
      const std::string mark = *p.remark != '\0' ? fmt::format(" [{}]", remarks.size() + 1) : "";
      if (*p.remark != '\0') remarks.push_back(fmt::format("[{}] {}", remarks.size() + 1, p.remark));
      table.row({fmt::format("{}{}{}", p.method, p.perpendicular ? ", perpendicular" : "", mark), p.source, mul, add,
                 p.only_sum() ? whole(p.flops(6)) : fmt::format("{} / {}", whole(p.mul(6)), whole(p.add(6))),
                 fmt::format("{:.2f}", counts.ratio(p, 6)),
                 p.at_six_only ? "" : fmt::format("{:.2f}", counts.ratio(p, 12))});
    }
    if (!any) continue;
    out.line();
    out.line(fmt::format("  {}: ours {} / {}, at n = 6 {} / {}", ours.name, (ours.mul + ours.div).text(),
                         ours.add.text(), whole(ours.mul(6) + ours.div(6)), whole(ours.add(6))));
    table.print(out);
  }
  out.line();
  for (const std::string& remark : remarks) out.explain(remark);
  out.line();
  out.explain(
      "Why ours cost more where they do. The papers' frames turn by two planar rotations, 8 multiplications a vector; "
      "ours are placed freely and turn by a full rotation, 9, which takes 12 per joint to build. Inertias stay as "
      "given: "
      "regrouped into base parameters there would be fewer numbers to multiply. The articulated sweep turns the 21 "
      "numbers "
      "of an inertia by full rotations where Brandl, Kozłowski and Saha use planar ones, and works out the row of P⁺ "
      "that "
      "is known to be zero; forward_denoc does both too, and its count contains φ. linear_1, 3 and 5 contain the "
      "inverse dynamics at the state, and 5 the Riccati sweep, "
      "without "
      "which it cannot run. inverse_kalman factors M on its way, which Kozłowski's recursion does not. "
      "A program specialised to a general revolute chain takes 85n - 106 multiplications and 71n - 95 additions for "
      "the "
      "inverse dynamics (`catena generate`).");
}

std::string from(int n, const char* what) {
  return n == 0 ? fmt::format("{} never", what) : fmt::format("{} {}", what, n);
}

// "M from 11, A from 15, both from 12"
std::string from_text(const Crossover& c) {
  const std::string all = c.all == 0 ? "never" : fmt::format("from n = {}", c.all);
  if (c.only_sum) return all;
  return fmt::format("{} ({}, {})", all, from(c.mul, "M"), from(c.add, "A"));
}

void print_crossovers(Output& out, const PaperCounts& counts) {
  out.title("From which n on an O(n) method takes fewer operations");
  Table table({"O(n)", "O(n³)", "by", "takes fewer"});
  for (const Crossover& c : counts.crossovers)
    table.row({c.fast, c.slow, fmt::format("{}, {}", c.source, c.counted ? "counted" : "printed"), from_text(c)});
  table.print(out);
  out.explain(
      "\"from n\": then and for every larger n, all operations together; in brackets multiplications with divisions "
      "and "
      "additions alone. Saha's claim, that every O(n) scheme is the more efficient one for n ≥ 12, is what his own row "
      "of Table 2 gives; Featherstone's row of the same table needs n = 13.");
}

void print_tables(Output& out, const PaperCounts& counts) {
  for (const CountTable& t : counts.tables) {
    out.title(t.title.c_str());
    out.explain(fmt::format("Counted: {}. Multiplications include divisions.", t.counted));
    Table table({"row", "printed mul", "add", "counted mul", "add", "remark"});
    for (const TableRow& row : t.rows) {
      table.row({row.row, row.printed ? row.mul.text() : "", row.printed ? row.add.text() : "", row.own_mul.text(),
                 row.own_add.text(), row.remark},
                row.sum ? Tone::title : Tone::plain);
    }
    table.print(out);
  }
}

Json formulas_json(const std::vector<AlgorithmFormula>& formulas) {
  Json json;
  const auto one = [](const Formula& f) {
    return Json()
        .add("mul", f.mul.text())
        .add("add", f.add.text())
        .add("div", f.div.text())
        .add("sqrt", f.sqrt.text())
        .add("trig", f.trig.text());
  };
  for (const AlgorithmFormula& f : formulas) {
    Json sweeps;
    for (const Formula& sweep : f.sweeps) sweeps.add(sweep.name, one(sweep));
    json.add(f.name, one(f).add_int("from", f.from).add("sweeps", sweeps));
  }
  return json;
}

std::vector<Json> papers_json(const PaperCounts& counts) {
  std::vector<Json> rows;
  for (const PrintedCount& p : printed_counts()) {
    Json json;
    json.add("task", p.task).add("method", p.method).add("source", p.source).add("algorithm", p.algorithm);
    json.add_bool("perpendicular", p.perpendicular);
    if (p.only_sum()) {
      json.add("operations", p.flops.text());
    } else if (p.at_six_only) {
      json.add("mul_6", p.mul(6)).add("add_6", p.add(6));
    } else {
      json.add("mul", p.mul.text()).add("add", p.add.text());
    }
    json.add("ratio_6", counts.ratio(p, 6));
    if (!p.at_six_only) json.add("ratio_12", counts.ratio(p, 12));
    rows.push_back(json.add("remark", p.remark));
  }
  return rows;
}

std::vector<Json> tables_json(const PaperCounts& counts) {
  std::vector<Json> tables;
  for (const CountTable& t : counts.tables) {
    std::vector<Json> rows;
    for (const TableRow& row : t.rows) {
      Json json;
      json.add("row", row.row);
      if (row.printed) json.add("printed", Json().add("mul", row.mul.text()).add("add", row.add.text()));
      json.add("counted", Json().add("mul", row.own_mul.text()).add("add", row.own_add.text()));
      rows.push_back(json.add("remark", row.remark));
    }
    tables.push_back(Json().add("title", t.title).add("by", t.counted).add("rows", rows));
  }
  return tables;
}

std::vector<Json> crossovers_json(const PaperCounts& counts) {
  std::vector<Json> rows;
  for (const Crossover& c : counts.crossovers) {
    Json json;
    json.add("fast", c.fast).add("slow", c.slow).add("source", c.source).add_bool("counted", c.counted);
    json.add_int("from", c.all);
    if (!c.only_sum) json.add_int("from_mul", c.mul).add_int("from_add", c.add);
    rows.push_back(json);
  }
  return rows;
}

}  // namespace

int run_count(const Options& options, Output& out) {
  std::optional<Robot> robot;
  std::vector<AlgorithmCount> folded, plain;
  std::vector<Specialised> special;
  if (!options.model.empty()) {
    robot = load_robot(options);
    if (robot->model.nv() > count_ceiling)
      throw DataError(
          fmt::format("{} has {} coordinates: counts are made by running every algorithm, up to {}; the "
                      "formulas of `catena count` hold for any length",
                      printable(robot->model.name()), robot->model.nv(), count_ceiling));
    folded = count_operations(robot->model);
    plain = count_operations(robot->model, false);
    special = count_specialised(robot->model);
  }
  const PaperCounts papers = paper_counts();
  if (out.json()) {
    Json json, counts, unfolded, sweeps;
    if (robot) add_joints(json, robot->model);
    for (const AlgorithmCount& c : folded) {
      counts.add(c.name, to_json(c.operations));
      Json parts;
      for (const SweepCount& sweep : c.sweeps) parts.add(sweep.name, to_json(sweep.operations));
      sweeps.add(c.name, parts);
    }
    for (const AlgorithmCount& c : plain) unfolded.add(c.name, to_json(c.operations));
    Json specialised;
    for (const Specialised& s : special) specialised.add(function_name(s.function), to_json(s.operations));
    if (robot) {
      json.add("counts", counts).add("unfolded", unfolded).add("specialised", specialised).add("sweeps", sweeps);
    }
    json.add("formulas", Json()
                             .add("general", formulas_json(papers.general))
                             .add("denavit_hartenberg", formulas_json(papers.denavit_hartenberg))
                             .add("perpendicular", formulas_json(papers.perpendicular)));
    json.add("papers", papers_json(papers)).add("tables", tables_json(papers));
    json.add("crossovers", crossovers_json(papers));
    out.line(json.text());
    return success;
  }
  if (robot) print_robot(out, robot->model, folded, plain, special, options.sweeps);
  if (options.tables) {
    print_tables(out, papers);
    return success;
  }
  print_formulas(out, papers);
  print_papers(out, papers);
  print_crossovers(out, papers);
  return success;
}

}  // namespace catena::cli
