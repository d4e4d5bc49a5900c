// The physics that `catena verify` checks. Errors are relative to the forces at play in each joint; a bound is the unit
// roundoff times the roundings along the longest path, times the amplification of the solve where there is one.
// Rounding acts on what is added up, not on what remains of it: the inertia at a joint itself may be a small rest of
// the inertia that it carries (a point mass nearly on its axis, a thin tool along it). So coordinates are scaled by the
// inertia carried (cli/weights.cpp); rad and m then compare.
#include "cli/checks.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <limits>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/dynamics/reactions.hpp"
#include "catena/linear/by_dual.hpp"
#include "cli/robot.hpp"
#include "cli/weights.hpp"

namespace catena::cli {

double largest(const Eigen::Ref<const Matrix>& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

double inertia_error(const Vector& root, const Matrix& difference) {
  const auto inverse = root.asDiagonal().inverse();
  return largest(inverse * difference * inverse);
}

double rate_error(const Sample& s, const Vector& root, const Matrix& difference) {
  double worst = 0;
  for (Eigen::Index i = 0; i < difference.rows(); ++i) {
    for (Eigen::Index j = 0; j < difference.cols(); ++j) {
      const double size = root[i] * root[j] * std::max(s.rate[i], s.rate[j]);
      worst = std::max(worst, std::abs(difference(i, j)) / std::max(size, std::numeric_limits<double>::min()));
    }
  }
  return worst;
}

// Worst component of a difference of forces, each against the forces at play there.
double force_error(const Sample& s, const Vector& one, const Vector& other) {
  return one.size() == 0 ? 0 : (one - other).cwiseAbs().cwiseQuotient(s.scale).maxCoeff();
}

Difference force_outcome(const Sample& s, const Vector& one, const Vector& other) {
  return {force_error(s, one, other), s.operations() * epsilon};
}

Difference acceleration_outcome(const Sample& s, const Vector& one, const Vector& other, const Vector& terms) {
  const double size = std::max(largest(s.root.cwiseProduct(other)), std::numeric_limits<double>::min());
  const double error = largest(s.root.cwiseProduct(one - other)) / size;
  // of the forces, and of M times the accelerations
  const double sum = s.root.dot(other.cwiseAbs()) + (terms.size() == 0 ? 0 : s.root.dot(terms));
  const double forces = largest(s.scale.cwiseQuotient(s.root)) + sum;
  return {error,
          s.operations() * epsilon * std::sqrt(double(s.q.size())) * forces / (std::max(s.smallest, epsilon) * size)};
}

namespace {

Difference forward_of_inverse(Sample& s) {
  return acceleration_outcome(s, forward_dynamics(s.model, s.q, s.v, s.tau), s.a);
}

Difference articulated_vs_composite(Sample& s) {
  return acceleration_outcome(s, forward_dynamics(s.model, s.q, s.v, s.tau),
                              forward_dynamics_composite(s.model, s.q, s.v, s.tau));
}

Difference inverse_vs_mass_matrix(Sample& s) {
  const Vector size = s.scale + s.root * s.root.dot(s.a.cwiseAbs());
  const Vector difference = s.M * s.a + bias_forces(s.model, s.q, s.v) - s.tau;
  return {difference.cwiseAbs().cwiseQuotient(size).maxCoeff(), s.operations() * epsilon};
}

Difference bias_is_its_parts(Sample& s) {
  return force_outcome(s, bias_forces(s.model, s.q, s.v), s.gravity + s.coriolis + s.joint_force);
}

Difference mass_matrix_inverse_law(Sample& s) {
  const auto D = s.root.asDiagonal();
  const Matrix product = D.inverse() * (s.M * s.M_inv) * D;
  const double n = double(s.v.size());
  return {largest(product - Matrix::Identity(product.rows(), product.cols())),
          s.operations() * epsilon * n * s.condition};
}

Difference mass_matrix_symmetric(Sample& s) {
  return {largest(s.M - s.M.transpose()) / largest(s.M), s.operations() * epsilon};
}

Difference mass_matrix_positive(Sample& s) { return {std::max(0.0, double(s.v.size()) * epsilon - s.smallest), 0}; }

Difference mass_matrix_dot_law(Sample& s) {
  return {rate_error(s, s.root, s.M_dot - s.C - s.C.transpose()), s.operations() * epsilon};
}

Difference coriolis_matrix_law(Sample& s) { return force_outcome(s, s.C * s.v, s.coriolis); }

Difference newton_euler_dh(Sample& s) {
  const Vector rigid_tau = inverse_dynamics(s.rigid, s.q, s.v, s.a);
  return force_outcome(s, dh_newton_euler(s.chain->links, s.chain->base, s.q, s.v, s.a).tau, rigid_tau);
}

Difference kinetic_energy_law(Sample& s) {
  const double speed = s.root.dot(s.v.cwiseAbs()), size = speed * speed / 2;
  return {std::abs(s.motion.kinetic_energy() - s.v.dot(s.M * s.v) / 2) / size, s.operations() * epsilon};
}

// Power of the joint forces = change of kinetic energy + lift against gravity + what the joints take.
Difference power_balance(Sample& s) {
  const double power = s.v.dot(s.tau);
  const double parts = s.v.dot(s.M * s.a) + s.v.dot(s.M_dot * s.v) / 2 + s.v.dot(s.gravity) + s.v.dot(s.joint_force);
  const Vector speed = s.root.cwiseProduct(s.v.cwiseAbs());
  const double size = s.v.cwiseAbs().dot(s.scale) + speed.sum() * (s.root.dot(s.a.cwiseAbs()) + speed.dot(s.rate));
  return {std::abs(power - parts) / size, s.operations() * epsilon};
}

// What damping and friction take is never negative.
Difference joint_losses(Sample& s) {
  const double power = s.v.dot(s.joint_force - joint_forces(s.model, s.q, 0 * s.v));
  return {std::max(0.0, -power) / s.v.cwiseAbs().dot(s.scale), s.operations() * epsilon};
}

Difference gravity_from_center_of_mass(Sample& s) {
  const Vector lift = -s.model.total_mass() * (s.motion.center_of_mass_jacobian().transpose() * s.model.gravity());
  return force_outcome(s, lift, s.gravity);
}

// Both parts, body by body: m (c' of the body), and I w + m (c - com) x c' about the centre of mass of the whole.
Difference momentum_law(Sample& s) {
  const auto& bodies = s.model.description().bodies;
  const Vector3 com = s.motion.center_of_mass();
  Vector6 sum = Vector6::Zero(), size = Vector6::Zero();
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].inertial) continue;
    const Inertial& own = *bodies[b].inertial;
    const Pose pose = s.motion.pose(static_cast<int>(b));
    const Vector6 V = s.motion.velocity(static_cast<int>(b), Axes::aligned);
    const Vector3 w = V.head<3>(), arm = pose.R * own.com, velocity = V.tail<3>() + w.cross(arm);
    const Vector3 spin = pose.R * (own.inertia * (pose.R.transpose() * w)), c = pose.p + arm;
    sum.head<3>() += spin + own.mass * (c - com).cross(velocity);
    sum.tail<3>() += own.mass * velocity;
    const double speed = V.tail<3>().norm() + w.norm() * arm.norm();
    size.head<3>().array() += spin.norm() + own.mass * (c.norm() + com.norm()) * speed;
    size.tail<3>().array() += own.mass * speed;
  }
  return {(s.motion.momentum() - sum)
              .cwiseAbs()
              .cwiseQuotient(size.cwiseMax(std::numeric_limits<double>::min()))
              .maxCoeff(),
          s.operations() * epsilon};
}

Difference centre_of_mass_law(Sample& s) {
  const Matrix J = s.motion.center_of_mass_jacobian();
  const double size = std::max(largest(J.cwiseAbs() * s.v.cwiseAbs()), std::numeric_limits<double>::min());
  return {largest(J * s.v - Vector(s.motion.center_of_mass_velocity())) / size, s.operations() * epsilon};
}

// At most a few dozen frames, spread over the robot, so that a long chain stays quick.
template <class Visit>
void visit_frames(const Model& model, Visit visit) {
  const int stride = std::max(1, model.frame_count() / 40);
  for (int f = 0; f < model.frame_count(); f += stride) visit(f);
}

Difference jacobian_law(Sample& s) {
  double error = 0;
  visit_frames(s.model, [&](int frame) {
    for (const Axes axes : {Axes::body, Axes::world, Axes::aligned}) {
      const Matrix J = s.motion.jacobian(frame, axes);
      const double size = std::max(largest(J.cwiseAbs() * s.v.cwiseAbs()), std::numeric_limits<double>::min());
      error = std::max(error, largest(J * s.v - Vector(s.motion.velocity(frame, axes))) / size);
    }
  });
  return {error, s.operations() * epsilon};
}

Difference jacobian_dot_law(Sample& s) {
  double error = 0;
  visit_frames(s.model, [&](int frame) {
    for (const Axes axes : {Axes::body, Axes::aligned}) {
      const Matrix J = s.motion.jacobian(frame, axes), J_dot = s.motion.jacobian_dot(frame, axes);
      const Vector direct =
          axes == Axes::body ? s.motion.acceleration(frame, axes) : s.motion.ordinary_acceleration(frame, axes);
      const double speed = largest(J.cwiseAbs() * s.v.cwiseAbs());
      const double size =
          largest(J.cwiseAbs() * s.a.cwiseAbs()) + largest(J_dot.cwiseAbs() * s.v.cwiseAbs()) + speed * speed;
      error =
          std::max(error, largest(J * s.a + J_dot * s.v - direct) / std::max(size, std::numeric_limits<double>::min()));
    }
  });
  return {error, s.operations() * epsilon};
}

Difference wrench_by_jacobian(Sample& s) {
  Wrench wrench;
  wrench.frame = s.model.tip_frame();
  wrench.moment = {1, -2, 3}, wrench.force = {-30, 20, 10}, wrench.point = {0.2, 0.1, -0.3};
  Vector6 load;
  load << wrench.moment + wrench.point.cross(wrench.force), wrench.force;
  ExternalLoads loads;
  loads.wrenches = {wrench};
  const Vector relief = s.tau - inverse_dynamics(s.model, s.q, s.v, s.a, loads);
  const Matrix J = s.motion.jacobian(wrench.frame, Axes::body);
  const Vector size = s.scale + J.cwiseAbs().transpose() * load.cwiseAbs();
  return {(relief - J.transpose() * load).cwiseAbs().cwiseQuotient(size).maxCoeff(), s.operations() * epsilon};
}

Difference weight_on_ground(Sample& s) {
  const Vector zero = Vector::Zero(s.v.size());
  const Vector3 weight = s.model.total_mass() * s.model.gravity(), com = s.motion.center_of_mass();
  Vector6 reaction;
  reaction << -com.cross(weight), -weight;
  const double size = weight.norm() * (1 + com.norm());
  const double difference = (reactions(s.model, s.q, zero, zero).base - reaction).cwiseAbs().maxCoeff();
  return {size > 0 ? difference / size : difference, s.operations() * epsilon};
}

// Whose coordinates move a joint, and how many times as fast: a mimic may follow another.
std::pair<const Coordinate&, double> carrier(const Model& model, const Joint& joint) {
  const auto& joints = model.description().joints;
  double ratio = 1;
  const Joint* master = &joint;
  while (master->mimic) {
    ratio *= std::abs(master->mimic->ratio);
    master = &*std::find_if(joints.begin(), joints.end(),
                            [&](const Joint& other) { return other.name == master->mimic->joint; });
  }
  return {model.coordinate(master->name), ratio};
}

}  // namespace

Subject::Subject(const Model& robot)
    : model(robot),
      rigid(without_joint_terms(robot.description())),
      conservative(without_losses(robot.description())),
      chain(dh_chain(rigid)) {}

Sample::Sample(const Subject& subject, std::uint64_t seed)
    : model(subject.model),
      rigid(subject.rigid),
      conservative(subject.conservative),
      chain(subject.chain),
      motion(model) {
  q = random_configuration(model, seed);
  v = random_vector(model, seed + 0x10000);
  a = random_vector(model, seed + 0x20000);
  const Reactions inverse = reactions(model, q, v, a);
  tau = inverse.tau;
  gravity = gravity_forces(model, q);
  coriolis = coriolis_forces(model, q, v);
  joint_force = joint_forces(model, q, v);
  motion.update(q, v, a);

  // tau_i is one component of the wrench in joint i: rounding acts on the whole wrench.
  scale = tau.cwiseAbs() + gravity.cwiseAbs() + coriolis.cwiseAbs() + joint_force.cwiseAbs();
  const auto& joints = model.description().joints;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].type == JointType::fixed) continue;
    const auto [coordinates, ratio] = carrier(model, joints[j]);
    scale.segment(coordinates.v, coordinates.nv).array() += ratio * inverse.joints.col(static_cast<int>(j)).norm();
  }
  scale = scale.cwiseMax(std::numeric_limits<double>::min());

  dense = model.nv() > 0 && model.nv() <= dense_limit;
  if (!dense) return;
  M = mass_matrix(model, q);
  M_inv = mass_matrix_inverse(model, q);
  C = coriolis_matrix(model, q, v);
  M_dot = change_of_mass_matrix_by_dual(model, q, v);
  scale += M.cwiseAbs() * a.cwiseAbs();
  const Weights weights = carried_weights(model, motion);
  root = weights.root;
  rate = weights.rate;
  world_root = weights.world;
  ground_root = weights.ground;
  world_scale = scale;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].type == JointType::fixed) continue;
    const auto [coordinates, ratio] = carrier(model, joints[j]);
    world_scale.segment(coordinates.v, coordinates.nv).array() +=
        ratio * weights.arms[j] * inverse.joints.col(static_cast<int>(j)).tail<3>().norm();
  }
  const Matrix unit = root.asDiagonal().inverse() * M * root.asDiagonal().inverse();
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(unit, Eigen::EigenvaluesOnly).eigenvalues();
  smallest = values(0);
  condition = values(values.size() - 1) / std::max(smallest, epsilon);
}

double Sample::operations() const { return 16.0 * (model.nv() + 10); }

const std::vector<Check>& checks() {
  static const std::vector<Check> table = {
      {"forward_of_inverse", "accelerations → forces → accelerations gives back the same accelerations", matrices,
       forward_of_inverse},
      {"articulated_vs_composite", "forward dynamics by articulated bodies = by mass matrix and Cholesky", matrices,
       articulated_vs_composite},
      {"inverse_vs_mass_matrix", "Newton–Euler forces = M a + bias", matrices, inverse_vs_mass_matrix},
      {"bias_is_its_parts", "bias = gravity + Coriolis + joint forces", nothing, bias_is_its_parts},
      {"mass_matrix_symmetric", "M = Mᵀ", matrices, mass_matrix_symmetric},
      {"mass_matrix_positive", "M is positive definite: every motion has kinetic energy", matrices,
       mass_matrix_positive},
      {"mass_matrix_inverse", "M M⁻¹ = 1", matrices, mass_matrix_inverse_law},
      {"mass_matrix_dot", "Ṁ, the derivative of M by dual numbers, = C + Cᵀ: Coriolis forces do no work", matrices,
       mass_matrix_dot_law},
      {"coriolis_matrix", "C v = Coriolis forces of Newton–Euler", matrices, coriolis_matrix_law},
      {"newton_euler_dh", "the recursion in Denavit–Hartenberg frames gives the same forces", serial, newton_euler_dh},
      {"kinetic_energy", "energy summed over the bodies = ½ vᵀ M v", matrices, kinetic_energy_law},
      {"power_balance", "power of the forces = change of energy + dissipation", matrices, power_balance},
      {"joint_losses", "damping and friction never give energy to the robot", nothing, joint_losses},
      {"gravity_from_center_of_mass", "gravity forces = weight through the Jacobian of the centre of mass", nothing,
       gravity_from_center_of_mass},
      {"momentum", "linear and angular momentum = their sums over the bodies", nothing, momentum_law},
      {"center_of_mass", "J of the centre of mass times v = its velocity, momentum / mass", nothing,
       centre_of_mass_law},
      {"jacobian", "J v = velocity of every frame, in body, world and aligned axes", nothing, jacobian_law},
      {"jacobian_dot", "J a + J̇ v = acceleration of every frame", nothing, jacobian_dot_law},
      {"wrench_by_jacobian", "an external wrench F relieves the joints by Jᵀ F", nothing, wrench_by_jacobian},
      {"weight_on_ground", "at rest the ground carries the weight, at the centre of mass", nothing, weight_on_ground},
  };
  static const std::vector<Check> all = [] {
    std::vector<Check> joined = table;
    for (const auto* part : {&body_checks(), &paper_checks(), &linear_checks(), &method_checks(), &mechanics_checks()})
      joined.insert(joined.end(), part->begin(), part->end());
    return joined;
  }();
  return all;
}

}  // namespace catena::cli
