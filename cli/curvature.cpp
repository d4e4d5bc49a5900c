// catena curvature: are there coordinates in which the mass matrix is constant? Only if the metric M(q) is flat.
#include "catena/linear/curvature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/commands.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

constexpr int curvature_ceiling = 12;  // n^4 symbols and n^6 work for the sectional curvatures

std::string indices(const RiemannSymbol& symbol, const char* separator) {
  return fmt::format("{}{}{}{}{}{}{}", symbol.h + 1, separator, symbol.i + 1, separator, symbol.j + 1, separator,
                     symbol.k + 1);
}

// Where one pose shows what the robot is like: the symbol that exceeds its bound most; nullptr with one coordinate.
const RiemannSymbol* clearest(const Curvature& curvature) {
  const auto excess = [](const RiemannSymbol& s) { return s.value == 0 ? 0 : std::abs(s.value) / s.bound; };
  const auto found =
      std::max_element(curvature.symbols.begin(), curvature.symbols.end(),
                       [&](const RiemannSymbol& a, const RiemannSymbol& b) { return excess(a) < excess(b); });
  return found == curvature.symbols.end() ? nullptr : &*found;
}

}  // namespace

int run_curvature(const Options& options, Output& out) {
  const Robot robot = load_robot(options);
  const Model& model = robot.model;
  if (model.nv() > curvature_ceiling)
    throw DataError(fmt::format("{} has {} coordinates: the curvature has n⁴ symbols and is computed up to n = {}",
                                model.name(), model.nv(), curvature_ceiling));
  const State state = read_state(model, options, out);
  const Curvature here = curvature(model, state.q);
  const SectionalCurvature sections = sectional_curvature(here);
  const Flatness everywhere = flatness(model, options.states, options.seed);
  const bool flat = everywhere.flat && here.flat();
  const char* const separator = model.nv() > 9 ? "," : "";
  const RiemannSymbol* const most = clearest(everywhere.curvature);

  if (out.json()) {
    Json json;
    add_joints(json, model);
    Json symbols;
    for (const RiemannSymbol& symbol : here.symbols) symbols.add(indices(symbol, separator), symbol.value);
    json.add_bool("flat", flat).add("riemann", symbols);
    json.add("lowest", sections.lowest).add("highest", sections.highest).add("scalar", sections.scalar);
    json.add_matrix("sectional", sections.planes).add_int("samples", everywhere.samples);
    Json furthest;
    furthest.add("q", everywhere.q);
    if (most) furthest.add("symbol", indices(*most, separator)).add("value", most->value).add("bound", most->bound);
    json.add("furthest", furthest);
    json.add("state", Json().add("q", state.q));
    json.add("warnings", out.warnings());
    out.line(json.text());
    return success;
  }
  out.line(out.paint(Tone::title, fmt::format("Curvature of the mass matrix of {}", printable(model.name()))));
  out.explain(
      "M(q) measures distances between poses. Coordinates in which M is constant, so that no Coriolis forces appear, "
      "exist only if this geometry is flat: if every Riemann symbol vanishes on an open set.");
  print_state_line(out, model, state, false, false, false);
  out.line();
  out.line(out.paint(
      flat ? Tone::good : Tone::caution,
      flat ? fmt::format("  flat at this pose and at {} random ones: such coordinates exist", everywhere.samples)
           : "  not flat: there are no global coordinates that diagonalize the dynamics of this robot"));
  if (most)
    out.line(fmt::format("  furthest from flat of {} from seed {}: R_{} = {}, with a bound of {}",
                         counted(static_cast<std::size_t>(everywhere.samples), "random pose"), options.seed,
                         indices(*most, separator), number(most->value, 10), rough(most->bound, 0)));
  std::vector<RiemannSymbol> symbols = here.symbols;
  std::stable_sort(symbols.begin(), symbols.end(), [](const RiemannSymbol& a, const RiemannSymbol& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  const std::size_t shown = std::min<std::size_t>(symbols.size(), 12);
  if (shown > 0) {
    out.title(fmt::format("Riemann symbols of the first kind at this pose ({} independent{})", symbols.size(),
                          shown < symbols.size() ? fmt::format(", the largest {}", shown) : ""));
    out.explain("Indices are coordinates, counted from 1. A value below its bound cannot be told from zero.");
    Table table({"R_hijk", ">value", ">bound"});
    for (std::size_t k = 0; k < shown; ++k)
      table.row({indices(symbols[k], separator), number(symbols[k].value, 10), rough(symbols[k].bound, 0)});
    table.print(out);
  }
  out.title("Sectional curvature");
  out.explain(
      "Of the plane spanned by two joints' motions: how much two motions that start side by side part or meet.");
  print_matrix(out, model.velocity_names(), sections.planes);
  out.line(fmt::format("  between {} and {} over all planes; scalar curvature {}", number(sections.lowest),
                       number(sections.highest), number(sections.scalar)));
  return success;
}

}  // namespace catena::cli
