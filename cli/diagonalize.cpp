// catena diagonalize: the equations of motion in quasi-velocities, where the mass matrix has disappeared.
#include <fmt/format.h>

#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "cli/commands.hpp"
#include "cli/explain.hpp"
#include "cli/explain_pictures.hpp"
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

// Energies in J and powers in W. On a moving ground nu counts the ground's motion in, and the left column is not the right.
struct Balance {
  double of_nu, kinetic;         // nu' nu / 2; the kinetic energy of the bodies and rotors
  double nu_epsilon, of_drives;  // nu' epsilon; v' tau
  double of_coriolis, coriolis_scale;
};

Balance balance_of(const Model& model, const State& state, const ExternalLoads& loads, const DiagonalTerms& t) {
  Kinematics kinematics(model);
  kinematics.update(state.q, state.v, loads.base);
  return {0.5 * t.nu.squaredNorm(), kinematics.kinetic_energy(), t.nu.dot(t.epsilon), state.v.dot(state.tau),
          t.nu.dot(t.C_nu),         t.nu.norm() * t.C_nu.norm()};
}

bool moves(const BaseMotion& base) { return !base.angular_velocity.isZero(0) || !base.velocity.isZero(0); }
bool accelerates(const BaseMotion& base) {
  return !base.angular_acceleration.isZero(0) || !base.acceleration.isZero(0);
}

void print_balance(Output& out, const Balance& b, const BaseMotion& base) {
  out.line();
  const std::string coriolis = number(b.of_coriolis, 4, b.coriolis_scale);
  if (!moves(base)) {
    out.line(fmt::format("  kinetic energy ½ nuᵀnu = {} J     power of the drives nuᵀepsilon = {} W     nuᵀC_nu = {} W",
                         number(b.of_nu), number(b.nu_epsilon), coriolis));
  } else {
    out.line(fmt::format("  kinetic energy {} J     power of the drives vᵀtau = {} W", number(b.kinetic),
                         number(b.of_drives)));
    out.line(fmt::format("  ½ nuᵀnu = {} J     nuᵀepsilon = {} W     nuᵀC_nu = {} W", number(b.of_nu),
                         number(b.nu_epsilon), coriolis));
    out.explain(
        fmt::format("½ nuᵀnu is what the kinetic energy has above the least that the robot could have on this "
                    "moving ground, {} J, with every joint giving way. nuᵀepsilon − nuᵀC_nu − nuᵀG_nu − nuᵀF_nu "
                    "is its rate of change: on a moving ground the Coriolis term may do work.",
                    number(b.kinetic - b.of_nu, 4, b.kinetic)));
  }
  if (accelerates(base))
    out.explain(
        "The ground's acceleration stands nowhere in these equations: nu and xi are rates against the world, "
        "not against the ground.");
}

}  // namespace

int run_diagonalize(const Options& options, Output& out) {
  if (!options.row.empty() && !options.explain && options.plot.empty())
    throw UsageError("--row is whose row --explain and --plot take apart: ask for one of them");
  const Robot robot = load_robot(options);
  const Model& model = robot.model;
  if (model.nv() > diagonalize_ceiling)
    throw DataError(fmt::format("the factors of {} are {} × {} matrices, too large to print", model.name(), model.nv(),
                                model.nv()));
  const std::optional<PictureFile> picture = claim_picture(options.plot, options.force);
  State state = read_state(model, options, out);
  const ExternalLoads loads = read_loads(model, options);
  const bool from_motion = given_of(state, options, Given::forces) == Given::acceleration;
  if (from_motion) state.tau = inverse_dynamics(model, state.q, state.v, state.a, loads);
  const DiagonalForm form(model, state.q);
  const DiagonalTerms t = diagonal_terms(model, state.q, state.v, state.tau, loads);
  const Matrix U = form.U(), D = form.D();
  const std::vector<std::string> names = model.velocity_names();
  require_finite(t.nu_dot, names, "the acceleration of nu");
  const BaseMotion& base = loads.base;
  const Balance balance = balance_of(model, state, loads, t);
  std::optional<DiagonalExplanation> explanation;
  CoefficientTables tables;
  if (options.explain || picture) {
    require_explainable_size(model);
    explanation = explain_diagonal(model, state.q, state.v, state.tau, base);
    if (!options.row.empty()) tables.component = component_named(model, "--row", options.row);
    tables.row = explain_coefficients(model, state.q, state.v, tables.component);
    tables.nu = t.nu, tables.xi = t.xi;
  }
  std::string drawn;
  if (picture) drawn = written(*picture, draw(coefficient_figure(model, *explanation, tables), picture->format));
  // Joints that follow others leave no sweeps over links: M is factored as it stands, coordinate by coordinate.
  const bool links = !model.has_couplings();

  if (out.json()) {
    Json json;
    add_joints(json, model);
    json.add_matrix("U", U).add_matrix("D", D).add_matrix("m", form.m()).add_matrix("l", form.l());
    json.add("nu", t.nu).add("xi", t.xi).add("epsilon", t.epsilon).add("kappa", t.kappa);
    json.add("C_nu", t.C_nu).add("C_xi", t.C_xi).add("G_nu", t.G_nu).add("G_xi", t.G_xi);
    json.add("F_nu", t.F_nu).add("F_xi", t.F_xi).add("nu_dot", t.nu_dot).add("xi_dot", t.xi_dot);
    json.add("kinetic_energy", balance.kinetic).add("half_nu_squared", balance.of_nu);
    json.add("drive_power", balance.of_drives).add("nu_epsilon", balance.nu_epsilon);
    json.add("nu_C_nu", balance.of_coriolis);
    if (options.explain) {
      Json row = Json().add("joint", names[static_cast<std::size_t>(tables.component)]);
      row.add_matrix("c_nu", tables.row.nu).add_matrix("c_xi", tables.row.xi);
      json.add("explain", explanation_json(*explanation).add("row", row));
    }
    if (picture) json.add("picture", picture->path);
    json.add("state", Json().add("q", state.q).add("v", state.v).add("tau", state.tau));
    json.add("warnings", out.warnings());
    out.line(json.text());
    return success;
  }
  out.line(out.paint(Tone::title, fmt::format("Diagonalized dynamics of {}", printable(model.name()))));
  out.explain(fmt::format(
      "M = U D Uᵀ = m mᵀ. In the quasi-velocities nu = {} the mass matrix is the identity: every component moves as a "
      "unit mass of its own{}.",
      moves(base) ? "m⁻¹ p, p the momentum that belongs to v," : "mᵀ v",
      moves(base) ? "" : ", and the Coriolis term does no work"));
  print_state_line(out, model, state, true, from_motion, !from_motion);
  print_loads(out, model, loads);

  out.title("nu_dot + C_nu + G_nu + F_nu = epsilon   (normalized)");
  out.explain(fmt::format(
      "nu: rate of each {} epsilon = m⁻¹ tau: the part of the drives that works on it alone. C: Coriolis, G: gravity, "
      "F: joint forces "
      "and external wrenches.",
      links ? fmt::format("joint in the motion of everything inward of it, {}weighted by the root of the articulated "
                          "inertia D it feels outward.",
                          moves(base) ? "and of the ground, " : "")
            : "coordinate in the motion of those before it in the list, weighted by the root of the inertia D it feels "
              "of those after it."));
  print_terms(out, model,
              {{"nu", &t.nu},
               {"epsilon", &t.epsilon},
               {"C_nu", &t.C_nu},
               {"G_nu", &t.G_nu},
               {"F_nu", &t.F_nu},
               {"nu_dot", &t.nu_dot}});
  print_balance(out, balance, base);

  out.title("D xi_dot + C_xi + G_xi + F_xi = kappa   (unnormalized)");
  out.explain(
      fmt::format("xi = {}: total joint rates, own rate plus what the motion of {} brings. kappa = U⁻¹ tau: working "
                  "moments, what is left of tau after {} took theirs.",
                  moves(base) ? "D⁻¹ U⁻¹ p" : "Uᵀ v",
                  !links        ? "the coordinates before it in the list"
                  : moves(base) ? "the inward (future) links and of the ground"
                                : "the inward (future) links",
                  links ? "the outward (past) links" : "the coordinates after it"));
  print_terms(out, model,
              {{"xi", &t.xi},
               {"kappa", &t.kappa},
               {"C_xi", &t.C_xi},
               {"G_xi", &t.G_xi},
               {"F_xi", &t.F_xi},
               {"xi_dot", &t.xi_dot}});

  out.title(links ? "D: articulated inertia about each joint" : "D: inertia of each coordinate");
  out.explain(links ? "What a joint feels of everything beyond it when the joints there are free to give way."
                    : "What a coordinate feels when those before it in the list are held and those after it are free.");
  print_matrix(out, names, D);
  out.title(links ? "U: unit triangular from the ground outward, M = U D Uᵀ" : "U: unit triangular, M = U D Uᵀ");
  out.explain(fmt::format(
      "Column j: forces that hold {} when joint j alone works, with force 1, from rest and without gravity; those {} "
      "hang free.",
      links ? "the joints inward of j still" : "the coordinates before j still", links ? "beyond it" : "after it"));
  print_matrix(out, names, U);
  if (options.explain) print_explanation(out, model, *explanation);
  if (picture) out.line(), out.line(fmt::format("  {}", drawn));
  return success;
}

}  // namespace catena::cli
