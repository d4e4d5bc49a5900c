// Rollouts: the plain library's forward dynamics stepped by hand, and the same bits wherever a trajectory stands.
#include "catena/batch/rollout.hpp"

#include <cmath>

#include "catena/batch/engine.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/kinematics/moving.hpp"
#include "catena/read/builtin.hpp"
#include "catena/read/robot.hpp"
#include "support.hpp"

namespace catena {
namespace {

using test::message_of;

struct Start {
  Start(const Model& model, int count, std::uint64_t seed = 1)
      : q(model.nq(), count), v(model.nv(), count), tau(model.nv(), count) {
    for (int b = 0; b < count; ++b) {
      const std::uint64_t own = seed + 10u * static_cast<unsigned>(b);
      q.col(b) = random_configuration(model, own);
      v.col(b) = random_vector(model, own + 1);
      tau.col(b) = random_vector(model, own + 2);
    }
  }
  Matrix q, v, tau;
};

void normalized_step(const Model& model, Vector& q, Vector& v, const Vector& tau, double h) {
  const auto rate = [&](const Vector& x, const Vector& y, Vector& q_rate, Vector& a) {
    Vector unit = x;
    normalize(model, unit);
    a = forward_dynamics(model, unit, y, tau);
    const Tree& tree = model.tree();
    std::vector<double> full_q(tree.nq_full), full_v(tree.nv_full), rates(tree.nq_full);
    std::copy(x.begin(), x.end(), full_q.begin());
    std::copy(y.begin(), y.end(), full_v.begin());
    kernel::position_rates(tree, full_q.data(), full_v.data(), rates.data());
    q_rate = Eigen::Map<Vector>(rates.data(), model.nq());
  };
  Vector q1, q2, q3, q4, v1, v2, v3, v4;
  rate(q, v, q1, v1);
  rate(q + 0.5 * h * q1, v + 0.5 * h * v1, q2, v2);
  rate(q + 0.5 * h * q2, v + 0.5 * h * v2, q3, v3);
  rate(q + h * q3, v + h * v3, q4, v4);
  q += h / 6 * (q1 + 2 * (q2 + q3) + q4);
  v += h / 6 * (v1 + 2 * (v2 + v3) + v4);
  normalize(model, q);
}

void by_hand(const Model& model, RolloutOptions::Method method, Vector& q, Vector& v, const Vector& tau, double h) {
  if (method == RolloutOptions::rk4) {
    normalized_step(model, q, v, tau, h);
    return;
  }
  v += h * forward_dynamics(model, q, v, tau);
  q = integrate(model, q, Vector(h * v));
}

void expect_by_hand(const Model& model, const RolloutOptions& options, std::uint64_t seed) {
  Rollout rollout(model, options);
  const int count = rollout.width() + 1, steps = 10;
  const Start start(model, count, seed);
  Matrix q(model.nq(), count), v(model.nv(), count);
  rollout(start.q, start.v, start.tau, steps, q, v);
  for (int b = 0; b < count; ++b) {
    Vector x = start.q.col(b), y = start.v.col(b);
    for (int k = 0; k < steps; ++k) by_hand(model, options.method, x, y, start.tau.col(b), options.step);
    const double bound = 1e-11 + 1e-13 * test::condition_number(mass_matrix(model, x));
    EXPECT_CLOSE(Vector(q.col(b)), x, bound) << b;
    EXPECT_CLOSE(Vector(v.col(b)), y, bound) << b;
  }
}

TEST(Rollout, StepsAsThePlainLibraryOnEveryBuiltInRobot) {
  for (const std::string& robot : read::builtin_names()) {
    SCOPED_TRACE(robot);
    const Model model = read::load(robot);
    for (const RolloutOptions::Method method : {RolloutOptions::euler, RolloutOptions::rk4}) {
      for (const int width : batch::widths()) {
        expect_by_hand(model, {method, 1e-3, BatchOptions::lanes, 1, width}, 5);
      }
      expect_by_hand(model, {method, 1e-3}, 6);
    }
  }
}

TEST(Rollout, StepsAsThePlainLibraryOnRandomTrees) {
  TreeOptions options;
  options.max_bodies = 6;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const Model model(random_tree(seed, options));
    if (model.nv() == 0) continue;
    for (const RolloutOptions::Method method : {RolloutOptions::euler, RolloutOptions::rk4}) {
      expect_by_hand(model, {method, 1e-4, BatchOptions::lanes}, seed);
    }
  }
}

TEST(Rollout, TakesForcesByStepAndRecordsOnTheWay) {
  const Model model = read::load("arm7");
  const int count = 6, steps = 9, nv = 7;
  const Start start(model, count);
  std::vector<double> tau(static_cast<std::size_t>(steps) * nv * count);  // (steps, nv, count)
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] = std::sin(0.1 * static_cast<double>(k));
  for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic}) {
    Rollout rollout(model, {RolloutOptions::rk4, 2e-3, backend});
    Matrix q(nv, count), v(nv, count);
    std::vector<double> q_on_the_way(4u * nv * count), v_on_the_way(4u * nv * count);
    RolloutRecord record{2, time_series_of_states_in_rows(q_on_the_way.data(), nv, count, 4),
                         time_series_in_rows(v_on_the_way.data(), nv, count, 4)};
    rollout(start.q, start.v, time_series_in_rows(tau.data(), nv, count, steps), steps, q, v, record);
    for (int b = 0; b < count; ++b) {
      Vector x = start.q.col(b), y = start.v.col(b);
      for (int k = 0; k < steps; ++k) {
        Vector forces(nv);
        for (int i = 0; i < nv; ++i) forces[i] = tau[static_cast<std::size_t>((k * nv + i) * count + b)];
        by_hand(model, RolloutOptions::rk4, x, y, forces, 2e-3);
        if ((k + 1) % 2 != 0) continue;
        const int r = k / 2;
        for (int i = 0; i < nv; ++i) {
          EXPECT_NEAR(q_on_the_way[static_cast<std::size_t>((r * count + b) * nv + i)], x[i], 1e-10);
          EXPECT_NEAR(v_on_the_way[static_cast<std::size_t>((r * nv + i) * count + b)], y[i], 1e-8);
        }
      }
      EXPECT_CLOSE(Vector(q.col(b)), x, 1e-10);
    }
    rollout(start.q, start.v, {}, 5, States(), v);  // no forces, q not wanted
    Vector x = start.q.col(2), y = start.v.col(2);
    for (int k = 0; k < 5; ++k) by_hand(model, RolloutOptions::rk4, x, y, Vector::Zero(nv), 2e-3);
    EXPECT_CLOSE(Vector(v.col(2)), y, 1e-9);
  }
}

TEST(Rollout, GivesTheSameBitsWhereverATrajectoryStandsAndOnAnyNumberOfThreads) {
  const Model model = read::load("quadruped");
  for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic}) {
    Start start(model, 21);
    start.q(9, 10) = 4e6;  // an angle for which vectors make way
    Rollout one(model, {RolloutOptions::euler, 1e-3, backend});
    Matrix q(model.nq(), 21), v(model.nv(), 21);
    one(start.q, start.v, start.tau, 7, q, v);
    Rollout three(model, {RolloutOptions::euler, 1e-3, backend, 3});
    Matrix q3(model.nq(), 21), v3(model.nv(), 21);
    three(start.q, start.v, start.tau, 7, q3, v3);
    EXPECT_TRUE(q == q3 && v == v3);
    for (const int b : {0, 9, 10, 20}) {
      Vector x(model.nq()), y(model.nv());
      one(start.q.col(b), start.v.col(b), start.tau.col(b), 7, x, y);
      EXPECT_TRUE(x == q.col(b) && y == v.col(b)) << b;
    }
  }
}

TEST(Rollout, NamesTheTrajectoryThatIsWrong) {
  const Model model = read::load("quadruped");
  Rollout rollout(model);
  Start start(model, 10);
  Matrix q(model.nq(), 10), v(model.nv(), 10);
  const auto run = [&] { rollout(start.q, start.v, start.tau, 200, q, v); };
  start.v.col(7) *= 1e45;  // taken, and then it runs away
  EXPECT_NE(message_of<NumericalError>(run).find("no longer finite"), std::string::npos);
  EXPECT_EQ(message_of<NumericalError>(run).rfind("trajectory 7 at t = ", 0), 0) << message_of<NumericalError>(run);
  start.tau(2, 6) = std::nan("");
  EXPECT_EQ(message_of<std::invalid_argument>(run).rfind("trajectory 6: tau is not a number at ", 0), 0);
  start.q(5, 3) += 0.1;
  EXPECT_EQ(message_of<std::invalid_argument>(run).rfind("trajectory 3: the quaternion ", 0), 0);
}

TEST(Rollout, NamesTheJointWhereTheMassMatrixIsSingular) {
  Builder builder("whip");
  builder.add_body("arm", {0, Vector3::Zero(), Matrix3::Zero()}, revolute("roll").about(1, 0, 0));
  builder.add_body("tip", {1, {0.5, 0, 0}, Matrix3::Zero()}, revolute("bend").on("arm").at(0.5, 0, 0).about(0, 0, 1));
  const Model model = builder.build();
  for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic}) {
    Rollout rollout(model, {RolloutOptions::rk4, 1e-3, backend});
    Matrix q = Matrix::Constant(2, 5, 0.8), v = Matrix::Zero(2, 5), q_end(2, 5), v_end(2, 5);
    rollout(q, v, {}, 3, q_end, v_end);
    q.col(4).setZero();
    const std::string message = message_of<NumericalError>([&] { rollout(q, v, {}, 3, q_end, v_end); });
    EXPECT_EQ(message.rfind("trajectory 4 at t = 0.000000 s: the mass matrix of whip is singular at joint ", 0), 0)
        << message;
  }
}

TEST(Rollout, RefusesWrongShapes) {
  const Model model = read::load("arm7");
  Rollout rollout(model);
  Matrix x = Matrix::Zero(7, 4), small = Matrix::Zero(6, 4), out(7, 4), end(7, 4);
  EXPECT_THROW(rollout(x, small, {}, 3, out, end), std::invalid_argument);
  EXPECT_THROW(rollout(x, x, small, 3, out, end), std::invalid_argument);
  EXPECT_THROW(rollout(x, x, {}, 3, small, end), std::invalid_argument);
  EXPECT_THROW(rollout(x, x, {}, -1, out, end), std::invalid_argument);
  EXPECT_THROW(rollout(x, x, time_series_in_rows<const double>(x.data(), 7, 4, 1), 2, out, end), std::invalid_argument);
  EXPECT_THROW(rollout(x, x, {}, 4, out, end, {2, TimeSeries(out, 1, 28), {}}), std::invalid_argument);
  EXPECT_THROW(Rollout(model, {RolloutOptions::euler, 0}), std::invalid_argument);
  EXPECT_THROW(Rollout(model, {RolloutOptions::euler, 1e-3, BatchOptions::plain}), std::invalid_argument);
}

}  // namespace
}  // namespace catena
