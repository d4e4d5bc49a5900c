// Rotations, joint types and joints as sentences; putting a robot on a floating base.
// Rotations: x_outer = R x; roll, pitch, yaw about fixed axes as in URDF.
#include "catena/model/description.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "catena/joints/joints.hpp"

namespace catena {
namespace {

const JointFacts& known_facts(JointType type) {
  for (const JointType known : joint_types) {
    if (known == type) return facts_of(type);
  }
  throw std::invalid_argument("not a joint type: " + std::to_string(static_cast<int>(type)));
}

Joint joint(JointType type, std::string name) {
  Joint made;
  made.name = std::move(name);
  made.type = type;
  return made;
}

}  // namespace

Matrix3 rotation_from_rpy(double roll, double pitch, double yaw) {
  const double cr = std::cos(roll), sr = std::sin(roll);
  const double cp = std::cos(pitch), sp = std::sin(pitch);
  const double cy = std::cos(yaw), sy = std::sin(yaw);
  Matrix3 R;
  R << cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,  //
      sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,   //
      -sp, cp * sr, cp * cr;
  return R;
}

Vector3 rpy_from_rotation(const Matrix3& R) {
  // Yaw first, then the rest of Rz(-yaw) R = Ry Rx: whatever yaw is chosen at pitch = ±90°, where only yaw ∓ roll
  // is determined, the three angles together give R back.
  const double yaw = std::atan2(R(1, 0), R(0, 0));
  const double c = std::cos(yaw), s = std::sin(yaw);
  const double roll = std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1));
  const double pitch = std::atan2(-R(2, 0), c * R(0, 0) + s * R(1, 0));
  return {roll, pitch, yaw};
}

Matrix3 rotation_about(const Vector3& unit_axis, double angle) {
  return Eigen::AngleAxisd(angle, unit_axis).toRotationMatrix();
}

Matrix3 rotation_from_z_to(const Vector3& direction) {
  const Vector3 axis = direction.stableNormalized();
  Matrix3 R;
  if (axis.z() == 1) {
    R.setIdentity();
  } else if (axis.x() == 1) {
    R << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  } else if (axis.y() == 1) {
    R << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  } else if (axis.x() == -1) {
    R << 0, 0, -1, 1, 0, 0, 0, -1, 0;
  } else if (axis.y() == -1) {
    R << 0, -1, 0, 0, 0, -1, 1, 0, 0;
  } else if (axis.z() == -1) {
    R << 1, 0, 0, 0, -1, 0, 0, 0, -1;
  } else if (axis.z() < 0) {  // away from the singularity of the formula below
    const Matrix3 flip = Vector3(1, -1, -1).asDiagonal();
    return flip * rotation_from_z_to(flip * axis);
  } else {
    const double x = axis.x(), y = axis.y(), z = axis.z(), k = 1 / (1 + z);
    R << 1 - k * x * x, -k * x * y, x, -k * x * y, 1 - k * y * y, y, -x, -y, z;
  }
  return R;
}

const char* name_of(Shape::Kind kind) {
  switch (kind) {
    case Shape::Kind::box: return "box";
    case Shape::Kind::cylinder: return "cylinder";
    case Shape::Kind::sphere: return "sphere";
    case Shape::Kind::capsule: return "capsule";
    case Shape::Kind::mesh: break;
  }
  return "mesh";
}

const char* name_of(JointType type) { return known_facts(type).name; }

std::optional<JointType> joint_type_from(const std::string& name) {
  for (const JointType type : joint_types) {
    if (name == name_of(type)) return type;
  }
  return std::nullopt;
}

int position_count(JointType type) { return known_facts(type).nq; }
int velocity_count(JointType type) { return known_facts(type).nv; }

std::vector<Vector3> axes_of(const Joint& joint) {
  std::vector<Vector3> axes;
  kernel::visit(joint.type, [&](auto type) {
    for (const auto& axis : type.axes(joint)) axes.emplace_back(axis.x, axis.y, axis.z);
  });
  return axes;
}

Joint fixed(std::string name) { return joint(JointType::fixed, std::move(name)); }
Joint revolute(std::string name) { return joint(JointType::revolute, std::move(name)); }
Joint continuous(std::string name) { return joint(JointType::continuous, std::move(name)); }
Joint prismatic(std::string name) { return joint(JointType::prismatic, std::move(name)); }
Joint cylindrical(std::string name) { return joint(JointType::cylindrical, std::move(name)); }
Joint planar(std::string name) { return joint(JointType::planar, std::move(name)); }
Joint spherical(std::string name) { return joint(JointType::spherical, std::move(name)); }
Joint free(std::string name) { return joint(JointType::free, std::move(name)); }

Joint helical(std::string name, double pitch) {
  Joint made = joint(JointType::helical, std::move(name));
  made.pitch = pitch;
  return made;
}

Joint gimbal(std::string name, std::string sequence) {
  Joint made = joint(JointType::gimbal, std::move(name));
  made.sequence = std::move(sequence);
  return made;
}

Joint universal(std::string name, const Vector3& first_axis, const Vector3& second_axis) {
  Joint made = joint(JointType::universal, std::move(name));
  made.axis = first_axis;
  made.second_axis = second_axis;
  return made;
}

namespace {

// The joint by which the robot moves against the ground as it is written: a free joint on the ground, or on a root
// without mass and whatever is fixed to it ("world"); or the only joint of such a root that moves, because a free joint
// under the root could rotate it without moving any mass. Null where there is none, or no mass at all.
const Joint* floating_joint(const Description& description, const Body* root) {
  std::unordered_multimap<std::string, const Joint*> on;
  for (const Joint& j : description.joints) on.emplace(j.parent, &j);
  std::unordered_map<std::string, double> mass;
  for (const Body& body : description.bodies) mass[body.name] = body.inertial ? body.inertial->mass : 0;

  const Joint *found = nullptr, *only = nullptr;
  int moving = 0;
  std::unordered_set<std::string> met;
  std::vector<std::string> still = {""};  // what rests with the ground, beginning with the ground itself
  if (root != nullptr) still.push_back(root->name);
  while (!still.empty()) {
    const std::string body = still.back();
    still.pop_back();
    if (!met.insert(body).second) continue;
    if (!body.empty() && mass[body] > 0) return nullptr;
    for (auto [j, end] = on.equal_range(body); j != end; ++j) {
      if (j->second->type == JointType::fixed) {
        still.push_back(j->second->child);
      } else if (!body.empty()) {
        ++moving, only = j->second;
      }
      if (j->second->type == JointType::free && (found == nullptr || j->second < found)) found = j->second;
    }
  }
  if (found != nullptr) return found;
  const bool heavy = std::any_of(mass.begin(), mass.end(), [](const auto& body) { return body.second > 0; });
  return heavy && moving == 1 && only->terms.rotor_inertia == 0 ? only : nullptr;
}

// Every body has a joint, so that none can be given another: which of them stand on the ground, and what to do.
[[noreturn]] void refuse_rootless(const Description& description) {
  std::vector<const Joint*> grounded;
  for (const Joint& j : description.joints) {
    if (j.parent.empty()) grounded.push_back(&j);
  }
  if (grounded.size() == 1) {
    const Joint& joint = *grounded.front();
    const std::string type = name_of(joint.type), child = "'" + joint.child + "'";
    const std::string otherwise = "; or remove this joint, which makes " + child +
                                  " the root, or put it on a root body " + "that has a mass and no joint";
    if (joint.type == JointType::fixed)
      throw ModelError(
          {Severity::error, "floating-root", joint.source, joint.name,
           "a floating base needs a root body without a joint: this fixed joint holds body " + child + " to the ground",
           "keep the base fixed" + otherwise});
    throw ModelError({Severity::error, "floating-already", joint.source, joint.name,
                      "the root moves already: this " + type + " joint carries body " + child,
                      "load it as it is, without asking for a floating base" + otherwise});
  }
  std::string names;
  for (std::size_t i = 0; i < grounded.size() && i < 4; ++i) names += (i ? ", '" : "'") + grounded[i]->child + "'";
  if (grounded.size() > 4) names += ", ...";
  const bool none = description.bodies.empty();
  throw ModelError({Severity::error, "floating-root", description.source, "",
                    "a floating base needs exactly one root body, and " +
                        (none               ? "there is no body"
                         : grounded.empty() ? "the joints close a loop that never reaches the ground"
                                            : std::to_string(grounded.size()) +
                                                  " bodies stand on the ground by joints of their own: " + names),
                    none               ? "add a body"
                    : grounded.empty() ? "remove a joint of the loop, which makes its body the root"
                                       : "let one root body, which has a mass and no joint, carry them; or keep the "
                                         "base fixed"});
}

}  // namespace

void make_floating(Description& description) {
  std::unordered_set<std::string> carried, taken;
  for (const Joint& j : description.joints) {
    carried.insert(j.child);
    taken.insert(j.name);
  }
  std::vector<const Body*> roots;
  for (const Body& body : description.bodies) {
    if (!carried.count(body.name)) roots.push_back(&body);
  }
  if (const Joint* const known =
          roots.size() > 1 ? nullptr : floating_joint(description, roots.empty() ? nullptr : roots.front())) {
    const bool floats = known->type == JointType::free;
    const std::string root = roots.empty() ? "" : roots.front()->name;
    throw ModelError({Severity::error, "floating-already", known->source, known->name,
                      floats ? "the robot floats already: this free joint carries body '" + known->child + "'"
                             : std::string("the root moves already: this ") + name_of(known->type) +
                                   " joint carries body '" + known->child + "', and nothing below it has a mass",
                      floats ? "load it as it is, without asking for a floating base"
                             : "load it as it is, without asking for a floating base; or give '" + root + "' a mass"});
  }
  if (roots.empty()) refuse_rootless(description);
  if (roots.size() != 1) {
    std::string names;
    for (std::size_t i = 0; i < roots.size() && i < 4; ++i) names += (i ? ", '" : "'") + roots[i]->name + "'";
    if (roots.size() > 4) names += ", ...";
    throw ModelError({Severity::error, "floating-root", description.source, "",
                      "a floating base needs exactly one root body, and " + std::to_string(roots.size()) +
                          " have no joint of their own: " + names,
                      "connect the bodies into one tree under one root, or keep the base fixed"});
  }
  // Several shipped quadrupeds call a fixed joint of theirs "floating_base".
  std::string name = "floating_base";
  for (int k = 2; taken.count(name); ++k) name = "floating_base_" + std::to_string(k);
  Joint base = free(std::move(name));
  base.child = roots.front()->name;
  base.source = roots.front()->source;
  description.joints.insert(description.joints.begin(), std::move(base));
}

}  // namespace catena
