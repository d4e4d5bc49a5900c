// What `catena verify` checks of poses, steps on the configuration space, joint wrenches and the potential energy, straight
// from the description of the robot. Bounds as in checks.cpp.
#include <Eigen/Dense>
#include <algorithm>
#include <limits>

#include "catena/dynamics/reactions.hpp"
#include "catena/linear/exponential.hpp"
#include "cli/carriers.hpp"
#include "cli/checks.hpp"

namespace catena::cli {
namespace {

Pose turned(const Vector3& axis, double angle) {
  Pose out;
  out.R = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
  return out;
}

// J(q) of the conventions, for what q of the joint or of the one it follows says. Planar joints: along their axis only, where
// the two directions of their plane point is the tree's business.
Pose joint_pose(const Joint& joint, const Vector& q) {
  const auto unit = [](char letter) { return Vector3(letter == 'x', letter == 'y', letter == 'z'); };
  Pose out;
  switch (joint.type) {
    case JointType::fixed: return out;
    case JointType::revolute:
    case JointType::continuous: return turned(joint.axis, q[0]);
    case JointType::helical:
      out = turned(joint.axis, q[0]), out.p = joint.pitch * q[0] * joint.axis.normalized();
      break;
    case JointType::prismatic: out.p = q[0] * joint.axis.normalized(); break;
    case JointType::cylindrical: out = turned(joint.axis, q[0]), out.p = q[1] * joint.axis.normalized(); break;
    case JointType::planar: return turned(joint.axis, q[0]);
    case JointType::universal: return turned(joint.axis, q[0]) * turned(joint.second_axis, q[1]);
    case JointType::gimbal:
      return turned(unit(joint.sequence[0]), q[0]) * turned(unit(joint.sequence[1]), q[1]) *
             turned(unit(joint.sequence[2]), q[2]);
    case JointType::spherical: out.R = Eigen::Quaterniond(q.head<4>()).normalized().toRotationMatrix(); break;
    case JointType::free:
      out.p = q.head<3>();
      out.R = Eigen::Quaterniond(q.tail<4>()).normalized().toRotationMatrix();
      break;
  }
  return out;
}

// The numbers of q that move a joint; of a mimic joint, ratio q + offset along the joints it follows.
Vector numbers_of(const Model& model, const Joint& joint, const Vector& q) {
  if (!joint.mimic) {
    const Coordinate& c = model.coordinate(joint.name);
    return q.segment(c.q, c.nq);
  }
  const auto& joints = model.description().joints;
  const auto master =
      std::find_if(joints.begin(), joints.end(), [&](const Joint& other) { return other.name == joint.mimic->joint; });
  return (joint.mimic->ratio * numbers_of(model, *master, q).array() + joint.mimic->offset).matrix();
}

// Where a joint puts its child: placement J(q) body_in_joint, from the description alone.
Difference joint_poses(Sample& s) {
  const Description& robot = s.model.description();
  const Carriers carriers(robot);
  const double angles = 1 + largest(s.q);
  double error = 0;
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const Joint& joint = robot.joints[j];
    const int child = carriers.child(static_cast<int>(j)), parent = carriers.parent(static_cast<int>(j));
    const Pose above = parent < 0 ? Pose{} : s.motion.pose(parent), below = s.motion.pose(child);
    const Pose moved = joint.placement.inverse() * (above.inverse() * below) * joint.body_in_joint.inverse();
    const Vector q = joint.type == JointType::fixed ? Vector() : numbers_of(s.model, joint, s.q);
    const Pose expected = joint_pose(joint, q);
    Vector3 apart = moved.p - expected.p;
    double reach = 1 + above.p.norm() + below.p.norm() + joint.placement.p.norm() + joint.body_in_joint.p.norm();
    if (joint.type == JointType::planar) {  // along the axis nothing; within the plane as far as x and y say
      const Vector3 axis = joint.axis.normalized();
      apart = Vector3(axis.dot(moved.p), moved.p.norm() - q.tail<2>().norm(), 0);
    }
    error = std::max({error, largest(moved.R - expected.R) / angles, apart.norm() / (reach * angles)});
  }
  return {error, s.operations() * epsilon};
}

Eigen::Matrix4d homogeneous(const Pose& pose) {
  Eigen::Matrix4d out = Eigen::Matrix4d::Identity();
  out.topLeftCorner<3, 3>() = pose.R;
  out.topRightCorner<3, 1>() = pose.p;
  return out;
}

// The 4 x 4 matrix whose exponential is the motion with the constant body velocity V for unit time.
Matrix generator(const Vector6& V) {
  Matrix out = Matrix::Zero(4, 4);
  out(0, 1) = -V[2], out(1, 0) = V[2], out(0, 2) = V[1], out(2, 0) = -V[1], out(1, 2) = -V[0], out(2, 1) = V[0];
  out.topRightCorner<3, 1>() = V.tail<3>();
  return out;
}

// The step w is a motion with constant velocity H w: T(q (+) w) = T(q) exp(H w), the velocity as kinematics has it.
Difference configuration_step(Sample& s) {
  const Description& robot = s.model.description();
  const Carriers carriers(robot);
  const Vector w = random_vector(s.model, 75), q_next = integrate(s.model, s.q, w);
  const Kinematics before(s.model, s.q, w), after(s.model, q_next);
  const auto pose = [](const Kinematics& at, int body) { return body < 0 ? Pose{} : at.pose(body); };
  const double angles = 1 + largest(s.q) + largest(q_next);
  double error = 0;
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    if (!moves_in_a_group(robot.joints[j].type)) continue;
    const int child = carriers.child(static_cast<int>(j)), parent = carriers.parent(static_cast<int>(j));
    const Pose relative = pose(before, parent).inverse() * pose(before, child);
    Vector6 V = before.velocity(child, Axes::body);
    if (parent >= 0) V -= seen_from(relative, before.velocity(parent, Axes::body));
    const Matrix found = homogeneous(pose(after, parent).inverse() * pose(after, child));
    const Matrix expected = homogeneous(relative) * exponential(generator(V));
    const double reach = 1 + pose(before, child).p.norm() + pose(after, child).p.norm() +
                         pose(before, parent).p.norm() + pose(after, parent).p.norm();
    error = std::max(error, largest(found - expected) / (reach * angles));
  }
  return {error, s.operations() * epsilon};
}

// From q to q (+) w it is w.
Difference configuration_difference(Sample& s) {
  const Vector w = random_vector(s.model, 76);
  const double size = 1 + largest(s.q) + largest(w);
  return {largest(difference(s.model, s.q, integrate(s.model, s.q, w)) - w) / size, s.operations() * epsilon};
}

// Newton and Euler for everything that a joint carries, body by body: the wrench in the joint, about the child's origin.
Difference joint_wrenches(Sample& s) {
  const Description& robot = s.model.description();
  const Carriers carriers(robot);
  const std::size_t count = robot.joints.size();
  const Matrix found = reactions(s.model, s.q, s.v, s.a).joints;
  Matrix expected = Matrix::Zero(6, static_cast<Eigen::Index>(count));
  Vector force_size = Vector::Zero(expected.cols()), moment_size = force_size;
  double reach = 0, fastest = s.model.gravity().norm();
  const auto origin = [&](int body) { return s.motion.pose(body).p; };
  for (std::size_t j = 0; j < count; ++j)
    reach = std::max(reach, 2 * origin(carriers.child(static_cast<int>(j))).norm());
  struct Moved {
    Vector3 c, force, moment;
    double mass, spin;
  };
  std::vector<Moved> moved(robot.bodies.size(), {Vector3::Zero(), Vector3::Zero(), Vector3::Zero(), 0, 0});
  for (std::size_t b = 0; b < robot.bodies.size(); ++b) {
    if (!robot.bodies[b].inertial) continue;
    const Inertial& own = *robot.bodies[b].inertial;
    const int body = static_cast<int>(b);
    const Pose pose = s.motion.pose(body);
    const Vector3 w = s.motion.velocity(body, Axes::aligned).head<3>();
    const Vector6 rate = s.motion.ordinary_acceleration(body, Axes::aligned);
    const Vector3 dw = rate.head<3>(), arm = pose.R * own.com;
    const Matrix3 I = pose.R * own.inertia * pose.R.transpose();
    const Vector3 a = rate.tail<3>() + dw.cross(arm) + w.cross(w.cross(arm));
    moved[b] = {pose.p + arm, own.mass * (a - s.model.gravity()), I * dw + w.cross(I * w), own.mass,
                I.norm() * (dw.norm() + w.squaredNorm())};
    fastest = std::max(fastest, s.model.gravity().norm() + rate.tail<3>().norm() +
                                    (dw.norm() + w.squaredNorm()) * (arm.norm() + pose.p.norm()));
    reach = std::max(reach, 2 * moved[b].c.norm());
  }
  for (std::size_t b = 0; b < moved.size(); ++b) {
    const Moved& own = moved[b];
    for (int j = carriers.joint_above(static_cast<int>(b)); j >= 0; j = carriers.joint_above(carriers.parent(j))) {
      const Pose child = s.motion.pose(carriers.child(j));
      expected.col(j).head<3>() += child.R.transpose() * (own.moment + (own.c - child.p).cross(own.force));
      expected.col(j).tail<3>() += child.R.transpose() * own.force;
      force_size[j] += own.mass * fastest;
      moment_size[j] += own.spin + own.mass * fastest * reach;
    }
  }
  double error = 0;
  for (Eigen::Index j = 0; j < found.cols(); ++j) {
    const Vector6 rest = found.col(j) - expected.col(j);
    error = std::max({error, largest(rest.head<3>()) / std::max(moment_size[j], not_zero),
                      largest(rest.tail<3>()) / std::max(force_size[j], not_zero)});
  }
  return {error, s.operations() * epsilon};
}

// Weights at their heights; springs apart, whose energy Lagrange's equations have.
Difference potential_energy(Sample& s) {
  const Kinematics motion(s.rigid, s.q);
  double sum = 0, size = not_zero;
  const auto& bodies = s.rigid.description().bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].inertial) continue;
    const Pose pose = motion.pose(static_cast<int>(b));
    const Vector3 arm = pose.R * bodies[b].inertial->com;
    sum -= bodies[b].inertial->mass * s.rigid.gravity().dot(pose.p + arm);
    size += bodies[b].inertial->mass * s.rigid.gravity().norm() * (pose.p.norm() + arm.norm());
  }
  return {std::abs(motion.potential_energy() - sum) / size, s.operations() * epsilon};
}

}  // namespace

const std::vector<Check>& body_checks() {
  static const std::vector<Check> table = {
      {"joint_poses", "placement J(q) body_in_joint of the description = where kinematics has the bodies", nothing,
       joint_poses},
      {"configuration_step", "q moved by w: every joint's pose changes by exp(H w)", nothing, configuration_step},
      {"configuration_difference", "from q to q moved by w it is w", nothing, configuration_difference},
      {"joint_wrenches", "the wrench in a joint = Newton and Euler for every body that it carries", nothing,
       joint_wrenches},
      {"potential_energy", "weights at their heights = potential energy", nothing, potential_energy},
  };
  return table;
}

}  // namespace catena::cli
