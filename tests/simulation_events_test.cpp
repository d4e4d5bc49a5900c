// What breaks a run into pieces: impacts, limits, ends, resuming, sampled and limited inputs.
#include <cmath>

#include "catena/control/controllers.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/simulate/impact.hpp"
#include "catena/trajectory/trajectories.hpp"
#include "simulation_support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

TEST(Impact, ReversesOneJointAndKeepsTheMomentumOfTheOthers) {
  const Model model = read::load("puma560");
  const Vector q = random_configuration(model, 1), before = random_vector(model, 2, 1);
  Vector after = before;
  const double lost = strike(model, q, 2, 0.6, after);
  EXPECT_NEAR(after[2], -0.6 * before[2], 1e-14);
  const Matrix M = mass_matrix(model, q);
  Vector blow = M * (after - before);
  blow[2] = 0;
  EXPECT_LT(blow.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(lost, 0.5 * before.dot(M * before) - 0.5 * after.dot(M * after), 1e-12);
  EXPECT_GT(lost, 0);
}

Model pendulum(double upper) {
  Builder builder("pendulum");
  Inertial bob{1.0, {0.5, 0, 0}, Matrix3::Identity() * 0.01};
  builder.add_body("rod", bob, revolute("hinge").about(0, -1, 0).limited(-10, upper));
  return builder.build();
}

TEST(Simulation, BouncesAtALimitWithTheRestitutionAsked) {
  // Falls from 0 to the stop at 1 rad: speed before follows from energy, speed after is half of it.
  const Model model = pendulum(10);
  Description robot = model.description();
  robot.joints[0].limits.lower = -1;
  const Model stopped(robot);
  SimulationOptions options;
  options.duration = 0.9;
  options.every = 0.01;
  options.at_limit = AtLimit::bounce;
  options.restitution = 0.5;
  for (const Method method : {Method::dopri5, Method::fehlberg78, Method::adams, Method::rk4, Method::euler}) {
    options.method = method;
    const SimulationResult run = simulate(stopped, zero_input(stopped), options, Vector::Zero(1), Vector::Zero(1));
    ASSERT_FALSE(run.outcome.events.empty()) << name_of(method);
    const double inertia = 0.01 + 0.25, speed = std::sqrt(2 * 9.81 * 0.5 * std::sin(1.0) / inertia);
    double lowest = 0, fastest = 0, kick = 0;
    for (const Vector& row : run.rows) {
      lowest = std::min(lowest, row[1]);
      fastest = std::min(fastest, row[2]);
      kick = std::max(kick, row[2]);
    }
    EXPECT_GE(lowest, -1 - 1e-9) << name_of(method);
    const double tolerance = method == Method::euler ? 0.2 : 0.1 * speed;
    EXPECT_NEAR(-fastest, speed, tolerance) << name_of(method);
    EXPECT_NEAR(kick, 0.5 * speed, tolerance) << name_of(method);
    if (method != Method::euler) {
      // Each blow takes three quarters of what the one before had left.
      double lost = 0, left = 0.5 * inertia * speed * speed;
      for (std::size_t k = 0; k < run.outcome.events.size(); ++k) lost += 0.75 * left, left *= 0.25;
      EXPECT_NEAR(run.outcome.energies.dissipated, lost, 1e-6) << name_of(method);
      EXPECT_LT(run.outcome.drift, 1e-7) << name_of(method);
    }
  }
}

TEST(Simulation, StopsAtALimitAndAtAThreshold) {
  Description robot = pendulum(10).description();
  robot.joints[0].limits.lower = -1;
  const Model model(robot);
  SimulationOptions options;
  options.duration = 5;
  options.at_limit = AtLimit::stop;
  const SimulationResult limit = simulate(model, zero_input(model), options, Vector::Zero(1), Vector::Zero(1));
  EXPECT_NEAR(limit.rows.back()[1], -1, 1e-9);
  EXPECT_NE(limit.outcome.reason.find("lower limit"), std::string::npos);

  options.at_limit = AtLimit::ignore;
  options.stops = {{"v.hinge", false, -2.0}};
  for (const Method method : {Method::dopri5, Method::fehlberg78, Method::adams, Method::rk4}) {
    options.method = method;
    const SimulationResult speed = simulate(model, zero_input(model), options, Vector::Zero(1), Vector::Zero(1));
    EXPECT_NEAR(speed.rows.back()[2], -2, 1e-8) << name_of(method);
    EXPECT_LT(speed.outcome.time, 1);
  }
  options.stops = {{"v.henge", false, -2.0}};
  EXPECT_THROW(simulate(model, zero_input(model), options, Vector::Zero(1), Vector::Zero(1)), std::invalid_argument);
}

TEST(Simulation, ALimitThatCatchesTheRobotEndsTheRun) {
  Description robot = pendulum(10).description();
  robot.joints[0].limits.lower = -1;
  const Model model(robot);
  SimulationOptions options;
  options.duration = 5;
  options.at_limit = AtLimit::bounce;
  options.restitution = 0;
  const SimulationResult run = simulate(model, zero_input(model), options, Vector::Zero(1), Vector::Zero(1));
  EXPECT_LT(run.outcome.time, 1);
  EXPECT_NE(run.outcome.reason.find("rest"), std::string::npos);
  EXPECT_NEAR(run.rows.back()[1], -1, 1e-9);
}

TEST(Simulation, EndsWhereTheInputDataEnds) {
  const Model model = read::load("planar_3r");
  Vector times(3);
  times << 0, 0.2, 0.35;
  const Matrix tau = Matrix::Ones(3, 3);
  SimulationOptions options;
  const SimulationResult run =
      simulate(model, series_input(model, times, tau), options, Vector::Zero(3), Vector::Zero(3));
  EXPECT_NEAR(run.outcome.time, 0.35, 1e-12);
  EXPECT_NE(run.outcome.reason.find("input"), std::string::npos);
}

TEST(Simulation, ResumesFixedStepRunsBitForBit) {
  const Model model = read::load("quadruped");
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2, 0.3);
  SimulationOptions options;
  options.duration = 0.4;
  options.every = 0.01;
  ActuationOptions sampled;
  sampled.period = 0.004;
  const auto controller = [&] {
    return pd_gravity(model, standstill(model, neutral_configuration(model)), uniform_gains(model, 1, 0.05));
  };
  for (const Method method : {Method::rk4, Method::euler}) {
    options.method = method;
    const SimulationResult whole = simulate(model, controller(), options, q, v, sampled);
    for (const std::size_t cut : {1u, 7u, 20u}) {
      Simulation rest(model, controller(), options, sampled);
      rest.start(q, v);
      rest.resume(whole.rows[cut], rest.initial_energy());
      std::size_t k = cut + 1;
      rest.run([&](ConstVector row) {
        ASSERT_LT(k, whole.rows.size());
        EXPECT_TRUE((row.array() == whole.rows[k].array()).all()) << name_of(method) << " row " << k;
        ++k;
      });
      EXPECT_EQ(k, whole.rows.size());
    }
  }
}

TEST(Simulation, StopsWhenAskedAndResumesWithinTolerance) {
  const Model model = read::load("stanford_arm");
  Vector q = Vector::Zero(6);
  q[1] = 1.5;
  SimulationOptions options;
  options.every = 0.1;
  Simulation first(model, zero_input(model), options);
  first.start(q, Vector::Zero(6));
  Vector last;
  const Outcome outcome = first.run([&](ConstVector row) { last = row; }, [](double time) { return time < 0.5; });
  EXPECT_FALSE(outcome.finished);
  Simulation second(model, zero_input(model), options);
  second.resume(last, first.initial_energy());
  second.run([&](ConstVector row) { last = row; });
  const SimulationResult whole = simulate(model, zero_input(model), options, q, Vector::Zero(6));
  EXPECT_LT((last - whole.rows.back()).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(Simulation, StopsBetweenTheRowsOfOneStep) {
  const Model model = without_losses("puma560");
  SimulationOptions options;
  options.every = 1e-6;  // thousands in a step
  Simulation simulation(model, zero_input(model), options);
  simulation.start(Vector::Zero(6), Vector::Zero(6));
  std::vector<Vector> rows;
  const Outcome outcome =
      simulation.run([&](ConstVector row) { rows.push_back(row); }, [&](double) { return rows.size() < 10; });
  EXPECT_FALSE(outcome.finished);
  EXPECT_EQ(rows.size(), 10u);
  EXPECT_EQ(outcome.time, rows.back()[0]);
  Simulation second(model, zero_input(model), options);
  second.resume(rows.back(), simulation.initial_energy());
  second.run([&](ConstVector row) { rows.push_back(row); }, [&](double) { return rows.size() < 12; });
  ASSERT_EQ(rows.size(), 12u);
  for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_NEAR(rows[k][0], 1e-6 * double(k), 1e-15);
}

TEST(Simulation, RefusesRowsAndSamplesBeyondAllUse) {
  const Model model = without_losses("puma560");
  SimulationOptions options;
  options.every = 1e-10;
  EXPECT_THROW(Simulation(model, zero_input(model), options), std::invalid_argument);
  options.every = 1e-9;  // the most
  Simulation(model, zero_input(model), options);
  options.every = 0.01;
  EXPECT_THROW(Simulation(model, zero_input(model), options, {.period = 1e-300}), std::invalid_argument);
  options.method = Method::rk4;
  options.accuracy.step = options.every = 1e-300;
  EXPECT_THROW(Simulation(model, zero_input(model), options), std::invalid_argument);
  options.every = 1;
  EXPECT_THROW(Simulation(model, zero_input(model), options), std::invalid_argument);
}

TEST(Actuation, HoldsSamplesDelaysAndClips) {
  Description robot = pendulum(10).description();
  robot.joints[0].limits.effort = 2;
  const Model model(robot);
  struct Clock : Controller {
    void forces(double time, ConstVector, ConstVector, VectorRef tau) override { tau[0] = 10 * time; }
  };
  ActuationOptions options;
  options.period = 0.1;
  options.delay = 0.05;
  options.limit_effort = true;
  SimulationOptions run;
  run.every = 0.01;
  const SimulationResult result =
      simulate(model, std::make_shared<Clock>(), run, Vector::Zero(1), Vector::Zero(1), options);
  const auto tau_at = [&](double time) { return result.rows[static_cast<std::size_t>(std::lround(100 * time))][3]; };
  EXPECT_EQ(tau_at(0.03), 0);
  EXPECT_EQ(tau_at(0.12), 0);          // sample of t = 0
  EXPECT_NEAR(tau_at(0.17), 1, 1e-9);  // sample of t = 0.1, from 0.15 on
  EXPECT_NEAR(tau_at(0.24), 1, 1e-9);
  EXPECT_NEAR(tau_at(0.26), 2, 1e-9);
  EXPECT_NEAR(tau_at(0.9), 2, 0);  // clipped
  ASSERT_FALSE(result.outcome.warnings.empty());
  EXPECT_LT(result.outcome.drift, 1e-8);
  EXPECT_THROW(Actuation(model, std::make_shared<Clock>(), {.period = 0, .delay = 0.1}), std::invalid_argument);
}

TEST(Simulation, ControlInQuasiVelocitiesBrakesAsPromised) {
  // Control 8.1: |nu| decays as exp(-c t) exactly.
  const Model model = without_losses("puma560");
  const Vector q = random_configuration(model, 8), v = random_vector(model, 9, 1);
  SimulationOptions options;
  options.every = 0.1;
  options.extra = {"nu"};
  const double c = 3;
  const SimulationResult run = simulate(model, diagonal_brake(model, Vector::Constant(6, c)), options, q, v);
  const double start = run.rows.front().tail(6).norm();
  for (const Vector& row : run.rows) EXPECT_NEAR(row.tail(6).norm(), start * std::exp(-c * row[0]), 1e-8 * start);
}

TEST(Simulation, ReachingKeepsItsLyapunovBalance) {
  LONG_TEST();
  // Control 8.2: L = nu' nu / 2 + e' W e / 2 changes by -nu' c nu and nothing else, all along the way.
  const Model model = without_losses("puma560");
  const Vector q = random_configuration(model, 4), goal_q = random_configuration(model, 5);
  DiagonalControlOptions law;
  law.c = Vector::Constant(6, 4);
  law.limit_effort = false;
  PoseGoal goal;
  goal.frame = model.frame_count() - 1;
  goal.goal = Kinematics(model, goal_q).pose(goal.frame);
  goal.position_weight = 200, goal.orientation_weight = 20;
  SimulationOptions options;
  options.every = 0.001;
  const SimulationResult run =
      simulate(model, diagonal_reach(model, goal, law.c), options, q, random_vector(model, 6, 0.5));
  std::vector<double> L, rate;
  for (const Vector& row : run.rows) {
    const DiagonalControl now = reach(model, q_of(model, row), v_of(model, row), goal, law);
    L.push_back(now.lyapunov), rate.push_back(now.rate);
  }
  EXPECT_LT(L.back(), 0.5 * L.front());
  double booked = L.front();
  for (std::size_t k = 2; k < L.size(); k += 2) {  // Simpson's rule
    booked += 0.001 / 3 * (rate[k - 2] + 4 * rate[k - 1] + rate[k]);
    EXPECT_NEAR(L[k], booked, 1e-6 * L.front()) << k;
    EXPECT_LE(L[k], L[k - 2]);
  }
}

TEST(Simulation, RefusesWhatMakesNoSense) {
  const Model model = read::load("planar_3r");
  const auto refused = [&](auto change) {
    SimulationOptions options;
    change(options);
    EXPECT_THROW(Simulation(model, zero_input(model), options), std::invalid_argument);
  };
  refused([](SimulationOptions& o) { o.duration = -1; });
  refused([](SimulationOptions& o) { o.duration = std::nan(""); });
  refused([](SimulationOptions& o) { o.every = 0; });
  refused([](SimulationOptions& o) { o.accuracy.rtol = 0; });
  refused([](SimulationOptions& o) { o.accuracy.rtol = 1e-17; });
  refused([](SimulationOptions& o) { o.restitution = 1.5; });
  refused([](SimulationOptions& o) { o.extra = {"w"}; });
  refused([](SimulationOptions& o) { o.method = Method::bdf, o.velocities = Velocities::nu; });
  refused([](SimulationOptions& o) { o.method = Method::rk4, o.every = 0.0015; });
  Simulation simulation(model, zero_input(model));
  EXPECT_THROW(simulation.run({}), std::invalid_argument);
  EXPECT_THROW(simulation.start(Vector::Zero(2), Vector::Zero(3)), std::invalid_argument);
}

}  // namespace
}  // namespace catena::test
