// catena demo: a first look. The Stanford arm moves as in Saha's paper; forces from motion, motion from forces, and a
// fall with pictures of it. Source: formula sheet 2.7 (cycloidal profile, T = 10 s).
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "catena/control/inputs.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/trajectory/trajectories.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/robot.hpp"
#include "cli/run.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

constexpr double duration = 10;  // s
constexpr double pi = std::numbers::pi;

std::string sparkline(const Vector& values) {
  static const char* const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double low = values.minCoeff(), span = values.maxCoeff() - low;
  std::string line;
  for (const double value : values) line += blocks[span > 0 ? static_cast<int>(7.999 * (value - low) / span) : 0];
  return line;
}

// The arm let go where the motion began, one second long.
Scenario fall_of(const Model& model, const Vector& q) {
  Scenario fall{"stanford_arm",         model, q, Vector::Zero(6), zero_input(model), {}, {}, {}, nullptr,
                "the demo's free fall", {}};
  fall.options.duration = 1;
  fall.options.every = 0.01;
  fall.options.extra = {"nu"};
  return fall;
}

// A plot or a page of the recording, by the command that users have for it. Says what it is, or why there is none.
void picture(Output& out, int (*command)(const Options&, Output&), const std::string& recording,
             const std::string& file, const char* what) {
  Options job;
  job.model = recording;
  job.output = file;
  job.force = true;
  job.title = "Stanford arm, free fall";
  Output hushed(Options{});
  try {
    command(job, hushed);
    out.line(fmt::format("  {:<28}  {}", file, what));
  } catch (const std::exception& error) {
    out.line(fmt::format("  {:<28}  not written: {}", file, error.what()));
  }
}

}  // namespace

int run_demo(const Options& options, Output& out) {
  Options arm = options;
  arm.model = "stanford_arm";
  const Model model = load_robot(arm).model;
  Vector from(6), to(6);
  from << 0, pi / 2, 0, 0, 0, 0;
  to << pi / 3, pi / 3, 0.1, pi / 3, pi / 3, pi / 3;

  const auto motion = cycloidal(model, from, to, duration);
  Vector q(6), v(6), a(6);
  constexpr int steps = 40;
  Matrix forces(steps + 1, 6);
  double worst = 0;
  for (int k = 0; k <= steps; ++k) {
    motion->at(duration * k / steps, q, v, a);
    const Vector tau = inverse_dynamics(model, q, v, a);
    const Vector back = forward_dynamics(model, q, v, tau);
    forces.row(k) = tau.transpose();
    const double scale = std::max(1e-3, a.cwiseAbs().maxCoeff());  // the motion starts and ends with a = 0
    worst = std::max(worst, (back - a).cwiseAbs().maxCoeff() / scale);
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
  Table curves({"joint", "history over 10 s", ">from", ">to", ""});
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

  out.title("3. Let go (simulation)");
  out.explain("No motors, one second of gravity from where the motion began. Nothing may be lost: the energy tells.");
  const Scenario fall = fall_of(model, from);
  const std::string folder = "catena-demo";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const std::string recording = failed ? "" : folder + "/fall.csv";
  Run run;
  try {
    run = run_scenario(fall, recording, false, true);
  } catch (const ModelError&) {  // a folder that cannot be written
    failed = std::make_error_code(std::errc::permission_denied);
    run = run_scenario(fall, "", false, true);
  }
  const Vector& last = run.rows.back();
  out.line(fmt::format("  after 1 s joint 2 hangs at {:.1f}°, joint 3 has slid out by {:.4f} m and on: it runs away",
                       last[2] * 180 / pi, last[3]));
  out.line(out.paint(
      Tone::good,
      fmt::format("  energy: {:.2f} J turned from height into motion, {:.0e} of it lost on the way; {} "
                  "evaluations, {:.1f} ms",
                  run.outcome.energies.kinetic, run.outcome.drift, run.outcome.evaluations, 1e3 * run.seconds)));
  if (failed) {
    out.line(fmt::format("  no pictures: the folder {} cannot be written here", folder));
  } else {
    out.title("Open these");
    picture(out, run_view, recording, folder + "/fall.html", "the arm in 3-D: play, turn, scrub (any browser)");
    picture(out, run_plot, recording, folder + "/fall.svg", "curves of positions, velocities, energy");
    picture(out, run_plot, recording, folder + "/fall.png", "the same for a document");
    out.line(fmt::format("  {:<28}  the numbers: names, units, settings and the robot inside", recording));
  }

  out.title("Try next");
  out.line("  catena info stanford_arm                                # what the robot is");
  out.line("  catena inverse stanford_arm --q 0,90deg,0.1,0,0,0       # what it takes to hold still");
  out.line(
      "  catena simulate planar_3r --duration 10 -o run.h5       # a triple pendulum; then catena view run.h5 -o "
      "run.html");
  out.line("  catena verify stanford_arm                              # independent algorithms compared");
  return success;
}

}  // namespace catena::cli
