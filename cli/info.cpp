// catena info: what was read. Names, numbers with units, the layout of the state, every term that enters the dynamics.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "catena/joints/joints.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/read/builtin.hpp"
#include "catena/reference/dh_newton_euler.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t shown_rows = 60;  // a 10,000-link chain is summarised, not scrolled past

const Coordinate* coordinate_of(const Model& model, const Joint& joint) {
  if (joint.type == JointType::fixed || joint.mimic) return nullptr;
  return &model.coordinate(joint.name);
}

std::string index_range(int first, int count) {
  return count == 1 ? fmt::format("{}", first) : fmt::format("{}–{}", first, first + count - 1);
}

bool slides(JointType type) { return type == JointType::prismatic; }

std::string limits_text(const Joint& joint) {
  const Limits& limits = joint.limits;
  const char* unit = slides(joint.type) ? "m" : "rad";
  std::string text;
  if (std::isfinite(limits.lower) || std::isfinite(limits.upper))
    text += fmt::format("{} … {} {}", number(limits.lower, 4), number(limits.upper, 4), unit);
  const auto append = [&](double value, const char* its_unit) {
    if (std::isfinite(value)) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number(value, 4), its_unit);
  };
  append(limits.velocity, slides(joint.type) ? "m/s" : "rad/s");
  append(limits.effort, slides(joint.type) ? "N" : "N m");
  return text.empty() ? "none" : text;
}

void print_joints(Output& out, const Model& model) {
  const auto& joints = model.description().joints;
  out.title("Joints");
  Table table({"joint", "type", "parent → child", ">q", ">v", "limits: range, speed, effort"});
  std::size_t shown = 0;
  for (const Joint& joint : joints) {
    if (++shown > shown_rows) break;
    const Coordinate* c = coordinate_of(model, joint);
    std::string limits = limits_text(joint);
    if (joint.mimic)
      limits = fmt::format("= {} × {} {} {}", number(joint.mimic->ratio), joint.mimic->joint,
                           joint.mimic->offset < 0 ? "-" : "+", number(std::abs(joint.mimic->offset)));
    if (joint.type == JointType::fixed) limits = "";
    table.row({joint.name, name_of(joint.type),
               fmt::format("{} → {}", joint.parent.empty() ? "ground" : joint.parent, joint.child),
               c ? index_range(c->q, c->nq) : "–", c ? index_range(c->v, c->nv) : "–", limits});
  }
  table.print(out);
  if (joints.size() > shown_rows)
    out.line(fmt::format("  … and {} more (--json lists all)", joints.size() - shown_rows));
}

void print_layout(Output& out, const Model& model) {
  out.title(
      fmt::format("State: q has {}, v has {}", counted(static_cast<std::size_t>(model.nq()), "number"), model.nv()));
  bool quaternion = false, free_joint = false;
  for (const Coordinate& c : model.coordinates()) {
    quaternion |= facts_of(c.type).quaternion >= 0;
    free_joint |= c.type == JointType::free;
  }
  out.explain(
      "In the order of the joints above; angles in rad, lengths in m. Fixed joints and joints that follow another (=) "
      "carry no number.");
  if (quaternion)
    out.explain(
        "Orientations in q are unit quaternions (x, y, z, w); their velocity is the angular velocity in body axes.");
  if (free_joint)
    out.explain("A free joint: q is position then quaternion, v is angular then linear velocity in body axes.");
}

struct Term {
  const char* name;
  const char* unit;
  double (*value)(const Joint&);
};

const Term terms[] = {
    {"damping", "N m s/rad or N s/m", [](const Joint& j) { return j.terms.damping; }},
    {"Coulomb friction", "N m or N", [](const Joint& j) { return j.terms.friction; }},
    {"armature (rotor inertia × gear²)", "kg m² or kg", [](const Joint& j) { return j.terms.armature(); }},
    {"spring", "N m/rad or N/m", [](const Joint& j) { return j.terms.stiffness; }},
};

void print_terms(Output& out, const Model& model) {
  out.title("Terms in the equation of motion");
  const Vector3& g = model.gravity();
  out.line(fmt::format("  gravity ({}, {}, {}) m/s²", number(g.x()), number(g.y()), number(g.z())));
  for (const Term& term : terms) {
    std::map<double, std::vector<std::string>> by_value;
    for (const Joint& joint : model.description().joints)
      if (joint.type != JointType::fixed && term.value(joint) != 0) by_value[term.value(joint)].push_back(joint.name);
    std::string list;
    std::size_t values = 0;
    for (const auto& [value, names] : by_value) {
      if (++values > 8) break;
      const std::string who =
          names.size() > 2 ? fmt::format("{} joints", names.size()) : fmt::format("{}", fmt::join(names, ", "));
      list += fmt::format("{}{} {}", values > 1 ? "; " : "", who, number(value, 4));
    }
    if (values > 8) list += "; … (--json lists all)";
    out.line(
        printable(fmt::format("  {}: {}", term.name, list.empty() ? "none" : fmt::format("{} [{}]", list, term.unit))));
  }
  std::size_t mimics = 0;
  for (const Joint& joint : model.description().joints) mimics += joint.mimic ? 1 : 0;
  out.line(fmt::format("  mimic: {}", mimics == 0 ? "none" : counted(mimics, "joint")));
}

Json json_of(const Joint& joint, const Model& model) {
  Json json;
  json.add("name", joint.name).add("type", name_of(joint.type)).add("parent", joint.parent).add("child", joint.child);
  if (const Coordinate* c = coordinate_of(model, joint)) {
    json.add_int("q", c->q).add_int("nq", c->nq).add_int("v", c->v).add_int("nv", c->nv);
    const auto limit = [&](const char* key, double value) {
      std::isfinite(value) ? json.add(key, value) : json.add_null(key);
    };
    limit("lower", joint.limits.lower), limit("upper", joint.limits.upper);
    limit("velocity", joint.limits.velocity), limit("effort", joint.limits.effort);
  }
  if (joint.mimic)
    json.add(
        "mimic",
        Json().add("joint", joint.mimic->joint).add("ratio", joint.mimic->ratio).add("offset", joint.mimic->offset));
  if (joint.type != JointType::fixed)
    json.add("damping", joint.terms.damping)
        .add("friction", joint.terms.friction)
        .add("armature", joint.terms.armature())
        .add("stiffness", joint.terms.stiffness);
  return json;
}

// A revolute joint's q is added to theta, a prismatic one's to b.
DhChain require_dh_chain(const Model& model) {
  std::optional<DhChain> chain = dh_chain(model);
  if (!chain)
    throw DataError(
        fmt::format("--dh is for one serial chain of revolute and prismatic joints, which {} is not", model.name()));
  return std::move(*chain);
}

// The frame of link i of the modified (Craig's) convention stands at the joint before it: it takes a and alpha of the
// link before.
std::vector<Json> json_of(const DhChain& chain, const Model& model, bool modified) {
  std::vector<Json> rows;
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const DhLink& link = chain.links[i];
    const DhLink before = i > 0 ? chain.links[i - 1] : DhLink{};
    const DhLink& shape = modified ? before : link;
    rows.push_back(Json()
                       .add("joint", model.velocity_names()[i])
                       .add("type", link.prismatic ? "prismatic" : "revolute")
                       .add("a", shape.a)
                       .add("alpha", shape.alpha)
                       .add("d", link.b)
                       .add("theta", link.theta));
  }
  return rows;
}

void print_dh(Output& out, const Model& model) {
  const DhChain chain = require_dh_chain(model);
  const auto variable = [](double offset, bool of_joint) {
    if (!of_joint) return number(offset, 6, 1);
    return offset == 0 ? std::string("q")
                       : fmt::format("q {} {}", offset < 0 ? "−" : "+", number(std::abs(offset), 6, 1));
  };
  for (const bool modified : {false, true}) {
    out.title(modified ? "Denavit–Hartenberg parameters, modified (Craig)" : "Denavit–Hartenberg parameters, standard");
    out.explain(
        modified
            ? "Rx(alpha) Tx(a) Rz(theta) Tz(d): a and alpha lead from the joint before to this one."
            : "Rz(theta) Tz(d) Tx(a) Rx(alpha): from this joint's frame to the next one's. The first frame has its z "
              "axis along the first joint.");
    Table table({"joint", ">a m", ">alpha rad", ">d m", ">theta rad"});
    for (std::size_t i = 0; i < chain.links.size(); ++i) {
      const DhLink& link = chain.links[i];
      const DhLink before = i > 0 ? chain.links[i - 1] : DhLink{};
      const DhLink& shape = modified ? before : link;
      table.row({model.velocity_names()[i], number(shape.a, 6, 1), number(shape.alpha, 6, 1),
                 variable(link.b, link.prismatic), variable(link.theta, !link.prismatic)});
    }
    table.print(out);
  }
  out.title("Frames at both ends of the Denavit–Hartenberg chain");
  out.explain(
      "Pose of a frame of the last link = first frame in the ground · the table's links · that frame in the last one; "
      "the same for both conventions. Angles: roll, pitch, yaw.");
  Table ends({"frame", "in", ">x m", ">y m", ">z m", ">roll rad", ">pitch rad", ">yaw rad"});
  const auto row = [&](const std::string& name, const char* in, const Pose& pose) {
    std::vector<std::string> cells = {name, in};
    for (const double x : pose.p) cells.push_back(number(x, 6, 1));
    for (const double x : rpy_from_rotation(pose.R)) cells.push_back(number(x, 6, 1));
    ends.row(cells);
  };
  row("first of the table", "ground", chain.first);
  for (const DhChain::Tool& tool : chain.tools)
    row(printable(model.frame_name(tool.frame)), "last of the table", tool.pose);
  ends.print(out);
}

Json json_of(const Pose& pose) {
  Matrix T = Matrix::Identity(4, 4);
  T.topLeftCorner<3, 3>() = pose.R, T.topRightCorner<3, 1>() = pose.p;
  return Json().add("position", Vector(pose.p)).add("rpy", Vector(rpy_from_rotation(pose.R))).add_matrix("matrix", T);
}

Json json_of_dh(const Model& model) {
  const DhChain chain = require_dh_chain(model);
  std::vector<Json> tools;
  for (const DhChain::Tool& tool : chain.tools)
    tools.push_back(Json().add("frame", model.frame_name(tool.frame)).add("pose", json_of(tool.pose)));
  return Json()
      .add("standard", json_of(chain, model, false))
      .add("modified", json_of(chain, model, true))
      .add("base", json_of(chain.first))
      .add("tools", tools);
}

std::string json_text(const Robot& robot, const Vector3& com, bool dh) {
  const Model& model = robot.model;
  Json json;
  json.add("name", model.name()).add("origin", model.description().origin);
  std::vector<std::string> bodies, frames;
  for (const Body& body : model.description().bodies) bodies.push_back(body.name);
  for (int f = 0; f < model.frame_count(); ++f) frames.push_back(model.frame_name(f));
  json.add("bodies", bodies).add("frames", frames);
  std::vector<Json> joints;
  for (const Joint& joint : model.description().joints) joints.push_back(json_of(joint, model));
  json.add("joints", joints);
  json.add_int("nq", model.nq()).add_int("nv", model.nv());
  json.add("position_names", model.position_names()).add("velocity_names", model.velocity_names());
  json.add("total_mass", model.total_mass()).add("center_of_mass", Vector(com)).add("gravity", Vector(model.gravity()));
  json.add_int("warnings", count_of(robot.findings, Severity::warning))
      .add_int("notes", count_of(robot.findings, Severity::note));
  json.add("hash", fmt::format("{:016x}", model.hash()));
  if (dh) json.add("dh", json_of_dh(model));
  return json.text();
}

void print_doctor_line(Output& out, const Robot& robot, const std::string& path) {
  const int warnings = count_of(robot.findings, Severity::warning), notes = count_of(robot.findings, Severity::note);
  if (warnings == 0 && notes == 0) return out.line(out.paint(Tone::good, "  doctor: no findings"));
  const std::string text =
      fmt::format("  doctor: {}, {}: run `catena doctor {}`", counted(static_cast<std::size_t>(warnings), "warning"),
                  counted(static_cast<std::size_t>(notes), "note"), path);
  out.line(out.paint(warnings > 0 ? Tone::caution : Tone::plain, text));
}

}  // namespace

int run_info(const Options& options, Output& out) {
  const Robot robot = load_robot(options);
  const Model& model = robot.model;
  const Description& description = model.description();
  const Vector3 com = Kinematics(model, neutral_configuration(model)).center_of_mass();
  if (out.json()) {
    out.line(json_text(robot, com, options.dh));
    return success;
  }
  out.line(out.paint(Tone::title, printable(description.name)) +
           (description.origin.empty() ? "" : fmt::format("  ({})", printable(description.origin))));
  std::size_t fixed_joints = 0;
  for (const Joint& joint : description.joints) fixed_joints += joint.type == JointType::fixed ? 1 : 0;
  out.line(fmt::format("  {}, {} ({} fixed), {}", counted(description.bodies.size(), "body"),
                       counted(description.joints.size(), "joint"), fixed_joints,
                       counted(static_cast<std::size_t>(model.nv()), "degree") + " of freedom"));
  out.line(fmt::format("  mass {} kg, centre of mass ({}, {}, {}) m in the neutral pose", number(model.total_mass()),
                       number(com.x(), 5, 1), number(com.y(), 5, 1), number(com.z(), 5, 1)));
  print_doctor_line(out, robot, options.model);
  if (!description.joints.empty()) print_joints(out, model);
  print_layout(out, model);
  print_terms(out, model);

  out.title("Frames");
  out.explain("Every body has a frame of its own name; these are the extra ones. --wrench takes either.");
  std::string names;
  for (const Frame& frame : description.frames)
    names += fmt::format("{}{} (on {})", names.empty() ? "" : ", ", frame.name, frame.body);
  out.line("  " + (names.empty() ? "none besides the bodies" : printable(names)));
  if (options.dh) print_dh(out, model);
  return success;
}

int run_models(const Options&, Output& out) {
  std::vector<Json> list;
  Table table({"name", "joints", ">mass kg", "source of the numbers"});
  for (const std::string& name : read::builtin_names()) {
    Options options;
    options.model = name;
    const Model model = load_robot(options).model;
    list.push_back(Json()
                       .add("name", name)
                       .add_int("nv", model.nv())
                       .add("total_mass", model.total_mass())
                       .add("origin", model.description().origin));
    table.row({name, counted(model.coordinates().size(), "joint"), number(model.total_mass(), 5),
               model.description().origin});
  }
  const std::vector<std::string> patterns = read::generated_name_patterns();
  if (out.json()) {
    out.line(Json().add("models", list).add("generated", patterns).text());
    return success;
  }
  out.line(out.paint(Tone::title, "Built-in robots"));
  table.print(out);
  out.title("Robots made by rule");
  for (const std::string& pattern : patterns) out.line("  " + pattern);
  return success;
}

}  // namespace catena::cli
