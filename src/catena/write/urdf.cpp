// URDF, 17 digits where needed. Joints of types that URDF lacks keep Catena's name for them, so that a program that
// does not know them refuses the file instead of computing another robot.
#include "catena/write/urdf.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "catena/joints/joints.hpp"
#include "catena/read/urdf.hpp"
#include "catena/write/file.hpp"
#include "catena/write/read_back.hpp"

namespace catena::write {
namespace {

// Many programs refuse joints without limits: this stands for "none", and <catena unlimited> says so.
constexpr double no_limit = 1e9;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("&#{};", static_cast<int>(c));
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string three(const Vector3& v) { return fmt::format("{} {} {}", v.x(), v.y(), v.z()); }

class UrdfWriter {
 public:
  explicit UrdfWriter(const Description& description) : robot_(description) {
    std::unordered_set<std::string> carried;
    bool on_ground = false;
    for (const Joint& joint : robot_.joints) {
      frame_of_[joint.child] = joint.body_in_joint;
      carried.insert(joint.child);
      joints_.insert(joint.name);
      on_ground = on_ground || joint.parent.empty();
    }
    for (const Frame& frame : robot_.frames) on_ground = on_ground || frame.body.empty();
    for (const Body& body : robot_.bodies) {
      links_.insert(body.name);
      if (!carried.count(body.name)) roots_.push_back(&body);
    }
    for (const Frame& frame : robot_.frames) links_.insert(frame.name);
    // URDF wants one root link; several, or joints on the ground, need a link that stands for the ground.
    if (on_ground || roots_.size() > 1) ground_ = unused("world", links_);
  }

  std::string text() {
    line(0, "<?xml version=\"1.0\"?>");
    line(0, "<robot name=\"{}\">", escaped(robot_.name));
    std::string own;
    if (robot_.gravity != Description{}.gravity) own += fmt::format(" gravity=\"{}\"", three(robot_.gravity));
    if (!robot_.origin.empty()) own += fmt::format(" origin=\"{}\"", escaped(robot_.origin));
    if (!own.empty()) line(1, "<catena{}/>", own);
    if (!ground_.empty()) line(1, "<link name=\"{}\"><catena ground=\"true\"/></link>", escaped(ground_));
    for (const Body& body : robot_.bodies) write_link(body);
    for (const Frame& frame : robot_.frames) line(1, "<link name=\"{}\"/>", escaped(frame.name));
    if (!ground_.empty()) {
      for (const Body* root : roots_)
        write_fixed(unused(root->name + "_joint", joints_), ground_, root->name, {}, false);
    }
    for (const Joint& joint : robot_.joints) write_joint(joint);
    for (const Frame& frame : robot_.frames) {
      write_fixed(unused(frame.name + "_frame", joints_), link_of(frame.body), frame.name,
                  in_link(frame.body, frame.pose), true);
    }
    line(0, "</robot>");
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(int depth, fmt::format_string<Args...> format, Args&&... args) {
    out_.append(static_cast<std::size_t>(2 * depth), ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  static std::string unused(std::string name, std::unordered_set<std::string>& taken) {
    while (!taken.insert(name).second) name += "_";
    return name;
  }

  const std::string& link_of(const std::string& body) const { return body.empty() ? ground_ : body; }

  // A pose given in the body's frame, in the frame of the link that is written for it.
  Pose in_link(const std::string& body, const Pose& pose) const {
    const auto found = frame_of_.find(body);
    return found == frame_of_.end() ? pose : found->second * pose;
  }

  void write_origin(int depth, const Pose& pose) {
    const bool turned = pose.R != Matrix3::Identity();
    if (!turned && pose.p.isZero(0)) return;
    line(depth, "<origin xyz=\"{}\" rpy=\"{}\"/>", three(pose.p),
         turned ? three(rpy_from_rotation(pose.R)) : std::string("0 0 0"));
  }

  void write_link(const Body& body) {
    if (!body.inertial && body.shapes.empty()) {
      line(1, "<link name=\"{}\"/>", escaped(body.name));
      return;
    }
    line(1, "<link name=\"{}\">", escaped(body.name));
    if (body.inertial) {
      const Pose frame = in_link(body.name, {});
      const Matrix3 I = frame.R * body.inertial->inertia * frame.R.transpose();
      const Matrix3 S = (I + I.transpose()) / 2;
      line(2, "<inertial>");
      write_origin(3, {Matrix3::Identity(), frame * body.inertial->com});
      line(3, "<mass value=\"{}\"/>", body.inertial->mass);
      line(3, "<inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>", S(0, 0), S(0, 1), S(0, 2),
           S(1, 1), S(1, 2), S(2, 2));
      line(2, "</inertial>");
    }
    for (const Shape& shape : body.shapes) write_shape(body, shape);
    line(1, "</link>");
  }

  void write_shape(const Body& body, const Shape& shape) {
    const char* element = shape.collision ? "collision" : "visual";
    line(2, "<{}{}>", element, shape.name.empty() ? "" : fmt::format(" name=\"{}\"", escaped(shape.name)));
    write_origin(3, in_link(body.name, shape.pose));
    const Vector3& size = shape.size;
    switch (shape.kind) {
      case Shape::Kind::box: line(3, "<geometry><box size=\"{}\"/></geometry>", three(size)); break;
      case Shape::Kind::sphere: line(3, "<geometry><sphere radius=\"{}\"/></geometry>", size[0]); break;
      case Shape::Kind::cylinder:
        line(3, "<geometry><cylinder radius=\"{}\" length=\"{}\"/></geometry>", size[0], size[1]);
        break;
      case Shape::Kind::capsule:
        line(3, "<geometry><capsule radius=\"{}\" length=\"{}\"/></geometry>", size[0], size[1]);
        break;
      case Shape::Kind::mesh:
        line(3, "<geometry><mesh filename=\"{}\" scale=\"{}\"/></geometry>", escaped(shape.mesh), three(shape.scale));
        break;
    }
    if (shape.rgba) {
      const Colour& c = *shape.rgba;
      const std::string rgba = fmt::format("{} {} {} {}", c[0], c[1], c[2], c[3]);
      line(3, "<material name=\"rgba {}\"><color rgba=\"{}\"/></material>", rgba, rgba);
    }
    line(2, "</{}>", element);
  }

  void write_fixed(const std::string& name, const std::string& parent, const std::string& child, const Pose& pose,
                   bool frame) {
    line(1, "<joint name=\"{}\" type=\"fixed\">", escaped(name));
    line(2, "<parent link=\"{}\"/>", escaped(parent));
    line(2, "<child link=\"{}\"/>", escaped(child));
    write_origin(2, pose);
    if (frame) line(2, "<catena frame=\"true\"/>");
    line(1, "</joint>");
  }

  void write_joint(const Joint& joint) {
    const Limits& limits = joint.limits;
    const bool endless = joint.type == JointType::revolute && std::isinf(limits.lower) && std::isinf(limits.upper);
    std::string type = joint.type == JointType::free ? "floating" : name_of(joint.type);
    std::string own;
    if (endless) {
      type = "continuous";
      own += " type=\"revolute\"";
    }
    line(1, "<joint name=\"{}\" type=\"{}\">", escaped(joint.name), type);
    line(2, "<parent link=\"{}\"/>", escaped(link_of(joint.parent)));
    line(2, "<child link=\"{}\"/>", escaped(joint.child));
    write_origin(2, in_link(joint.parent, joint.placement));
    if (facts_of(joint.type).has_axis) {
      line(2, "<axis xyz=\"{}\"/>", three(joint.axis));
    }
    write_limits(joint, own);
    const JointTerms& terms = joint.terms;
    if (terms.damping != 0 || terms.friction != 0) {
      line(2, "<dynamics damping=\"{}\" friction=\"{}\"/>", terms.damping, terms.friction);
    }
    if (joint.mimic) {
      line(2, "<mimic joint=\"{}\" multiplier=\"{}\" offset=\"{}\"/>", escaped(joint.mimic->joint), joint.mimic->ratio,
           joint.mimic->offset);
    }
    const JointTerms plain;
    const auto add = [&own](const char* name, double value, double otherwise) {
      if (value != otherwise) own += fmt::format(" {}=\"{}\"", name, value);
    };
    if (joint.type == JointType::helical) own += fmt::format(" pitch=\"{}\"", joint.pitch);
    if (joint.type == JointType::gimbal) own += fmt::format(" sequence=\"{}\"", escaped(joint.sequence));
    if (joint.type == JointType::universal) own += fmt::format(" second_axis=\"{}\"", three(joint.second_axis));
    add("rotor_inertia", terms.rotor_inertia, plain.rotor_inertia);
    add("gear_ratio", terms.gear_ratio, plain.gear_ratio);
    add("stiffness", terms.stiffness, plain.stiffness);
    add("rest", terms.rest, plain.rest);
    add("friction_scale", terms.friction_scale, plain.friction_scale);
    if (!own.empty()) line(2, "<catena{}/>", own);
    line(1, "</joint>");
  }

  // Appends unlimited="..." to the extension for limits that are written but do not exist.
  void write_limits(const Joint& joint, std::string& own) {
    const Limits& l = joint.limits;
    const bool needs_range = joint.type == JointType::revolute || joint.type == JointType::prismatic;
    const bool range = std::isfinite(l.lower) || std::isfinite(l.upper);
    const bool rates = std::isfinite(l.velocity) || std::isfinite(l.effort);
    const bool bounded = joint.type != JointType::continuous && (range || joint.type == JointType::prismatic);
    std::string text, unlimited;
    const auto add = [&](const char* name, double value, double otherwise) {
      text += fmt::format(" {}=\"{}\"", name, std::isinf(value) ? otherwise : value);
      if (std::isinf(value)) unlimited += fmt::format("{}{}", unlimited.empty() ? "" : " ", name);
    };
    if (bounded) {
      add("lower", l.lower, -no_limit);
      add("upper", l.upper, no_limit);
    } else if (needs_range) {
      unlimited = "lower upper";
    }
    if (bounded || rates) {
      add("velocity", l.velocity, no_limit);
      add("effort", l.effort, no_limit);
      line(2, "<limit{}/>", text);
    }
    if (!unlimited.empty()) own += fmt::format(" unlimited=\"{}\"", unlimited);
  }

  const Description& robot_;
  std::unordered_map<std::string, Pose> frame_of_;  // body -> its frame in the link's frame
  std::unordered_set<std::string> links_, joints_;
  std::vector<const Body*> roots_;
  std::string ground_;  // name of the link that stands for the ground; empty if none is needed
  std::string out_;
};

}  // namespace

std::string urdf(const Description& description) { return UrdfWriter(description).text(); }

void urdf_file(const Description& description, const Claim& claim, const Judge& judge) {
  const std::string text = urdf(description);
  const read::Reading back = read::urdf(text, claim.path());
  require_same(description, back, claim.path());
  if (judge) judge(back.description);
  replace_file(claim, text);
}

}  // namespace catena::write
