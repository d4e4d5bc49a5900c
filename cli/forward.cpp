// catena forward: accelerations from forces, by one method, with the agreement of the other.
#include "catena/dynamics/forward.hpp"

#include <fmt/format.h>

#include <cmath>

#include "catena/model/names.hpp"
#include "cli/commands.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

constexpr int comparable = 500;       // coordinates up to which the O(n³) method is run for comparison
constexpr int dense_ceiling = 5'000;  // and up to which it is run at all: 200 MB of mass matrix

const std::vector<std::string> methods = {"articulated", "composite"};

Vector accelerate(const Model& model, const State& state, const Conditions& conditions, const std::string& method) {
  if (method == "articulated") return forward_dynamics(model, state.q, state.v, state.tau, conditions);
  if (model.nv() > dense_ceiling)
    throw DataError(fmt::format("--method composite fills a {0} × {0} matrix: use --method articulated, which is O(n)",
                                model.nv()));
  return forward_dynamics_composite(model, state.q, state.v, state.tau, conditions);
}

}  // namespace

int run_forward(const Options& options, Output& out) {
  const std::string method = options.method.empty() ? "articulated" : options.method;
  if (std::find(methods.begin(), methods.end(), method) == methods.end())
    throw UsageError(fmt::format("no method '{}'; there are: articulated, composite", method));
  const Robot robot = load_robot(options);
  const Model& model = robot.model;
  const State state = read_state(model, options);
  const Conditions conditions = read_conditions(model, options);
  const Vector a = accelerate(model, state, conditions, method);
  const std::vector<std::string> names = model.velocity_names();
  require_finite(a, names, "the acceleration");

  if (out.json()) {
    Json json;
    add_joints(json, model);
    json.add("a", a).add("method", method);
    json.add("state", Json().add("q", state.q).add("v", state.v).add("tau", state.tau));
    out.line(json.text());
    return success;
  }
  out.line(out.paint(Tone::title, fmt::format("Forward dynamics of {}", printable(model.name()))));
  out.explain("The acceleration of every joint that the forces tau cause at this state.");
  print_state_line(out, model, state, true, false, true);
  print_conditions(out, model, conditions);
  out.line();
  const std::vector<Units> units = velocity_units(model);
  Table table({"joint", ">v", "", ">tau", "", ">acceleration", ""});
  for (int i = 0; i < model.nv(); ++i) {
    const Units& unit = units[static_cast<std::size_t>(i)];
    table.row({names[static_cast<std::size_t>(i)], number(state.v(i)), unit.velocity, number(state.tau(i)), unit.force,
               number(a(i), 10, largest_of(a)), unit.acceleration});
  }
  table.print(out);
  out.line();
  out.line(fmt::format("  method: {}", method));
  const std::string other = method == "articulated" ? "composite" : "articulated";
  if (model.has_couplings()) {
    out.explain("Joints that follow another make both methods the same solve (composite bodies and Cholesky).");
  } else if (model.nv() > comparable) {
    out.explain(fmt::format(
        "Not compared with the composite method: it costs O(n³), and this robot has {} coordinates.", model.nv()));
  } else if (model.nv() > 0) {
    const Vector b = accelerate(model, state, conditions, other);
    const double scale = a.cwiseAbs().maxCoeff(), difference = (a - b).cwiseAbs().maxCoeff();
    const double relative = scale > 0 ? difference / scale : difference;
    out.line(fmt::format("  agreement with the {} method: {} (largest difference {} of the largest acceleration)",
                         other, relative == 0 ? "every digit" : fmt::format("{:.1f} digits", -std::log10(relative)),
                         number(relative, 2)));
  }
  return success;
}

}  // namespace catena::cli
