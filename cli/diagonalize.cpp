// catena diagonalize: the equations of motion in quasi-velocities, where the mass matrix has disappeared.
#include <fmt/format.h>

#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/inverse.hpp"
#include "cli/commands.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

constexpr int diagonalize_ceiling = 1'500;

void print_terms(Output& out, const Model& model, const std::vector<std::pair<const char*, const Vector*>>& terms) {
  std::vector<std::string> headings = {"joint"};
  for (const auto& term : terms) headings.push_back(fmt::format(">{}", term.first));
  Table table(headings);
  const std::vector<std::string> names = model.velocity_names();
  for (int i = 0; i < model.nv(); ++i) {
    std::vector<std::string> cells = {names[static_cast<std::size_t>(i)]};
    for (const auto& term : terms) cells.push_back(number((*term.second)(i), 6, largest_of(*term.second)));
    table.row(cells);
  }
  table.print(out);
}

}  // namespace

int run_diagonalize(const Options& options, Output& out) {
  const Robot robot = load_robot(options);
  const Model& model = robot.model;
  if (model.nv() > diagonalize_ceiling)
    throw DataError(fmt::format("the factors of {} are {} × {} matrices, too large to print", model.name(), model.nv(),
                                model.nv()));
  State state = read_state(model, options, out);
  const Conditions conditions = read_conditions(model, options);
  const bool from_motion = given_of(state, options, Given::forces) == Given::acceleration;
  if (from_motion) state.tau = inverse_dynamics(model, state.q, state.v, state.a, conditions);
  const DiagonalForm form(model, state.q);
  const DiagonalTerms t = diagonal_terms(model, state.q, state.v, state.tau, conditions);
  const Matrix U = form.U(), D = form.D();
  const std::vector<std::string> names = model.velocity_names();
  require_finite(t.nu_dot, names, "the acceleration of nu");

  if (out.json()) {
    Json json;
    add_joints(json, model);
    json.add_matrix("U", U).add_matrix("D", D).add_matrix("m", form.m()).add_matrix("l", form.l());
    json.add("nu", t.nu).add("xi", t.xi).add("epsilon", t.epsilon).add("kappa", t.kappa);
    json.add("C_nu", t.C_nu).add("C_xi", t.C_xi).add("G_nu", t.G_nu).add("G_xi", t.G_xi);
    json.add("F_nu", t.F_nu).add("F_xi", t.F_xi).add("nu_dot", t.nu_dot).add("xi_dot", t.xi_dot);
    json.add("state", Json().add("q", state.q).add("v", state.v).add("tau", state.tau));
    json.add("warnings", out.warnings());
    out.line(json.text());
    return success;
  }
  out.line(out.paint(Tone::title, fmt::format("Diagonalized dynamics of {}", printable(model.name()))));
  out.explain(
      "M = U D Uᵀ = m mᵀ. In the quasi-velocities nu = mᵀ v the mass matrix is the identity: every component moves as "
      "a "
      "unit mass of its own, and the Coriolis term does no work.");
  print_state_line(out, model, state, true, from_motion, !from_motion);
  print_conditions(out, model, conditions);

  out.title("nu_dot + C_nu + G_nu + F_nu = epsilon   (normalized)");
  out.explain(
      "nu: rate of each joint in the motion of everything inward of it, weighted by the root of the articulated "
      "inertia "
      "D it feels outward. epsilon = m⁻¹ tau: the part of the drives that works on it alone. C: Coriolis, G: gravity, "
      "F: joint forces and outside wrenches.");
  print_terms(out, model,
              {{"nu", &t.nu},
               {"epsilon", &t.epsilon},
               {"C_nu", &t.C_nu},
               {"G_nu", &t.G_nu},
               {"F_nu", &t.F_nu},
               {"nu_dot", &t.nu_dot}});
  out.line();
  out.line(fmt::format("  kinetic energy ½ nuᵀnu = {} J     power of the drives nuᵀepsilon = {} W     nuᵀC_nu = {} W",
                       number(0.5 * t.nu.squaredNorm()), number(t.nu.dot(t.epsilon)),
                       number(t.nu.dot(t.C_nu), 2, t.nu.norm() * t.C_nu.norm())));

  out.title("D xi_dot + C_xi + G_xi + F_xi = kappa   (unnormalized)");
  out.explain(
      "xi = Uᵀ v: total joint rates, own rate plus what the motion of the inward (past) links brings. "
      "kappa = U⁻¹ tau: working moments, what is left of tau after the outward (future) links took theirs.");
  print_terms(out, model,
              {{"xi", &t.xi},
               {"kappa", &t.kappa},
               {"C_xi", &t.C_xi},
               {"G_xi", &t.G_xi},
               {"F_xi", &t.F_xi},
               {"xi_dot", &t.xi_dot}});

  out.title("D: articulated inertia about each joint");
  out.explain("What a joint feels of everything beyond it when the joints there are free to give way.");
  print_matrix(out, names, D);
  out.title("U: unit triangular, M = U D Uᵀ");
  out.explain(
      "Column j: how the links inward of joint j are driven when it alone is accelerated and those beyond it "
      "hang free.");
  print_matrix(out, names, U);
  return success;
}

}  // namespace catena::cli
