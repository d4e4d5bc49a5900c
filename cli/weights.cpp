// M_ij = sum of m (r_i x)(r_j x) over all that both joints carry, r from the joint to the mass: by Cauchy and Schwarz at
// most the root of the traces of the moments about the two joints. The composite inertia of each joint further out is an
// intermediate result on the way, taken about that joint: rounding of the largest of them is what M has in the end.
// C_ij is summed from these inertias times the angular velocities, and from m c times the velocities of the bodies.
#include "cli/weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "catena/joints/joints.hpp"
#include "catena/kinematics/storage.hpp"
#include "catena/model/reduced_tree.hpp"

namespace catena::cli {
namespace {

struct Carried {
  double mass = 0, moments = 0, largest = 0;  // moments: trace about the joint; largest: of those further out too
  double world = 0, ground = 0;               // moments about the first joint; about the world's origin
  double turning = 0, speed = 0;              // largest of the bodies
  double arm = 0;                             // from the first joint
};

bool turns(JointType type, int component) { return component < facts_of(type).turning; }

// By joint of the description.
std::vector<Carried> carried_by_joints(const Model& model, const Kinematics& motion) {
  const Description& robot = model.description();
  std::unordered_map<std::string, int> body_of, joint_of;
  for (std::size_t b = 0; b < robot.bodies.size(); ++b) body_of[robot.bodies[b].name] = static_cast<int>(b);
  for (std::size_t j = 0; j < robot.joints.size(); ++j) joint_of[robot.joints[j].child] = static_cast<int>(j);
  const auto joint_above = [&](const std::string& body) {
    const auto found = joint_of.find(body);
    return found == joint_of.end() ? -1 : found->second;
  };
  const auto frame = [&](int j) {
    const Joint& joint = robot.joints[j];
    return motion.pose(body_of.at(joint.child)) * joint.body_in_joint.inverse();
  };
  const auto origin = [&](int j) -> Vector3 { return frame(j).p; };
  Vector3 first = Vector3::Zero();  // where the reduced tree has the first body
  for (std::size_t j = robot.joints.size(); j-- > 0;) {
    if (model.tree().joint_body[j] != 1) continue;
    const Pose pose = frame(static_cast<int>(j));
    first = pose.R * kernel::eigen(model.reduced().frames[1].p) + pose.p;
  }
  std::vector<Carried> out(robot.joints.size());
  for (std::size_t j = 0; j < out.size(); ++j) out[j].arm = (origin(static_cast<int>(j)) - first).norm();
  for (std::size_t b = 0; b < robot.bodies.size(); ++b) {
    if (!robot.bodies[b].inertial) continue;
    const Inertial& own = *robot.bodies[b].inertial;
    const Pose pose = motion.pose(static_cast<int>(b));
    const Vector3 c = pose.R * own.com + pose.p;
    const Vector6 V = motion.velocity(static_cast<int>(b), Axes::aligned);
    for (int j = joint_above(robot.bodies[b].name); j >= 0; j = joint_above(robot.joints[j].parent)) {
      Carried& x = out[j];
      x.mass += own.mass;
      x.moments += own.inertia.trace() + 2 * own.mass * (c - origin(j)).squaredNorm();
      x.world += own.inertia.trace() + 2 * own.mass * (c - first).squaredNorm();
      x.ground += own.inertia.trace() + 2 * own.mass * (c.squaredNorm() + origin(j).squaredNorm());
      x.turning = std::max(x.turning, V.head<3>().norm());
      x.speed = std::max(x.speed, V.tail<3>().norm());
    }
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    for (int above = static_cast<int>(j); above >= 0; above = joint_above(robot.joints[above].parent)) {
      out[above].largest = std::max(out[above].largest, out[j].moments);
    }
  }
  return out;
}

}  // namespace

Weights carried_weights(const Model& model, const Kinematics& motion) {
  const Description& robot = model.description();
  const std::vector<Carried> carried = carried_by_joints(model, motion);
  std::unordered_map<std::string, const Joint*> by_name;
  for (const Joint& joint : robot.joints) by_name[joint.name] = &joint;
  const double tiny = std::numeric_limits<double>::min();
  const Vector zero = Vector::Zero(model.nv());
  Weights out{zero, zero, zero, zero, {}};
  for (const Carried& x : carried) out.arms.push_back(x.arm);
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    if (robot.joints[j].type == JointType::fixed) continue;
    double ratio = 1;
    const Joint* master = &robot.joints[j];
    for (; master->mimic; master = by_name.at(master->mimic->joint)) ratio *= std::abs(master->mimic->ratio);
    const Coordinate& c = model.coordinate(master->name);
    const Carried& x = carried[j];
    const double pitch = robot.joints[j].pitch;
    // m c V <= sqrt(m moments) V
    const double rate = x.turning + x.speed * std::sqrt(x.mass / std::max(x.moments, tiny));
    for (int i = 0; i < c.nv; ++i) {
      const bool turning = turns(robot.joints[j].type, i);
      const double slid = pitch * pitch * x.mass;
      out.root[c.v + i] += ratio * std::sqrt(turning ? x.largest + slid : x.mass);
      out.world[c.v + i] += ratio * std::sqrt(turning ? std::max(x.largest, x.world) + slid : x.mass);
      out.ground[c.v + i] += ratio * std::sqrt(turning ? std::max(x.largest, x.ground) + slid : x.mass);
      out.rate[c.v + i] = std::max(out.rate[c.v + i], rate);
    }
  }
  const Tree& tree = model.tree();
  Vector armature(model.nv());
  for (int i = 0; i < model.nv(); ++i) armature[i] = tree.terms[i].armature;
  for (const Coupling& c : tree.couplings) armature[c.master_v] += c.ratio * c.ratio * tree.terms[c.v].armature;
  for (Vector* root : {&out.root, &out.world, &out.ground}) {
    *root = (root->array().square() + armature.array()).sqrt().max(tiny).matrix();
  }
  return out;
}

}  // namespace catena::cli
