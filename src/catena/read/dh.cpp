// Denavit-Hartenberg tables as chains of bodies; a link's frame is the one its row ends in.
// standard (Denavit-Hartenberg, Angeles, Saha): Rot_z(theta) Trans_z(b) Trans_x(a) Rot_x(alpha), formula sheet 1.1
// modified (Craig, Kozlowski):                  Rot_x(alpha) Trans_x(a) Rot_z(theta) Trans_z(b)
#include "catena/read/dh.hpp"

#include <cmath>

#include "catena/model/names.hpp"
#include "catena/read/number.hpp"

namespace catena::read {
namespace {

// Right angles are exact: a cosine of 6e-17 is a rounding of pi, not a feature of the robot.
Matrix3 turn(int axis, double angle) {
  double c = std::cos(angle), s = std::sin(angle);
  if (std::abs(c) < 1e-15) c = 0, s = std::copysign(1, s);
  if (std::abs(s) < 1e-15) s = 0, c = std::copysign(1, c);
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  Matrix3 R = Matrix3::Identity();
  R(i, i) = R(j, j) = c;
  R(j, i) = s;
  R(i, j) = 0 - s;  // no negative zeros
  return R;
}

// Screw along an axis: both motions share it, so their order does not matter.
Pose screw(int axis, double angle, double length) {
  Pose pose;
  pose.R = turn(axis, angle);
  pose.p[axis] = length;
  return pose;
}

double required(Fields& link, const char* key) {
  if (!link.has(key)) {
    link.error("key-missing", link.line(), std::string(key) + " is missing",
               std::string("write ") + key + " = ...; for the joint's variable it is the offset of q, often 0");
    return 0;
  }
  return link.number(key).value_or(0);
}

// b, also called d.
double offset_along_z(Fields& link) {
  if (!link.has("d")) return required(link, "b");
  if (link.has("b")) link.error("key-doubled", link.line("d"), "b and d mean the same", "keep one of them");
  return link.number("d").value_or(0);
}

JointType type_of(Fields& link) {
  const auto name = link.text("joint");
  if (name == "revolute") return JointType::revolute;
  if (name == "prismatic") return JointType::prismatic;
  if (name == "continuous") return JointType::continuous;
  link.error("joint-type", link.line("joint"),
             name ? "a DH link cannot have a joint of type " + quote(*name) : "the type of the joint is missing",
             "write joint = \"revolute\", \"continuous\" or \"prismatic\"; other joints need body tables");
  return JointType::revolute;
}

}  // namespace

void read_dh(const Value& table, const Units& units, Log& log, Description& description) {
  Fields fields(table, log);
  const auto convention = fields.text("convention");
  const bool modified = convention == "modified";
  if (!modified && convention != "standard") {
    fields.error(
        "dh-convention", fields.line("convention"),
        convention ? "unknown DH convention " + quote(*convention) + did_you_mean(*convention, {"standard", "modified"})
                   : "the DH convention is missing",
        "write convention = \"standard\" (Rz Tz Tx Rx) or \"modified\" (Rx Tx Rz Tz)");
  }
  if (!units.angle_given || !units.length_given) {
    fields.error("units-missing", fields.line(), "DH tables need their units said",
                 "write [units] with angle = \"deg\" or \"rad\" and length = \"m\" or \"mm\"");
  }
  std::string parent = fields.text("parent").value_or("");
  Pose base = read_pose(fields, units);
  const Value* links = fields.list("link");
  if (!links || links->items.empty()) {
    fields.error("dh-empty", fields.line(), "there is no [[dh.link]]", "write one for each link");
    return;
  }
  fields.finish();

  for (std::size_t k = 0; k < links->items.size(); ++k) {
    const Value& entry = links->items[k];
    const Value* name = entry.find("name");
    Body body;
    body.name = name && name->kind == Value::Kind::text ? name->text : "link" + std::to_string(k + 1);
    body.source = log.at(entry.line);
    Fields link(entry, log, body.name);
    link.text("name");

    Joint joint;
    joint.name = link.text("joint_name").value_or(body.name + "_joint");
    joint.type = type_of(link);
    joint.parent = parent;
    joint.child = body.name;
    joint.source = body.source;
    const double theta = units.angle * required(link, "theta"), b = units.length * offset_along_z(link);
    const double alpha = units.angle * required(link, "alpha"), a = units.length * required(link, "a");
    if (modified) {
      joint.placement = base * screw(0, alpha, a) * screw(2, theta, b);
    } else {
      joint.placement = base * screw(2, theta, b);
      joint.body_in_joint = screw(0, alpha, a);
    }
    body.inertial = read_inertial(link, units, true);
    body.shapes = read_shapes(link, units);
    if (link.has("axis")) {
      link.error("key-unknown", link.line("axis"), "a DH joint moves about or along z; axis cannot be chosen",
                 "remove axis, or use body tables");
    }
    read_joint_details(link, units, joint);
    link.finish();

    parent = body.name;
    base = {};
    description.bodies.push_back(std::move(body));
    description.joints.push_back(std::move(joint));
  }
}

}  // namespace catena::read
