#include "catena/model/parameter.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "catena/joints/joints.hpp"
#include "catena/model/checks.hpp"
#include "catena/model/names.hpp"

namespace catena {

namespace {

using Kind = Parameter::Kind;

constexpr double any = -std::numeric_limits<double>::infinity();
constexpr const char* directions[] = {"x", "y", "z"};
constexpr const char* products[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
constexpr int rows[] = {0, 1, 2, 0, 0, 1}, columns[] = {0, 1, 2, 1, 2, 2};

// Every parameter with the names of the groups it belongs to.
class Catalogue {
 public:
  explicit Catalogue(const Model& model) {
    const Description& robot = model.description();
    std::set<std::string> payloads;  // bodies that with_parameters() attached, or the user under the same name
    for (int b = 0; b < static_cast<int>(robot.bodies.size()); ++b) {
      const Body& body = robot.bodies[b];
      const int first = static_cast<int>(all.size());
      add_inertial(body.name, ".inertial", false, b, body.inertial.value_or(Inertial{}));
      if (!body.name.ends_with(".payload")) continue;
      payloads.insert(body.name);
      for (int k = first; k < static_cast<int>(all.size()); ++k) groups.emplace_back(body.name, k);
    }
    for (int j = 0; j < static_cast<int>(robot.joints.size()); ++j) add_joint(robot.joints[j], j);
    for (int c = 0; c < 3; ++c) {
      add({Kind::gravity, false, 0, c, std::string("gravity.") + directions[c], "m/s^2", robot.gravity[c], any},
          "gravity");
    }
    for (int f = 0; f < model.frame_count(); ++f) {
      const std::string payload = model.frame_name(f) + ".payload";
      if (!payloads.contains(payload)) add_inertial(payload, "", true, f, {});
    }
  }

  std::vector<Parameter> all;
  std::vector<std::pair<std::string, int>> groups;  // name, parameter

 private:
  void add(Parameter parameter, const std::string& group = "", const std::string& larger_group = "") {
    const int number = static_cast<int>(all.size());
    for (const std::string& name : {group, larger_group}) {
      if (!name.empty()) groups.emplace_back(name, number);
    }
    all.push_back(std::move(parameter));
  }
  void add_inertial(const std::string& owner, const std::string& ten, bool payload, int index, const Inertial& own) {
    add({Kind::mass, payload, index, 0, owner + ".mass", "kg", own.mass, 0}, owner + ten);
    for (int c = 0; c < 3; ++c) {
      const std::string group = owner + ".com";
      add({Kind::com, payload, index, c, group + "." + directions[c], "m", own.com[c], any}, group, owner + ten);
    }
    for (int c = 0; c < 6; ++c) {
      const std::string group = owner + ".inertia";
      const double value = 0.5 * (own.inertia(rows[c], columns[c]) + own.inertia(columns[c], rows[c]));
      add({Kind::inertia, payload, index, c, group + "." + products[c], "kg m^2", value, any}, group, owner + ten);
    }
  }
  // Units of a joint that rotates or slides; of one that does both each component has its own.
  void add_joint(const Joint& joint, int index) {
    if (velocity_count(joint.type) == 0) return;
    const JointFacts& facts = facts_of(joint.type);
    const bool slides = facts.turning == 0, both = !slides && facts.turning < facts.nv;
    const auto unit = [&](const char* turning, const char* sliding) {
      return both ? std::string(turning) + " or " + sliding : slides ? sliding : turning;
    };
    const auto term = [&](Kind kind, const char* name, std::string unit_of_it, double value, double least = any) {
      add({kind, false, index, 0, joint.name + "." + name, std::move(unit_of_it), value, least});
    };
    const JointTerms& t = joint.terms;
    // the doctor knows no rotors of planar and free joints, springs of several degrees of freedom rest at neutral
    if (facts.takes_rotor) term(Kind::armature, "armature", unit("kg m^2", "kg"), t.armature(), 0);
    term(Kind::damping, "damping", unit("N m s/rad", "N s/m"), t.damping);
    term(Kind::friction, "friction", unit("N m", "N"), t.friction);
    term(Kind::friction_scale, "friction_scale", unit("rad/s", "m/s"), t.friction_scale, doctor::least_friction_scale);
    term(Kind::stiffness, "stiffness", unit("N m/rad", "N/m"), t.stiffness);
    if (velocity_count(joint.type) == 1) term(Kind::rest, "rest", unit("rad", "m"), t.rest);
  }
};

void set(Inertial& inertial, const Parameter& parameter, double value) {
  switch (parameter.kind) {
    case Kind::mass: inertial.mass = value; break;
    case Kind::com: inertial.com[parameter.component] = value; break;
    default: {
      const int r = rows[parameter.component], c = columns[parameter.component];
      inertial.inertia(r, c) = inertial.inertia(c, r) = value;
    }
  }
}

void set(JointTerms& terms, Kind kind, double value) {
  switch (kind) {
    case Kind::armature: terms.rotor_inertia = value, terms.gear_ratio = 1; break;
    case Kind::damping: terms.damping = value; break;
    case Kind::friction: terms.friction = value; break;
    case Kind::friction_scale: terms.friction_scale = value; break;
    case Kind::stiffness: terms.stiffness = value; break;
    default: terms.rest = value; break;
  }
}

// The payload on a frame, a body fixed there: made when the first of its numbers comes.
Inertial& payload_on(const Model& model, Description& robot, int frame) {
  const std::string name = model.frame_name(frame) + ".payload";
  const auto known = std::find_if(robot.bodies.begin() + static_cast<std::ptrdiff_t>(model.description().bodies.size()),
                                  robot.bodies.end(), [&](const Body& body) { return body.name == name; });
  if (known != robot.bodies.end()) return *known->inertial;
  const int bodies = static_cast<int>(model.description().bodies.size());
  Joint joint = fixed(name);
  joint.child = name;
  if (frame < bodies) {
    joint.parent = model.frame_name(frame);
  } else {
    const Frame& named = model.description().frames[frame - bodies];
    joint.parent = named.body;
    joint.placement = named.pose;
  }
  robot.joints.push_back(joint);
  robot.bodies.push_back({name, Inertial{}});
  return *robot.bodies.back().inertial;
}

}  // namespace

std::vector<Parameter> parameters(const Model& model) { return Catalogue(model).all; }

std::vector<Parameter> parameters(const Model& model, const std::vector<std::string>& names) {
  const Catalogue known(model);
  std::vector<Parameter> out;
  std::set<std::string> taken;
  const auto take = [&](const Parameter& parameter) {
    if (!taken.insert(parameter.name).second)
      throw std::invalid_argument("parameter " + parameter.name + " is named twice");
    out.push_back(parameter);
  };
  for (const std::string& name : names) {
    const std::size_t before = out.size();
    for (const auto& [group, number] : known.groups) {
      if (group == name) take(known.all[number]);
    }
    if (out.size() > before) continue;
    const auto one = std::ranges::find(known.all, name, &Parameter::name);
    if (one == known.all.end()) {
      std::set<std::string> all;
      for (const Parameter& parameter : known.all) all.insert(parameter.name);
      for (const auto& [group, number] : known.groups) all.insert(group);
      throw std::invalid_argument(model.name() + " has no parameter '" + name + "'" +
                                  did_you_mean(name, {all.begin(), all.end()}) +
                                  "; there are BODY.mass, BODY.com, BODY.inertia, FRAME.payload, JOINT.damping, "
                                  "JOINT.friction, JOINT.armature, JOINT.stiffness, gravity and their components");
    }
    take(*one);
  }
  return out;
}

Model with_parameters(const Model& model, const std::vector<Parameter>& parameters, std::span<const double> values) {
  if (values.size() != parameters.size()) {
    throw std::invalid_argument(std::to_string(values.size()) + " values for " + std::to_string(parameters.size()) +
                                " parameters");
  }
  Description robot = model.description();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Parameter& parameter = parameters[k];
    if (parameter.kind == Kind::gravity) {
      robot.gravity[parameter.component] = values[k];
    } else if (parameter.kind > Kind::inertia) {
      set(robot.joints[parameter.index].terms, parameter.kind, values[k]);
    } else if (parameter.payload) {
      set(payload_on(model, robot, parameter.index), parameter, values[k]);
    } else {
      std::optional<Inertial>& inertial = robot.bodies[parameter.index].inertial;
      if (!inertial) inertial.emplace();
      set(*inertial, parameter, values[k]);
    }
  }
  return Model(robot, model.reader_findings());
}

Model with_parameters(const Model& model, const std::vector<std::pair<std::string, double>>& values) {
  std::vector<std::string> names;
  std::vector<double> numbers;
  for (const auto& [name, value] : values) names.push_back(name), numbers.push_back(value);
  const std::vector<Parameter> found = parameters(model, names);
  if (found.size() != numbers.size())
    throw std::invalid_argument("each value needs the name of one number, not of a group: gravity.z, not gravity");
  return with_parameters(model, found, numbers);
}

}  // namespace catena
