#include "cli/explain_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/model/names.hpp"
#include "cli/options.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

std::vector<double> listed(const Vector& x) { return {x.data(), x.data() + x.size()}; }

NumberTable coefficient_table(const std::vector<std::string>& names, const Matrix& c, const char* symbol,
                              const char* unit) {
  return {fmt::format("{}: the table of (48)", symbol),
          fmt::format("{}; row k, column i", unit),
          "",
          "",
          names,
          names,
          c,
          {},
          {},
          "",
          ""};
}

// Each summand of c_ki stands at its link m; the columns add up to c_ki. Beside them the rows times the rates.
NumberTable summand_table(const std::vector<std::string>& names, const std::vector<std::string>& links,
                          const Matrix& summands, const Vector& rates, const std::string& joint, const char* symbol) {
  const bool normalized = std::string(symbol) == "ν";
  const Vector brought = summands * rates, sums = summands.colwise().sum();
  std::vector<double> beside = listed(brought);
  beside.push_back(brought.sum());
  return {fmt::format("Row k = {} of c_{}, summand by summand", shorten(label_text(joint), 20), symbol),
          normalized ? "1/s; last column √J/s" : "N m s (of slides N s); last column N m (N)",
          "link m",
          fmt::format("joint i, whose {}(i) it is multiplied with", symbol),
          links,
          names,
          summands,
          listed(sums),
          std::move(beside),
          "c_ki",
          fmt::format("· {}", symbol)};
}

constexpr int tangent_points = 81;

Panel tangent_panel(const Model& model, const char* title, const std::string& x_label, const std::string& unit,
                    const std::vector<bool>& shown) {
  Panel panel{title, x_label, unit, {}, 0};
  const std::vector<std::string> names = model.velocity_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!shown[i]) continue;
    const int style = static_cast<int>(i) % solid_styles;
    panel.series.push_back({names[i], {}, style});
    panel.series.push_back({"", {}, style + solid_styles});  // the same colour, dashed
  }
  return panel;
}

// y(s) and its tangent, point by point.
void add_tangent_point(Panel& panel, double s, const Vector& y, const Vector& tangent, const std::vector<bool>& shown) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (!shown[i]) continue;
    const auto row = static_cast<Eigen::Index>(i);
    panel.series[at++].points.push_back({s, y[row]});
    panel.series[at++].points.push_back({s, tangent[row]});
  }
}

}  // namespace

int component_named(const Model& model, const std::string& option, const std::string& name) {
  const std::vector<std::string> names = model.velocity_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw UsageError(fmt::format("{}: no velocity component \"{}\"{}", option, name, suggestion(name, names)));
  return static_cast<int>(found - names.begin());
}

TableFigure coefficient_figure(const Model& model, const DiagonalExplanation& e, const CoefficientTables& tables) {
  const std::vector<std::string> names = model.velocity_names();
  const std::string& joint = names[static_cast<std::size_t>(tables.component)];
  TableFigure figure;
  figure.title = fmt::format("Coriolis coefficients of {}", model.name());
  figure.lines = {
      "C(k) = Σ c_ki · rate(i) + bias(k): what the rate of joint i, in the motion of all, asks of joint k. Orange is "
      "above zero, blue below.",
      "Below, one row is taken apart as in Kozłowski's Fig. 1: the sum over the links m that both k and i carry. Down "
      "a "
      "column: c_ki.",
      "Along a line: how the motion of link m, V(m), is spread over the rates. Nothing arises at links that i does not "
      "carry: a staircase."};
  figure.tables = {coefficient_table(names, e.c_nu, "c_ν", "normalized, 1/s: skew"),
                   coefficient_table(names, e.c_xi, "c_ξ", "unnormalized, N m s (N s): ½Ḋ on the diagonal"),
                   summand_table(names, e.links, tables.row.nu, tables.nu, joint, "ν"),
                   summand_table(names, e.links, tables.row.xi, tables.xi, joint, "ξ")};
  return figure;
}

Figure tangent_figure(const Model& model, const Tangents& at, const ExternalLoads& loads) {
  const std::vector<Units> units = velocity_units(model);
  const auto moved = static_cast<std::size_t>(at.component);
  const std::string name = model.velocity_names()[moved], unit = units[moved].position;
  // What has the unit of the component that moves: one axis has one unit.
  std::vector<bool> shown;
  for (const Units& u : units) shown.push_back(u.position == unit);
  const double reach_q = unit == "rad" ? 1.0 : 0.5, reach_v = 3;
  const std::string dq = fmt::format("change of q along v.{} [{}]", name, unit),
                    dv = fmt::format("change of v.{} [{}]", name, units[moved].velocity);
  const std::string force = fmt::format("τ [{}]", units[moved].force),
                    acceleration = fmt::format("a [{}]", units[moved].acceleration);
  Figure figure;
  figure.title = fmt::format("Linearized dynamics of {}: true (whole) and linear (dashed)", model.name());
  figure.panels = {tangent_panel(model, "Forces for the same acceleration", dq, force, shown),
                   tangent_panel(model, "Forces for the same acceleration", dv, force, shown),
                   tangent_panel(model, "Acceleration by the same forces", dq, acceleration, shown),
                   tangent_panel(model, "Acceleration by the same forces", dv, acceleration, shown)};
  for (int k = 0; k < tangent_points; ++k) {
    const double s = 2.0 * k / (tangent_points - 1) - 1;
    const Vector unit_step = Vector::Unit(model.nv(), at.component);
    const Vector step_q = s * reach_q * unit_step, step_v = s * reach_v * unit_step, v = at.v + step_v;
    const Vector q = integrate(model, at.q, step_q);
    add_tangent_point(figure.panels[0], s * reach_q, inverse_dynamics(model, q, at.v, at.a, loads),
                      at.tau + at.dtau_dq * step_q, shown);
    add_tangent_point(figure.panels[1], s * reach_v, inverse_dynamics(model, at.q, v, at.a, loads),
                      at.tau + at.dtau_dv * step_v, shown);
    add_tangent_point(figure.panels[2], s * reach_q, forward_dynamics(model, q, at.v, at.tau, loads),
                      at.a + at.da_dq * step_q, shown);
    add_tangent_point(figure.panels[3], s * reach_v, forward_dynamics(model, at.q, v, at.tau, loads),
                      at.a + at.da_dv * step_v, shown);
  }
  return figure;
}

}  // namespace catena::cli
