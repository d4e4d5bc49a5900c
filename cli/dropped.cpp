// Losses of a written robot file, told kind by kind.
#include "cli/dropped.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "cli/table.hpp"

namespace catena::cli {
namespace {

template <class Part>
std::unordered_map<std::string, const Part*> by_name(const std::vector<Part>& parts) {
  std::unordered_map<std::string, const Part*> map;
  for (const Part& part : parts) map.emplace(part.name, &part);
  return map;
}

class LossFinder {
 public:
  explicit LossFinder(read::Leftovers& list) : list_(list) {}

  void compare(const Description& from, const Description& to) {
    require(from.gravity == to.gravity, "gravity", from.source);
    require(from.origin == to.origin, "origin of the numbers", from.source);
    const auto bodies = by_name(to.bodies);
    const auto joints = by_name(to.joints);
    const auto frames = by_name(to.frames);
    for (const Body& body : from.bodies) {
      const auto found = bodies.find(body.name);
      if (require(found != bodies.end(), "link", body.source)) compare(body, *found->second);
    }
    for (const Joint& joint : from.joints) {
      const auto found = joints.find(joint.name);
      if (require(found != joints.end(), "joint", joint.source)) compare(joint, *found->second);
    }
    for (const Frame& frame : from.frames) require(frames.count(frame.name) > 0, "frame", frame.source);
  }

 private:
  bool require(bool kept, const char* what, const Source& source) {
    if (!kept) read::add_leftover(list_, what, source.line);
    return kept;
  }

  void compare(const Body& from, const Body& to) {
    require(!from.inertial || to.inertial, "mass and inertia of a link", from.source);
    for (std::size_t i = 0; i < from.shapes.size(); ++i) {
      const Shape& shape = from.shapes[i];
      if (!require(i < to.shapes.size() && to.shapes[i].kind == shape.kind && to.shapes[i].collision == shape.collision,
                   shape.collision ? "collision shape" : "visual shape", from.source))
        continue;
      const Shape& kept = to.shapes[i];
      require(shape.mesh == kept.mesh, "mesh of a shape", from.source);
      require(shape.name == kept.name, "name of a shape", from.source);
      require(!shape.rgba || kept.rgba, "colour of a shape", from.source);
    }
  }

  void compare(const Joint& from, const Joint& to) {
    const auto same = [&](double a, double b, const char* what) { require(a == b, what, from.source); };
    require(from.type == to.type, "type of a joint", from.source);
    require(from.second_axis == to.second_axis, "second axis of a joint that has none", from.source);
    same(from.pitch, to.pitch, "pitch of a joint that has none");
    same(from.limits.lower, to.limits.lower, "lower limit");
    same(from.limits.upper, to.limits.upper, "upper limit");
    same(from.limits.velocity, to.limits.velocity, "velocity limit");
    same(from.limits.effort, to.limits.effort, "effort limit");
    same(from.terms.damping, to.terms.damping, "damping");
    same(from.terms.friction, to.terms.friction, "friction");
    same(from.terms.friction_scale, to.terms.friction_scale, "friction scale");
    same(from.terms.rotor_inertia, to.terms.rotor_inertia, "rotor inertia");
    same(from.terms.gear_ratio, to.terms.gear_ratio, "gear ratio");
    same(from.terms.stiffness, to.terms.stiffness, "stiffness");
    same(from.terms.rest, to.terms.rest, "rest position");
    require(!from.mimic || to.mimic, "mimic", from.source);
  }

  read::Leftovers& list_;
};

std::string lines_of(const read::Leftover& leftover) {
  if (leftover.lines.empty()) return "";
  std::string text = leftover.lines.size() == 1 ? "line" : "lines";
  for (std::size_t i = 0; i < leftover.lines.size(); ++i)
    text += fmt::format("{} {}", i > 0 ? "," : "", leftover.lines[i]);
  return static_cast<std::size_t>(leftover.count) > leftover.lines.size() ? text + ", …" : text;
}

}  // namespace

read::Leftovers dropped(read::Leftovers leftovers, const Description& written, const Description& read) {
  LossFinder(leftovers).compare(written, read);
  return leftovers;
}

void print_dropped(Output& out, const read::Leftovers& list, const std::string& target) {
  if (list.empty()) return;
  int count = 0;
  for (const read::Leftover& leftover : list) count += leftover.count;
  out.title(fmt::format("Dropped: what the source holds and {} does not ({})", printable(target),
                        counted(static_cast<std::size_t>(count), "thing")));
  Table table({">count", "what", "in the source"});
  for (const read::Leftover& leftover : list)
    table.row({std::to_string(leftover.count), leftover.what, lines_of(leftover)}, Tone::caution);
  table.print(out);
}

void add_dropped(Json& json, const read::Leftovers& list) {
  std::vector<Json> objects;
  for (const read::Leftover& leftover : list) {
    const Vector lines =
        Eigen::Map<const Eigen::VectorXi>(leftover.lines.data(), static_cast<Eigen::Index>(leftover.lines.size()))
            .cast<double>();
    objects.push_back(Json().add("what", leftover.what).add_int("count", leftover.count).add("lines", lines));
  }
  json.add("dropped", objects);
}

}  // namespace catena::cli
