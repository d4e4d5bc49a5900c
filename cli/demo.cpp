// catena demo: a first look. The Stanford arm moves as in Saha's paper; forces from motion, and motion from forces.
// Source: formula sheet 2.7 (cycloidal law, T = 10 s).
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

constexpr double duration = 10;  // s
constexpr double pi = std::numbers::pi;

struct Moment {
  Vector q, v, a;
};

// From rest to rest with smooth acceleration: s(t) = t/T - sin(2 pi t/T) / (2 pi).
Moment cycloid(const Vector& from, const Vector& to, double t) {
  const double turn = 2 * pi / duration, phase = turn * t;
  const Vector way = (to - from) / duration;
  return {from + way * (t - std::sin(phase) / turn), way * (1 - std::cos(phase)), way * (turn * std::sin(phase))};
}

std::string sparkline(const Vector& values) {
  static const char* const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double low = values.minCoeff(), span = values.maxCoeff() - low;
  std::string line;
  for (const double value : values) line += blocks[span > 0 ? static_cast<int>(7.999 * (value - low) / span) : 0];
  return line;
}

}  // namespace

int run_demo(const Options& options, Output& out) {
  Options arm = options;
  arm.model = "stanford_arm";
  const Model model = load_robot(arm).model;
  Vector from(6), to(6);
  from << 0, pi / 2, 0, 0, 0, 0;
  to << pi / 3, pi / 3, 0.1, pi / 3, pi / 3, pi / 3;

  constexpr int steps = 40;
  Matrix forces(steps + 1, 6);
  double worst = 0;
  for (int k = 0; k <= steps; ++k) {
    const Moment moment = cycloid(from, to, duration * k / steps);
    const Vector tau = inverse_dynamics(model, moment.q, moment.v, moment.a);
    const Vector back = forward_dynamics(model, moment.q, moment.v, tau);
    forces.row(k) = tau.transpose();
    const double scale = std::max(1e-3, moment.a.cwiseAbs().maxCoeff());  // the motion starts and ends with a = 0
    worst = std::max(worst, (back - moment.a).cwiseAbs().maxCoeff() / scale);
  }
  require_finite(forces, "the demo's table of forces");

  const std::vector<std::string> names = model.velocity_names();
  const std::vector<Units> units = velocity_units(model);
  if (out.json()) {
    Json json;
    add_joints(json, model);
    Vector times = Vector::LinSpaced(steps + 1, 0, duration);
    out.line(json.add("time", times).add_matrix("tau", forces).add("agreement", worst).text());
    return success;
  }
  out.line(out.paint(
      Tone::title, "The Stanford arm, one of the first electric robot arms (1969): six joints, the third one slides."));
  out.line(fmt::format("  mass {} kg; numbers from {}", number(model.total_mass()), model.description().origin));
  out.title("1. Forces from motion (inverse dynamics)");
  out.explain(
      "In 10 s every joint moves smoothly from rest to rest: joint 2 from 90° to 60°, joint 3 out by 0.1 m, the others "
      "by 60°. "
      "The motors must supply:");
  std::vector<std::string> headings = {">t [s]"};
  for (std::size_t i = 0; i < names.size(); ++i) headings.push_back(fmt::format(">{} [{}]", names[i], units[i].force));
  Table table(headings);
  for (int k = 0; k <= steps; k += 4) {
    std::vector<std::string> cells = {number(duration * k / steps)};
    for (int i = 0; i < 6; ++i)
      cells.push_back(std::abs(forces(k, i)) < 1e-12 ? "0" : fmt::format("{:.5g}", forces(k, i)));
    table.row(cells);
  }
  table.print(out);
  out.line();
  Table curves({"joint", "course over 10 s", ">from", ">to", ""});
  for (int i = 0; i < 6; ++i) {
    const auto k = static_cast<std::size_t>(i);
    curves.row({names[k], sparkline(forces.col(i)), number(forces.col(i).minCoeff(), 4),
                number(forces.col(i).maxCoeff(), 4), units[k].force});
  }
  curves.print(out);
  out.explain(
      "Joint 2 carries the arm; joint 3 holds more and more of its own weight as the arm tilts up. The wrist hardly "
      "works.");

  out.title("2. And back: accelerations from those forces (forward dynamics)");
  out.explain(
      "Another algorithm, articulated bodies, gets the forces and must return the accelerations we started from.");
  out.line(out.paint(Tone::good, fmt::format("  At {} moments the two agree to {:.1f} digits or better.", steps + 1,
                                             -std::log10(worst))));

  out.title("Try next");
  out.line("  catena info stanford_arm                                # what the robot is");
  out.line("  catena inverse stanford_arm --q 0,90deg,0.1,0,0,0       # what it takes to hold still");
  out.line("  catena verify stanford_arm                              # every independent route compared");
  return success;
}

}  // namespace catena::cli
