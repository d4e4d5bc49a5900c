// URDF, parsed by tinyxml2, with strict numbers. Joints keep the order of their <joint> elements.
// <inertial><origin> may rotate the inertia: I = R I_file R'. Extensions: docs/formats.md.
#include "catena/read/urdf.hpp"

#include <tinyxml2.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "catena/joints/joints.hpp"
#include "catena/read/file.hpp"
#include "catena/read/leftovers.hpp"
#include "catena/read/number.hpp"
#include "catena/read/parts.hpp"
#include "catena/read/urdf_xml.hpp"

namespace catena::read {
namespace {

class UrdfReader {
 public:
  explicit UrdfReader(Log& log) : log_(log) {}

  Description read(const Element& robot) {
    Description description;
    description.source = log_.at(robot.GetLineNum());
    Xml xml(log_, "");
    log_.use(&robot);
    xml.expect(robot, {"name", "version"},
               {"link",
                "joint",
                "material",
                "catena",
                "gazebo",
                "transmission",
                "ros2_control",
                "sensor",
                "plugin",
                "loop_joint",
                "group",
                "chain",
                "actuator",
                "motor",
                "mujoco",
                "drake",
                "verbose",
                "property",
                "light",
                "self_collision_checking",
                "disable_collisions",
                "capsule"});
    if (const auto name = xml.text(robot, "name"); name && !name->empty()) {
      description.name = *name;
    } else {
      description.name = std::filesystem::path(log_.file()).stem().string();
      xml.report(Severity::note, "name-missing", robot.GetLineNum(), "the robot has no name",
                 "write <robot name=\"...\">; it is called after its file here");
    }
    for (const Element* e = robot.FirstChildElement("material"); e; e = e->NextSiblingElement("material")) {
      read_material(*e, xml, materials_);
    }
    for (const Element* e = robot.FirstChildElement(); e; e = e->NextSiblingElement()) {
      if (std::strcmp(e->Name(), "link") == 0) description.bodies.push_back(read_link(*e));
      if (std::strcmp(e->Name(), "joint") == 0) description.joints.push_back(read_joint(*e));
      if (std::strcmp(e->Name(), "loop_joint") == 0) {
        xml.report(Severity::warning, "loop-ignored", e->GetLineNum(),
                   "closed loops are not computed; <loop_joint> is "
                   "left out and the robot moves as an open tree",
                   "cut the loop, or remove the element");
      }
    }
    if (const Element* own = xml.child(robot, "catena")) read_extension(*own, xml, description);
    if (description.bodies.empty()) {
      xml.report("robot-missing", robot, "the robot has no links", "write at least one <link>");
    }
    drop_ground(description);
    restore_frames(description);
    return description;
  }

 private:
  static void read_extension(const Element& own, Xml& xml, Description& description) {
    xml.expect(own, {"gravity", "origin"}, {});
    if (const auto gravity = xml.vector(own, "gravity")) description.gravity = *gravity;
    description.origin = xml.text(own, "origin").value_or("");
  }

  Body read_link(const Element& e) {
    Body body;
    body.source = log_.at(e.GetLineNum());
    log_.use(&e);
    body.name = name_of_element(e);
    Xml xml(log_, body.name);
    xml.expect(e, {"name", "type", "concave"},
               {"inertial", "visual", "collision", "catena", "contact", "sensor", "gazebo", "self_filter", "gravity",
                "collision_checking", "kinematic", "surface", "verbose", "group", "self_collide", "selfCollide"});
    if (const Element* inertial = xml.child(e, "inertial")) body.inertial = read_inertial(*inertial, xml);
    body.shapes = read_link_shapes(e, body.name, log_, materials_);
    if (const Element* own = xml.child(e, "catena")) {
      xml.expect(*own, {"ground"}, {});
      if (xml.text(*own, "ground") == "true") {
        ground_links_.insert(body.name);
        for (const Element* c = e.FirstChildElement(); c; c = c->NextSiblingElement())
          if (c != own) log_.leave(c);  // the ground has neither mass nor shape
      }
    }
    return body;
  }

  std::string name_of_element(const Element& e) { return Xml(log_, "").required_text(e, "name").value_or(""); }

  Inertial read_inertial(const Element& e, Xml& xml) {
    xml.expect(e, {}, {"origin", "mass", "inertia"});
    Inertial inertial;
    inertial.source = log_.at(e.GetLineNum());
    const Pose pose = xml.origin(e);
    inertial.com = pose.p;
    if (const Element* mass = xml.child(e, "mass")) {
      xml.expect(*mass, {"value"}, {});
      inertial.mass = xml.required_number(*mass, "value");
    } else {
      inertial.mass = not_a_number;
      xml.report("mass-missing", e, "<inertial> has no <mass>", "write <mass value=\"...\"/>, or remove <inertial>");
    }
    if (const Element* inertia = xml.child(e, "inertia")) {
      inertial.inertia = pose.R * read_inertia(*inertia, xml) * pose.R.transpose();
    } else {
      xml.report(Severity::warning, "inertia-missing", e.GetLineNum(),
                 "<inertial> has no <inertia>; the link counts as a point mass", "write <inertia ixx=\"...\" .../>");
    }
    return inertial;
  }

  Matrix3 read_inertia(const Element& e, Xml& xml) {
    xml.expect(e, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {});
    Matrix3 I = Matrix3::Zero();
    constexpr const char* names[3][3] = {{"ixx", "ixy", "ixz"}, {"", "iyy", "iyz"}, {"", "", "izz"}};
    for (int i = 0; i < 3; ++i) {
      I(i, i) = xml.required_number(e, names[i][i]);
      for (int j = i + 1; j < 3; ++j) {
        const auto product = xml.number(e, names[i][j]);
        if (!product) {
          xml.report(Severity::note, "attribute-missing", e.GetLineNum(),
                     std::string("<inertia> has no ") + names[i][j] + "; it counts as zero",
                     std::string("write ") + names[i][j] + "=\"0\"");
        }
        I(i, j) = I(j, i) = product.value_or(0);
      }
    }
    return I;
  }

  Joint read_joint(const Element& e) {
    Joint joint;
    joint.source = log_.at(e.GetLineNum());
    log_.use(&e);
    joint.name = name_of_element(e);
    Xml xml(log_, joint.name);
    xml.expect(
        e, {"name", "type", "dont_collapse"},
        {"parent", "child", "origin", "axis", "limit", "dynamics", "mimic", "catena", "safety_controller",
         "calibration", "gazebo", "verbose", "sensor", "plugin", "disableFixedJointLumping", "preserveFixedJoint"});
    joint.parent = linked(e, "parent", xml);
    joint.child = linked(e, "child", xml);
    joint.type = read_type(e, xml);
    joint.placement = xml.origin(e);
    joint.axis = Vector3::UnitX();
    if (const Element* axis = xml.child(e, "axis")) {
      xml.expect(*axis, {"xyz"}, {});
      joint.axis = xml.vector(*axis, "xyz").value_or(Vector3::UnitX());
      if (!has_axis(joint.type)) log_.leave(axis);
    }
    if (const Element* dynamics = xml.child(e, "dynamics")) {
      xml.expect(*dynamics, {"damping", "friction"}, {});
      set(joint.terms.damping, xml.number(*dynamics, "damping"));
      set(joint.terms.friction, xml.number(*dynamics, "friction"));
    }
    if (const Element* mimic = xml.child(e, "mimic")) {
      xml.expect(*mimic, {"joint", "multiplier", "offset"}, {});
      Mimic coupling;
      coupling.source = log_.at(mimic->GetLineNum());
      coupling.joint = xml.required_text(*mimic, "joint").value_or("");
      set(coupling.ratio, xml.number(*mimic, "multiplier"));
      set(coupling.offset, xml.number(*mimic, "offset"));
      joint.mimic = coupling;
    }
    const Element* own = xml.child(e, "catena");
    if (own) read_joint_extension(*own, xml, joint);
    if (joint.type == JointType::gimbal && !(own && own->Attribute("sequence"))) {
      xml.report("sequence-missing", e, "a gimbal joint needs the sequence of its axes",
                 "write <catena sequence=\"zyx\"/> in it");
    }
    read_limits(e, own, xml, joint);
    return joint;
  }

  std::string linked(const Element& e, const char* which, Xml& xml) {
    const Element* element = xml.child(e, which);
    if (!element) {
      xml.report("element-missing", e, std::string("the joint has no <") + which + ">",
                 std::string("write <") + which + " link=\"...\"/>");
      return "";
    }
    xml.expect(*element, {"link"}, {});
    return xml.required_text(*element, "link").value_or("");
  }

  static JointType read_type(const Element& e, Xml& xml) {
    const auto name = xml.required_text(e, "type");
    if (!name) return JointType::fixed;
    const auto known = joint_type_named(*name);
    if (!known) {
      xml.report("joint-type", e, "unknown joint type " + quote(*name) + near_joint_types(*name),
                 "write revolute, continuous, prismatic, fixed, floating or planar (or Catena's helical, cylindrical, "
                 "universal, gimbal, spherical)");
    }
    return known.value_or(JointType::fixed);
  }

  void read_joint_extension(const Element& own, Xml& xml, Joint& joint) {
    xml.expect(own,
               {"type", "pitch", "second_axis", "sequence", "rotor_inertia", "gear_ratio", "stiffness", "rest",
                "friction_scale", "unlimited", "frame"},
               {});
    if (own.Attribute("type")) joint.type = read_type(own, xml);
    set(joint.pitch, xml.number(own, "pitch"));
    if (const auto axis = xml.vector(own, "second_axis")) joint.second_axis = *axis;
    if (const auto sequence = xml.text(own, "sequence")) {
      joint.sequence = *sequence;
      if (const char* const fault = kernel::Gimbal::fault(*sequence)) {
        xml.report("sequence-invalid", own, "the sequence " + quote(*sequence) + " " + fault,
                   "write three letters, neighbours different, for example sequence=\"zyx\"");
        joint.sequence = "xyz";
      }
    }
    set(joint.terms.rotor_inertia, xml.number(own, "rotor_inertia"));
    set(joint.terms.gear_ratio, xml.number(own, "gear_ratio"));
    set(joint.terms.stiffness, xml.number(own, "stiffness"));
    set(joint.terms.rest, xml.number(own, "rest"));
    set(joint.terms.friction_scale, xml.number(own, "friction_scale"));
    if (xml.text(own, "frame") == "true") frame_joints_.insert(joint.name);
  }

  // URDF's own default for a missing bound is 0. <catena unlimited="lower upper velocity effort"> names limits that
  // do not exist: the numbers in <limit> then only please programs that insist on them.
  static void read_limits(const Element& e, const Element* own, Xml& xml, Joint& joint) {
    const std::string text = own ? xml.text(*own, "unlimited").value_or("") : "";
    const std::vector<std::string_view> named = words(text);
    const auto unlimited = [&](std::string_view which) { return std::count(named.begin(), named.end(), which) > 0; };
    const bool needs_range = (joint.type == JointType::revolute || joint.type == JointType::prismatic) &&
                             !(unlimited("lower") && unlimited("upper"));
    const Element* limit = xml.child(e, "limit");
    if (!limit) {
      if (needs_range) {
        xml.report(
            Severity::warning, "limit-missing", e.GetLineNum(),
            std::string("a ") + name_of(joint.type) + " joint without <limit>; it moves without bounds",
            joint.type == JointType::revolute ? "write <limit .../>, or type=\"continuous\"" : "write <limit .../>");
      }
      return;
    }
    xml.expect(*limit, {"lower", "upper", "velocity", "effort"}, {});
    const auto lower = xml.number(*limit, "lower"), upper = xml.number(*limit, "upper");
    const auto velocity = xml.number(*limit, "velocity"), effort = xml.number(*limit, "effort");
    if (!unlimited("velocity")) set(joint.limits.velocity, velocity);
    if (!unlimited("effort")) set(joint.limits.effort, effort);
    if (joint.type == JointType::continuous) {  // has no bounds, whatever is written
      for (const char* bound : {"lower", "upper"}) xml.log().leave(limit->FindAttribute(bound));
      return;
    }
    if (!lower && !upper) {
      if (needs_range) {
        xml.report(
            Severity::warning, "limit-missing", limit->GetLineNum(),
            "<limit> has neither lower nor upper; the joint moves without bounds (URDF's default of 0 would lock "
            "it)",
            "write lower=\"...\" upper=\"...\"");
      }
      return;
    }
    if (!unlimited("lower")) joint.limits.lower = lower.value_or(0);
    if (!unlimited("upper")) joint.limits.upper = upper.value_or(0);
  }

  // A link that stands for the ground: its joints hang on the ground itself.
  void drop_ground(Description& description) const {
    if (ground_links_.empty()) return;
    std::erase_if(description.bodies, [&](const Body& body) { return ground_links_.count(body.name) > 0; });
    for (Joint& joint : description.joints) {
      if (ground_links_.count(joint.parent)) joint.parent.clear();
    }
  }

  // Fixed joints marked as frames become frames again, if nothing was hung on them meanwhile.
  void restore_frames(Description& description) const {
    if (frame_joints_.empty()) return;
    std::unordered_set<std::string> taken;
    for (const Joint& joint : description.joints) taken.insert(joint.parent);
    std::unordered_map<std::string, const Body*> bodies;
    for (const Body& body : description.bodies) bodies[body.name] = &body;
    std::unordered_set<std::string> frames;
    std::erase_if(description.joints, [&](const Joint& joint) {
      const auto body = bodies.find(joint.child);
      if (!frame_joints_.count(joint.name) || joint.type != JointType::fixed || taken.count(joint.child) ||
          body == bodies.end() || body->second->inertial || !body->second->shapes.empty()) {
        return false;
      }
      description.frames.push_back({joint.child, joint.parent, joint.placement, joint.source});
      return frames.insert(joint.child), true;
    });
    std::erase_if(description.bodies, [&](const Body& body) { return frames.count(body.name) > 0; });
  }

  Log& log_;
  Materials materials_;
  std::unordered_set<std::string> frame_joints_, ground_links_;
};

}  // namespace

Reading urdf(std::string_view text, const std::string& file, bool with_leftovers) {
  Log log(file);
  if (with_leftovers) log.keep_account();
  Description description;
  description.source = log.at(0);
  if (!is_text(text, log) || !bearable(text, log)) return {std::move(description), log.findings()};
  std::vector<int> instructions;
  const std::string plain = without_instructions(text, instructions, log);
  if (has_errors(log.findings())) return {std::move(description), log.findings()};
  tinyxml2::XMLDocument document;
  const std::string_view parsed = plain.empty() ? text : plain;
  document.Parse(parsed.data(), parsed.size());
  if (const Element* robot = robot_element(document, log)) description = UrdfReader(log).read(*robot);
  Leftovers leftovers = with_leftovers ? xml_leftovers(document, log) : Leftovers{};
  if (with_leftovers)
    for (const int line : instructions) add_leftover(leftovers, "processing instruction", line);
  return {std::move(description), log.findings(), std::move(leftovers)};
}

}  // namespace catena::read
