// Kozlowski's comparison of the equations of motion in v, xi and nu, run: what each of them costs, how accurate its
// accelerations are beside long double, and what an integrator makes of it. Used by the program of the study and by its test.
// Source: [000] section 6; formula sheet 4.9. What came out: docs/studies/quasi_velocities.md.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "catena/compile/diagonal_sweeps.hpp"
#include "catena/control/inputs.hpp"
#include "catena/count/count.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse_kernel.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/kinematics/link_pose.hpp"
#include "catena/machine/machine_code.hpp"
#include "catena/model/reduced_tree.hpp"
#include "catena/read/robot.hpp"
#include "catena/simulate/simulation.hpp"

namespace catena::study {

constexpr std::array<Velocities, 3> all_velocities = {Velocities::v, Velocities::xi, Velocities::nu};
constexpr std::array<const char*, 3> names = {"v", "xi", "nu"};
constexpr std::array<Function, 3> functions = {Function::forward, Function::forward_xi, Function::forward_nu};

inline std::size_t place_of(Velocities velocities) { return static_cast<std::size_t>(velocities); }

// Nothing rubs and nothing springs, so that energy is kept; without gravity a free motion.
inline Model conservative(const std::string& name, bool gravity) {
  Description robot = read::robot(name).description;
  for (Joint& joint : robot.joints) joint.terms.damping = joint.terms.friction = joint.terms.stiffness = 0;
  if (!gravity) robot.gravity = Vector3::Zero();
  return Model(robot);
}

// Operations of the algorithm in the frames of the papers (articulated bodies for v), and of the program made for the robot.
struct Cost {
  Operations algorithm, program;
};
inline std::array<Cost, 3> costs(const Model& model) {
  constexpr std::array<const char*, 3> algorithms = {"forward_articulated", "forward_xi", "forward_nu"};
  std::array<Cost, 3> out;
  const std::vector<AlgorithmCount> counts = count_operations(model);
  for (std::size_t k = 0; k < 3; ++k) {
    for (const AlgorithmCount& count : counts)
      if (count.name == algorithms[k]) out[k].algorithm = count.operations;
    out[k].program = CompiledFunction(model, functions[k]).program().operations();
  }
  return out;
}

// v_dot, xi_dot and nu_dot by the library's own kernels and its own constants, in long double.
class Extended {
 public:
  using S = long double;
  explicit Extended(const Model& model) : model_(model), links_(model.reduced()) {}

  Vector rate(Velocities velocities, const Vector& q, const Vector& y, const Vector& tau, Vector& remainder) {
    const Tree& tree = model_.reduced().tree;
    const std::vector<S> wide_q(q.begin(), q.end()), wide_y(y.begin(), y.end()), wide_tau(tau.begin(), tau.end());
    kernel::update_links(model_.reduced(), wide_q.data(), links_);
    std::vector<S> out(wide_y.size());
    if (velocities == Velocities::v) {
      kernel::NewtonEuler<S> still(tree);
      kernel::Articulated<S> articulated(tree);
      kernel::articulated_sweeps<S>(tree, links_.X, wide_y.data(), wide_tau.data(), kernel::resting_ground<S>(tree),
                                    nullptr, still, articulated, out.data());
    } else {
      compile::DiagonalSweeps<S, double> sweeps(tree, links_.X, velocities == Velocities::nu);
      out = sweeps.forward(sweeps.velocity(wide_y), wide_tau);
    }
    Vector rounded(y.size());
    remainder.resize(y.size());
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      rounded[i] = static_cast<double>(out[static_cast<std::size_t>(i)]);
      remainder[i] = static_cast<double>(out[static_cast<std::size_t>(i)] - rounded[i]);
    }
    return rounded;
  }

 private:
  Model model_;
  kernel::LinkPoses<S> links_;
};

// Rounding errors of the three rates at random states, in one measure for all: the norm of the kinetic energy (|nu_dot|,
// which is D and M for the others), over that of v_dot, in units of 2^-53. Joints with v = dq/dt.
struct Errors {
  std::array<std::vector<double>, 3> of;  // by state

  double median(std::size_t k) const {
    std::vector<double> sorted = of[k];
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  double largest(std::size_t k) const { return *std::max_element(of[k].begin(), of[k].end()); }
};
inline Errors errors(const Model& model, int states) {
  Errors out;
  Extended extended(model);
  DiagonalForm form(model);
  for (int s = 1; s <= states; ++s) {
    const auto seed = static_cast<std::uint64_t>(s);
    const Vector q = random_configuration(model, seed), v = random_vector(model, seed + 1000, 2),
                 tau = random_vector(model, seed + 2000, 10);
    form.update(q);
    const Matrix M = mass_matrix(model, q), D = form.D();
    const Vector xi = form.xi(v), nu = form.nu(v);
    const Vector a = forward_dynamics(model, q, v, tau);
    const std::array<Vector, 3> y = {v, xi, nu};
    const std::array<Vector, 3> rates = {a, forward_dynamics_xi(form, q, xi, tau).rate,
                                         forward_dynamics_nu(form, q, nu, tau).rate};
    const double size = std::sqrt(a.dot(M * a));
    for (std::size_t k = 0; k < 3; ++k) {
      Vector remainder;
      Vector error = rates[k] - extended.rate(all_velocities[k], q, y[k], tau, remainder);
      error -= remainder;
      const double square = k == 0 ? error.dot(M * error) : k == 1 ? error.dot(D * error) : error.squaredNorm();
      out.of[k].push_back(std::sqrt(square) / size * 0x1p53);
    }
  }
  return out;
}

// A second of motion from a random state.
struct Run {
  long steps = 0, rejected = 0, evaluations = 0;
  double energy_error = 0;  // over the kinetic energy, or more if more moved
  Vector q;                 // at the end; infinite if it came to none
};
inline Run run(const Model& model, Velocities velocities, std::uint64_t seed, Method method, const Accuracy& accuracy) {
  SimulationOptions options;
  options.duration = options.every = 1;
  options.method = method;
  options.accuracy = accuracy;
  options.velocities = velocities;
  Simulation simulation(model, zero_input(model), options);
  simulation.start(random_configuration(model, seed), random_vector(model, seed + 1000, 2));
  Run out;
  Outcome outcome;
  try {
    outcome = simulation.run([&](ConstVector row) { out.q = row.segment(1, model.nq()); });
  } catch (const NumericalError&) {  // steps of fixed length that were too long
    out.q.setConstant(model.nq(), std::numeric_limits<double>::infinity());
    out.energy_error = std::numeric_limits<double>::infinity();
    return out;
  }
  out.steps = outcome.steps, out.rejected = outcome.rejected, out.evaluations = outcome.evaluations;
  out.energy_error = outcome.drift;
  return out;
}
inline Run run_to(const Model& model, Velocities velocities, std::uint64_t seed, double tolerance) {
  return run(model, velocities, seed, Method::dopri5, {.rtol = tolerance, .atol = tolerance});
}
// Where it really ends, to about 1e-12.
inline Vector truth(const Model& model, std::uint64_t seed) {
  return run(model, Velocities::v, seed, Method::fehlberg78, {.rtol = 1e-14, .atol = 1e-14}).q;
}

}  // namespace catena::study
