// Simulations against the reference falls, against each other, and against the laws of energy.
#include <cmath>

#include "catena/control/controllers.hpp"
#include "catena/trajectory/trajectories.hpp"
#include "simulation_support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

class FreeFall : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(FreeFall, MatchesTheReferenceAtEveryRow) {
  const auto [name, method] = GetParam();
  const Json reference =
      read_reference("free_fall_examples").at(std::string(name) == "planar_3r" ? "planar" : "stanford");
  const Model model = read::load(name);
  SimulationOptions options;
  options.method = *method_from(method);
  if (options.method == Method::rk4 || options.method == Method::euler) LONG_TEST();
  options.every = 0.1;
  options.accuracy.step = 1e-4;
  // The suites control the error per step; multistep methods let more of it add up.
  const bool multistep = options.method == Method::adams || options.method == Method::bdf;
  if (multistep) options.accuracy.rtol = options.accuracy.atol = 1e-12;
  const Vector q = vector_from(reference.at("initial_q")), v = vector_from(reference.at("initial_v"));
  const SimulationResult run = simulate(model, zero_input(model), options, q, v);
  ASSERT_EQ(run.rows.size(), 11u);
  const double tolerance = options.method == Method::euler ? 2e-3 : 1e-9;
  for (const Json& row : reference.at("rows")) {
    const auto k = static_cast<std::size_t>(std::lround(row.at("t").get<double>() * 10));
    EXPECT_NEAR(run.rows[k][0], row.at("t").get<double>(), 1e-12);
    EXPECT_LT((q_of(model, run.rows[k]) - vector_from(row.at("q"))).cwiseAbs().maxCoeff(), tolerance) << k;
  }
  EXPECT_LT(run.outcome.drift, options.method == Method::euler ? 2e-3 : 1e-9);
}
INSTANTIATE_TEST_SUITE_P(Methods, FreeFall,
                         ::testing::Combine(::testing::Values("planar_3r", "stanford_arm"),
                                            ::testing::Values("dopri5", "fehlberg78", "cash_karp", "adams", "bdf",
                                                              "verner65", "rk4", "euler")),
                         [](const auto& p) { return std::string(std::get<0>(p.param)) + "_" + std::get<1>(p.param); });

TEST(Simulation, DenseOutputIsAsAccurateAsTheSteps) {
  LONG_TEST();
  const Model model = read::load("stanford_arm");
  Vector q = Vector::Zero(6);
  q[1] = 1.5;
  SimulationOptions fine;
  fine.every = 0.01;
  SimulationOptions exact = fine;
  exact.method = Method::rk4;
  exact.accuracy.step = 1e-4;
  const SimulationResult truth = simulate(model, zero_input(model), exact, q, Vector::Zero(6));
  for (const Method method : {Method::dopri5, Method::adams}) {
    fine.method = method;
    fine.accuracy.rtol = fine.accuracy.atol = method == Method::adams ? 1e-12 : 1e-10;
    const SimulationResult run = simulate(model, zero_input(model), fine, q, Vector::Zero(6));
    ASSERT_EQ(run.rows.size(), truth.rows.size());
    for (std::size_t k = 0; k < run.rows.size(); ++k)
      EXPECT_LT((q_of(model, run.rows[k]) - q_of(model, truth.rows[k])).cwiseAbs().maxCoeff(), 2e-9)
          << name_of(method) << " row " << k;
  }
}

TEST(Simulation, QuasiVelocitiesTellTheSameStory) {
  LONG_TEST();
  for (const char* name : {"stanford_arm", "joints", "quadruped"}) {
    const Model model = read::load(name);
    const Vector q = random_configuration(model, 3), v = random_vector(model, 4, 0.5);
    SimulationOptions options;
    options.duration = 0.3;
    options.every = 0.1;
    options.method = Method::fehlberg78;
    options.accuracy.rtol = options.accuracy.atol = 1e-11;
    const SimulationResult plain = simulate(model, zero_input(model), options, q, v);
    for (const Velocities velocities : {Velocities::xi, Velocities::nu}) {
      options.velocities = velocities;
      const SimulationResult run = simulate(model, zero_input(model), options, q, v);
      ASSERT_EQ(run.rows.size(), plain.rows.size());
      for (std::size_t k = 0; k < run.rows.size(); ++k)
        EXPECT_LT((run.rows[k] - plain.rows[k]).cwiseAbs().maxCoeff(), 1e-7 * (1 + plain.rows[k].cwiseAbs().maxCoeff()))
            << name;
    }
  }
}

TEST(Simulation, QuaternionsStayUnitAndMomentumStays) {
  // A free robot without gravity: linear and angular momentum about the centre of mass are constants.
  Description robot = read::robot("quadruped").description;
  robot.gravity.setZero();
  for (Joint& joint : robot.joints) joint.terms = {};
  const Model model(robot);
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2, 1);
  SimulationOptions options;
  options.duration = 2;
  options.every = 0.5;
  for (const Method method : {Method::dopri5, Method::fehlberg78, Method::adams, Method::rk4}) {
    options.method = method;
    const SimulationResult run = simulate(model, zero_input(model), options, q, v);
    Kinematics kinematics(model, q, v);
    const Vector6 momentum = kinematics.momentum();
    for (const Vector& row : run.rows) {
      const Vector now = q_of(model, row);
      EXPECT_NEAR(now.segment(3, 4).norm(), 1, 4e-16);
      kinematics.update(now, v_of(model, row));
      EXPECT_LT((kinematics.momentum() - momentum).cwiseAbs().maxCoeff(), 1e-7) << name_of(method);
    }
    EXPECT_LT(run.outcome.drift, 1e-7) << name_of(method);
  }
}

TEST(Simulation, KeepsTheBooksOfEnergyWithInputsLossesAndWrenches) {
  LONG_TEST();
  const Model model = read::load("joints");
  const Vector q = random_configuration(model, 5), v = random_vector(model, 6, 0.3), tau = random_vector(model, 7, 2);
  SimulationOptions options;
  options.duration = 0.5;
  options.every = 0.05;
  WrenchTimeSeries push;
  push.wrench.frame = model.frame_count() - 1;
  push.wrench.point = {0.1, -0.2, 0.05};
  push.times = {0.1, 0.2, 0.2, 0.4};
  Vector6 peak;
  peak << 1, -2, 0.5, 3, 4, -5;
  push.values = {Vector6::Zero(), peak, -peak, 0.5 * peak};
  for (const Axes axes : {Axes::body, Axes::aligned}) {
    push.wrench.axes = axes;
    const SimulationResult run = simulate(model, constant_input(model, tau), options, q, v, {}, {push});
    EXPECT_LT(run.outcome.drift, 1e-8);
    EXPECT_NE(run.outcome.energies.work, 0);
    EXPECT_GT(run.outcome.energies.dissipated, 0);
    EXPECT_TRUE(run.outcome.warnings.empty());
  }
}

TEST(Simulation, RowsByName) {
  const Model model = without_losses("planar_3r");
  SimulationOptions options;
  options.duration = 0.1;
  options.extra = {"nu"};
  Simulation simulation(model, zero_input(model), options);
  simulation.start(Vector::Constant(3, 0.3), Vector::Ones(3));
  Recording rows;
  EXPECT_TRUE(simulation.run(rows).finished);
  ASSERT_EQ(rows.values.rows(), 11);
  EXPECT_EQ(rows.column("time")[10], 0.1);
  const Eigen::MatrixXd q = rows.columns("q"), nu = rows.columns("nu");
  ASSERT_EQ(q.cols(), 3);
  ASSERT_EQ(nu.cols(), 3);
  for (const Coordinate& c : model.coordinates()) {
    EXPECT_EQ(q.col(c.q), rows.column("q." + c.joint));
    EXPECT_EQ(simulation.column("q." + c.joint), 1 + c.q);
  }
  EXPECT_EQ(message_of<std::invalid_argument>([&] { simulation.column("a." + model.coordinates()[0].joint); }),
            "a." + model.coordinates()[0].joint + " is not recorded; write record = [\"a\"]");
  EXPECT_MESSAGE(rows.columns("tua"), "no columns \"tua.\"; there are: q, v, tau, energy, nu");
}

TEST(Simulation, AConservativeMinuteKeepsItsEnergy) {
  LONG_TEST();
  const Model model = without_losses("arm7");
  SimulationOptions options;
  options.duration = 60;
  options.every = 1;
  const Vector q = Vector::Constant(7, 0.4);
  const SimulationResult run = simulate(model, zero_input(model), options, q, Vector::Zero(7));
  EXPECT_LT(run.outcome.drift, 1e-8);
  EXPECT_EQ(run.rows.size(), 61u);
}

TEST(Simulation, WarnsWhenToleranceWasNotEnough) {
  const Model model = without_losses("planar_3r");
  SimulationOptions options;
  options.duration = 5;
  options.every = 0.1;
  options.method = Method::euler;
  options.accuracy.step = 0.05;
  const SimulationResult run = simulate(model, zero_input(model), options, Vector::Zero(3), Vector::Zero(3));
  ASSERT_FALSE(run.outcome.warnings.empty());
  EXPECT_NE(run.outcome.warnings[0].find("smaller step"), std::string::npos);
}

TEST(Simulation, BdfMasterStiffDamping) {
  LONG_TEST();
  Description robot = read::robot("planar_3r").description;
  for (Joint& joint : robot.joints) joint.terms.damping = 1e4;
  const Model model(robot);
  SimulationOptions options;
  options.every = 0.5;
  options.accuracy.rtol = options.accuracy.atol = 1e-8;
  options.method = Method::bdf;
  const SimulationResult stiff = simulate(model, zero_input(model), options, Vector::Zero(3), Vector::Ones(3));
  options.method = Method::dopri5;
  const SimulationResult plain = simulate(model, zero_input(model), options, Vector::Zero(3), Vector::Ones(3));
  EXPECT_LT((q_of(model, stiff.rows.back()) - q_of(model, plain.rows.back())).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT(20 * stiff.outcome.evaluations, plain.outcome.evaluations);
}

TEST(System, JacobianMatchesDifferences) {
  for (const char* name : {"joints", "quadruped", "stanford_arm"}) {
    const Model model = read::load(name);
    const Vector q = random_configuration(model, 11), v = random_vector(model, 12, 0.5);
    Actuation actuation(model, pd(model, standstill(model, neutral_configuration(model)), uniform_gains(model, 5, 1)));
    System system(model, Velocities::v, actuation);
    const int n = system.size();
    Vector x(n), forward(n), backward(n);
    system.pack(q, v, 0, 0, x);
    Matrix J(n, n), differences(n, n);
    system.jacobian(0, x.data(), J);
    const double step = 1e-6;
    for (int i = 0; i < n; ++i) {
      Vector moved = x;
      moved[i] += step;
      system.rate(0, moved.data(), forward.data());
      moved[i] -= 2 * step;
      system.rate(0, moved.data(), backward.data());
      differences.col(i) = (forward - backward) / (2 * step);
    }
    EXPECT_LT((J - differences).cwiseAbs().maxCoeff(), 1e-5 * (1 + differences.cwiseAbs().maxCoeff())) << name;
  }
}

}  // namespace
}  // namespace catena::test
