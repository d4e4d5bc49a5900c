// The tables of --explain. Each stands under one sentence that says what its numbers mean.
#include "cli/explain.hpp"

#include <fmt/format.h>

#include "cli/table.hpp"

namespace catena::cli {
namespace {

constexpr int explain_ceiling = 300;

// A column of a table over the joints: its heading and one number a joint.
struct ExplainedTerm {
  const char* heading;
  Vector numbers;
};

// Noise is judged against all columns together: they are parts of one whole.
double largest_term(const std::vector<ExplainedTerm>& terms) {
  double largest = 0;
  for (const ExplainedTerm& term : terms) largest = std::max(largest, largest_of(term.numbers));
  return largest;
}

enum class UnitOf { velocity, force, none };

std::string unit_in(const Units& units, UnitOf which) {
  return which == UnitOf::velocity ? units.velocity : which == UnitOf::force ? units.force : "";
}

void print_by_joint(Output& out, const Model& model, const std::vector<ExplainedTerm>& terms, UnitOf which) {
  std::vector<std::string> headings = {"joint"};
  for (const ExplainedTerm& term : terms) headings.push_back(fmt::format(">{}", term.heading));
  if (which != UnitOf::none) headings.push_back("");
  Table table(headings);
  const double largest = largest_term(terms);
  const std::vector<std::string> names = model.velocity_names();
  const std::vector<Units> units = velocity_units(model);
  for (int i = 0; i < model.nv(); ++i) {
    std::vector<std::string> cells = {names[static_cast<std::size_t>(i)]};
    for (const ExplainedTerm& term : terms) cells.push_back(number(term.numbers[i], 6, largest));
    if (which != UnitOf::none) cells.push_back(unit_in(units[static_cast<std::size_t>(i)], which));
    table.row(cells);
  }
  table.print(out);
}

// A 6-vector a link.
void print_six(Output& out, const std::vector<std::string>& links, const Matrix& columns,
               const std::vector<std::string>& headings) {
  Table table(headings);
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    std::vector<std::string> cells = {links[static_cast<std::size_t>(k)]};
    for (int i = 0; i < 6; ++i) cells.push_back(number(columns(i, k), 6, largest_of(columns)));
    table.row(cells);
  }
  table.print(out);
}

void print_rates(Output& out, const Model& model, const DiagonalExplanation& e) {
  out.title("xi = own rate + carried rate   (5.3)");
  out.explain(
      "The total rate of a joint: its own, and what the motion of the inboard links carries in, Gᵀ V⁺. Left free, the "
      "joint and all outboard of it would give way at the rate −carried; xi says how much faster it moves than that. "
      "nu is the same, weighted by the root of D, in √J.");
  print_by_joint(out, model,
                 {{"own rate", e.own_rate}, {"carried", e.carried_rate}, {"xi", e.own_rate + e.carried_rate}},
                 UnitOf::velocity);
  out.line();
  print_by_joint(out, model, {{"own nu", e.own_nu}, {"carried", e.carried_nu}, {"nu", e.own_nu + e.carried_nu}},
                 UnitOf::none);
  out.title("Which joint brings how much to xi");
  out.explain("Row: a joint's xi; column: what the rate of that joint brings to it. The rows add up to xi.");
  print_matrix(out, model.velocity_names(), e.rate_shares);
  out.title("V⁺: how the link inboard of each joint moves");
  out.explain(
      "Angular velocity in rad/s, and velocity in m/s of its point at the origin of the joint's moving frame, world "
      "axes: the motion that carries everything outboard along.");
  print_six(out, e.links, e.V_plus, {"joint", ">w_x", ">w_y", ">w_z", ">v_x", ">v_y", ">v_z"});
}

void print_moments(Output& out, const Model& model, const DiagonalExplanation& e) {
  out.title("tau = kappa + H z   (5.4)");
  out.explain(
      "The force of each drive: the working moment kappa, which changes the joint's own xi, and H z, which only holds "
      "the joint against the drives outboard of it.");
  print_by_joint(out, model, {{"kappa", e.kappa}, {"H z", e.passed_on}, {"tau", e.kappa + e.passed_on}}, UnitOf::force);
  out.title("What each drive passes on");
  out.explain(
      "Column: the force applied at that joint; rows: what it adds to the working moments. It works in full at its own "
      "joint, and passes on to those inboard of it, which must hold against it. The rows add up to kappa.");
  print_matrix(out, model.velocity_names(), e.moment_shares);
  out.title("z: what would hold each link against the drives outboard of it");
  out.explain(
      "From rest and without gravity: moment in N m about the origin of the joint's moving frame, force in N, world "
      "axes.");
  print_six(out, e.links, e.z, {"link of", ">n_x", ">n_y", ">n_z", ">f_x", ">f_y", ">f_z"});
}

void print_coriolis(Output& out, const Model& model, const DiagonalExplanation& e) {
  out.title("C_xi = outboard + present + inboard   (Lemma 7.3)");
  out.explain(
      "What Coriolis forces ask of the joint, gathered from its own link and those beyond, by the motion that causes "
      "them at each: of the joints outboard of that link (past), which change the inertia felt there; of the link "
      "itself "
      "(present); of what carries it inboard (future). A tip has no outboard and no inboard part.");
  const auto print = [&](const char* whole, const PartsByPlace& parts, UnitOf which) {
    print_by_joint(
        out, model,
        {{"outboard", parts.outboard}, {"present", parts.present}, {"inboard", parts.inboard}, {whole, parts.sum()}},
        which);
  };
  print("C_xi", e.C_xi, UnitOf::force);
  out.title("C_nu = outboard + present + inboard");
  out.explain("The same in √J/s: divided by the root of D, whose own change counts as outboard.");
  print("C_nu", e.C_nu, UnitOf::none);
}

void print_coefficients(Output& out, const Model& model, const DiagonalExplanation& e) {
  const std::vector<std::string> names = model.velocity_names();
  const Vector nu = e.own_nu + e.carried_nu, xi = e.own_rate + e.carried_rate;
  out.title("c_nu, the coefficients of nu in C_nu   (Kozłowski 48)");
  out.explain(
      "In 1/s. Row k, column i: how much of nu(i) turns into −nu_dot(k). What k gains from i, i loses to k "
      "(c_ki = −c_ik): energy goes to and fro between joints on one path to a tip, and none is made.");
  print_matrix(out, names, e.c_nu);
  out.explain("The table leaves out the bias, what the links' own rotation asks for; together they are C_nu, in √J/s.");
  const Vector of_nu = e.c_nu * nu, of_xi = e.c_xi * xi;
  print_by_joint(out, model, {{"c_nu nu", of_nu}, {"bias", e.bias_nu}, {"C_nu", of_nu + e.bias_nu}}, UnitOf::none);
  out.title("c_xi, the coefficients of xi in C_xi");
  out.explain(
      "The same without the roots of D, in N m s (of slides: N s/m). On the diagonal stands half the rate at which D "
      "changes.");
  print_matrix(out, names, e.c_xi);
  print_by_joint(out, model, {{"c_xi xi", of_xi}, {"bias", e.bias_xi}, {"C_xi", of_xi + e.bias_xi}}, UnitOf::force);
}

void print_reduced(Output& out, const Model& model, const ReducedManipulators& r) {
  out.title("The reduced manipulator behind each nu");
  out.explain(
      "The joint's link and all outboard of it, with everything inboard locked. Inertia about the joint (kg m²; of "
      "slides kg) with the joints beyond it locked, and free to give way (D); the share that giving way takes off; and "
      "the energy nu²/2 that belongs to the joint, which add up to the kinetic energy.");
  Table table({"joint", ">links", ">mass [kg]", ">locked", ">free: D", ">gives way", ">energy [J]"});
  const std::vector<std::string> names = model.velocity_names();
  for (int i = 0; i < model.nv(); ++i) {
    table.row({names[static_cast<std::size_t>(i)], number(r.links[i]), number(r.mass[i]), number(r.locked(i, i)),
               number(r.articulated(i, i)), fmt::format("{:.1f} %", 100 * std::abs(r.gives_way[i])),
               number(r.energy[i], 6, largest_of(r.energy))});
  }
  table.print(out);
}

// One joint's rows: a family of terms each, by the place that the terms come from.
struct TermFamily {
  const char* name;
  PartsByPlace parts;
};

void print_by_place(Output& out, const Model& model, const TorqueExplanation& e,
                    const std::vector<TermFamily>& families) {
  Table table({"joint", "because of", ">outboard", ">own", ">inboard", ">together", ""});
  const std::vector<std::string> names = model.velocity_names();
  const std::vector<Units> units = velocity_units(model);
  double largest = largest_of(e.tau);
  for (const TermFamily& family : families) largest = std::max(largest, largest_of(family.parts.sum()));
  const auto shown = [&](double x) { return number(x, 6, largest); };
  for (int i = 0; i < model.nv(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    for (const TermFamily& family : families) {
      const PartsByPlace& p = family.parts;
      table.row({&family == families.data() ? names[k] : "", family.name, shown(p.outboard[i]), shown(p.present[i]),
                 shown(p.inboard[i]), shown(p.outboard[i] + p.present[i] + p.inboard[i]), ""});
    }
    table.row({"", "damping, friction, springs", "", shown(e.joint_terms[i]), "", shown(e.joint_terms[i]), ""});
    table.row({"", "tau", "", "", "", shown(e.tau[i]), units[k].force}, Tone::title);
  }
  table.print(out);
}

void print_bias(Output& out, const Model& model, const BiasCarried& bias) {
  out.title("The bias carried inward: H Φ against H Ψ");
  out.explain(
      "What b and a ask of the joints. Carried inward rigidly (H Φ) they are joint forces; carried through joints that "
      "give way (H Ψ) they are working moments. The difference is what the joints outboard keep from this one.");
  print_by_joint(out, model,
                 {{"b by HΦ", bias.force_rigid},
                  {"b by HΨ", bias.force_articulated},
                  {"a by HΦ", bias.acceleration_rigid},
                  {"a by HΨ", bias.acceleration_articulated}},
                 UnitOf::force);
}

Json json_parts(const PartsByPlace& parts) {
  return Json().add("outboard", parts.outboard).add("present", parts.present).add("inboard", parts.inboard);
}

}  // namespace

void require_explainable_size(const Model& model) {
  if (model.nv() > explain_ceiling)
    throw DataError(fmt::format("--explain is for robots of up to {} degrees of freedom: {} has {}", explain_ceiling,
                                model.name(), model.nv()));
}

void print_explanation(Output& out, const Model& model, const DiagonalExplanation& e) {
  print_rates(out, model, e);
  print_moments(out, model, e);
  print_coriolis(out, model, e);
  print_coefficients(out, model, e);
  print_reduced(out, model, e.reduced);
}

void print_explanation(Output& out, const Model& model, const TorqueExplanation& e, bool with_wrenches) {
  const std::vector<std::string> names = model.velocity_names();
  out.title("tau term by term   (Kozłowski 39)");
  out.explain(
      "Seen from each joint: what the joints and links outboard of it, its own, and those inboard of it make its drive "
      "do. Accelerations are of joints; bias accelerations a arise at a joint that turns while it is carried, bias "
      "forces b at a link that turns; a and b together are the Coriolis force.");
  std::vector<TermFamily> families = {{"joint accelerations", e.acceleration},
                                      {"bias accelerations a", e.bias_acceleration},
                                      {"bias forces b", e.bias_force},
                                      {"weight", e.weight}};
  if (with_wrenches) families.push_back({"external wrenches", e.wrench});
  print_by_place(out, model, e, families);

  out.title("Of the joint accelerations");
  out.explain(
      "Row: the joint whose drive is asked; column: the joint that accelerates. N m (of slides: N) here and below.");
  print_matrix(out, names, e.by_acceleration);
  out.title("Of the bias accelerations");
  out.explain(
      "Column: the joint at which the bias acceleration arises; it is felt through the link there and all outboard of "
      "it.");
  print_matrix(out, names, e.links, e.by_bias_acceleration);
  out.title("Of the bias forces");
  out.explain("Column: the link, by the joint that moves it. A joint feels its own link and those outboard of it.");
  print_matrix(out, names, e.links, e.by_bias_force);
  out.title("Of the weights");
  out.explain("Column: the link whose weight is held.");
  print_matrix(out, names, e.links, e.by_weight);
  if (with_wrenches) {
    out.title("Of the external wrenches");
    out.explain("Column: the link that they act on.");
    print_matrix(out, names, e.links, e.by_wrench);
  }
  print_bias(out, model, e.bias);
}

Json explanation_json(const DiagonalExplanation& e) {
  Json json;
  json.add("links", e.links);
  json.add("own_rate", e.own_rate).add("carried_rate", e.carried_rate);
  json.add("own_nu", e.own_nu).add("carried_nu", e.carried_nu);
  json.add_matrix("rate_shares", e.rate_shares).add_matrix("V_plus", e.V_plus.transpose());
  json.add("kappa", e.kappa).add("passed_on", e.passed_on);
  json.add_matrix("moment_shares", e.moment_shares).add_matrix("z", e.z.transpose());
  json.add("C_xi", json_parts(e.C_xi)).add("C_nu", json_parts(e.C_nu));
  json.add("C_xi_by_link", Json()
                               .add_matrix("outboard", e.C_xi_outboard)
                               .add_matrix("present", e.C_xi_present)
                               .add_matrix("inboard", e.C_xi_inboard));
  json.add_matrix("c_nu", e.c_nu).add_matrix("c_xi", e.c_xi);
  json.add("bias_nu", e.bias_nu).add("bias_xi", e.bias_xi);
  const ReducedManipulators& r = e.reduced;
  json.add("reduced", Json()
                          .add("links", r.links)
                          .add("mass", r.mass)
                          .add_matrix("articulated", r.articulated)
                          .add_matrix("locked", r.locked)
                          .add("gives_way", r.gives_way)
                          .add("energy", r.energy));
  return json;
}

Json explanation_json(const TorqueExplanation& e) {
  Json json;
  json.add("links", e.links);
  json.add_matrix("by_acceleration", e.by_acceleration);
  json.add_matrix("by_bias_acceleration", e.by_bias_acceleration).add_matrix("by_bias_force", e.by_bias_force);
  json.add_matrix("by_weight", e.by_weight).add_matrix("by_wrench", e.by_wrench);
  json.add("joint_terms", e.joint_terms).add("coriolis", e.coriolis);
  json.add("acceleration", json_parts(e.acceleration)).add("bias_acceleration", json_parts(e.bias_acceleration));
  json.add("bias_force", json_parts(e.bias_force)).add("weight", json_parts(e.weight));
  json.add("wrench", json_parts(e.wrench));
  json.add("bias", Json()
                       .add("force_rigid", e.bias.force_rigid)
                       .add("force_articulated", e.bias.force_articulated)
                       .add("acceleration_rigid", e.bias.acceleration_rigid)
                       .add("acceleration_articulated", e.bias.acceleration_articulated));
  return json;
}

}  // namespace catena::cli
