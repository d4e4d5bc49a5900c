// Derivatives of simulated motions, against differences of simulations in extended precision.
#include "catena/simulate/sensitivity.hpp"

#include "catena/control/controllers.hpp"
#include "catena/control/inputs.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/linear/regressor.hpp"
#include "catena/read/robot.hpp"
#include "catena/trajectory/trajectories.hpp"
#include "extended_simulation.hpp"
#include "operators_support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

// What is simulated; one number of it is moved at a time.
struct Experiment {
  Description robot;
  Vector q, v, tau;
  double kp = 0, kd = 0;  // springs and dampers to q = 0 in every joint, done by the controller; one-degree joints only
};

struct EndState {
  Vector q, v;
};
EndState end_state(const Experiment& experiment, double duration, int steps) {
  const ExtendedVector tau = experiment.tau.cast<Extended>();
  const Extended kp = experiment.kp, kd = experiment.kd;
  const bool controlled = kp != 0 || kd != 0;
  ExtendedSimulation simulation(Model(experiment.robot),
                                [&](Extended, const ExtendedVector& q, const ExtendedVector& v) {
                                  return controlled ? ExtendedVector(tau - kp * q - kd * v) : tau;
                                });
  const auto [q, v] = simulation.run(experiment.q, experiment.v, duration, steps);
  return {q, v};
}

// Moves the number of this name by t.
void change(Experiment& experiment, const std::string& name, double t) {
  const Model model(experiment.robot);
  const std::vector<std::string> joints = model.velocity_names();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (name == "q0." + joints[i]) experiment.q = integrate(model, experiment.q, t * Vector::Unit(model.nv(), i));
    if (name == "v0." + joints[i]) experiment.v[i] += t;
    if (name == "tau." + joints[i]) experiment.tau[i] += t;
  }
  if (name == "kp") experiment.kp += t;
  if (name == "kd") experiment.kd += t;
  for (int i = 0; i < 3; ++i)
    if (name == std::string("gravity.") + "xyz"[i]) experiment.robot.gravity[i] += t;
  for (Joint& joint : experiment.robot.joints)
    if (name == joint.name + ".damping") joint.terms.damping += t;
  // By the names of parameter.hpp: the robot made again.
  for (const Parameter& parameter : parameters(model))
    if (name == parameter.name && parameter.kind <= Parameter::Kind::inertia)
      experiment.robot = with_parameters(model, {{name, parameter.value + t}}).description();
  const std::vector<std::string> inertial = inertial_parameter_names(model);
  for (std::size_t i = 0; i < inertial.size(); ++i) {
    if (name != inertial[i]) continue;
    Body& body = experiment.robot.bodies[i / 10];
    Vector10 parameters = inertial_parameters(model).segment<10>(10 * (i / 10));
    parameters[i % 10] += t;
    body.inertial = inertial_from_parameters(parameters);
  }
}

// How far to move it: little enough for the robot to stay a robot.
double stride(const Experiment& experiment, const std::string& name) {
  const Model model(experiment.robot);
  const std::vector<std::string> inertial = inertial_parameter_names(model);
  for (std::size_t i = 0; i < inertial.size(); ++i) {
    if (name != inertial[i]) continue;
    const Vector10 parameters = inertial_parameters(model).segment<10>(10 * (i / 10));
    const double scale[] = {parameters[0], 0.1 * parameters[0], parameters.tail<6>().cwiseAbs().maxCoeff()};
    return 1e-3 * scale[i % 10 == 0 ? 0 : i % 10 < 4 ? 1 : 2];
  }
  if (name.find(".inertia.") != std::string::npos) return 1e-4;  // within what bodies can have
  return 1e-3;
}

// Central differences of sixth order.
Vector expected_column(const Experiment& experiment, const std::string& name, double duration, int steps) {
  const Model model(experiment.robot);
  const double h = stride(experiment, name);
  const EndState middle = end_state(experiment, duration, steps);
  const auto moved = [&](double t) {
    Experiment other = experiment;
    change(other, name, t);
    const EndState motion = end_state(other, duration, steps);
    Vector out(2 * model.nv());
    out << difference(model, middle.q, motion.q), motion.v;
    return out;
  };
  Vector sum = Vector::Zero(2 * model.nv());
  const double weights[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  for (int k = 1; k <= 3; ++k) sum += weights[k - 1] / h * (moved(k * h) - moved(-k * h));
  return sum;
}

SensitivityProblem problem_of(const Experiment& experiment, double duration, std::size_t columns = 16) {
  const Model model(experiment.robot);
  SensitivityProblem problem{model, constant_input(model, experiment.tau), experiment.q, experiment.v, duration};
  problem.inputs = {constant_force(model)};
  problem.robot = {ParameterKind::inertia, ParameterKind::damping, ParameterKind::gravity};
  // Every kind, not every number: each costs six simulations.
  const std::vector<std::string> names = sensitivity_names(problem);
  for (std::size_t i = 0; i < names.size(); i += 1 + names.size() / columns) problem.only.push_back(names[i]);
  return problem;
}

// Every column against differences of simulations with this many steps, relative to its largest entry.
void expect_columns(const Experiment& experiment, const SensitivityProblem& problem, int steps, double tolerance) {
  const EndState end = end_state(experiment, problem.duration, steps);
  const EndState finer = end_state(experiment, problem.duration, 2 * steps);
  ASSERT_LE(difference(problem.model, end.q, finer.q).cwiseAbs().maxCoeff(), 1e-13) << "the reference needs more steps";
  const TrajectorySensitivity found = trajectory_sensitivity(problem);
  ASSERT_FALSE(found.parameters.empty());
  EXPECT_LE(difference(problem.model, end.q, found.q[0]).cwiseAbs().maxCoeff(), tolerance);
  for (std::size_t c = 0; c < found.parameters.size(); ++c) {
    const Vector expected = expected_column(experiment, found.parameters[c], problem.duration, steps);
    // The differences end in doubles: what is left of a column of zeros is their rounding.
    const double rounding = 1e-15 / stride(experiment, found.parameters[c]);
    EXPECT_LE((found.S[0].col(c) - expected).cwiseAbs().maxCoeff(),
              tolerance * expected.cwiseAbs().maxCoeff() + rounding)
        << found.parameters[c];
  }
}

Experiment prepared(Description robot, std::uint64_t seed, double force) {
  Experiment experiment{std::move(robot), {}, {}, {}};
  const Model model(experiment.robot);
  experiment.q = random_configuration(model, seed);
  experiment.v = random_vector(model, seed + 1, 0.5);
  experiment.tau = random_vector(model, seed + 2, force);
  return experiment;
}

Experiment builtin(const std::string& name, double damping, double force) {
  Description robot = read::load(name).description();
  for (Joint& joint : robot.joints)
    if (joint.type != JointType::fixed) joint.terms.damping = damping, joint.terms.friction_scale = 2;
  return prepared(std::move(robot), 7, force);
}

// A body held by a frame, with mass, centre of mass and inertia of its own; and one that is not there yet.
Experiment carrying_payload() {
  Experiment experiment = builtin("planar_3r", 0.3, 0.5);
  const Model model(experiment.robot);
  const std::string held = "link3.payload";
  const Model with = with_parameters(model, {{held + ".mass", 0.7},
                                             {held + ".com.x", 0.1},
                                             {held + ".com.y", -0.05},
                                             {held + ".com.z", 0.2},
                                             {held + ".inertia.xx", 0.02},
                                             {held + ".inertia.yy", 0.03},
                                             {held + ".inertia.zz", 0.025},
                                             {held + ".inertia.xy", 0.002},
                                             {held + ".inertia.xz", -0.001},
                                             {held + ".inertia.yz", 0.003}});
  experiment.robot = with.description();
  return experiment;
}

// Every number of the payload and of a link, at the end and on the way.
TEST(Sensitivity, ByPayloadsAndNamedNumbersMatchesExtendedDifferencesOverTheWholeRun) {
  const Experiment experiment = carrying_payload();
  const Model model(experiment.robot);
  const std::string held = "link3", link = "link2";
  SensitivityProblem problem = problem_of(experiment, 0.4);
  problem.only.clear(), problem.inputs.clear(), problem.robot.clear();
  problem.initial_q = problem.initial_v = false;
  problem.named = {held + ".payload", link + ".inertial", "gravity.y"};
  const std::vector<double> times = {0.1, 0.25, 0.4};
  const TrajectorySensitivity found = trajectory_sensitivity(problem, times);
  ASSERT_EQ(found.parameters.size(), 21u);
  EXPECT_EQ(found.parameters[0], held + ".payload.mass");
  for (std::size_t k = 0; k < times.size(); ++k) {
    SCOPED_TRACE(times[k]);
    for (std::size_t c = 0; c < found.parameters.size(); c += k + 1 < times.size() ? 4 : 1) {
      const Vector expected = expected_column(experiment, found.parameters[c], times[k], 25);
      const double rounding = 1e-15 / stride(experiment, found.parameters[c]);
      EXPECT_LE((found.S[k].col(c) - expected).cwiseAbs().maxCoeff(),
                1e-8 * expected.cwiseAbs().maxCoeff() + 10 * rounding)
          << found.parameters[c];
    }
  }
  EXPECT_GT(found.S[2].col(1).cwiseAbs().maxCoeff(), 1e-3);  // where its centre of mass is matters
}

// What a payload adds where none is: of forces, not of motions, so that the robot without it need not be a robot.
TEST(Sensitivity, OfForcesByNamedParametersMatchesRobotsMadeAgain) {
  const Case c = random_case(3, uncoupled_trees(true));
  const std::string frame = c.model.frame_name(c.model.tip_frame());
  std::vector<std::string> names = {frame + ".payload.mass"};
  for (const Parameter& p : parameters(c.model))
    if (!p.payload && p.kind != Parameter::Kind::friction_scale) names.push_back(p.name);
  const std::vector<Parameter> list = parameters(c.model, names);
  const Sensitivity found = inverse_sensitivity(c.model, list, c.q, c.v, c.a);
  EXPECT_EQ(found.names, names);
  const double size = inverse_dynamics(c.model, c.q, c.v, c.a).cwiseAbs().maxCoeff();
  int tried = 0;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const auto at = [&](double value) {
      return inverse_dynamics(with_parameters(c.model, {{names[k], value}}), c.q, c.v, c.a);
    };
    const double h = list[k].payload ? 1e-3 : 1e-4 * std::max(0.01, std::abs(list[k].value)), x = list[k].value;
    try {
      // tau is at most quadratic in each of them, so that central differences are exact
      const Vector expected = list[k].payload ? Vector((at(h) - inverse_dynamics(c.model, c.q, c.v, c.a)) / h)
                                              : Vector((at(x + h) - at(x - h)) / (2 * h));
      EXPECT_SAME(found.derivative.col(k), expected, 1e-7, 1e-14 * size / h) << names[k];
      ++tried;
    } catch (const ModelError&) {  // no robot can be like that
    }
  }
  EXPECT_GT(tried, 20);
}

TEST(Sensitivity, OfThePlanarArmMatchesExtendedDifferences) {
  const Experiment experiment = builtin("planar_3r", 0.3, 0.5);
  expect_columns(experiment, problem_of(experiment, 0.5), 25, 1e-8);
}

TEST(Sensitivity, OfTheStanfordArmMatchesExtendedDifferences) {
  LONG_TEST();
  const Experiment experiment = builtin("stanford_arm", 0.01, 0.02);
  expect_columns(experiment, problem_of(experiment, 0.4), 20, 1e-8);
}

// Free, spherical and planar joints, screws, springs, a coupling. Damping and friction gentle enough for the explicit
// steps of the reference.
TEST(Sensitivity, OfEveryTypeOfJointMatchesExtendedDifferences) {
  LONG_TEST();
  const Experiment experiment = builtin("joints", 0.002, 0.01);
  expect_columns(experiment, problem_of(experiment, 0.05, 11), 25, 1e-8);
}

TEST(Sensitivity, OfRandomTreesMatchesExtendedDifferences) {
  LONG_TEST();
  TreeOptions options;
  options.max_bodies = 5;
  options.massless = false;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Experiment experiment = prepared(random_tree(seed, options), seed + 10, 0.1);
    expect_columns(experiment, problem_of(experiment, 0.2), 40, 1e-8);
  }
}

// The controller's part of the linear dynamics, and gains as parameters.
TEST(Sensitivity, UnderFeedbackMatchesExtendedDifferences) {
  LONG_TEST();
  Experiment experiment = builtin("planar_3r", 0.1, 0);
  experiment.kp = 12, experiment.kd = 2;
  const Model model(experiment.robot);
  SensitivityProblem problem = problem_of(experiment, 0.5);
  const JointGains gains = uniform_gains(model, experiment.kp, experiment.kd);
  problem.controller = pd(model, standstill(model, Vector::Zero(3)), gains);
  const auto by_gains = [](double, ConstVector q, ConstVector v, MatrixRef by_p) {
    by_p.col(0) = -q;
    by_p.col(1) = -v;
  };
  problem.inputs.push_back({{"kp", "kd"}, by_gains});
  problem.only.insert(problem.only.end(), {"kp", "kd"});
  expect_columns(experiment, problem, 25, 1e-8);
}

// Speed at the end, effort and power on the way.
class Effort : public Cost {
 public:
  explicit Effort(const Model& model) : weights_(random_vector(model, 5)) {}
  double final(ConstVector, ConstVector v) const override { return 0.5 * v.squaredNorm(); }
  void final_gradient(ConstVector, ConstVector v, VectorRef by_q, VectorRef by_v) const override {
    by_q.setZero();
    by_v = v;
  }
  double running(double time, ConstVector, ConstVector v, ConstVector tau) const override {
    return time * weights_.dot(v) + 0.5 * tau.squaredNorm() + tau.dot(v);
  }
  void running_gradient(double time, ConstVector, ConstVector v, ConstVector tau, VectorRef by_q, VectorRef by_v,
                        VectorRef by_tau) const override {
    by_q.setZero();
    by_v = time * weights_ + tau;
    by_tau = tau + v;
  }

 private:
  Vector weights_;
};

// One number of the end.
class Component : public Cost {
 public:
  explicit Component(Eigen::Index row) : row_(row) {}
  void final_gradient(ConstVector, ConstVector v, VectorRef by_q, VectorRef by_v) const override {
    Vector unit = Vector::Unit(2 * v.size(), row_);
    by_q = unit.head(v.size());
    by_v = unit.tail(v.size());
  }

 private:
  Eigen::Index row_;
};

// At every instant the whole run has what a run that ends there has; by the adjoint too.
TEST(Sensitivity, OverTheWholeRunIsThatOfRunsThatEndThere) {
  const Experiment experiment = carrying_payload();
  SensitivityProblem problem = problem_of(experiment, 0.4);
  problem.only.clear();
  problem.named = {"link2.com"};
  const std::vector<double> times = {0, 0.1, 0.2, 0.3, 0.4};
  const TrajectorySensitivity all = trajectory_sensitivity(problem, times);
  ASSERT_EQ(all.S.size(), times.size());
  for (std::size_t k = 1; k < times.size(); ++k) {
    problem.duration = times[k];
    EXPECT_CLOSE(trajectory_sensitivity(problem).S[0], all.S[k], 1e-8) << times[k];
  }
  const CostGradient adjoint = cost_gradient(problem, Component(4));
  EXPECT_EQ(adjoint.parameters, all.parameters);
  EXPECT_CLOSE(adjoint.gradient, Vector(all.S.back().row(4).transpose()), 1e-8);
}

TEST(CostGradient, ByTheAdjointEqualsForwardSensitivity) {
  LONG_TEST();
  for (const char* name : {"planar_3r", "stanford_arm", "joints"}) {
    SCOPED_TRACE(name);
    const Experiment experiment = builtin(name, 0.002, 0.01);
    // the ball of joints flies off: in twice the time its sensitivities grow a millionfold
    SensitivityProblem problem = problem_of(experiment, std::string(name) == "joints" ? 0.05 : 0.1);
    problem.only.clear();
    problem.robot.push_back(ParameterKind::placement);
    const TrajectorySensitivity forward = trajectory_sensitivity(problem);
    for (Eigen::Index row = 0; row < forward.S[0].rows(); row += 7) {
      const CostGradient adjoint = cost_gradient(problem, Component(row));
      EXPECT_EQ(adjoint.parameters, forward.parameters);
      const Vector expected = forward.S[0].row(row).transpose();
      EXPECT_CLOSE(adjoint.gradient, expected, 1e-8) << forward.rows[row];
    }
  }
}

// The same by forward sensitivities at many times and Simpson's rule; kp, kd: the controller's d tau / dq and dv.
void expect_running_cost(const SensitivityProblem& problem, double kp, double kd) {
  const Effort cost(problem.model);
  const CostGradient adjoint = cost_gradient(problem, cost);
  constexpr int intervals = 2000;
  std::vector<double> grid;
  for (int k = 0; k <= intervals; ++k) grid.push_back(problem.duration * k / intervals);
  const TrajectorySensitivity forward = trajectory_sensitivity(problem, grid);
  ASSERT_EQ(forward.times.size(), grid.size());
  const int nv = problem.model.nv();
  Vector by_q(nv), by_v(nv), by_tau(nv), force(nv);
  const auto change = [&](int k, const Vector& with_q, const Vector& with_v) {
    return Vector(forward.S[k].topRows(nv).transpose() * with_q + forward.S[k].bottomRows(nv).transpose() * with_v);
  };
  double value = cost.final(forward.q.back(), forward.v.back());
  cost.final_gradient(forward.q.back(), forward.v.back(), by_q, by_v);
  Vector gradient = change(intervals, by_q, by_v);
  for (int k = 0; k <= intervals; ++k) {
    const double weight = (k == 0 || k == intervals ? 1 : k % 2 == 1 ? 4 : 2) * problem.duration / intervals / 3;
    const double t = std::min(grid[k], problem.duration - 1e-15);  // just before the last corner
    problem.controller->forces(t, forward.q[k], forward.v[k], force);
    value += weight * cost.running(t, forward.q[k], forward.v[k], force);
    cost.running_gradient(t, forward.q[k], forward.v[k], force, by_q, by_v, by_tau);
    gradient += weight * change(k, by_q - kp * by_tau, by_v - kd * by_tau);
    Eigen::Index column = 2 * nv;
    for (const InputParameters& input : problem.inputs) {
      Matrix by_p(nv, input.names.size());
      input.forces(t, forward.q[k], forward.v[k], by_p);
      gradient.segment(column, by_p.cols()) += weight * by_p.transpose() * by_tau;
      column += by_p.cols();
    }
  }
  EXPECT_NEAR(adjoint.value, value, 1e-9 * std::abs(value));
  EXPECT_CLOSE(adjoint.gradient, gradient, 1e-8);
}

TEST(CostGradient, OfARunningCostWithCornersInTheInputMatchesForwardSensitivities) {
  const Experiment experiment = builtin("planar_3r", 0.1, 0);
  const Model model(experiment.robot);
  const Vector times = (Vector(4) << 0, 0.1, 0.25, 0.5).finished();
  Matrix tau(4, 3);
  tau << 1, 0, -1, 2, 1, 0, -1, 0, 1, 0, 0, 0;
  SensitivityProblem problem = problem_of(experiment, 0.5);
  problem.controller = series_input(model, times, tau);
  problem.inputs.push_back(force_time_series(model, {0, 0.1, 0.25, 0.5}));
  problem.only.clear();
  expect_running_cost(problem, 0, 0);
}

TEST(CostGradient, OfARunningCostUnderFeedbackMatchesForwardSensitivities) {
  const Experiment experiment = builtin("planar_3r", 0.1, 0);
  const Model model(experiment.robot);
  SensitivityProblem problem = problem_of(experiment, 0.5);
  problem.controller = pd(model, standstill(model, Vector::Zero(3)), uniform_gains(model, 12, 2));
  problem.only.clear();
  expect_running_cost(problem, 12, 2);
}

// Dampers of light parts: rates of 6000/s. bdf goes over them in long steps and finds the same.
TEST(Sensitivity, OfAStiffRobotByBdfEqualsAdams) {
  LONG_TEST();
  const Experiment experiment = prepared(read::load("joints").description(), 7, 0.01);
  SensitivityProblem problem = problem_of(experiment, 0.1);
  problem.only = {"q0.screw",  "v0.screw", "tau.screw",           "screw.damping",
                  "gravity.z", "v0.hinge", "tau.sleeve_on_post.0"};
  EXPECT_EQ(suggested_method(problem), Method::adams);
  problem.duration = 1;
  EXPECT_EQ(suggested_method(problem), Method::bdf);
  problem.duration = 0.1;
  const TrajectorySensitivity adams = trajectory_sensitivity(problem);
  problem.method = Method::bdf;
  const TrajectorySensitivity bdf = trajectory_sensitivity(problem);
  EXPECT_CLOSE(bdf.S[0], adams.S[0], 1e-8);
  const CostGradient adjoint = cost_gradient(problem, Component(3));
  EXPECT_CLOSE(adjoint.gradient, Vector(adams.S[0].row(3).transpose()), 1e-8);
}

TEST(Sensitivity, RefusesWhatItCannotDoAndSaysWhy) {
  const Experiment experiment = builtin("planar_3r", 0.1, 0.1);
  const auto message = [&](const std::function<void(SensitivityProblem&)>& spoil) {
    SensitivityProblem problem = problem_of(experiment, 0.1);
    spoil(problem);
    try {
      trajectory_sensitivity(problem);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const auto says = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(says(message([](auto& p) { p.actuation.period = 0.01; }), "continuous control"));
  EXPECT_TRUE(says(message([](auto& p) { p.only = {"link1.mass"}; }), "link1.mass"));
  EXPECT_TRUE(says(message([](auto& p) { p.inputs.push_back(p.inputs[0]); }), "twice"));
  EXPECT_TRUE(says(message([](auto& p) { p.duration = -1; }), "duration"));
  EXPECT_TRUE(says(message([](auto& p) { p.method = Method::rk4; }), "adams"));
  EXPECT_TRUE(says(message([](auto& p) { p.controller = nullptr; }), "controller"));
  EXPECT_TRUE(says(message([](auto& p) { p.named = {"link1.mss"}; }), "did you mean \"link1.mass\""));
  SensitivityProblem problem = problem_of(experiment, 0.1);
  EXPECT_MESSAGE(differentiate_by(problem, {"inertai"}), "did you mean \"inertia\"");
  EXPECT_MESSAGE(differentiate_by(problem, {"link1.payload.weight"}), "has no parameter 'link1.payload.weight'");
  EXPECT_TRUE(says(
      message([](auto& p) { p.controller = series_input(p.model, Vector::LinSpaced(2, 0, 0.05), Matrix::Zero(2, 3)); }),
      "input data ends"));
}

}  // namespace
}  // namespace catena::test
