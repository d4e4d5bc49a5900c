// catena convert: the robot in another format, read back and compared in what must not change before a file is written.
#include <fmt/format.h>

#include <cmath>

#include "catena/dynamics/mass_matrix.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "cli/commands.hpp"
#include "cli/dropped.hpp"
#include "cli/json.hpp"
#include "cli/robot.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

// Both sides are rounded decimal texts of the same numbers: a few units in the last place, summed over the robot.
constexpr double tolerance = 1e-12;
constexpr int compared_limit = 400;  // coordinates up to which M(q) is compared

struct Comparison {
  double mass = 0, center = 0, mass_matrix = 0;  // relative differences
  bool with_mass_matrix = false;

  bool passed() const { return mass <= tolerance && center <= tolerance && mass_matrix <= tolerance; }
};

Comparison compare(const Model& source, const Model& result, const Options& options) {
  if (source.nq() != result.nq() || source.velocity_names() != result.velocity_names())
    throw DataError(fmt::format("{} has other coordinates than {} ({} against {}): the format cannot hold this robot",
                                options.target, options.model, result.nv(), source.nv()));
  Comparison c;
  c.mass = std::abs(source.total_mass() - result.total_mass()) / std::max(source.total_mass(), 1e-300);
  c.with_mass_matrix = source.nv() > 0 && source.nv() <= compared_limit;
  Progress progress("compare", options.states);
  for (int k = 0; k < options.states; ++k) {
    const Vector q = random_configuration(source, options.seed + static_cast<std::uint64_t>(k));
    const Vector3 from = Kinematics(source, q).center_of_mass(), to = Kinematics(result, q).center_of_mass();
    c.center = std::max(c.center, (from - to).norm() / std::max(1.0, from.norm()));
    if (c.with_mass_matrix) {
      const Matrix M = mass_matrix(source, q);
      c.mass_matrix =
          std::max(c.mass_matrix, (M - mass_matrix(result, q)).cwiseAbs().maxCoeff() / M.cwiseAbs().maxCoeff());
    }
    progress.step(k + 1);
  }
  return c;
}

std::string verdict(double difference) { return difference == 0 ? "identical" : "differs by " + rough(difference); }

}  // namespace

int run_convert(const Options& options, Output& out) {
  require_writable_format(options.target);
  const write::Claim claim = claim_file(options.target, options.force);
  const Robot robot = load_robot(options, true);
  Comparison c;
  double mass = 0;
  read::Leftovers lost;
  struct Differs {};
  try {
    write_robot(robot.model.description(), claim, [&](const Description& back) {
      const Model result(back);
      mass = result.total_mass();
      c = compare(robot.model, result, options);
      lost = dropped(robot.leftovers, robot.model.description(), back);
      if (!c.passed()) throw Differs();
    });
  } catch (const Differs&) {  // nothing is written; the numbers below say by how much
  }
  const int code = c.passed() ? success : numerical_failure;

  if (out.json()) {
    Json json;
    json.add("source", options.model)
        .add("target", options.target)
        .add_bool("passed", c.passed())
        .add_int("states", options.states);
    json.add("mass_difference", c.mass).add("center_of_mass_difference", c.center);
    if (c.with_mass_matrix) json.add("mass_matrix_difference", c.mass_matrix);
    add_dropped(json, lost);
    out.line(json.text());
    return code;
  }
  out.line(out.paint(Tone::title, fmt::format("{} → {}", printable(options.model), printable(options.target))));
  out.explain(
      fmt::format("Read back and compared with the source at {} (relative differences; rounding is below 1e-12):",
                  counted(static_cast<std::size_t>(options.states), "random state")));
  Table table({"quantity", "result"});
  table.row({"total mass", fmt::format("{} kg, {}", number(mass, 8), verdict(c.mass))});
  table.row({"centre of mass", verdict(c.center)});
  table.row({"mass matrix M(q)", c.with_mass_matrix ? verdict(c.mass_matrix)
                                                    : fmt::format("not compared ({} coordinates)", robot.model.nv())});
  table.print(out);
  out.line(c.passed() ? out.paint(Tone::good, "  the same robot")
                      : out.paint(Tone::bad, "  NOT the same robot, so nothing was written: please report this"));
  print_dropped(out, lost, options.target);
  return code;
}

}  // namespace catena::cli
