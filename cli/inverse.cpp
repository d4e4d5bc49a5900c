// catena inverse: joint forces from motion, for one state; trajectory.cpp does whole motions.
#include "catena/dynamics/reactions.hpp"

#include <fmt/format.h>

#include "catena/dynamics/inverse.hpp"
#include "catena/model/names.hpp"
#include "catena/model/tree.hpp"
#include "catena/reference/denoc.hpp"
#include "catena/reference/dh_newton_euler.hpp"
#include "catena/reference/lagrange.hpp"
#include "catena/reference/methods.hpp"
#include "catena/reference/noc.hpp"
#include "cli/commands.hpp"
#include "cli/explain.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"
#include "cli/trajectory.hpp"

namespace catena::cli {
namespace {

std::vector<std::string> six(const Vector6& wrench) {
  std::vector<std::string> cells;
  for (int i = 0; i < 6; ++i) cells.push_back(number(wrench(i), 6, largest_of(wrench)));
  return cells;
}

void print_wrenches(Output& out, const Model& model, const Matrix& wrenches) {
  out.title("Joint reaction wrenches");
  out.explain(
      "What the parent exerts on the child body through the joint, drive and bearing together: moment n in N m and "
      "force f in N, "
      "in the axes and about the origin of the child body's frame.");
  Table table({"joint", "on body", ">n_x", ">n_y", ">n_z", ">f_x", ">f_y", ">f_z"});
  for (int j = 0; j < wrenches.cols(); ++j) {
    const Joint& joint = model.description().joints[static_cast<std::size_t>(j)];
    std::vector<std::string> cells = six(wrenches.col(j));
    cells.insert(cells.begin(), {joint.name, joint.child});
    table.row(cells);
  }
  table.print(out);
}

void print_inverse(Output& out, const Model& model, const State& state, const ExternalLoads& loads, const Vector& tau,
                   const Vector6& base) {
  out.line(out.paint(Tone::title, fmt::format("Inverse dynamics of {}", printable(model.name()))));
  out.explain(
      "The force in every joint that makes the robot move with acceleration a: inertia, Coriolis, gravity and the "
      "joints' own damping, "
      "friction and springs.");
  print_state_line(out, model, state, true, true, false);
  print_loads(out, model, loads);
  out.line();
  const std::vector<std::string> names = model.velocity_names();
  const std::vector<Units> units = velocity_units(model);
  const bool one_to_one = model.nq() == model.nv();  // otherwise q has its own names (quaternions)
  Table table(one_to_one ? std::vector<std::string>{"joint", ">q", ">v", ">a", ">tau", ""}
                         : std::vector<std::string>{"joint", ">v", ">a", ">tau", ""});
  for (int i = 0; i < model.nv(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    std::vector<std::string> cells = {names[k]};
    if (one_to_one) cells.push_back(number(state.q(i)));
    for (const std::string& cell :
         {number(state.v(i)), number(state.a(i)), number(tau(i), 10, largest_of(tau)), units[k].force})
      cells.push_back(cell);
    table.row(cells);
  }
  table.print(out);
  out.title("Base reaction");
  out.explain("What the ground exerts on the robot: moment in N m about the world's origin, force in N, world axes.");
  const std::vector<std::string> b = six(base);
  out.line(fmt::format("  moment ({}, {}, {})   force ({}, {}, {})", b[0], b[1], b[2], b[3], b[4], b[5]));
}

// Only what these two are about: the state of the robot itself.
void require_ground_at_rest(const ExternalLoads& loads, const char* method) {
  const BaseMotion& base = loads.base;
  if (loads.wrenches.empty() && base.angular_velocity.isZero(0) && base.velocity.isZero(0) &&
      base.angular_acceleration.isZero(0) && base.acceleration.isZero(0))
    return;
  throw DataError(
      fmt::format("--method {} knows neither wrenches nor a moving base here: leave them out, or take "
                  "newton_euler, denoc or kalman",
                  method));
}

Vector by_dh(const Model& model, ConstVector q, ConstVector v, ConstVector a, const ExternalLoads& loads) {
  require_ground_at_rest(loads, "dh");
  const std::optional<DhChain> chain = dh_chain(model);
  if (!chain)
    throw DataError(
        fmt::format("--method dh is for one serial chain of revolute and prismatic joints, which {} is not: "
                    "take newton_euler or kalman",
                    model.name()));
  Vector tau = dh_newton_euler(chain->links, chain->base, q, v, a).tau + joint_forces(model, q, v);
  for (const Coordinate& c : model.coordinates()) {
    for (int i = c.v; i < c.v + c.nv; ++i) tau[i] += model.tree().terms[static_cast<std::size_t>(i)].armature * a[i];
  }
  return tau;
}

// Energies know springs and rotors; damping and friction come to them.
Vector by_lagrange(const Model& model, ConstVector q, ConstVector v, ConstVector a, const ExternalLoads& loads) {
  require_ground_at_rest(loads, "lagrange");
  return lagrange_forces(model, q, v, a) + joint_forces(model, q, v) - joint_forces(model, q, Vector::Zero(model.nv()));
}

using Forces = Vector (*)(const Model&, ConstVector, ConstVector, ConstVector, const ExternalLoads&);
struct InverseMethod {
  const char* name;
  const char* meaning;
  Forces forces;
};
const InverseMethod inverse_methods[] = {
    {"newton_euler", "recursive Newton–Euler (RNEA), O(n)", inverse_dynamics},
    {"dh", "Angeles' recursion in Denavit–Hartenberg frames, O(n)", by_dh},
    {"denoc", "Saha's recursion of the decoupled natural orthogonal complements, O(n)", inverse_dynamics_denoc},
    {"noc", "Angeles' natural orthogonal complement, dense", inverse_dynamics_noc},
    {"kalman", "filtering and smoothing (Rodriguez, Kozłowski), O(n)", inverse_dynamics_kalman},
    {"lagrange", "Lagrange's equations, energies differentiated by dual numbers, O(n²)", by_lagrange},
};
constexpr int dense_ceiling = 300;  // coordinates: noc and lagrange

const InverseMethod& inverse_method(const std::string& name) {
  std::vector<std::string> names;
  for (const InverseMethod& method : inverse_methods) {
    if (name == method.name) return method;
    names.emplace_back(method.name);
  }
  throw UsageError(
      fmt::format("no method '{}'{}; there are: {}", name, did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace

int run_inverse(const Options& options, Output& out) {
  const InverseMethod& method = inverse_method(options.method.empty() ? "newton_euler" : options.method);
  const bool other = method.forces != static_cast<Forces>(inverse_dynamics);
  if (other && !options.trajectory.empty())
    throw UsageError("--method is for one state: a --trajectory takes newton_euler");
  if (other && (options.joint_wrenches || options.explain))
    throw UsageError("--wrenches and --explain go with newton_euler: leave --method out");
  const Robot robot = load_robot(options);
  const Model& model = robot.model;
  const ExternalLoads loads = read_loads(model, options);
  if (options.explain && !options.trajectory.empty())
    throw UsageError("--explain is about one state: leave --trajectory out, and say the state with --q, --v and --a");
  if (!options.trajectory.empty()) return run_trajectory(options, model, loads, out);
  if (!options.to.empty() || options.every) throw UsageError("--to and --every need --trajectory PROFILE:T");

  const State state = read_state(model, options, out);
  const auto [plain, wrenches, base] = reactions(model, state.q, state.v, state.a, loads);
  if (model.nv() > dense_ceiling && (method.name == std::string("noc") || method.name == std::string("lagrange")))
    throw DataError(fmt::format("--method {} is for robots of up to {} coordinates, not {}: take newton_euler or denoc",
                                method.name, dense_ceiling, model.nv()));
  const Vector tau = other ? method.forces(model, state.q, state.v, state.a, loads) : plain;
  std::optional<TorqueExplanation> explanation;
  if (options.explain) {
    require_explainable_size(model);
    explanation = explain_torque(model, state.q, state.v, state.a, loads);
  }

  if (out.json()) {
    Json json;
    add_joints(json, model);
    json.add("tau", tau).add("base_wrench", Vector(base));
    if (options.joint_wrenches) {
      Json by_joint;
      for (int j = 0; j < wrenches.cols(); ++j)
        by_joint.add(model.description().joints[static_cast<std::size_t>(j)].name, Vector(wrenches.col(j)));
      json.add("wrenches", by_joint);
    }
    json.add("method", method.name);
    if (explanation) json.add("explain", explanation_json(*explanation));
    json.add("state", Json().add("q", state.q).add("v", state.v).add("a", state.a));
    json.add("warnings", out.warnings());
    out.line(json.text());
    return success;
  }
  print_inverse(out, model, state, loads, tau, base);
  out.line(fmt::format("  method: {} ({})", method.name, method.meaning));
  if (other && model.nv() > 0)
    out.line(fmt::format(
        "  largest difference to newton_euler, by which the ground's wrench above is: {} of the largest force",
        rough((tau - plain).cwiseAbs().maxCoeff() / std::max(plain.cwiseAbs().maxCoeff(), 1e-300))));
  if (options.joint_wrenches) print_wrenches(out, model, wrenches);
  if (explanation) print_explanation(out, model, *explanation, !loads.wrenches.empty());
  return success;
}

}  // namespace catena::cli
