// TOML body tables in SI units. A body's table holds its joint, so bodies are written in the order of their joints,
// those without a joint first: the order of q and v stays.
#include "catena/write/toml.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "catena/joints/joints.hpp"
#include "catena/read/toml.hpp"
#include "catena/write/file.hpp"
#include "catena/write/read_back.hpp"

namespace catena::write {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string row(const Vector3& v) { return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()); }

std::string rows(const Matrix3& m) {
  return fmt::format("[{}, {}, {}]", row(m.row(0).transpose()), row(m.row(1).transpose()), row(m.row(2).transpose()));
}

// key = value pairs of a pose: angles where they give the rotation back to the last bit, otherwise the matrix.
std::vector<std::string> pose_pairs(const Pose& pose, const std::string& prefix = "") {
  std::vector<std::string> pairs;
  if (!pose.p.isZero(0)) pairs.push_back(prefix + "position = " + row(pose.p));
  if (pose.R != Matrix3::Identity()) {
    const Vector3 rpy = rpy_from_rotation(pose.R);
    const bool exact = rotation_from_rpy(rpy[0], rpy[1], rpy[2]) == pose.R;
    pairs.push_back(exact ? prefix + "rpy = " + row(rpy) : prefix + "R = " + rows(pose.R));
  }
  return pairs;
}

std::string inertia_text(const Matrix3& I) {
  if (I != I.transpose()) return rows(I);
  if (I(0, 1) == 0 && I(0, 2) == 0 && I(1, 2) == 0) return row(I.diagonal());
  return fmt::format("[{}, {}, {}, {}, {}, {}]", I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
}

class TomlWriter {
 public:
  explicit TomlWriter(const Description& description) : robot_(description) {}

  std::string text() {
    line("name = {}", quoted(robot_.name));
    if (!robot_.origin.empty()) line("origin = {}", quoted(robot_.origin));
    line("gravity = {}", row(robot_.gravity));

    std::unordered_map<std::string, const Body*> bodies;
    for (const Body& body : robot_.bodies) bodies.emplace(body.name, &body);
    std::unordered_set<std::string> carried;
    for (const Joint& joint : robot_.joints) {
      if (!bodies.count(joint.child)) throw std::invalid_argument("joint '" + joint.name + "' carries no body");
      if (!carried.insert(joint.child).second) {
        throw std::invalid_argument("body '" + joint.child + "' has two joints, which body tables cannot say");
      }
    }
    for (const Body& body : robot_.bodies) {
      if (!carried.count(body.name)) write_body(body, nullptr);
    }
    for (const Joint& joint : robot_.joints) write_body(*bodies.at(joint.child), &joint);
    for (const Frame& frame : robot_.frames) {
      line("\n[[frame]]");
      line("name = {}", quoted(frame.name));
      line("body = {}", quoted(frame.body));
      for (const std::string& pair : pose_pairs(frame.pose)) line("{}", pair);
    }
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void write_body(const Body& body, const Joint* joint) {
    line("\n[[body]]");
    line("name = {}", quoted(body.name));
    if (joint) write_joint(*joint);
    if (body.inertial) {
      line("mass = {}", body.inertial->mass);
      line("com = {}", row(body.inertial->com));
      line("inertia = {}", inertia_text(body.inertial->inertia));
    }
    if (body.shapes.empty()) return;
    line("shapes = [");
    for (const Shape& shape : body.shapes) write_shape(shape);
    line("]");
  }

  void write_joint(const Joint& joint) {
    if (!joint.parent.empty()) line("parent = {}", quoted(joint.parent));
    line("joint = \"{}\"", name_of(joint.type));
    if (joint.name != joint.child + "_joint") line("joint_name = {}", quoted(joint.name));
    if (facts_of(joint.type).has_axis) {
      line("axis = {}", row(joint.axis));
    }
    if (joint.type == JointType::universal) line("second_axis = {}", row(joint.second_axis));
    if (joint.type == JointType::gimbal) line("sequence = {}", quoted(joint.sequence));
    if (joint.type == JointType::helical) line("pitch = {}", joint.pitch);
    for (const std::string& pair : pose_pairs(joint.placement)) line("{}", pair);
    for (const std::string& pair : pose_pairs(joint.body_in_joint, "body_")) line("{}", pair);

    std::string limits;
    const auto add = [&limits](const char* name, double value) {
      if (!std::isinf(value)) limits += fmt::format("{}{} = {}", limits.empty() ? "" : ", ", name, value);
    };
    add("lower", joint.limits.lower);
    add("upper", joint.limits.upper);
    add("velocity", joint.limits.velocity);
    add("effort", joint.limits.effort);
    if (!limits.empty()) line("limits = {{ {} }}", limits);

    const JointTerms& terms = joint.terms;
    const JointTerms plain;
    const auto term = [this](const char* name, double value, double otherwise) {
      if (value != otherwise) line("{} = {}", name, value);
    };
    term("damping", terms.damping, plain.damping);
    term("friction", terms.friction, plain.friction);
    term("friction_scale", terms.friction_scale, plain.friction_scale);
    term("rotor_inertia", terms.rotor_inertia, plain.rotor_inertia);
    term("gear_ratio", terms.gear_ratio, plain.gear_ratio);
    term("stiffness", terms.stiffness, plain.stiffness);
    term("rest", terms.rest, plain.rest);
    if (joint.mimic) {
      line("mimic = {{ joint = {}, ratio = {}, offset = {} }}", quoted(joint.mimic->joint), joint.mimic->ratio,
           joint.mimic->offset);
    }
  }

  void write_shape(const Shape& shape) {
    std::string text = fmt::format("kind = \"{}\"", name_of(shape.kind));
    if (shape.kind == Shape::Kind::mesh) {
      text += ", mesh = " + quoted(shape.mesh);
      if (shape.scale != Vector3::Ones()) text += ", scale = " + row(shape.scale);
    } else {
      text += ", size = " + row(shape.size);
    }
    for (const std::string& pair : pose_pairs(shape.pose)) text += ", " + pair;
    if (shape.rgba) {
      const Colour& c = *shape.rgba;
      text += fmt::format(", rgba = [{}, {}, {}, {}]", c[0], c[1], c[2], c[3]);
    }
    if (!shape.name.empty()) text += ", name = " + quoted(shape.name);
    if (shape.collision) text += ", collision = true";
    line("  {{ {} }},", text);
  }

  const Description& robot_;
  std::string out_;
};

}  // namespace

std::string toml(const Description& description) { return TomlWriter(description).text(); }

void toml_file(const Description& description, const Claim& claim, const Judge& judge) {
  const std::string text = toml(description);
  const read::Reading back = read::toml(text, claim.path());
  require_same(description, back, claim.path());
  if (judge) judge(back.description);
  replace_file(claim, text);
}

}  // namespace catena::write
