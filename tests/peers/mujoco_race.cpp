// Simulated seconds per second of computing, at 1 kHz with semi-implicit Euler: MuJoCo and Catena on the same robot, in
// turns within one run, results compared first. Usage: mujoco_race [ROBOT]   (default: arm7)
#include <fmt/format.h>

#include "catena/control/inputs.hpp"
#include "catena/read/robot.hpp"
#include "catena/simulate/simulation.hpp"
#include "cli/timing.hpp"
#include "mujoco_model.hpp"

namespace {

using namespace catena;

double seconds_of(auto work) {
  const auto start = cli::Clock::now();
  work();
  return cli::seconds_since(start);
}

}  // namespace

int main(int argc, char** argv) {
  Description robot = read::robot(argc > 1 ? argv[1] : "arm7").description;
  for (Joint& joint : robot.joints) joint.terms.damping = joint.terms.friction = 0;  // treated differently by the two
  const Model model(robot);
  if (model.nq() != model.nv()) return fmt::print("one-degree joints only\n"), 1;
  const Vector q = Vector::Constant(model.nq(), 0.3), v = Vector::Zero(model.nv());

  SimulationOptions options;
  options.method = Method::euler;
  options.accuracy.step = 1e-3;
  const auto ours = [&](double duration) {
    options.duration = duration;
    options.every = duration;
    Simulation simulation(model, zero_input(model), options);
    simulation.start(q, v);
    Vector last;
    simulation.run([&](ConstVector row) { last = row; });
    return last;
  };
  const peers::MujocoRobot other(peers::robot_of(model));
  mjModel* const m = other.model();
  mjData* const d = other.data();
  m->opt.timestep = 1e-3;
  m->opt.integrator = mjINT_EULER;
  const auto theirs = [&](double duration) {
    mj_resetData(m, d);
    for (int i = 0; i < model.nq(); ++i) d->qpos[i] = q[i];
    const long steps = std::lround(duration * 1000);
    for (long k = 0; k < steps; ++k) mj_step(m, d);
  };

  theirs(0.1);
  const Vector row = ours(0.1);
  double apart = 0;
  for (int i = 0; i < model.nq(); ++i) apart = std::max(apart, std::abs(row[1 + i] - d->qpos[i]));
  fmt::print("{}: after 0.1 s positions agree to {:.1e}\n", model.name(), apart);
  if (apart > 1e-9) return fmt::print("not the same simulation\n"), 1;

  constexpr double duration = 10;
  std::vector<double> a, b, ratio;
  for (int k = 0; k < 9; ++k) {
    const double t_theirs = seconds_of([&] { theirs(duration); }), t_ours = seconds_of([&] { ours(duration); });
    a.push_back(duration / t_ours), b.push_back(duration / t_theirs), ratio.push_back(t_theirs / t_ours);
  }
  fmt::print("simulated seconds per second (1 kHz): Catena {:.0f}, MuJoCo {} {:.0f}\n", cli::quantile(a, 0.5),
             mj_versionString(), cli::quantile(b, 0.5));
  fmt::print("ratio {:.2f} (from {:.2f} to {:.2f} over {} turns)\n", cli::quantile(ratio, 0.5), cli::quantile(ratio, 0),
             cli::quantile(ratio, 1), ratio.size());
}
