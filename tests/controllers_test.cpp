// Controllers and inputs: closed loops that a wrong sign would break, the laws that each promises, and what is refused.
#include "catena/control/controllers.hpp"

#include <Eigen/Eigenvalues>
#include <numbers>

#include "catena/control/inputs.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/read/robot.hpp"
#include "catena/trajectory/trajectories.hpp"
#include "support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

struct Loop {
  const Model& model;
  Controller& controller;
  Vector q, v;
  double time = 0;

  Vector acceleration(double t, ConstVector q_now, ConstVector v_now) {
    Vector tau(model.nv());
    controller.forces(t, q_now, v_now, tau);
    return forward_dynamics(model, q_now, v_now, tau);
  }

  // RK4; for joints that turn, the positions of the stages are those of integrate(), which is right to second order.
  void run(double duration, double h) {
    const auto steps = static_cast<int>(std::lround(duration / h));
    for (int k = 0; k < steps; ++k) {
      const Vector a1 = acceleration(time, q, v);
      const Vector v2 = v + h / 2 * a1, a2 = acceleration(time + h / 2, integrate(model, q, h / 2 * v), v2);
      const Vector v3 = v + h / 2 * a2, a3 = acceleration(time + h / 2, integrate(model, q, h / 2 * v2), v3);
      const Vector v4 = v + h * a3, a4 = acceleration(time + h, integrate(model, q, h * v3), v4);
      q = integrate(model, q, h / 6 * (v + 2 * v2 + 2 * v3 + v4));
      v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      time += h;
    }
  }
};

Vector forces_of(const Model& model, Controller& controller, double time, ConstVector q, ConstVector v) {
  Vector tau(model.nv());
  controller.forces(time, q, v, tau);
  return tau;
}

// A ball joint that carries a rod with an elbow: errors live on a manifold.
Model ball_arm() {
  Builder arm("ball arm");
  arm.add_body("upper", {.mass = 2, .com = {0, 0, -0.25}, .inertia = box_inertia(2, 0.1, 0.2, 0.5)}, spherical("ball"));
  arm.add_body("lower", {.mass = 1, .com = {0, 0, -0.2}, .inertia = box_inertia(1, 0.1, 0.1, 0.4)},
               revolute("elbow").on("upper").at(0, 0, -0.5).about(0, 1, 0));
  return arm.build();
}

TEST(Inputs, GiveTheForcesOfTheirTime) {
  const Model model = read::load("planar_3r");
  const Vector q = Vector::Zero(3);
  EXPECT_EQ(forces_of(model, *zero_input(model), 1, q, q), q);
  EXPECT_EQ(forces_of(model, *constant_input(model, Vector3(1, 2, 3)), 1, q, q), Vector3(1, 2, 3));
  Matrix rows(3, 3);
  rows << 0, 0, 0, 1, 2, 3, 5, 0, -1;
  const Vector3 times(0.5, 1.5, 2);
  const auto line = series_input(model, times, rows), stair = series_input(model, times, rows, Between::hold);
  EXPECT_EQ(forces_of(model, *line, 0, q, q), Vector3(0, 0, 0));
  EXPECT_LT((forces_of(model, *line, 1, q, q) - Vector3(0.5, 1, 1.5)).norm(), 1e-15);
  EXPECT_LT((forces_of(model, *line, 1.75, q, q) - Vector3(3, 1, 1)).norm(), 1e-15);
  EXPECT_EQ(forces_of(model, *line, 9, q, q), Vector3(5, 0, -1));
  EXPECT_EQ(forces_of(model, *stair, 1.49, q, q), Vector3(0, 0, 0));
  EXPECT_EQ(forces_of(model, *stair, 1.5, q, q), Vector3(1, 2, 3));
  EXPECT_EQ(line->end(), 2);
  EXPECT_EQ(line->next_break(0), 0.5);
  EXPECT_EQ(line->next_break(0.5), 1.5);
  EXPECT_EQ(line->next_break(2), std::numeric_limits<double>::infinity());
  EXPECT_THROW(constant_input(model, Vector::Ones(2)), std::invalid_argument);
  EXPECT_THROW(series_input(model, Vector3(0, 1, 1), rows), std::invalid_argument);
  EXPECT_THROW(series_input(model, Eigen::Vector2d(0, 1), rows), std::invalid_argument);
  rows(1, 1) = std::nan("");
  EXPECT_THROW(series_input(model, times, rows), std::invalid_argument);
  EXPECT_THROW(feedforward(model, nullptr), std::invalid_argument);
}

TEST(Inputs, FeedforwardLeadsAlongTheMotion) {
  const Model model = read::load("planar_3r");
  const Vector from = Vector3(-1.5, 0.2, 0.1), to = Vector3(-1.2, -0.4, 0.6);
  const auto input = feedforward(model, cycloidal(model, from, to, 1));
  Loop loop{model, *input, from, Vector::Zero(3)};
  loop.run(1, 1e-3);
  EXPECT_LT((loop.q - to).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT(loop.v.cwiseAbs().maxCoeff(), 1e-9);
}

TEST(JointControl, PdSettlesWhereItsSpringsCarryTheWeight) {
  const Model model = read::load("planar_3r");
  const Vector goal = Vector3(0.3, -0.5, 0.4);
  const auto control = pd(model, standstill(model, goal), uniform_gains(model, 400, 60));
  Loop loop{model, *control, Vector3(-0.2, 0.1, 0.2), Vector3(0.5, 0, -0.5)};
  loop.run(6, 1e-3);
  EXPECT_LT((400 * (goal - loop.q) - gravity_forces(model, loop.q)).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_GT((goal - loop.q).cwiseAbs().maxCoeff(), 0.01);  // it sags
}

TEST(JointControl, PdWithGravityReachesTheTarget) {
  LONG_TEST();
  for (const char* name : {"planar_3r", "ball"}) {
    SCOPED_TRACE(name);
    const Model model = name[0] == 'b' ? ball_arm() : read::load(name);
    const Vector goal = random_configuration(model, 4);
    const auto control = pd_gravity(model, standstill(model, goal), uniform_gains(model, 60, 15));
    Loop loop{model, *control, random_configuration(model, 5), random_vector(model, 6)};
    loop.run(12, 1e-3);
    EXPECT_LT(difference(model, loop.q, goal).cwiseAbs().maxCoeff(), 1e-4);
  }
}

// e_ddot + D e_dot + K e = 0 for each joint: its solution, not only its limit.
TEST(JointControl, ComputedTorqueMakesTheErrorLinear) {
  const Model model = read::load("stanford_arm");
  const Vector from = (Vector(6) << 0.1, 1.2, 0.2, 0.3, -0.4, 0.5).finished();
  const Vector to = (Vector(6) << -0.5, 0.8, 0.4, 1, 0.6, -0.2).finished();
  JointGains gains = uniform_gains(model, 0, 0);
  gains.stiffness << 25, 36, 16, 25, 49, 30;
  gains.damping << 10, 6, 8, 3, 5, 12;
  const Vector off = (Vector(6) << 0.1, -0.1, 0.05, 0.2, -0.15, 0.1).finished(), off_rate = 0.3 * Vector::Ones(6);
  const Target motion = minimum_jerk(model, from, to, 1);
  const auto control = computed_torque(model, motion, gains);
  Loop loop{model, *control, from - off, -off_rate};
  for (const double time : {0.5, 1.5}) {
    loop.run(time - loop.time, 1e-3);
    Vector q(6), v(6), a(6);
    motion->at(time, q, v, a);
    for (int i = 0; i < 6; ++i) {
      const std::complex<double> root =
          std::sqrt(std::complex<double>(gains.damping[i] * gains.damping[i] / 4 - gains.stiffness[i]));
      const double half = gains.damping[i] / 2, c = std::cosh(root * time).real();
      const double s = std::abs(root) < 1e-9 ? time : (std::sinh(root * time) / root).real();
      const double e = std::exp(-half * time) * (off[i] * c + (off_rate[i] + half * off[i]) * s);
      EXPECT_NEAR(q[i] - loop.q[i], e, 1e-8) << "joint " << i << " at " << time;
    }
  }
}

// On a ball joint u_dot = -D u - K e with u in the robot's own axes: the closed loop itself, differentiated.
TEST(JointControl, ComputedTorqueIsExactOnBallJoints) {
  LONG_TEST();
  const Model model = ball_arm();
  const double K = 30, D = 9;
  const Target motion = cycloidal(model, random_configuration(model, 1), random_configuration(model, 2), 2);
  const auto control = computed_torque(model, motion, uniform_gains(model, K, D));
  Vector q_d(5), v_d(4), a_d(4);
  motion->at(0.8, q_d, v_d, a_d);
  Loop loop{model, *control, integrate(model, q_d, random_vector(model, 3, 0.7)), random_vector(model, 4), 0.8};
  const auto error = [&](double time, ConstVector q) {
    motion->at(time, q_d, v_d, a_d);
    return difference(model, q, q_d);
  };
  const double h = 1e-4;
  Loop before = loop, after = loop;
  before.run(-h, -h), after.run(h, h);
  const auto u = [&](double time, ConstVector q, ConstVector v) {
    const Vector e = error(time, q);
    const Matrix3 R = rotation_about(e.head<3>().normalized(), e.head<3>().norm());
    return Vector3(R * v_d.head<3>() - v.head<3>());
  };
  const Vector3 u_dot = (u(0.8 + h, after.q, after.v) - u(0.8 - h, before.q, before.v)) / (2 * h);
  const Vector3 expected = -D * u(0.8, loop.q, loop.v) - K * error(0.8, loop.q).head<3>();
  EXPECT_LT((u_dot - expected).norm(), 1e-4 * expected.norm()) << u_dot.transpose() << " / " << expected.transpose();
  loop.run(4, 1e-3);
  EXPECT_LT(error(4.8, loop.q).norm(), 1e-5);
}

TEST(JointControl, ImpedancePredictsAndAnswersPushesBySpringsAlone) {
  LONG_TEST();
  const Model model = read::load("planar_3r");
  const Vector from = Vector3(-1.5, 0.2, 0.1), to = Vector3(-1.2, -0.4, 0.6);
  const Target motion = cycloidal(model, from, to, 1);
  const auto control = joint_impedance(model, motion, uniform_gains(model, 80, 20));
  Loop on_track{model, *control, from, Vector::Zero(3)};
  on_track.run(0.7, 1e-3);
  Vector q(3), v(3), a(3);
  motion->at(0.7, q, v, a);
  EXPECT_LT((on_track.q - q).cwiseAbs().maxCoeff(), 1e-9);
  const Vector3 e(0.01, -0.02, 0.03), e_dot(0.1, 0.2, -0.1);
  const Vector answer = forces_of(model, *control, 0.7, q - e, v - e_dot) - inverse_dynamics(model, q, v, a);
  EXPECT_LT((answer - 80 * e - 20 * e_dot).cwiseAbs().maxCoeff(), 1e-11);
  Loop off{model, *control, from + Vector3(0.2, -0.2, 0.1), Vector::Zero(3)};
  off.run(10, 1e-3);
  EXPECT_LT((off.q - to).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(FrameControl, ImpedanceLeadsTheFrameToItsGoal) {
  LONG_TEST();
  Description arm = read::load("arm7").description();
  for (Joint& joint : arm.joints) joint.terms.friction = 0;  // a spring alone creeps where there is friction
  const Model model(arm);
  const Vector there = 0.8 * random_configuration(model, 3);
  const Vector start = integrate(model, there, random_vector(model, 1, 0.3));
  FrameImpedance spring;
  spring.frame = model.frame_count() - 1;
  spring.goal = Kinematics(model, there).pose(spring.frame);
  spring.stiffness << 60, 60, 60, 300, 400, 500;
  spring.damping << 4, 4, 4, 60, 60, 60;
  spring.joint_damping = 0.3;
  const auto control = operational_impedance(model, spring);
  Loop loop{model, *control, start, Vector::Zero(model.nv())};
  loop.run(15, 1e-3);
  const Pose end = Kinematics(model, loop.q).pose(spring.frame);
  EXPECT_LT((end.p - spring.goal.p).norm(), 1e-5);
  EXPECT_LT((end.R - spring.goal.R).norm(), 1e-5);
  // world axes: displaced along world x by one stiffness, pushed back by K_x alone
  spring.joint_damping = 0;
  const Kinematics kinematics(model, there);
  spring.goal.p.x() += 0.01;
  const Vector rest = Vector::Zero(model.nv());
  const Vector tau = forces_of(model, *operational_impedance(model, spring), 0, there, rest);
  const Vector push = kinematics.jacobian(spring.frame, Axes::aligned).row(3).transpose() * 3;
  EXPECT_LT((tau - inverse_dynamics(model, there, rest, rest) - push).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(DiagonalControl, BrakesAtExactlyTheRateAskedFor) {
  const Model model = read::load("planar_3r");
  const auto control = diagonal_brake(model, Vector::Constant(3, 1.5));
  Loop loop{model, *control, Vector3(0.3, 0.5, -0.8), Vector3(1, -2, 1.5)};
  const double before = DiagonalForm(model, loop.q).nu(loop.v).norm();
  loop.run(1, 1e-3);
  EXPECT_NEAR(DiagonalForm(model, loop.q).nu(loop.v).norm(), before * std::exp(-1.5), 1e-9 * before);
}

TEST(DiagonalControl, ReachLeadsTheFrameToItsGoal) {
  LONG_TEST();
  const Model model = read::load("planar_3r");
  PoseGoal goal;
  goal.frame = model.frame_count() - 1;
  goal.goal = Kinematics(model, Vector3(0.4, 0.8, -0.5)).pose(goal.frame);
  goal.position_weight = 60, goal.orientation_weight = 10;
  const auto control = diagonal_reach(model, goal, Vector::Constant(3, 5));
  Loop loop{model, *control, Vector3(0.1, 1.2, -0.2), Vector::Zero(3)};
  loop.run(15, 2e-3);
  const Pose end = Kinematics(model, loop.q).pose(goal.frame);
  EXPECT_LT((end.p - goal.goal.p).norm(), 1e-4);
  EXPECT_LT((end.R - goal.goal.R).norm(), 1e-4);
}

TEST(Regulators, GainsSolveTheRiccatiEquationAndStabilise) {
  for (const char* name : {"planar_3r", "stanford_arm", "joints", "quadruped", "chain:12", "chain:30"}) {
    SCOPED_TRACE(name);
    const Model model = read::load(name);
    const Vector q = random_configuration(model, 2);
    const Lqr design = lqr_about(model, q, uniform_weights(model, 100, 1, 0.1));
    EXPECT_LT(riccati_residual(design.problem, design.P), 1e-9);
    EXPECT_CLOSE(design.P, design.P.transpose(), 1e-12);
    if (model.nv() == 30) continue;  // its slowest motions are below the rounding of its fastest
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(design.P).eigenvalues()[0], 0);
    const Matrix closed = design.problem.A - design.problem.B * design.K;
    EXPECT_LT(Eigen::EigenSolver<Matrix>(closed).eigenvalues().real().maxCoeff(), 0);
  }
}

TEST(Regulators, DoubleIntegratorHasItsKnownGain) {
  RegulatorProblem p{Matrix::Zero(2, 2), Matrix::Zero(2, 1), Matrix::Identity(2, 2), Matrix::Identity(1, 1)};
  p.A(0, 1) = p.B(1, 0) = 1;
  EXPECT_CLOSE(regulator_gain(p, solve_riccati(p)), Eigen::RowVector2d(1, std::sqrt(3)), 1e-14);
  // a double eigenvalue of the closed loop, where eigenvectors would fail
  p.Q(1, 1) = 2;
  EXPECT_CLOSE(regulator_gain(p, solve_riccati(p)), Eigen::RowVector2d(1, 2), 1e-13);
  // the flow over a long time is the same as the algebraic solution, and over a short one P + Q t
  EXPECT_CLOSE(RiccatiFlow(p, 40).back(Matrix::Zero(2, 2)), solve_riccati(p), 1e-12);
  EXPECT_CLOSE(RiccatiFlow(p, 1e-6).back(Matrix::Zero(2, 2)) / 1e-6, p.Q, 1e-5);
  // x_dot = u, cost x^2 + u^2 from P = 0: P = tanh(t)
  const RegulatorProblem one{Matrix::Zero(1, 1), Matrix::Ones(1, 1), Matrix::Ones(1, 1), Matrix::Ones(1, 1)};
  EXPECT_NEAR(RiccatiFlow(one, 0.8).back(Matrix::Zero(1, 1))(0, 0), std::tanh(0.8), 1e-14);
}

TEST(Regulators, SayWhenThereIsNoAnswer) {
  RegulatorProblem p{Matrix::Identity(2, 2), Matrix::Zero(2, 1), Matrix::Identity(2, 2), Matrix::Identity(1, 1)};
  p.B(0, 0) = 1;  // the second state runs away and no input reaches it
  EXPECT_THROW(solve_riccati(p), NumericalError);
  p.A << 0, 1, 0, 0;
  p.B << 0, 1;
  p.Q.setZero();  // nothing is wanted
  EXPECT_THROW(solve_riccati(p), NumericalError);
  p.Q = -Matrix::Identity(2, 2);
  EXPECT_THROW(solve_riccati(p), std::invalid_argument);
  p.Q << 1, 2, 0, 1;
  EXPECT_THROW(solve_riccati(p), std::invalid_argument);
  p.Q.setIdentity();
  p.R(0, 0) = 0;
  EXPECT_THROW(solve_riccati(p), std::invalid_argument);
  p.R(0, 0) = std::nan("");
  EXPECT_THROW(solve_riccati(p), std::invalid_argument);
  p.R.resize(2, 2);
  EXPECT_THROW(solve_riccati(p), std::invalid_argument);
}

TEST(Regulators, LqrBalancesTheArmUpright) {
  LONG_TEST();
  for (const char* name : {"planar_3r", "ball"}) {
    SCOPED_TRACE(name);
    const Model model = name[0] == 'b' ? ball_arm() : read::load(name);
    Vector up = neutral_configuration(model);
    if (name[0] == 'b') {
      up << 1, 0, 0, 0, 0;  // turned about x: the rod above the ball
    } else {
      up[0] = std::numbers::pi / 2;
    }
    const auto control = lqr(model, up, uniform_weights(model, 100, 1, 0.1));
    Loop loop{model, *control, integrate(model, up, random_vector(model, 8, 0.2)), random_vector(model, 9, 0.2)};
    loop.run(6, 1e-3);
    EXPECT_LT(difference(model, loop.q, up).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(Regulators, TrackingBringsADisturbedStartBack) {
  LONG_TEST();
  for (const char* name : {"planar_3r", "ball"}) {
    SCOPED_TRACE(name);
    const Model model = name[0] == 'b' ? ball_arm() : read::load(name);
    const Vector from = neutral_configuration(model), to = integrate(model, from, random_vector(model, 3, 1.2));
    const Target motion = cycloidal(model, from, to, 3);
    const auto closed = tracking_lqr(model, motion, uniform_weights(model, 200, 2, 0.05));
    const auto open = feedforward(model, motion);
    const Vector start = integrate(model, from, random_vector(model, 4, 0.1)), v = random_vector(model, 5, 0.2);
    Loop with{model, *closed, start, v}, without{model, *open, start, v};
    with.run(3, 1e-3), without.run(3, 1e-3);
    const double regulated = difference(model, with.q, to).norm(), left = difference(model, without.q, to).norm();
    EXPECT_LT(regulated, 0.02 * left) << regulated << " / " << left;
    with.run(6, 1e-3);
    EXPECT_LT(difference(model, with.q, to).norm(), 1e-6);
  }
}

// The gain at the start is that of the differential equation: half the intervals change it by a quarter as much.
TEST(Regulators, TrackingGainsConvergeWithTheIntervals) {
  LONG_TEST();
  const Model model = read::load("planar_3r");
  const Target motion = cycloidal(model, Vector3(0, 0, 0), Vector3(1, -1, 2), 0.6);
  const LqrWeights weights = uniform_weights(model, 20, 1, 1);
  Vector q(3), v(3), a(3);
  motion->at(0, q, v, a);
  const auto force = [&](int intervals) {
    return forces_of(model, *tracking_lqr(model, motion, weights, intervals), 0, Vector3(0.1, 0.2, -0.1), v);
  };
  const Vector fine = force(320);
  EXPECT_LT((force(40) - fine).norm(), 0.3 * (force(20) - fine).norm());
  EXPECT_LT((force(80) - fine).norm(), 1e-3 * fine.norm());
}

TEST(Controllers, KnowTheirDerivatives) {
  const Model model = read::load("stanford_arm");
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2);
  const Target motion = cycloidal(model, random_configuration(model, 3), random_configuration(model, 4), 2);
  const JointGains gains = uniform_gains(model, 50, 8);
  const LqrWeights weights = uniform_weights(model, 10, 1, 1);
  const std::unique_ptr<Controller> list[] = {pd(model, motion, gains),
                                              pd_gravity(model, motion, gains),
                                              computed_torque(model, motion, gains),
                                              joint_impedance(model, motion, gains),
                                              lqr(model, q, weights),
                                              tracking_lqr(model, motion, weights, 20),
                                              feedforward(model, motion)};
  const double time = 0.73, h = 1e-5;
  for (std::size_t k = 0; k < std::size(list); ++k) {
    SCOPED_TRACE("controller " + std::to_string(k));
    Matrix by_q(6, 6), by_v(6, 6), q_slope(6, 6), v_slope(6, 6);
    ASSERT_TRUE(list[k]->derivative(time, q, v, by_q, by_v));
    for (int i = 0; i < 6; ++i) {
      const Vector d = h * Vector::Unit(6, i);
      const auto f = [&](const Vector& dq, const Vector& dv) {
        return forces_of(model, *list[k], time, q + dq, v + dv);
      };
      const Vector none = Vector::Zero(6);
      q_slope.col(i) = (f(d, none) - f(-d, none)) / (2 * h);
      v_slope.col(i) = (f(none, d) - f(none, -d)) / (2 * h);
    }
    EXPECT_LT((by_q - q_slope).cwiseAbs().maxCoeff(), 1e-6 * (1 + q_slope.cwiseAbs().maxCoeff()));
    EXPECT_LT((by_v - v_slope).cwiseAbs().maxCoeff(), 1e-6 * (1 + v_slope.cwiseAbs().maxCoeff()));
  }
  const Model ball = ball_arm();
  Matrix by_q(4, 4), by_v(4, 4);
  const Vector pose = neutral_configuration(ball), rest = Vector::Zero(4);
  EXPECT_FALSE(pd(ball, standstill(ball, pose), uniform_gains(ball, 1, 1))->derivative(0, pose, rest, by_q, by_v));
}

TEST(Controllers, RefuseWhatTheyCannotUse) {
  const Model model = read::load("planar_3r");
  const Target target = standstill(model, Vector::Zero(3));
  JointGains gains = uniform_gains(model, 1, 1);
  EXPECT_THROW(pd(model, nullptr, gains), std::invalid_argument);
  EXPECT_THROW(tracking_lqr(model, nullptr, uniform_weights(model, 1, 1, 1)), std::invalid_argument);
  EXPECT_THROW(tracking_lqr(model, target, uniform_weights(model, 1, 1, 1), 0), std::invalid_argument);
  EXPECT_THROW(lqr(model, Vector::Zero(2), uniform_weights(model, 1, 1, 1)), std::invalid_argument);
  EXPECT_THROW(lqr(model, Vector::Zero(3), uniform_weights(model, 1, 1, -1)), std::invalid_argument);
  EXPECT_THROW(diagonal_brake(model, Vector::Zero(3)), std::invalid_argument);
  EXPECT_THROW(diagonal_brake(model, Vector::Ones(2)), std::invalid_argument);
  PoseGoal goal;
  goal.frame = 99;
  EXPECT_THROW(diagonal_reach(model, goal, Vector::Ones(3)), std::invalid_argument);
  FrameImpedance spring;
  spring.goal.R *= 2;
  EXPECT_THROW(operational_impedance(model, spring), std::invalid_argument);
  spring.goal.R.setIdentity();
  spring.stiffness[2] = -1;
  EXPECT_THROW(operational_impedance(model, spring), std::invalid_argument);
  gains.damping[1] = -1;
  EXPECT_THROW(pd(model, target, gains), std::invalid_argument);
  gains.damping[1] = std::nan("");
  EXPECT_THROW(computed_torque(model, target, gains), std::invalid_argument);
  gains.damping = Vector::Ones(2);
  EXPECT_THROW(joint_impedance(model, target, gains), std::invalid_argument);
  const auto control = pd_gravity(model, target, uniform_gains(model, 1, 1));
  Vector tau(3);
  EXPECT_THROW(control->forces(0, Vector::Zero(2), Vector::Zero(3), tau), std::invalid_argument);
  EXPECT_THROW(control->forces(0, Vector::Zero(3), Vector::Constant(3, std::nan("")), tau), std::invalid_argument);
}

}  // namespace
}  // namespace catena::test
