// Is O(n) numerically stable where O(n^3) is not? Errors of every method of forward dynamics against 113 bits, and what an
// adaptive integrator makes of them. What it showed: docs/studies/stability.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>

#include "bench/stability_cases.hpp"
#include "cli/drawing.hpp"

namespace {

using namespace catena;
using namespace catena::stability;

constexpr const char* usage =
    R"(usage: stability FOLDER    measures for some minutes; writes stability.csv, stability_integrator.csv and pictures
       stability --quick   few points; fails unless the page's conclusions hold
)";

// The worst of a few seeds.
struct Row {
  std::string family;
  bool driven = false;
  double size = 0, condition = 0;
  std::vector<Errors> errors;
};

Row row_of(const Family& family, double size, bool driven, int seeds) {
  Row row{family.name, driven, size, 0, {}};
  row.errors.assign(methods().size(), {0, 0});
  for (int seed = 1; seed <= seeds; ++seed) {
    const Measured now = measure(family.state(size, static_cast<std::uint64_t>(seed), driven));
    row.condition = std::max(row.condition, now.condition);
    for (std::size_t m = 0; m < row.errors.size(); ++m) {
      const auto worse = [](double a, double b) { return std::isnan(b) || b > a ? b : a; };
      row.errors[m] = {worse(row.errors[m].forward, now.errors[m].forward),
                       worse(row.errors[m].backward, now.errors[m].backward)};
    }
  }
  return row;
}

std::vector<Row> measure_all(bool quick) {
  std::vector<Row> rows;
  for (const Family& family : families(quick)) {
    for (const bool driven : {false, true}) {
      for (const double size : family.sizes) {
        rows.push_back(row_of(family, size, driven, quick || size >= 500 ? 1 : 3));
        std::cerr << family.name << (driven ? " driven " : " let go ") << size << "\n";
      }
    }
  }
  return rows;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::string csv(const std::vector<Row>& rows) {
  std::string text = "family,load,size,condition,method,forward_error,backward_error\n";
  for (const Row& row : rows) {
    for (std::size_t m = 0; m < row.errors.size(); ++m) {
      if (std::isnan(row.errors[m].forward)) continue;
      text += fmt::format("{},{},{:g},{:.2e},{},{:.2e},{:.2e}\n", row.family, row.driven ? "driven" : "let go",
                          row.size, row.condition, methods()[m].name, row.errors[m].forward, row.errors[m].backward);
    }
  }
  return text;
}

// Panels of one kind of error, a curve for each method, with that of epsilon times the condition number beside them.
std::string picture(const std::vector<Row>& rows, bool driven, double Errors::*kind, const std::string& title) {
  cli::Figure figure{title, {}};
  for (const Family& family : families(false)) {
    cli::Panel panel;
    panel.title = family.title;
    panel.x_label = family.grows;
    panel.log_x = panel.log_y = true;
    for (std::size_t m = 0; m <= methods().size(); ++m) {
      const bool amplified = m == methods().size();
      if (amplified && kind == &Errors::backward) continue;
      cli::Series series{amplified ? "ε cond M" : methods()[m].name, {}, static_cast<int>(m)};
      for (const Row& row : rows) {
        if (row.family != family.name || row.driven != driven) continue;
        const double y = amplified ? std::numeric_limits<double>::epsilon() * row.condition : row.errors[m].*kind;
        if (y > 0) series.points.push_back({std::log10(row.size), std::log10(y)});
      }
      if (!series.points.empty()) panel.series.push_back(series);
    }
    figure.panels.push_back(panel);
  }
  return cli::draw(figure, cli::PictureFormat::svg).content;
}

const Method& method(const std::string& name) {
  return *std::find_if(methods().begin(), methods().end(), [&](const Method& m) { return name == m.name; });
}
std::size_t place(const std::string& name) { return static_cast<std::size_t>(&method(name) - methods().data()); }

State straight(int n) { return families(false)[0].state(n, 1, false); }

constexpr double seconds = 0.2, neighbour = 1e-9;

void integrators(const std::string& folder) {
  std::string text = "joints,method,tolerance,steps,rejected,finished,noise\n";
  cli::Figure figure{"Dormand–Prince on straight chains let go, 0.2 s", {}};
  for (const int n : {10, 30, 60}) {
    cli::Panel steps;
    steps.title = fmt::format("{} joints", n);
    steps.x_label = "tolerance", steps.y_label = "steps tried";
    steps.log_x = steps.log_y = true;
    for (const std::string name : {"articulated", "denoc", "composite", "cholesky", "inverse"}) {
      const double spread = noise(straight(n), method(name), neighbour, 20);
      cli::Series series{name, {}, static_cast<int>(place(name))};
      for (const double tolerance : {1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13}) {
        const Run run = integrate(straight(n), method(name), tolerance, seconds);
        text += fmt::format("{},{},{:g},{},{},{},{:.1e}\n", n, name, tolerance, run.taken, run.rejected,
                            run.whole ? "yes" : "no", spread);
        series.points.push_back({std::log10(tolerance), std::log10(run.taken + run.rejected)});
        std::cerr << "integrator " << n << " " << name << " " << tolerance << "\n";
      }
      steps.series.push_back(series);
    }
    figure.panels.push_back(steps);
  }
  write_file(folder + "/stability_integrator.csv", text);
  write_file(folder + "/stability_integrator.svg", cli::draw(figure, cli::PictureFormat::svg).content);
}

// The page's conclusions, as far as few points show them.
int assert_conclusions() {
  int failures = 0;
  const auto expect = [&](bool holds, const std::string& what) {
    std::cout << (holds ? "holds  " : "FAILS  ") << what << "\n";
    failures += !holds;
  };
  const double epsilon = std::numeric_limits<double>::epsilon();
  for (const Row& row : measure_all(true)) {
    const auto error = [&](const char* name) { return row.errors[place(name)]; };
    const std::string where = fmt::format("{} {:g} {}", row.family, row.size, row.driven ? "driven" : "let go");
    for (const char* name : {"articulated", "denoc", "composite", "cholesky", "newton_columns", "noc"}) {
      if (std::isnan(error(name).forward)) continue;
      // 16 (n + 10) roundings; driven, of tau and the bias, which cancel
      expect(error(name).backward <= (row.driven ? 1e-12 : 1e-14),
             fmt::format("{}: {} leaves a residual of roundings, {:.1e}", where, name, error(name).backward));
      expect(error(name).forward <= 1e3 * epsilon * row.condition + 1e-12,
             fmt::format("{}: {} loses no more than cond M takes, {:.1e}", where, name, error(name).forward));
    }
    if (row.family == "straight" && row.size == 80) {
      const double ratio = error("composite").forward / error("articulated").forward;
      if (row.driven) {
        expect(ratio < 30 && ratio > 1. / 30,
               fmt::format("{}: forces that fight M's condition leave O(n) no advantage, {:.1e}", where, ratio));
      } else {
        expect(error("articulated").forward < 1e-12 && ratio > 300,
               fmt::format("{}: articulated bodies keep digits that the mass matrix loses, {:.1e}", where, ratio));
      }
    }
    if (row.family == "light_base" && row.size >= 1e4) {
      expect(error("inverse").backward > 100 * error("composite").backward,
             fmt::format("{}: a product with M⁻¹ leaves more than a solve, {:.1e}", where, error("inverse").backward));
      expect(error("linearization").backward < 1e-12,
             fmt::format("{}: a of the linearization is solved for, {:.1e}", where, error("linearization").backward));
    }
  }
  const Run good = integrate(straight(60), method("articulated"), 1e-13, 0.05);
  const Run bad = integrate(straight(60), method("composite"), 1e-13, 0.05);
  expect(good.whole && good.rejected * 10 < good.taken,
         fmt::format("articulated bodies: {} steps and {} rejected at 1e-13", good.taken, good.rejected));
  expect(bad.whole && bad.taken + bad.rejected > 3 * (good.taken + good.rejected),
         fmt::format("mass matrix: {} steps and {} rejected at 1e-13", bad.taken, bad.rejected));
  const double smooth = noise(straight(60), method("articulated"), neighbour, 5);
  const double rough = noise(straight(60), method("composite"), neighbour, 5);
  expect(rough > 30 * smooth, fmt::format("noise between neighbouring states: {:.1e} and {:.1e}", smooth, rough));
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) try {
  const std::string folder = count == 2 ? words[1] : "";
  if (folder == "--quick") return assert_conclusions();
  if (folder.empty() || folder.starts_with("--")) {
    std::cerr << usage;
    return 2;
  }
  const std::vector<Row> rows = measure_all(false);
  write_file(folder + "/stability.csv", csv(rows));
  write_file(folder + "/stability_let_go.svg",
             picture(rows, false, &Errors::forward, "Error of the acceleration, let go"));
  write_file(folder + "/stability_driven.svg",
             picture(rows, true, &Errors::forward, "Error of the acceleration, driven"));
  write_file(folder + "/stability_residual.svg", picture(rows, false, &Errors::backward, "Residual, let go"));
  integrators(folder);
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
