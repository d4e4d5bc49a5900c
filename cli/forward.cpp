// catena forward: accelerations from forces, by one method, with the agreement of another.
#include "catena/dynamics/forward.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "catena/diagonal/diagonal.hpp"
#include "catena/model/names.hpp"
#include "catena/reference/denoc.hpp"
#include "catena/reference/methods.hpp"
#include "catena/reference/noc.hpp"
#include "cli/commands.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

constexpr int comparable = 500;           // coordinates up to which the O(n³) method is run for comparison
constexpr int composite_ceiling = 5'000;  // and up to which it is run at all: 200 MB of mass matrix
constexpr int column_ceiling = 2'000;     // plain loops: some seconds
constexpr int noc_ceiling = 300;          // products of matrices of 6n rows

using Solve = Vector (*)(const Model&, ConstVector, ConstVector, ConstVector, const ExternalLoads&);

Vector by_conjugate_gradient(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                             const ExternalLoads& c) {
  return forward_dynamics_conjugate_gradient(model, q, v, tau, c).a;
}

struct ForwardMethod {
  const char* name;
  const char* meaning;
  Solve solve;
  int ceiling;  // coordinates up to which it is run at all
};
constexpr int unlimited = std::numeric_limits<int>::max();
const ForwardMethod methods[] = {
    {"articulated", "articulated bodies (ABA), O(n)", forward_dynamics, unlimited},
    {"composite", "mass matrix by composite bodies, then Cholesky, O(n³)", forward_dynamics_composite,
     composite_ceiling},
    {"noc", "Angeles' natural orthogonal complement, then Cholesky, O(n³)", forward_dynamics_noc, noc_ceiling},
    {"denoc", "Saha's U D Uᵀ of the natural orthogonal complements, O(n); with mimic joints O(n³)",
     forward_dynamics_denoc, unlimited},
    {"diagonal", "by way of the quasi-velocities ξ, O(n)", forward_dynamics_diagonal, unlimited},
    {"newton_columns", "mass matrix column by column from inverse dynamics, then L D Lᵀ (Walker and Orin 1)",
     forward_dynamics_newton_columns, column_ceiling},
    {"newton_symmetric", "half of each column from inverse dynamics, then L D Lᵀ (Walker and Orin 2)",
     forward_dynamics_newton_symmetric, column_ceiling},
    {"conjugate_gradient", "conjugate gradients, one inverse dynamics per step (Walker and Orin 4)",
     by_conjugate_gradient, column_ceiling},
};

const ForwardMethod& find_method(const std::string& name) {
  std::vector<std::string> names;
  for (const ForwardMethod& method : methods) {
    if (name == method.name) return method;
    names.emplace_back(method.name);
  }
  throw UsageError(
      fmt::format("no method '{}'{}; there are: {}", name, did_you_mean(name, names), fmt::join(names, ", ")));
}

Vector accelerate(const Model& model, const State& state, const ExternalLoads& loads, const ForwardMethod& method) {
  if (model.nv() > method.ceiling)
    throw DataError(fmt::format("--method {} costs n³ operations for n = {}: use --method articulated, which is O(n)",
                                method.name, model.nv()));
  return method.solve(model, state.q, state.v, state.tau, loads);
}

}  // namespace

int run_forward(const Options& options, Output& out) {
  const ForwardMethod& method = find_method(options.method.empty() ? "articulated" : options.method);
  const Robot robot = load_robot(options);
  const Model& model = robot.model;
  const State state = read_state(model, options, out);
  const ExternalLoads loads = read_loads(model, options);
  const Vector a = accelerate(model, state, loads, method);
  const std::vector<std::string> names = model.velocity_names();
  require_finite(a, names, "the acceleration");

  if (out.json()) {
    Json json;
    add_joints(json, model);
    json.add("a", a).add("method", method.name);
    json.add("state", Json().add("q", state.q).add("v", state.v).add("tau", state.tau));
    json.add("warnings", out.warnings());
    out.line(json.text());
    return success;
  }
  out.line(out.paint(Tone::title, fmt::format("Forward dynamics of {}", printable(model.name()))));
  out.explain("The acceleration of every joint that the forces tau cause at this state.");
  print_state_line(out, model, state, true, false, true);
  print_loads(out, model, loads);
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
  out.line(fmt::format("  method: {} ({})", method.name, method.meaning));
  if (model.has_couplings() && method.name == std::string("articulated"))
    out.explain("Mimic joints preclude articulated bodies (ABA): solved by composite bodies (CRBA) and Cholesky.");
  // With mimic joints the articulated method is itself CRBA and Cholesky: compare with another then.
  const bool plain = method.name == std::string("articulated") || method.name == std::string("composite");
  const ForwardMethod& other = find_method(!plain                                      ? "articulated"
                                           : model.has_couplings()                     ? "newton_symmetric"
                                           : method.name == std::string("articulated") ? "composite"
                                                                                       : "articulated");
  if (model.nv() > comparable && other.ceiling != unlimited) {
    out.explain(fmt::format("Not compared with another method: it costs O(n³), and this robot has {} coordinates.",
                            model.nv()));
  } else if (model.nv() > 0) {
    const Vector b = accelerate(model, state, loads, other);
    const double scale = a.cwiseAbs().maxCoeff(), difference = (a - b).cwiseAbs().maxCoeff();
    const double relative = scale > 0 ? difference / scale : difference;
    out.line(fmt::format(
        "  agreement with the {} method: {} (largest difference {} of the largest acceleration)", other.name,
        relative == 0 ? "every digit" : fmt::format("{:.1f} digits", -std::log10(relative)), number(relative, 2)));
  }
  return success;
}

}  // namespace catena::cli
