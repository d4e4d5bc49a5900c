// catena matrices: the parts of M(q) a + C(q, v) v + gravity(q) + joint forces(q, v) = tau, by name.
#include <fmt/format.h>

#include <algorithm>

#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/model/names.hpp"
#include "cli/commands.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

constexpr int matrices_ceiling = 3'000;  // four matrices and their text stay below 2 GB

struct Part {
  const char* name;
  const char* title;
  const char* meaning;
  Matrix (*matrix)(const Model&, const State&);  // one of the two
  Vector (*vector)(const Model&, const State&);
};

const Part parts[] = {
    {"mass_matrix", "Mass matrix M(q)",
     "Row i: the forces that accelerate coordinate i alone by 1. Rotor inertia (armature) included.",
     [](const Model& m, const State& s) { return mass_matrix(m, s.q); }, nullptr},
    {"mass_matrix_inverse", "Inverse mass matrix M⁻¹(q)",
     "Column j: the accelerations that a unit force in joint j causes.",
     [](const Model& m, const State& s) { return mass_matrix_inverse(m, s.q); }, nullptr},
    {"coriolis_matrix", "Coriolis matrix C(q, v)",
     "C v are the Coriolis and centrifugal forces, and Ṁ − 2C is skew: they do no work.",
     [](const Model& m, const State& s) { return coriolis_matrix(m, s.q, s.v); }, nullptr},
    {"mass_matrix_dot", "Derivative of the mass matrix Ṁ(q, v)", "dM/dt while the robot moves with v; equals C + Cᵀ.",
     [](const Model& m, const State& s) { return mass_matrix_dot(m, s.q, s.v); }, nullptr},
    {"gravity", "Gravity", "Forces that hold the robot still against gravity.", nullptr,
     [](const Model& m, const State& s) { return gravity_forces(m, s.q); }},
    {"coriolis", "Coriolis and centrifugal forces", "Forces that keep v constant, gravity and joint forces aside.",
     nullptr, [](const Model& m, const State& s) { return coriolis_forces(m, s.q, s.v); }},
    {"joint_forces", "Joint forces", "Damping, friction and springs: what the joints resist by themselves.", nullptr,
     [](const Model& m, const State& s) { return joint_forces(m, s.q, s.v); }},
    {"bias", "Bias", "All of tau that does not depend on a: gravity + Coriolis + joint forces.", nullptr,
     [](const Model& m, const State& s) { return bias_forces(m, s.q, s.v); }},
};

void require_known(const std::vector<std::string>& only) {
  std::vector<std::string> names;
  for (const Part& part : parts) names.emplace_back(part.name);
  for (const std::string& name : only)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw UsageError(fmt::format("--only: no matrix \"{}\"{}", name, suggestion(name, names)));
}

void print_vectors(Output& out, const Model& model, const std::vector<const Part*>& shown,
                   const std::vector<Vector>& vectors) {
  out.title("Forces");
  std::vector<std::string> headings = {"joint"};
  for (const Part* part : shown) {
    out.explain(fmt::format("{}: {}", part->title, part->meaning));
    headings.push_back(fmt::format(">{}", part->name));
  }
  headings.emplace_back("");
  Table table(headings);
  const std::vector<std::string> names = model.velocity_names();
  const std::vector<Units> units = velocity_units(model);
  for (int i = 0; i < model.nv(); ++i) {
    std::vector<std::string> cells = {names[static_cast<std::size_t>(i)]};
    for (const Vector& vector : vectors) cells.push_back(number(vector(i), 6, largest_of(vector)));
    cells.push_back(units[static_cast<std::size_t>(i)].force);
    table.row(cells);
  }
  table.print(out);
}

}  // namespace

int run_matrices(const Options& options, Output& out) {
  require_known(options.only);
  const auto wanted = [&](const Part& part) {
    return options.only.empty() || std::find(options.only.begin(), options.only.end(), part.name) != options.only.end();
  };
  const Robot robot = load_robot(options);
  const Model& model = robot.model;
  const State state = read_state(model, options, out);
  const std::vector<std::string> names = model.velocity_names();

  Json json;
  add_joints(json, model);
  if (!out.json())
    out.line(
        out.paint(Tone::title, fmt::format("M a + C v + gravity + joint forces = tau of {}", printable(model.name()))));
  if (!out.json()) print_state_line(out, model, state, true, false, false);

  std::vector<const Part*> shown;
  std::vector<Vector> vectors;
  for (const Part& part : parts) {
    if (!wanted(part)) continue;
    if (part.matrix != nullptr) {
      if (model.nv() > matrices_ceiling)
        throw DataError(
            fmt::format("{0} would be a {1} × {1} matrix, too large to print: use --only gravity,coriolis,bias, or "
                        "`catena inverse`",
                        part.name, model.nv()));
      const Matrix matrix = part.matrix(model, state);
      require_finite(matrix, part.title);
      if (out.json()) {
        json.add_matrix(part.name, matrix);
        continue;
      }
      out.title(part.title);
      out.explain(part.meaning);
      print_matrix(out, names, matrix);
    } else {
      vectors.push_back(part.vector(model, state));
      require_finite(vectors.back(), names, part.title);
      if (out.json()) json.add(part.name, vectors.back());
      shown.push_back(&part);
    }
  }
  if (!out.json() && !shown.empty()) print_vectors(out, model, shown, vectors);
  if (out.json()) {
    json.add("state", Json().add("q", state.q).add("v", state.v));
    json.add("warnings", out.warnings());
    out.line(json.text());
  }
  return success;
}

}  // namespace catena::cli
