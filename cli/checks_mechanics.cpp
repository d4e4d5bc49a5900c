// What `catena verify` checks of sampled linear models, derivatives by parameters, rollouts and control: each by a law that
// needs no second copy of the algorithm. Bounds as in checks.cpp.
#include <Eigen/Dense>
#include <algorithm>
#include <limits>

#include "catena/batch/rollout.hpp"
#include "catena/diagonal/control.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/kinematics/moving.hpp"
#include "catena/linear/exponential.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/linear/parameters.hpp"
#include "cli/carriers.hpp"
#include "cli/checks.hpp"

namespace catena::cli {
namespace {

// exp(X) by its series, of a third of a third ... of X, cubed: another way than Pade's and squares.
Matrix exponential_by_series(Matrix X) {
  int thirds = 0;
  for (; X.cwiseAbs().rowwise().sum().maxCoeff() > 0.5; ++thirds) X /= 3;
  const Matrix one = Matrix::Identity(X.rows(), X.cols());
  Matrix sum = one;
  for (int k = 18; k > 0; --k) sum = one + X * sum / k;
  for (; thirds > 0; --thirds) sum = (sum * sum * sum).eval();
  return sum;
}

// A says how a small dq is carried along by v: by the velocity alone, q (+) dq and q moved with v come to differ by
// exp(A_qq) dq, exactly, for a dq of any size. Its lower rows are [-B_C -A_C], which other checks prove. B is [0; M^-1].
// Sampled: exp([A B; 0 0] step).
Difference state_space_law(Sample& s) {
  const Eigen::Index n = s.v.size();
  const StateSpace continuous = state_space(s.model, s.q, s.v, s.tau);
  const Vector dq = random_vector(s.model, 77);
  const Vector apart =
      difference(s.model, integrate(s.model, s.q, s.v), integrate(s.model, integrate(s.model, s.q, dq), s.v));
  const Vector carried = exponential_by_series(continuous.A.topLeftCorner(n, n)) * dq;
  const double flow = largest(apart - carried) / (1 + largest(s.q) + largest(s.v) + largest(dq));
  const ForwardLinearization forward = linearize_forward(s.model, s.q, s.v, s.tau);
  Matrix lower(n, 2 * n);
  lower << -forward.B_C, -forward.A_C;
  const double rows = largest(continuous.A.bottomRows(n) - lower) / (1 + largest(lower));
  // M M^-1 = 1, in coordinates scaled by the inertia about the first joint, where linearized dynamics take moments
  const Vector per_root = s.world_root.cwiseInverse();
  const Matrix unit = per_root.asDiagonal() * s.M * per_root.asDiagonal();
  const Matrix inverse = s.world_root.asDiagonal() * continuous.B.bottomRows(n) * s.world_root.asDiagonal();
  const double input = largest(unit * inverse - Matrix::Identity(n, n)) / (1 + largest(inverse));

  Matrix block = Matrix::Zero(3 * n, 3 * n);
  block.topRows(2 * n) << continuous.A, continuous.B;
  const double step = 8 / std::max(block.cwiseAbs().colwise().sum().maxCoeff(), not_zero);
  const StateSpace sampled = discretize(continuous, step);
  const Matrix exact = exponential_by_series(block * step).topRows(2 * n);
  const double sampling = std::max(largest(sampled.A - exact.leftCols(2 * n)), largest(sampled.B - exact.rightCols(n)));
  // exp is off by what rounding of its argument, of norm 8, makes: e^8 times it, in products of 3n numbers and behind the
  // approximant's denominator, whose inverse is at most 17 (Higham)
  const double exact_to = std::exp(8.0) * 3 * double(n) * 17;
  return {std::max({flow, rows, input / double(n), sampling / exact_to}), s.operations() * epsilon};
}

// The column of H of a joint with one degree of freedom, in the joint's frame.
Vector6 axis_of(const Joint& joint) {
  Vector6 H = Vector6::Zero();
  const Vector3 axis = joint.axis.normalized();
  if (joint.type == JointType::prismatic) {
    H.tail<3>() = axis;
  } else {
    H << axis, joint.pitch * axis;
  }
  return H;
}

// A joint displaced along its own axis is its q; the whole robot rotated is gravity rotated back; gravity, damping,
// friction and springs enter as factors; accelerations change by -M^-1 of the forces.
Difference sensitivities(Sample& s) {
  const Description& robot = s.rigid.description();
  const Carriers carriers(robot);
  const auto by = [&](const Model& model, ParameterKind kind) {
    return inverse_sensitivity(model, kind, s.q, s.v, s.a).derivative;
  };
  const double far = s.world_root.cwiseQuotient(s.root).maxCoeff();
  double error = 0;
  const auto compare = [&](const Vector& one, const Vector& other, const Vector& size) {
    if (one.size() == 0) return;
    error = std::max(error, (one - other).cwiseAbs().cwiseQuotient((s.scale + size) * far).maxCoeff());
  };
  const Matrix placement = by(s.rigid, ParameterKind::placement), body = by(s.rigid, ParameterKind::body_pose);
  const Matrix gravity = by(s.rigid, ParameterKind::gravity);
  const Matrix B_D = linearize_inverse(s.rigid, s.q, s.v, s.a).B_D;
  const Vector3 turn(0.3, -0.5, 0.7);
  Vector whole = Vector::Zero(s.v.size()), whole_size = whole;
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const Joint& joint = robot.joints[j];
    const auto columns = [&](const Matrix& all) { return all.middleCols(6 * static_cast<Eigen::Index>(j), 6); };
    const int parent = carriers.parent(static_cast<int>(j));
    if (carriers.joint_above(parent) < 0) {
      const Pose frame = (parent < 0 ? Pose{} : s.motion.pose(parent)) * joint.placement;
      Vector6 V = Vector6::Zero();
      V.head<3>() = turn;
      const Vector6 x = seen_from(frame, V);
      whole += columns(placement) * x;
      whole_size += columns(placement).cwiseAbs() * x.cwiseAbs();
    }
    if (s.rigid.has_couplings() || !moves_in_a_group(joint.type) || facts_of(joint.type).nv != 1) continue;
    const Vector6 H = axis_of(joint), in_body = seen_from(joint.body_in_joint, H);
    const Vector own = B_D.col(s.rigid.coordinate(joint.name).v);
    const Vector size =
        own.cwiseAbs() + columns(placement).cwiseAbs() * H.cwiseAbs() + columns(body).cwiseAbs() * in_body.cwiseAbs();
    compare(columns(placement) * H, own, size);
    compare(columns(body) * in_body, own, size);
  }
  const Vector3 g = s.rigid.gravity();
  compare(whole, -gravity * turn.cross(g), whole_size);
  compare(gravity * g, s.gravity, gravity.cwiseAbs() * g.cwiseAbs());

  const Matrix damping = by(s.model, ParameterKind::damping), friction = by(s.model, ParameterKind::friction),
               stiffness = by(s.model, ParameterKind::stiffness);
  Vector terms = Vector::Zero(s.v.size());
  Eigen::Index column = 0;
  for (const Joint& joint : s.model.description().joints) {
    if (joint.type == JointType::fixed) continue;
    const JointTerms& own = joint.terms;
    terms +=
        own.damping * damping.col(column) + own.friction * friction.col(column) + own.stiffness * stiffness.col(column);
    ++column;
  }
  compare(terms, s.joint_force, terms.cwiseAbs());

  const Matrix forward = forward_sensitivity(s.model, ParameterKind::gravity, s.q, s.v, s.tau).derivative;
  const Matrix solved = s.M * forward + gravity;  // M da/dg = -dtau/dg
  const Vector size = s.M.cwiseAbs() * forward.cwiseAbs().rowwise().sum() + gravity.cwiseAbs().rowwise().sum();
  error = std::max(error, solved.cwiseAbs().rowwise().maxCoeff().cwiseQuotient(size.cwiseMax(not_zero)).maxCoeff() /
                              (double(s.v.size()) * s.condition));
  return {error, s.operations() * epsilon};
}

// The same steps one state at a time, with forward_dynamics.
void step_euler(const Model& model, double h, const Vector& tau, Vector& q, Vector& v) {
  v += h * forward_dynamics(model, q, v, tau);
  q = integrate(model, q, Vector(h * v));
}
void step_runge_kutta(const Model& model, double h, const Vector& tau, Vector& q, Vector& v) {
  const double weights[] = {1, 2, 2, 1}, ahead[] = {0.5, 0.5, 1, 0};
  const Tree& tree = model.tree();
  Vector q_sum = Vector::Zero(q.size()), v_sum = Vector::Zero(v.size()), q_trial = q, v_trial = v;
  for (int stage = 0; stage < 4; ++stage) {
    Vector normal = q_trial, v_full = Vector::Zero(tree.nv_full), rates = Vector::Zero(tree.nq_full);
    Vector q_full = Vector::Zero(tree.nq_full);
    normalize(model, normal);
    q_full.head(q.size()) = q_trial, v_full.head(v.size()) = v_trial;
    kernel::position_rates(tree, q_full.data(), v_full.data(), rates.data());
    const Vector a = forward_dynamics(model, normal, v_trial, tau);
    q_sum += weights[stage] * rates.head(q.size()), v_sum += weights[stage] * a;
    q_trial = q + h * ahead[stage] * rates.head(q.size()), v_trial = v + h * ahead[stage] * a;
  }
  q += h / 6 * q_sum, v += h / 6 * v_sum;
  normalize(model, q);
}

Difference rollouts(Sample& s) {
  constexpr int steps = 3;
  const ForwardLinearization linear = linearize_forward(s.model, s.q, s.v, s.tau);
  const auto own_units = [&](const Matrix& X) {
    return largest(s.root.asDiagonal() * X * s.root.cwiseInverse().asDiagonal());
  };
  // short enough that nothing runs away in it, whatever the robot's time constants
  const double h = 1e-3 / (1 + own_units(linear.A_C) + std::sqrt(own_units(linear.B_C)) + largest(linear.a) * 1e-3);
  const double speed = largest(s.root.cwiseProduct(s.v)) + not_zero;
  const Difference acceleration = acceleration_outcome(s, linear.a, linear.a);
  const double gained = h * steps * largest(s.root.cwiseProduct(linear.a)) / speed;
  double error = 0;
  for (const auto method : {RolloutOptions::euler, RolloutOptions::rk4}) {
    Rollout rollout(s.model, {.method = method, .step = h, .backend = BatchOptions::lanes});
    Vector q(s.q.size()), v(s.v.size()), q_plain = s.q, v_plain = s.v;
    rollout(s.q, s.v, s.tau, steps, q, v);
    for (int k = 0; k < steps; ++k) {
      (method == RolloutOptions::rk4 ? step_runge_kutta : step_euler)(s.model, h, s.tau, q_plain, v_plain);
    }
    const double v_error = largest(s.root.cwiseProduct(v - v_plain)) / speed;
    error = std::max({error, v_error / (1 + gained * acceleration.bound / epsilon),
                      largest(q - q_plain) / (1 + largest(s.q) + h * largest(s.v))});
  }
  return {error, 2 * steps * s.operations() * epsilon};
}

// Control 8.1 and 8.2: the drives take nu' c nu from the energy and pull with the power at which the error e shrinks.
Difference control(Sample& s) {
  PoseGoal goal;
  goal.frame = s.model.tip_frame();
  goal.goal = Kinematics(s.model, random_configuration(s.model, 78)).pose(goal.frame);
  goal.position_weight = 3, goal.orientation_weight = 2;
  DiagonalControlOptions options;
  options.c = (random_vector(s.model, 79).array() + 2).matrix();
  options.limit_effort = false;
  const Vector nu = DiagonalForm(s.model, s.q).nu(s.v);
  const double braking = nu.dot(options.c.cwiseProduct(nu)), losses = s.v.dot(s.joint_force);
  const DiagonalControl brakes = brake(s.model, s.q, s.v, options), reaches = reach(s.model, s.q, s.v, goal, options);

  const Pose pose = s.motion.pose(goal.frame);
  const Vector6 V = s.motion.velocity(goal.frame, Axes::aligned);
  const Vector3 w = V.head<3>();
  double pull = goal.position_weight * (goal.goal.p - pose.p).dot(V.tail<3>());
  for (int axis = 0; axis < 3; ++axis)
    pull += goal.orientation_weight * goal.goal.R.col(axis).dot(w.cross(pose.R.col(axis)));
  const double size = s.v.cwiseAbs().dot(s.scale) + braking +
                      goal.position_weight * (goal.goal.p.norm() + pose.p.norm()) * V.tail<3>().norm() +
                      3 * goal.orientation_weight * w.norm() + not_zero;
  const auto power = [&](const DiagonalControl& x) { return s.v.dot(x.tau_wanted - s.gravity) + braking; };
  const double error =
      std::max({std::abs(power(brakes)), std::abs(power(reaches) - pull),
                std::abs(brakes.rate_wanted + braking + losses), std::abs(reaches.rate_wanted + braking + losses)});
  return {error / size, s.operations() * epsilon * s.condition};
}

}  // namespace

const std::vector<Check>& mechanics_checks() {
  static const std::vector<Check> table = {
      {"state_space", "A carries dq along with v as steps do; sampled: exp by its series", matrices | small,
       state_space_law},
      {"sensitivity", "derivatives by parameters: along the axis = by q, robot rotated = gravity rotated back",
       matrices | small, sensitivities},
      {"rollout", "steps in lanes, Euler and Runge–Kutta = the same steps with forward dynamics", matrices, rollouts},
      {"control", "Controls 8.1 and 8.2: power of the drives = −nuᵀc nu and what shrinks the error", matrices, control},
  };
  return table;
}

}  // namespace catena::cli
