// catena inverse --trajectory: joint forces along a whole motion, CSV in and CSV out; peak and rms per joint.
#include "cli/trajectory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "catena/dynamics/inverse.hpp"
#include "catena/read/state.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

// One row of tau per row of the motion.
Matrix forces_along(const read::Trajectory& motion, const Options& options, const Model& model,
                    const Conditions& conditions) {
  Matrix tau(motion.size(), model.nv());
  Workspace workspace(model);
  Vector q(model.nq()), v(model.nv()), a(model.nv()), forces(model.nv());
  Progress progress("inverse dynamics", motion.size());
  for (int k = 0; k < motion.size(); ++k) {
    q = motion.q.row(k), v = motion.v.row(k), a = motion.a.row(k);
    const auto place = [&] {
      return fmt::format("{}:{}", options.trajectory, motion.lines[static_cast<std::size_t>(k)]);
    };
    try {
      inverse_dynamics(model, workspace, q, v, a, forces, conditions);
    } catch (const std::invalid_argument& error) {
      throw DataError(fmt::format("{}: {}", place(), error.what()));
    }
    if (!forces.allFinite())
      throw NumericalError(fmt::format("{}: the forces are not finite: the state is too large", place()), "");
    tau.row(k) = forces;
    if (k % 1024 == 0) progress.step(k);
  }
  return tau;
}

std::string csv_name(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void write_csv(Output& out, const Vector& time, const Matrix& tau, const std::vector<std::string>& names) {
  std::string line = time.size() > 0 ? "time" : "row";
  for (const std::string& name : names) line += fmt::format(",{}", csv_name("tau." + name));
  out.line(line);
  for (Eigen::Index k = 0; k < tau.rows(); ++k) {
    line = time.size() > 0 ? fmt::format("{}", time(k)) : fmt::format("{}", k);
    for (Eigen::Index i = 0; i < tau.cols(); ++i) fmt::format_to(std::back_inserter(line), ",{}", tau(k, i));
    out.line(line);
  }
}

// On stderr, so that the CSV on stdout stays clean.
void print_summary(const Model& model, const Vector& peak, const Vector& rms, int rows) {
  const std::vector<std::string> names = model.velocity_names();
  const std::vector<Units> units = velocity_units(model);
  std::size_t width = 5;
  for (const std::string& name : names) width = std::max(width, display_width(name));
  fmt::print(stderr, "{} of {}; largest and root mean square force per joint:\n",
             counted(static_cast<std::size_t>(rows), "row"), printable(model.name()));
  for (int i = 0; i < model.nv(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    fmt::print(stderr, "  {:<{}}  peak {:>11}  rms {:>11}  {}\n", printable(names[k]), width, number(peak(i)),
               number(rms(i)), units[k].force);
  }
}

}  // namespace

int run_trajectory(const Options& options, const Model& model, const Conditions& conditions, Output& out) {
  if (!options.q.empty() || !options.v.empty() || !options.a.empty() || !options.state_file.empty() || options.random)
    throw UsageError("--trajectory brings its own q, v and a: leave out --q, --v, --a, --state and --random");
  if (options.joint_wrenches) throw UsageError("--wrenches is for a single state, not for --trajectory");
  const read::Trajectory motion = read::trajectory(model, options.trajectory);
  if (motion.size() == 0) throw DataError(fmt::format("{}: no rows below the header", options.trajectory));
  const Matrix tau = forces_along(motion, options, model, conditions);
  const Vector peak = tau.cwiseAbs().colwise().maxCoeff().transpose();
  const Vector rms = (tau.colwise().norm() / std::sqrt(double(tau.rows()))).transpose();
  if (out.json()) {
    Json json;
    add_joints(json, model);
    if (motion.time.size() > 0) json.add("time", motion.time);
    out.line(json.add_matrix("tau", tau).add("peak", peak).add("rms", rms).text());
    return success;
  }
  write_csv(out, motion.time, tau, model.velocity_names());
  print_summary(model, peak, rms, motion.size());
  return success;
}

}  // namespace catena::cli
