// Control 8.2 with any positive definite weight of the pose error; and what a controller may assume of its robot.
#include <gtest/gtest.h>

#include <sstream>

#include "catena/control/controllers.hpp"
#include "catena/diagonal/control.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/simulate/scenario.hpp"
#include "catena/trajectory/trajectories.hpp"
#include "simulation_support.hpp"

namespace catena::test {
namespace {

// Full, with eigenvalues from `least` to about fifty times as much.
Matrix random_weight(std::uint64_t seed, double least = 1) {
  std::srand(static_cast<unsigned>(seed));
  const Matrix A = Matrix::Random(12, 12);
  return 4 * least * A * A.transpose() + least * Matrix::Identity(12, 12);
}

PoseGoal goal_at(const Model& model, const Vector& q, const Matrix& W) {
  PoseGoal goal;
  goal.frame = model.frame_count() - 1;
  goal.goal = Kinematics(model, q).pose(goal.frame);
  goal.W = W;
  return goal;
}

// e' W e / 2, e = (point, x axis, y axis, z axis) of the goal less those of the frame.
double potential(const Model& model, const Vector& q, const PoseGoal& goal) {
  const Pose pose = Kinematics(model, q).pose(goal.frame);
  Vector e(12);
  e << goal.goal.p - pose.p, (goal.goal.R - pose.R).reshaped();
  return 0.5 * e.dot(goal.W * e);
}

// [004] Control 8.2, corrected: d/dt (nu' nu / 2 + e' W e / 2) = -nu' c nu. On the left nu_dot of the diagonalized equations
// of motion under the control's force, and differences of e' W e along the motion; on the right nothing but nu.
TEST(ReachWeights, AnyPositiveDefiniteWeightDescendsItsLyapunovFunction) {
  TreeOptions trees;
  trees.terms = false;
  std::uint64_t seed = 0;
  for_each_tree(
      [&](const Case& c) {
        ++seed;
        const PoseGoal goal = goal_at(c.model, random_configuration(c.model, seed + 77), random_weight(seed));
        DiagonalControlOptions gains;
        gains.c = random_vector(c.model, seed, 1).array().abs() + 0.5;
        gains.limit_effort = false;
        const DiagonalControl now = reach(c.model, c.q, c.v, goal, gains);
        const DiagonalTerms terms = diagonal_terms(c.model, c.q, c.v, now.tau);
        const Vector& nu = terms.nu;
        const auto along = [&](double t) { return potential(c.model, integrate(c.model, c.q, Vector(t * c.v)), goal); };
        const double h = 1e-5, difference = nu.dot(terms.nu_dot) + (along(h) - along(-h)) / (2 * h);
        const double expected = -nu.dot(gains.c.cwiseProduct(nu));
        EXPECT_NEAR(now.lyapunov, 0.5 * nu.squaredNorm() + along(0), 1e-11 * now.lyapunov);
        EXPECT_NEAR(difference, expected, 1e-7 * (1 + now.lyapunov + std::abs(expected)));
        EXPECT_NEAR(now.rate, expected, 1e-9 * (1 + now.lyapunov + std::abs(expected)));
      },
      trees, 100);
}

TEST(ReachWeights, TheBalanceHoldsAllAlongASimulation) {
  LONG_TEST();
  const Model model = without_losses("puma560");
  const Vector q = random_configuration(model, 4);
  DiagonalControlOptions law;
  law.c = Vector::LinSpaced(6, 2, 6);
  law.limit_effort = false;
  const PoseGoal goal = goal_at(model, random_configuration(model, 5), random_weight(1, 20));
  SimulationOptions options;
  options.every = 0.001;
  const SimulationResult run =
      simulate(model, diagonal_reach(model, goal, law.c), options, q, random_vector(model, 6, 0.5));
  std::vector<double> L, rate;
  for (const Vector& row : run.rows) {
    const Vector q_now = q_of(model, row), nu = DiagonalForm(model, q_now).nu(v_of(model, row));
    L.push_back(reach(model, q_now, v_of(model, row), goal, law).lyapunov);
    rate.push_back(-nu.dot(law.c.cwiseProduct(nu)));
  }
  EXPECT_LT(L.back(), 0.5 * L.front());
  double booked = L.front();
  for (std::size_t k = 2; k < L.size(); k += 2) {  // Simpson's rule
    booked += 0.001 / 3 * (rate[k - 2] + 4 * rate[k - 1] + rate[k]);
    ASSERT_NEAR(L[k], booked, 1e-6 * L.front()) << k;
  }
}

TEST(ReachWeights, ADiagonalMatrixIsTheTwoNumbers) {
  const Model model = read::load("puma560");
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2), c = Vector::Constant(6, 2);
  PoseGoal numbers = goal_at(model, random_configuration(model, 3), {}), matrix = numbers;
  numbers.position_weight = 30, numbers.orientation_weight = 4;
  matrix.W = Matrix::Zero(12, 12);
  matrix.W.diagonal() << Vector::Constant(3, 30), Vector::Constant(9, 4);
  const DiagonalControl a = reach(model, q, v, numbers, {c, true, false}),
                        b = reach(model, q, v, matrix, {c, true, false});
  EXPECT_CLOSE(a.tau, b.tau, 1e-13);
  EXPECT_NEAR(a.lyapunov, b.lyapunov, 1e-12 * a.lyapunov);
}

std::string refusal(const Matrix& W) {
  const Model model = read::load("planar_3r");
  try {
    diagonal_reach(model, goal_at(model, Vector::Zero(3), W), Vector::Ones(3));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(ReachWeights, RefuseWhatIsNotSymmetricPositiveDefiniteAndSayWhere) {
  const Matrix one = Matrix::Identity(12, 12);
  EXPECT_EQ(refusal(random_weight(3)), "");
  EXPECT_EQ(refusal(1e-9 * one), "");  // small is not zero
  EXPECT_NE(refusal(Matrix::Identity(6, 6)).find("6 x 6: make it 12 x 12"), std::string::npos);
  Matrix W = one;
  W(1, 4) = 0.5;
  EXPECT_NE(refusal(W).find("not symmetric: W(2, 5) = 0.5 but W(5, 2) = 0; take (W + W') / 2"), std::string::npos)
      << refusal(W);
  W = one;
  W(7, 7) = -2;
  EXPECT_NE(refusal(W).find("W(8, 8) = -2 on its diagonal weighs the y component of the y axis"), std::string::npos)
      << refusal(W);
  W = one;
  W(0, 1) = W(1, 0) = 1.25;  // eigenvalues 2.25 and -0.25
  EXPECT_NE(refusal(W).find("smallest eigenvalue is -0.25"), std::string::npos) << refusal(W);
  EXPECT_EQ(refusal(W + 0.2501 * one), "");  // the remedy works
  W = Matrix::Random(12, 11);
  EXPECT_NE(refusal(W * W.transpose()).find("not positive definite"), std::string::npos);  // singular but for rounding
  W = one;
  W(3, 2) = W(2, 3) = std::nan("");
  EXPECT_NE(refusal(W).find("W(3, 4) = nan must be finite"), std::string::npos) << refusal(W);
}

std::string rows_of(const Matrix& W) {
  std::ostringstream out;
  out.precision(17);
  out << "[";
  for (Eigen::Index i = 0; i < W.rows(); ++i) {
    out << (i ? "],\n [" : "[");
    for (Eigen::Index k = 0; k < W.cols(); ++k) out << (k ? ", " : "") << W(i, k);
  }
  out << "]]";
  return out.str();
}

Vector force_of(const Scenario& scenario) {
  Vector tau(scenario.model.nv());
  scenario.controller->forces(0, scenario.q, scenario.v, tau);
  return tau;
}

const std::string start = "model = \"planar_3r\"\nduration = 1\n[start]\nq = [0.1, 0.2, 0.3]\nv = [1, -1, 2]\n";

Vector force_of(const std::string& rest) { return force_of(scenario_from_text(start + rest, "case.toml")); }

std::string findings_of(const std::string& rest) {
  try {
    scenario_from_text(start + rest, "case.toml");
  } catch (const ModelError& error) {
    std::string all;
    for (const Finding& finding : error.findings()) all += finding.text() + "\n";
    return all;
  }
  return "";
}

TEST(ReachWeights, AreReadFromScenariosAsANumberTwelveOrRows) {
  const std::string reach =
      "[input]\nkind = \"reach\"\nframe = \"link3\"\nposition = [1, 1, 0]\nrpy = [0, 0, 2]\nweight = ";
  const std::string twelve = "[30, 30, 30, 4, 4, 4, 4, 4, 4, 4, 4, 4]";
  Matrix W = Matrix::Zero(12, 12);
  W.diagonal() << Vector::Constant(3, 30), Vector::Constant(9, 4);
  const Vector two = force_of(
      "[input]\nkind = \"reach\"\nframe = \"link3\"\nposition = [1, 1, 0]\nrpy = [0, 0, 2]\n"
      "position_weight = 30\norientation_weight = 4\n");
  EXPECT_CLOSE(force_of(reach + twelve), two, 1e-13);
  EXPECT_CLOSE(force_of(reach + rows_of(W)), two, 1e-13);
  EXPECT_CLOSE(force_of(reach + "5"), force_of(reach + rows_of(5 * Matrix::Identity(12, 12))), 1e-13);
  const Scenario full = scenario_from_text(start + reach + rows_of(random_weight(2)), "case.toml");
  PoseGoal goal;
  goal.frame = full.model.frame("link3");
  goal.goal = {rotation_from_rpy(0, 0, 2), {1, 1, 0}};
  goal.W = random_weight(2);
  EXPECT_CLOSE(force_of(full), catena::reach(full.model, full.q, full.v, goal, {Vector::Ones(3), true, false}).tau,
               1e-12);

  W(0, 0) = -1;
  EXPECT_NE(
      findings_of(reach + rows_of(W)).find("case.toml:6: error: the weight W is not positive definite: W(1, 1) = -1"),
      std::string::npos);
  for (const char* wrong : {"[1, 2, 3]", "\"much\"", "[[1], [2]]"})
    EXPECT_NE(findings_of(reach + wrong).find("case.toml:11: error: weight must be a number, 12 numbers or 12 rows"),
              std::string::npos)
        << findings_of(reach + wrong);
  EXPECT_NE(findings_of(reach + "2\nposition_weight = 3").find("case.toml:11: error: weight stands beside"),
            std::string::npos);
}

// A payload hangs on the robot; the controller is told of another one, and of no friction.
TEST(AssumedModel, IsTheRobotWithAnotherPayloadWithoutLossesOrWithOtherGravity) {
  const std::string payload =
      "[payload]\nframe = \"link3\"\nmass = 2\ncom = [0.1, 0.2, 0]\ninertia = [0.1, 0.1, 0.3]\n";
  const auto model = [](double mass) {
    Description robot = read::robot("planar_3r").description;
    robot.bodies.push_back({"load", Inertial{mass, {0.1, 0.2, 0}, 0.5 * mass * Vector3(0.1, 0.1, 0.3).asDiagonal()}});
    Joint joint = fixed("mount");
    joint.parent = "link3", joint.child = "load";
    robot.joints.push_back(joint);
    return Model(robot);
  };
  const std::string law = "[input]\nkind = \"computed_torque\"\n";
  const Scenario known = scenario_from_text(start + payload + law, "case.toml");
  EXPECT_NEAR(known.model.total_mass(), 5, 1e-12);
  const auto expected = [&](const Model& of) {
    Vector tau(3);
    computed_torque(of, standstill(of, known.q), uniform_gains(of, 100, 20))->forces(0, known.q, known.v, tau);
    return tau;
  };
  EXPECT_CLOSE(force_of(known), expected(model(2)), 1e-12);
  const Scenario wrong = scenario_from_text(start + payload + law + "[input.assumes]\npayload = 0.5\n", "case.toml");
  EXPECT_NEAR(wrong.model.total_mass(), 5, 1e-12);  // what falls is the true one
  EXPECT_CLOSE(force_of(wrong), expected(model(0.5)), 1e-12);
  EXPECT_GT((force_of(wrong) - force_of(known)).norm(), 1);
  EXPECT_CLOSE(force_of(payload + law + "[input.assumes]\npayload = 0\n"), force_of(law), 1e-12);
  EXPECT_CLOSE(force_of("[input]\nkind = \"pd_gravity\"\n[input.assumes]\ngravity = [0, 0, 0]\n"),
               force_of("[input]\nkind = \"pd\"\n"), 1e-12);

  // Friction that the controller does not know stays out of its forces, and in the robot.
  const std::string puma = "model = \"puma560\"\nduration = 1\n[start]\nv = [1, 1, 1, 1, 1, 1]\n" + law;
  const Scenario rubs = scenario_from_text(puma, "case.toml"),
                 unaware = scenario_from_text(puma + "[input.assumes]\nlosses = false\n", "case.toml");
  EXPECT_CLOSE(Vector(force_of(rubs) - force_of(unaware)), joint_forces(rubs.model, rubs.q, rubs.v), 1e-11);
  EXPECT_EQ(joint_forces(unaware.model, unaware.q, unaware.v), joint_forces(rubs.model, rubs.q, rubs.v));
}

TEST(AssumedModel, RefusesWhatDoesNotFit) {
  const std::string law = "[input]\nkind = \"computed_torque\"\n[input.assumes]\n";
  const auto expect = [&](const std::string& rest, const std::string& what) {
    EXPECT_NE(findings_of(rest).find(what), std::string::npos) << rest << "\n-> " << findings_of(rest);
  };
  expect(law + "model = \"puma560\"\n",
         "case.toml:9: error: the assumed model does not fit the robot: it has a joint 'joint4'");
  expect(law + "model = \"arm7\"\n", "its joint 1 is 'shoulder_yaw' (revolute), the robot's 'joint1' (revolute)");
  expect(law + "payload = 1\n", "case.toml:9: error: the scenario has no [payload]");
  expect(law + "mas = 1\n", "case.toml:9: error: the key");
  expect("[payload]\nframe = \"hand\"\nmass = 1\n", "case.toml:6: error: no body or frame \"hand\" in planar_3r");
  expect("[payload]\nframe = \"link3\"\n", "case.toml:6: error: the payload has no mass");
  expect("[payload]\nframe = \"link3\"\nmass = -1\n", "case.toml:8: error: the mass of the payload is negative");
  expect("[payload]\nframe = \"link3\"\nmass = 1\n" + law + "payload = -1\n", "the assumed payload is negative");
}

TEST(EffortLimits, AreTheRobotsOrThoseOfTheInput) {
  const Scenario weak = scenario_from_text(
      start + "[input]\nkind = \"pd\"\nstiffness = 1000\ntarget = [3, 3, 3]\neffort_limits = [7, 8, 9]\n", "case.toml");
  Actuation motors(weak.model, weak.controller, weak.actuation);
  Vector tau(3);
  motors.forces(0, weak.q, weak.v, tau);
  EXPECT_EQ(tau, Vector(Vector3(7, 8, 9)));
  const auto refused = [&](const std::string& rest, const std::string& what) {
    const std::string found = findings_of("[input]\nkind = \"pd\"\n" + rest);
    EXPECT_NE(found.find(what), std::string::npos) << found;
  };
  refused("effort_limits = [1, 0, 2]\n", "case.toml:8: error: effort_limits of 'joint2' must be positive");
  refused("effort_limits = [1, 2]\n", "case.toml:8");
  refused("limit_effort = false\neffort_limits = 3\n", "effort_limits stand beside limit_effort = false");
}

}  // namespace
}  // namespace catena::test
