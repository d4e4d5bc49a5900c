// A study: stop a moving PUMA 560 from many states, with Control 8.1 in quasi-velocities and with joint dampers.
// Both know gravity. The dampers get the same rate c as the quasi-velocities where the arm is stretched out:
// D_ii = c M_ii(0). docs/control.md discusses the numbers.
#include <catena/control/controllers.hpp>
#include <catena/dynamics/mass_matrix.hpp>
#include <catena/read/robot.hpp>
#include <catena/simulate/simulation.hpp>
#include <catena/trajectory/trajectories.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace catena;

namespace {

constexpr double c = 3;  // 1/s

struct Stop {
  double time = 0;       // until 1 % of the kinetic energy is left
  double peak = 0;       // largest joint force, gravity's part included, N m
  double straggler = 0;  // energy left after the time that c promises, relative to the start
};

Stop stop(const Model& arm, std::shared_ptr<Controller> controller, const Vector& q, const Vector& v) {
  SimulationOptions options;
  options.duration = 10;
  options.every = 0.005;
  Simulation simulation(arm, std::move(controller), options);
  simulation.start(q, v);
  Recording rows;
  simulation.run(rows);
  const Vector time = rows.column("time"), kinetic = rows.column("energy.kinetic");
  const double promised = std::log(100.0) / (2 * c);
  Stop out;
  out.peak = rows.columns("tau").cwiseAbs().maxCoeff();
  for (int k = 0; k < time.size(); ++k) {
    if (kinetic[k] > 0.01 * kinetic[0]) out.time = time[k];
    if (time[k] <= promised) out.straggler = kinetic[k] / kinetic[0];
  }
  return out;
}

void report(const char* name, std::vector<Stop> stops) {
  const auto range = [&](auto member, const char* unit) {
    const auto [low, high] = std::minmax_element(stops.begin(), stops.end(),
                                                 [&](const Stop& a, const Stop& b) { return a.*member < b.*member; });
    std::printf("  %9.4g to %9.4g %-3s", (*low).*member, (*high).*member, unit);
  };
  std::printf("%-16s", name);
  range(&Stop::time, "s"), range(&Stop::straggler, ""), range(&Stop::peak, "N m");
  std::printf("\n");
}

}  // namespace

int main() {
  Description robot = read::robot("puma560").description;
  for (Joint& joint : robot.joints) joint.terms.damping = joint.terms.friction = 0;  // the laws alone brake
  const Model arm(robot);
  const Vector zero = Vector::Zero(arm.nq());
  const Vector damping = c * mass_matrix(arm, zero).diagonal();
  std::vector<Stop> in_nu, in_joints;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Vector q = random_configuration(arm, seed), v = random_vector(arm, seed + 100, 2);
    in_nu.push_back(stop(arm, diagonal_brake(arm, Vector::Constant(arm.nv(), c)), q, v));
    in_joints.push_back(stop(arm, pd_gravity(arm, standstill(arm, q), {Vector::Zero(arm.nv()), damping}), q, v));
  }
  std::printf("%-16s  %-27s  %-27s  %s\n", "20 stops of a PUMA", "time to 1 % of the energy",
              "energy left after 0.77 s", "largest joint force");
  report("Control 8.1", in_nu);
  report("joint dampers", in_joints);
}
