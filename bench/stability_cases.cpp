#include "bench/stability_cases.hpp"

#include <Eigen/Dense>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <cmath>
#include <limits>

#include "bench/extended.hpp"
#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/model/builder.hpp"
#include "catena/model/generate.hpp"
#include "catena/reference/denoc.hpp"
#include "catena/reference/methods.hpp"
#include "catena/reference/noc.hpp"

namespace catena::stability {
namespace {

Vector drive(const Model& model, ConstVector q, ConstVector v, ConstVector tau) {
  return tau - bias_forces(model, q, v);
}

// The textbook's way: no thought of the tree, first coordinate first.
Vector by_plain_cholesky(const Model& model, ConstVector q, ConstVector v, ConstVector tau) {
  return mass_matrix(model, q).llt().solve(drive(model, q, v, tau));
}
Vector by_explicit_inverse(const Model& model, ConstVector q, ConstVector v, ConstVector tau) {
  return mass_matrix_inverse(model, q) * drive(model, q, v, tau);
}
Vector by_linearization(const Model& model, ConstVector q, ConstVector v, ConstVector tau) {
  return linearize_forward(model, q, v, tau, {}, LinearMethod::algorithm_4).a;
}
template <Vector (*solve)(const Model&, ConstVector, ConstVector, ConstVector, const ExternalLoads&)>
Vector plainly(const Model& model, ConstVector q, ConstVector v, ConstVector tau) {
  return solve(model, q, v, tau, {});
}
Vector by_conjugate_gradient(const Model& model, ConstVector q, ConstVector v, ConstVector tau) {
  return forward_dynamics_conjugate_gradient(model, q, v, tau).a;
}

// A chain whose k-th mass is `ratio` to the power k / (n - 1), sizes the same.
Description graded_chain(int n, double ratio) {
  Description robot = chain(n, {.shape = ChainShape::perpendicular});
  int k = 0;
  for (Body& body : robot.bodies) {
    if (!body.inertial) continue;
    const double factor = std::pow(ratio, k++ / double(n - 1));
    body.inertial->mass *= factor;
    body.inertial->inertia *= factor;
  }
  return robot;
}

// A point mass of 1 kg on an arm of 1 m, swinging on a free body of that mass and size times `size`.
Description floating_pendulum(double size) {
  Description robot;
  robot.name = "floating_pendulum";
  robot.bodies.push_back({.name = "base", .inertial = Inertial{size, {0, 0, 0.1}, size * 0.01 * Matrix3::Identity()}});
  robot.bodies.push_back({.name = "arm", .inertial = Inertial{1, {0, 0, -1}, 1e-12 * Matrix3::Identity()}});
  Joint joint = revolute("swing");
  joint.parent = "base", joint.child = "arm", joint.axis = {0, 1, 0};
  robot.joints.push_back(joint);
  make_floating(robot);
  return robot;
}

State at(const Description& robot, std::uint64_t seed, bool driven) {
  Model model(robot);
  const Vector q = random_configuration(model, seed), v = random_vector(model, seed + 100);
  if (!driven) return {model, q, v, Vector::Zero(model.nv())};
  return {model, q, v, inverse_dynamics(model, q, v, random_vector(model, seed + 200))};
}
State straight_chain(double size, std::uint64_t seed, bool driven) {
  State state = at(chain(static_cast<int>(size), {.shape = ChainShape::planar}), seed, false);
  state.q *= 0.01, state.v /= size;
  if (driven)
    state.tau = inverse_dynamics(state.model, state.q, state.v, random_vector(state.model, seed + 200) / size);
  return state;
}
State curled_chain(double size, std::uint64_t seed, bool driven) {
  return at(chain(static_cast<int>(size), {.seed = seed}), seed, driven);
}
State light_on_heavy(double size, std::uint64_t seed, bool driven) {
  return at(graded_chain(10, 1 / size), seed, driven);
}
State heavy_on_light(double size, std::uint64_t seed, bool driven) { return at(graded_chain(10, size), seed, driven); }
State light_base(double size, std::uint64_t seed, bool driven) { return at(floating_pendulum(1 / size), seed, driven); }

Quad absolute(const Quad& x) { return x < Quad(0) ? -x : x; }

double relative(const QuadVector& exact, const Vector& a) {
  Quad worst = 0, size = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const Quad off = absolute(Quad(a[static_cast<Eigen::Index>(i)]) - exact[i]);
    if (worst < off) worst = off;
    if (size < absolute(exact[i])) size = absolute(exact[i]);
  }
  return static_cast<double>(worst / size);
}

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> table = {
      {"articulated", "articulated bodies", true, plainly<forward_dynamics>, 100'000},
      {"denoc", "Saha's U D Uᵀ", true, plainly<forward_dynamics_denoc>, 100'000},
      {"diagonal", "quasi-velocities", true, plainly<forward_dynamics_diagonal>, 100'000},
      {"composite", "composite bodies, L D Lᵀ tips first", false, plainly<forward_dynamics_composite>, 1'000},
      {"cholesky", "composite bodies, Cholesky base first", false, by_plain_cholesky, 1'000},
      {"inverse", "composite bodies, explicit M⁻¹", false, by_explicit_inverse, 1'000},
      {"linearization", "a of Algorithm 4", false, by_linearization, 100},
      {"newton_columns", "columns of M by Newton–Euler, L D Lᵀ", false, plainly<forward_dynamics_newton_columns>,
       1'000},
      {"newton_symmetric", "half columns, L D Lᵀ", false, plainly<forward_dynamics_newton_symmetric>, 1'000},
      {"conjugate_gradient", "conjugate gradients", false, by_conjugate_gradient, 300},
      {"noc", "Angeles' complement, Cholesky", false, plainly<forward_dynamics_noc>, 100},
  };
  return table;
}

const std::vector<Family>& families(bool quick) {
  const auto powers = [&](double last) {
    std::vector<double> out;
    for (double x = 1; x <= last * 1.1; x *= quick ? 1e4 : 10) out.push_back(x);
    return out;
  };
  const std::vector<double> lengths =
      quick ? std::vector<double>{5, 20, 80} : std::vector<double>{2, 5, 10, 20, 50, 100, 200, 500, 1000};
  static const std::vector<Family> all = {
      {"straight", "planar chain, nearly straight, let go", "joints", lengths, straight_chain},
      {"curled", "chain of general joints, random pose", "joints", lengths, curled_chain},
      {"light_on_heavy", "10 joints, each link lighter than the last", "mass ratio", powers(1e12), light_on_heavy},
      {"heavy_on_light", "10 joints, each link heavier than the last", "mass ratio", powers(1e12), heavy_on_light},
      {"light_base", "pendulum on a free body", "mass ratio", powers(1e8), light_base},
  };
  return all;
}

Measured measure(const State& s) {
  const ExtendedDynamics extended_route(s.model);
  const QuadVector q = extended(s.q), v = extended(s.v), tau = extended(s.tau);
  const QuadVector exact = extended_route.forward(q, v, tau);
  const Matrix M = mass_matrix(s.model, s.q);
  const Vector root = M.diagonal().cwiseSqrt();
  const Matrix unit = root.cwiseInverse().asDiagonal() * M * root.cwiseInverse().asDiagonal();
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(unit, Eigen::EigenvaluesOnly).eigenvalues();
  const double norm = values.maxCoeff();
  const double least = std::max(values.minCoeff(), norm * std::numeric_limits<double>::epsilon());
  const double driving = drive(s.model, s.q, s.v, s.tau).cwiseQuotient(root).norm();
  Measured out{norm / least, {}};
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const Method& method : methods()) {
    Errors errors{none, none};
    if (s.model.nv() <= method.ceiling) {
      try {
        const Vector a = method.solve(s.model, s.q, s.v, s.tau);
        QuadVector missing = extended_route.inverse(q, v, extended(a));
        for (std::size_t i = 0; i < missing.size(); ++i) missing[i] -= tau[i];
        errors.forward = relative(exact, a);
        errors.backward = rounded(missing).cwiseQuotient(root).norm() / (norm * a.cwiseProduct(root).norm() + driving);
      } catch (const NumericalError&) {  // says that M is singular
      }
    }
    out.errors.push_back(errors);
  }
  return out;
}

double noise(const State& s, const Method& method, double step, int count) {
  const ExtendedDynamics extended_route(s.model);
  Vector before;
  double sum = 0, size = 0;
  for (int k = 0; k <= count; ++k) {
    const Vector q = integrate(s.model, s.q, k * step * s.v);
    const Vector exact = rounded(extended_route.forward(extended(q), extended(s.v), extended(s.tau)));
    const Vector error = method.solve(s.model, q, s.v, s.tau) - exact;
    if (k > 0) sum += (error - before).squaredNorm() / double(error.size());
    size = std::max(size, exact.cwiseAbs().maxCoeff());
    before = error;
  }
  return std::sqrt(sum / count) / size;
}

Run integrate(const State& start, const Method& method, double tolerance, double duration) {
  namespace odeint = boost::numeric::odeint;
  using Numbers = std::vector<double>;
  const int n = start.model.nv();  // q_dot = v
  Numbers x(start.q.begin(), start.q.end());
  x.insert(x.end(), start.v.begin(), start.v.end());
  const auto rate = [&](const Numbers& now, Numbers& x_dot, double) {
    const Eigen::Map<const Vector> q(now.data(), n), v(now.data() + n, n);
    Eigen::Map<Vector>(x_dot.data(), n) = v;
    Eigen::Map<Vector>(x_dot.data() + n, n) = method.solve(start.model, q, v, start.tau);
  };
  odeint::controlled_runge_kutta<odeint::runge_kutta_dopri5<Numbers>> stepper(
      odeint::default_error_checker<double, odeint::range_algebra, odeint::default_operations>(tolerance, tolerance));
  Run run;
  constexpr int most = 200'000;
  double t = 0, dt = 1e-4;
  while (t < duration && run.taken + run.rejected < most && dt > 1e-14) {
    dt = std::min(dt, duration - t);
    ++(stepper.try_step(rate, x, t, dt) == odeint::success ? run.taken : run.rejected);
  }
  run.whole = !(t < duration * (1 - 1e-12));
  return run;
}

}  // namespace catena::stability
