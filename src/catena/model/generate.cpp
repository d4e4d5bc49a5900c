// Robots made by rule: chains and random trees. All randomness comes from the seed (catena/model/random.hpp).
// Frames: bodies are described in their own frames, joints in their parents', as in any Description.
#include "catena/model/generate.hpp"

#include <cmath>
#include <stdexcept>

#include "catena/joints/joints.hpp"
#include "catena/model/random.hpp"

namespace catena {
namespace {

bool one_degree(JointType type) { return facts_of(type).nv == 1; }

Matrix3 random_rotation(Random& random) { return random.orientation().toRotationMatrix(); }

// A box of the given half-extents rotated at random: valid for any numbers, since its second moments are positive.
Inertial random_inertial(Random& random, double size) {
  Inertial inertial;
  inertial.mass = random.between(0.3, 3);
  inertial.com = random.in_cube(size);
  Vector3 half;
  for (int i = 0; i < 3; ++i) half[i] = random.between(0.3 * size, size);
  const Matrix3 R = random_rotation(random);
  const Matrix3 second_moment = inertial.mass / 3 * (R * half.cwiseAbs2().asDiagonal() * R.transpose());
  const Matrix3 inertia = second_moment.trace() * Matrix3::Identity() - second_moment;
  inertial.inertia = 0.5 * (inertia + inertia.transpose());
  return inertial;
}

// Kernels have short cuts for aligned axes: draw them as often as general ones.
Vector3 random_axis(Random& random) {
  if (random.chance(0.5)) return random.direction();
  const Vector3 axis = Vector3::Unit(random.below(3));
  return random.chance(0.5) ? axis : Vector3(-axis);
}

Pose random_pose(Random& random, double size) {
  Pose pose;
  if (random.chance(0.8)) pose.R = random_rotation(random);
  if (random.chance(0.9)) pose.p = random.in_cube(size);
  return pose;
}

JointTerms random_terms(Random& random, JointType type) {
  JointTerms terms;
  if (random.chance(0.5)) terms.damping = random.between(0.01, 1);
  if (random.chance(0.4)) {
    terms.friction = random.between(0.01, 1);
    terms.friction_scale = random.between(0.01, 0.5);
  }
  if (random.chance(0.4) && facts_of(type).takes_rotor) {
    terms.rotor_inertia = random.between(1e-5, 1e-4);
    terms.gear_ratio = random.between(1, 100);
  }
  if (random.chance(0.4)) {
    terms.stiffness = random.between(0.1, 10);
    if (one_degree(type)) terms.rest = random.between(-0.5, 0.5);
  }
  return terms;
}

Joint random_joint(Random& random, JointType type, const TreeOptions& options) {
  Joint joint;
  joint.type = type;
  joint.placement = random_pose(random, 0.4);
  if (options.body_in_joint && random.chance(0.3)) joint.body_in_joint = random_pose(random, 0.2);
  joint.axis = random_axis(random);
  if (type == JointType::universal) {
    do joint.second_axis = random_axis(random);
    while (std::abs(joint.axis.dot(joint.second_axis)) > 0.5);
  }
  if (type == JointType::gimbal) {  // far from lock where q = 0
    constexpr const char* sequences[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
    joint.sequence = sequences[random.below(6)];
  }
  if (type == JointType::helical) joint.pitch = random.between(-0.2, 0.2);
  if (type == JointType::revolute || type == JointType::prismatic) {
    const double reach = type == JointType::revolute ? 3 : 0.5;
    joint.limited(-random.between(0.2 * reach, reach), random.between(0.2 * reach, reach), random.between(1, 10),
                  random.between(10, 200));
  }
  if (options.terms && type != JointType::fixed) joint.terms = random_terms(random, type);
  return joint;
}

// A body may go without mass where what it carries still resists its joint: a massive body on a joint of one degree
// (or none) whose axis points well away from its own.
bool may_be_massless(const std::vector<Body>& bodies, const std::vector<Joint>& joints, std::size_t k) {
  const Joint& own = joints[k];
  if (own.type != JointType::fixed && !one_degree(own.type)) return false;
  bool leaf = true;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (joints[i].parent != own.child) continue;
    leaf = false;
    if (!bodies[i].inertial) continue;
    if (joints[i].type == JointType::fixed) return true;
    const Vector3 own_axis = own.body_in_joint.R.transpose() * own.axis;
    const Vector3 next_axis = joints[i].placement.R * joints[i].axis;
    if (one_degree(joints[i].type) && std::abs(own_axis.dot(next_axis)) < 0.7) return true;
  }
  return leaf && own.type == JointType::fixed;
}

// A joint follows one that comes before it in a random order: no circles, but a master may itself follow another.
void couple(Random& random, std::vector<Joint>& joints) {
  std::vector<Joint*> order;
  for (Joint& joint : joints)
    if (one_degree(joint.type)) order.push_back(&joint);
  random.shuffle(order);
  for (int k = 1; k < static_cast<int>(order.size()); ++k) {
    if (!random.chance(0.35)) continue;
    Joint& joint = *order[static_cast<std::size_t>(k)];
    const Joint& master = *order[static_cast<std::size_t>(random.chance(0.5) ? k - 1 : random.below(k))];
    const double ratio = random.between(0.3, 2) * (random.chance(0.5) ? 1 : -1);
    joint.mimics(master.name, ratio, random.chance(0.5) ? random.between(-0.5, 0.5) : 0);
    joint.limits = {};  // the master's limits hold; these could contradict them
  }
}

}  // namespace

std::vector<JointType> every_joint_type() { return {std::begin(joint_types), std::end(joint_types)}; }

std::vector<JointType> one_degree_joint_types() {
  return {JointType::revolute, JointType::continuous, JointType::prismatic, JointType::helical};
}

Description chain(int count, const ChainOptions& options) {
  if (count < 1) throw std::invalid_argument("chain: count is " + std::to_string(count) + "; give at least 1");
  if (!(options.length > 0 && options.mass > 0)) throw std::invalid_argument("chain: length and mass must be positive");
  Random random(options.seed);
  Description chain;
  chain.name = "chain of " + std::to_string(count);
  chain.origin = "generated";
  if (options.shape == ChainShape::planar) chain.gravity = {0, -9.81, 0};
  chain.bodies.reserve(static_cast<std::size_t>(count));
  chain.joints.reserve(static_cast<std::size_t>(count));

  // Planar and perpendicular: a square bar of aspect 1 : 5 along x.
  const double length2 = options.length * options.length, side2 = length2 / 25;
  Inertial bar;
  bar.mass = options.mass;
  bar.com = {options.length / 2, 0, 0};
  bar.inertia = Vector3(2 * side2, length2 + side2, length2 + side2).asDiagonal();
  bar.inertia *= options.mass / 12;
  const Matrix3 quarter_turn = (Matrix3() << 1, 0, 0, 0, 0, -1, 0, 1, 0).finished();  // about x

  for (int k = 0; k < count; ++k) {
    Joint joint = revolute("joint" + std::to_string(k + 1));
    joint.child = "link" + std::to_string(k + 1);
    Inertial inertial = bar;
    if (k > 0) {
      joint.parent = "link" + std::to_string(k);
      joint.placement.p = {options.length, 0, 0};
      if (options.shape == ChainShape::perpendicular)
        joint.placement.R = k % 2 == 1 ? quarter_turn : Matrix3(quarter_turn.transpose());
    }
    if (options.shape == ChainShape::general) {
      joint.placement.R = random_rotation(random);
      if (k > 0) joint.placement.p = options.length * random.direction();
      inertial = random_inertial(random, options.length / 2);
      const double scale = options.mass * random.between(0.5, 1.5) / inertial.mass;
      inertial.mass *= scale;
      inertial.inertia *= scale;
    }
    joint.limited(-3, 3, 10, 1000);
    chain.bodies.push_back({joint.child, inertial});
    chain.joints.push_back(std::move(joint));
  }
  chain.frames.push_back({"tip", "link" + std::to_string(count), {Matrix3::Identity(), {options.length, 0, 0}}});
  return chain;
}

Description random_tree(std::uint64_t seed, const TreeOptions& options) {
  if (options.min_bodies < 1 || options.max_bodies < options.min_bodies || options.types.empty())
    throw std::invalid_argument("random_tree: needs 1 <= min_bodies <= max_bodies and at least one joint type");
  Random random(seed);
  Description tree;
  tree.name = "random tree " + std::to_string(seed);
  tree.origin = "generated";
  if (random.chance(0.5)) tree.gravity = random.in_cube(10);

  std::vector<JointType> moving;
  for (const JointType type : options.types)
    if (type != JointType::fixed) moving.push_back(type);
  const auto draw = [&random](const std::vector<JointType>& types) {
    return types[static_cast<std::size_t>(random.below(static_cast<int>(types.size())))];
  };

  // Parents first here; shuffled at the end.
  const int count = options.min_bodies + random.below(options.max_bodies - options.min_bodies + 1);
  for (int k = 0; k < count; ++k) {
    const std::string number = std::to_string(k + 1);
    Joint joint = random_joint(random, k == 0 && !moving.empty() ? draw(moving) : draw(options.types), options);
    joint.name = "joint" + number;
    joint.child = "body" + number;
    if (k > 0 && !(options.several_roots && !options.serial && random.chance(0.1)))
      joint.parent = "body" + std::to_string(options.serial || random.chance(0.4) ? k : 1 + random.below(k));
    tree.bodies.push_back({joint.child, random_inertial(random, 0.2)});
    tree.joints.push_back(std::move(joint));
  }
  if (options.massless) {
    for (std::size_t k = tree.bodies.size(); k-- > 0;)  // tips first: a body must know whether its children have mass
      if (random.chance(0.4) && may_be_massless(tree.bodies, tree.joints, k)) tree.bodies[k].inertial.reset();
  }
  if (options.couplings) couple(random, tree.joints);
  if (options.several_roots && random.chance(0.3)) {
    tree.bodies.push_back({"base", random_inertial(random, 0.2)});
    tree.joints.front().parent = "base";
    for (Joint& joint : tree.joints)
      if (joint.parent.empty() && random.chance(0.7)) joint.parent = "base";
  }
  if (options.frames) {
    for (int k = random.below(4); k > 0; --k) {
      const Body& body = tree.bodies[static_cast<std::size_t>(random.below(static_cast<int>(tree.bodies.size())))];
      tree.frames.push_back({"frame" + std::to_string(k), body.name, random_pose(random, 0.3)});
    }
  }
  if (options.shuffled) {
    random.shuffle(tree.bodies);
    random.shuffle(tree.joints);
  }
  return tree;
}

}  // namespace catena
