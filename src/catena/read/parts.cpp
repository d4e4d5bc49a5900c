// The parts that body tables and DH tables share. Conventions: docs/formats.md.
#include "catena/read/parts.hpp"

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>
#include <numbers>

#include "catena/joints/joints.hpp"
#include "catena/model/names.hpp"
#include "catena/read/number.hpp"

namespace catena::read {
namespace {

// A rotation matrix as written with so many digits: refused if it is none, made orthonormal if it was rounded.
Matrix3 checked_rotation(const Matrix3& R, Fields& fields, const char* key) {
  const double error = (R.transpose() * R - Matrix3::Identity()).cwiseAbs().maxCoeff();
  if (!(error < 1e-3) || R.determinant() < 0) {
    fields.error("rotation-invalid", fields.line(key),
                 std::string(key) +
                     " is not a rotation: its columns are not of unit length and at right angles, or it "
                     "mirrors",
                 "correct it, or give rpy or quaternion instead");
    return Matrix3::Identity();
  }
  if (error < 1e-14) return R;
  const Eigen::JacobiSVD<Matrix3> svd(R, Eigen::ComputeFullU | Eigen::ComputeFullV);
  if (error > 1e-6) {
    fields.log().warning("rotation-rounded", fields.line(key), fields.owner(),
                         std::string(key) + " is a rotation to few digits only; the nearest rotation is used",
                         "write it with more digits, or give rpy");
  }
  return svd.matrixU() * svd.matrixV().transpose();
}

Matrix3 rotation_of(std::vector<double> xyzw, Fields& fields, const char* key) {
  const Eigen::Quaterniond q(xyzw[3], xyzw[0], xyzw[1], xyzw[2]);
  if (!(std::abs(q.norm() - 1) < 1e-3)) {
    fields.error("rotation-invalid", fields.line(key), std::string(key) + " is not of unit length",
                 "write a unit quaternion (x, y, z, w)");
    return Matrix3::Identity();
  }
  return q.normalized().toRotationMatrix();
}

Matrix3 read_inertia(Fields& fields) {
  const Value* found = fields.list("inertia");
  if (!found) return Matrix3::Zero();
  if (found->items.size() == 3 && found->items[0].kind == Value::Kind::list) {
    return fields.matrix("inertia").value_or(Matrix3::Constant(not_a_number));
  }
  const auto numbers = fields.numbers("inertia", {3, 6});
  if (!numbers) return Matrix3::Constant(not_a_number);
  const std::vector<double>& n = *numbers;
  Matrix3 inertia = Vector3(n[0], n[1], n[2]).asDiagonal();
  if (n.size() == 6) {
    inertia(0, 1) = inertia(1, 0) = n[3];
    inertia(0, 2) = inertia(2, 0) = n[4];
    inertia(1, 2) = inertia(2, 1) = n[5];
  }
  return inertia;
}

std::optional<Shape::Kind> shape_kind(const std::string& name) {
  using enum Shape::Kind;
  for (const Shape::Kind kind : {box, cylinder, sphere, capsule, mesh}) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

}  // namespace

double Units::coordinate(JointType type) const {
  const JointFacts& facts = facts_of(type);
  if (facts.quaternion >= 0 || facts.nv == 0) return 1;
  return facts.turning == facts.nv ? angle : facts.turning == 0 ? length : 1;
}

Units read_units(Fields& document) {
  Units units;
  const Value* table = document.table("units");
  if (!table) return units;
  Fields fields(*table, document.log());
  if (const auto angle = fields.text("angle")) {
    units.angle_given = true;
    if (*angle == "deg") {
      units.angle = std::numbers::pi / 180;
    } else if (*angle != "rad") {
      fields.error("unit-unknown", fields.line("angle"), "unknown unit of angle " + quote(*angle), "write deg or rad");
    }
  }
  if (const auto length = fields.text("length")) {
    units.length_given = true;
    if (*length == "mm") {
      units.length = 1e-3;
    } else if (*length != "m") {
      fields.error("unit-unknown", fields.line("length"), "unknown unit of length " + quote(*length), "write m or mm");
    }
  }
  fields.finish();
  return units;
}

bool has_axis(JointType type) { return facts_of(type).has_axis; }

std::optional<JointType> joint_type_named(const std::string& name) {
  if (name == "floating") return JointType::free;
  if (name == "ball") return JointType::spherical;
  if (name == "screw") return JointType::helical;
  return joint_type_from(name);
}

std::string joint_type_names() {
  std::string names;
  for (const JointType type : joint_types) {
    if (!names.empty()) names += type == *std::rbegin(joint_types) ? " or " : ", ";
    names += name_of(type);
  }
  return names;
}

std::string near_joint_types(const std::string& name) {
  std::vector<std::string> known = {"floating", "ball", "screw"};
  for (const JointType type : joint_types) known.emplace_back(name_of(type));
  return did_you_mean(name, known);
}

Pose read_pose(Fields& fields, const Units& units, const std::string& prefix) {
  Pose pose;
  const auto key = [&](const char* name) { return prefix + name; };
  auto position = fields.vector(key("position").c_str());
  if (const auto p = fields.vector(key("p").c_str())) {
    if (position) {
      fields.error("key-doubled", fields.line(key("p").c_str()),
                   key("p") + " and " + key("position") + " mean the same", "keep one of them");
    }
    position = p;
  }
  if (position) pose.p = units.length * *position;

  int rotations = 0;
  if (const auto rpy = fields.vector(key("rpy").c_str())) {
    ++rotations;
    pose.R = rotation_from_rpy(units.angle * (*rpy)[0], units.angle * (*rpy)[1], units.angle * (*rpy)[2]);
  }
  if (const auto R = fields.matrix(key("R").c_str())) {
    ++rotations;
    pose.R = checked_rotation(*R, fields, key("R").c_str());
  }
  if (const auto q = fields.numbers(key("quaternion").c_str(), {4})) {
    ++rotations;
    pose.R = rotation_of(*q, fields, key("quaternion").c_str());
  }
  if (rotations > 1) {
    fields.error("key-doubled", fields.line(), "more than one of rpy, R and quaternion is given", "keep one of them");
  }
  return pose;
}

std::optional<Inertial> read_inertial(Fields& fields, const Units& units, bool allow_r) {
  const bool has_mass = fields.has("mass");
  const bool has_com = fields.has("com"), has_r = allow_r && fields.has("r"), has_inertia = fields.has("inertia");
  if (!has_mass && !has_com && !has_r && !has_inertia) return std::nullopt;
  Inertial inertial;
  inertial.source = fields.log().at(has_mass ? fields.line("mass") : fields.line());
  if (!has_mass) {
    fields.error("mass-missing", fields.line(), "there is a mass centre or an inertia but no mass", "write mass = ...");
  }
  inertial.mass = fields.number("mass").value_or(not_a_number);
  if (has_com && has_r) {
    fields.error("key-doubled", fields.line("r"), "both com and r are given",
                 "keep com (of the mass centre in the link's frame) or r = -com, not both");
  } else if (allow_r && !has_com && !has_r && inertial.mass > 0) {
    fields.error("com-missing", fields.line("mass"), "neither com nor r says where the mass centre is",
                 "write com = [x, y, z] in the link's frame, or r = -com as in Saha's tables");
  }
  if (const auto com = fields.vector("com")) inertial.com = units.length * *com;
  if (has_r) {
    // From zero, so that r = 0 gives no negative zeros.
    if (const auto r = fields.vector("r")) inertial.com = Vector3::Zero() - units.length * *r;
  }
  inertial.inertia = read_inertia(fields);
  return inertial;
}

void read_joint_details(Fields& fields, const Units& units, Joint& joint) {
  const double coordinate = units.coordinate(joint.type);
  if (const auto axis = fields.vector("axis")) joint.axis = *axis;
  if (!has_axis(joint.type) && fields.has("axis")) fields.log().leave(fields.value("axis"));
  if (const auto axis = fields.vector("second_axis")) joint.second_axis = *axis;
  set(joint.pitch, fields.number("pitch"), units.length);
  if (joint.type == JointType::helical && !fields.has("pitch")) {
    fields.error("pitch-missing", fields.line(), "a helical joint needs its pitch",
                 "write pitch = (length per radian)");
  }
  if (const auto sequence = fields.text("sequence")) {
    if (const char* const fault = kernel::Gimbal::fault(*sequence)) {
      fields.error("sequence-invalid", fields.line("sequence"), "the sequence " + quote(*sequence) + " " + fault,
                   kernel::Gimbal::remedy);
    } else {
      joint.sequence = *sequence;
    }
  } else if (joint.type == JointType::gimbal) {
    fields.error("sequence-missing", fields.line(), "a gimbal joint needs the sequence of its axes",
                 kernel::Gimbal::remedy);
  }
  if (const Value* table = fields.table("limits")) {
    Fields limits(*table, fields.log(), fields.owner());
    set(joint.limits.lower, limits.number("lower"), coordinate);
    set(joint.limits.upper, limits.number("upper"), coordinate);
    set(joint.limits.velocity, limits.number("velocity"), coordinate);
    set(joint.limits.effort, limits.number("effort"));
    limits.finish();
  }
  set(joint.terms.damping, fields.number("damping"));
  set(joint.terms.friction, fields.number("friction"));
  set(joint.terms.friction_scale, fields.number("friction_scale"));
  set(joint.terms.rotor_inertia, fields.number("rotor_inertia"));
  set(joint.terms.gear_ratio, fields.number("gear_ratio"));
  set(joint.terms.stiffness, fields.number("stiffness"));
  set(joint.terms.rest, fields.number("rest"), coordinate);
  if (const Value* table = fields.table("mimic")) {
    Fields mimic(*table, fields.log(), fields.owner());
    Mimic coupling;
    coupling.source = fields.log().at(table->line);
    if (const auto master = mimic.text("joint")) {
      coupling.joint = *master;
    } else {
      mimic.error("key-missing", table->line, "mimic does not say which joint it follows", "write joint = \"...\"");
    }
    set(coupling.ratio, mimic.number("ratio"));
    set(coupling.offset, mimic.number("offset"), coordinate);
    mimic.finish();
    joint.mimic = coupling;
  }
}

std::vector<Shape> read_shapes(Fields& fields, const Units& units) {
  std::vector<Shape> shapes;
  const Value* list = fields.list("shapes");
  if (!list) return shapes;
  for (const Value& item : list->items) {
    Fields entry(item, fields.log(), fields.owner());
    Shape shape;
    const auto kind = entry.text("kind");
    const auto known = kind ? shape_kind(*kind) : std::nullopt;
    if (!known) {
      entry.error(
          "shape-kind", entry.line("kind"),
          kind ? "unknown shape " + quote(*kind) + did_you_mean(*kind, {"box", "cylinder", "sphere", "capsule", "mesh"})
               : "a shape needs its kind",
          "write kind = \"box\", \"cylinder\", \"sphere\", \"capsule\" or \"mesh\"");
    }
    shape.kind = known.value_or(Shape::Kind::box);
    shape.pose = read_pose(entry, units);
    if (const auto size = entry.numbers("size", {1, 2, 3})) {
      for (std::size_t i = 0; i < size->size(); ++i) shape.size[static_cast<int>(i)] = units.length * (*size)[i];
    }
    shape.mesh = entry.text("mesh").value_or("");
    shape.scale = entry.vector("scale").value_or(Vector3::Ones());
    if (const auto rgba = entry.numbers("rgba", {3, 4})) {
      shape.rgba.emplace(1, 1, 1, 1);
      for (std::size_t i = 0; i < rgba->size(); ++i)
        (*shape.rgba)[static_cast<int>(i)] = static_cast<float>((*rgba)[i]);
    }
    shape.name = entry.text("name").value_or("");
    if (const Value* collision = entry.value("collision")) shape.collision = collision->boolean;
    entry.finish();
    if (known) shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace catena::read
