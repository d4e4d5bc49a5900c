// catena curvature: are there coordinates in which the mass matrix is constant? Only if the metric M(q) is flat.
#include "catena/linear/flat_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

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

// Pairs of coordinates h < i, the most curved first.
std::vector<std::pair<int, int>> pairs_by_size(const Matrix& size) {
  std::vector<std::pair<int, int>> out;
  for (int h = 0; h < size.rows(); ++h)
    for (int i = h + 1; i < size.rows(); ++i) out.emplace_back(h, i);
  std::stable_sort(out.begin(), out.end(),
                   [&](const auto& a, const auto& b) { return size(a.first, a.second) > size(b.first, b.second); });
  return out;
}

void print_pairs(Output& out, const Model& model, const PairCurvature& pairs) {
  constexpr std::size_t most = 15;
  const std::vector<std::pair<int, int>> order = pairs_by_size(pairs.mean);
  if (order.empty()) return;
  out.title(fmt::format("How far from flat, over the range of each two joints [rad]{}",
                        order.size() > most ? fmt::format(" ({} pairs, the largest {})", order.size(), most) : ""));
  out.explain(fmt::format(
      "The angle by which directions turn that are carried around small rectangles of two joints' motions, added up "
      "over the range of both: mean over {}, and as if all were like the worst of them. Zero for all pairs: flat.",
      counted(static_cast<std::size_t>(pairs.samples), "random pose")));
  const std::vector<std::string> names = model.velocity_names();
  Table table({"joints", "", ">mean", ">largest"});
  for (std::size_t k = 0; k < std::min(most, order.size()); ++k) {
    const auto [h, i] = order[k];
    table.row({printable(names[h]), printable(names[i]), number(pairs.mean(h, i), 4), number(pairs.largest(h, i), 4)});
  }
  table.print(out);
}

// Where theta is zero.
Vector base_pose(const Model& model, const Options& options) {
  Vector q0 = neutral_configuration(model);
  if (options.from.empty()) return q0;
  fill_positions(model, options.from, "--from", q0);
  try {
    require_configuration(model, q0);
  } catch (const std::invalid_argument& error) {
    throw DataError(fmt::format("--from: {}", error.what()));
  }
  return q0;
}

void print_flat(Output& out, const Model& model, const FlatCoordinates& flat) {
  std::vector<std::string> names;
  for (int i = 1; i <= model.nv(); ++i) names.push_back(fmt::format("theta{}", i));
  out.title("Flat coordinates [m √kg]");
  out.explain(
      "theta(q) is zero at the pose of --from. theta_dot = J v, and J' J = M: in theta the mass matrix is the "
      "identity, "
      "there are no Coriolis forces, and free motions are straight lines.");
  Table table({"", ">theta"});
  for (int i = 0; i < model.nv(); ++i)
    table.row({names[static_cast<std::size_t>(i)], number(flat.theta[i], 6, largest_of(flat.theta))});
  table.print(out);
  out.title("J = ∂theta/∂q");
  print_matrix(out, names, model.velocity_names(), flat.J);
  out.title("Q: theta_dot = Q nu");
  out.explain("The identity, if theta_dot is nu itself. Otherwise the quasi-velocities turn against theta by it.");
  print_matrix(out, names, model.velocity_names(), flat.Q);
  out.line(fmt::format("  J' J differs from M by {}, two ways from there to here by {}", rough(flat.metric_error),
                       rough(flat.path_error)));
}

}  // namespace

int run_curvature(const Options& options, Output& out) {
  const Robot robot = load_robot(options);
  const Model& model = robot.model;
  if (model.nv() > curvature_ceiling)
    throw DataError(fmt::format("{} has {} coordinates: the curvature has n⁴ symbols and is computed up to n = {}",
                                model.name(), model.nv(), curvature_ceiling));
  if (!options.flat && !options.from.empty()) throw UsageError("--from needs --flat");
  const State state = read_state(model, options, out);
  std::optional<FlatCoordinates> coordinates;
  const Vector from = base_pose(model, options);
  if (options.flat) coordinates = flat_coordinates(model, state.q, from);
  const Curvature here = curvature(model, state.q);
  const SectionalCurvature sections = sectional_curvature(here);
  const Flatness everywhere = flatness(model, options.states, options.seed);
  const PairCurvature pairs = pair_curvature(model, options.states, options.seed);
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
    Json by_pair;
    by_pair.add_matrix("mean", pairs.mean).add_matrix("largest", pairs.largest).add("range", pairs.range);
    json.add("pairs", by_pair);
    if (coordinates) {
      Json found;
      found.add("theta", coordinates->theta).add_matrix("J", coordinates->J).add_matrix("Q", coordinates->Q);
      found.add("metric_error", coordinates->metric_error).add("path_error", coordinates->path_error);
      json.add("flat_coordinates", found.add("from", from));
    }
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
  print_pairs(out, model, pairs);
  if (coordinates) print_flat(out, model, *coordinates);
  return success;
}

}  // namespace catena::cli
