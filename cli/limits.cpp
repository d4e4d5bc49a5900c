// Joint limits against states and motions.
#include "cli/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "catena/read/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

constexpr double degree = std::numbers::pi / 180;
// A limit of 3.14159 is meant to be pi: 180deg does not pass it.
constexpr double rounding_of_limits = 1e-6;
constexpr std::size_t most_told = 10;

Excess* note(std::vector<Excess>& list, const std::string& name, const char* quantity, const std::string& unit,
             const Vector& values, double limit, bool above, double slack) {
  if (!std::isfinite(limit) || values.size() == 0) return nullptr;
  const Vector beyond = above ? Vector(values.array() - limit) : Vector(limit - values.array());
  // a motion that just reaches its limit has not passed it
  const double least = slack * std::max(1.0, std::abs(limit));
  Eigen::Index worst = 0, first = 0;
  const double most = beyond.maxCoeff(&worst);
  if (!(most > least)) return nullptr;
  while (!(beyond(first) > least)) ++first;
  list.push_back({name, quantity, unit, limit, most, values(worst), first});
  return &list.back();
}

void note_positions(std::vector<Excess>& list, const std::string& name, bool angle, const Limits& limits,
                    const Vector& values, double slack, int q) {
  for (const bool above : {false, true}) {
    Excess* const excess =
        note(list, name, "position", angle ? "rad" : "m", values, above ? limits.upper : limits.lower, above, slack);
    if (!excess) continue;
    excess->q = q;
    const double as_degrees = degree * excess->farthest;
    excess->degrees = angle && q >= 0 && std::abs(excess->farthest) > std::numbers::pi && as_degrees >= limits.lower &&
                      as_degrees <= limits.upper;
  }
}

// q of a mimic joint: ratio q_master + offset, along the chain of mimic joints.
struct Follower {
  const Coordinate& leader;
  double ratio = 1, offset = 0;
};
Follower follower(const Model& model, const Joint& joint) {
  const std::vector<Joint>& joints = model.description().joints;
  double ratio = 1, offset = 0;
  const Joint* at = &joint;
  while (at->mimic) {
    offset += ratio * at->mimic->offset;
    ratio *= at->mimic->ratio;
    const std::string& next = at->mimic->joint;
    at = &*std::find_if(joints.begin(), joints.end(), [&](const Joint& j) { return j.name == next; });
  }
  return {model.coordinate(at->name), ratio, offset};
}

bool follows(const Joint& joint) { return joint.mimic && joint.type != JointType::fixed; }

// Every sentence, up to a number of them that a person reads.
void tell(const std::vector<std::string>& sentences, Output& out) {
  const std::size_t told = std::min(sentences.size(), most_told);
  for (std::size_t i = 0; i < told; ++i) out.warn(sentences[i]);
  if (told < sentences.size())
    out.warn(fmt::format("… and {} more positions beyond their limits", sentences.size() - told));
}

std::string sentence(const std::string& from, const Excess& e, const std::string& when) {
  return fmt::format("{}: {} at {} {}{} is beyond its {} limit of {} {}", from, e.name, number(e.farthest), e.unit,
                     when, e.farthest > e.limit ? "upper" : "lower", number(e.limit), e.unit);
}

// The instants at which a motion is looked at: its knots, and evenly between.
std::vector<double> instants_of(const Trajectory& motion, double end) {
  constexpr std::size_t even = 1000, most = 200'000;
  std::set<double> times;
  for (std::size_t i = 0; i <= even; ++i) times.insert(end * static_cast<double>(i) / even);
  for (double t = motion.next_break(0); t < end && times.size() < most; t = motion.next_break(t)) times.insert(t);
  return {times.begin(), times.end()};
}

std::vector<std::string> beyond_in_motion(const Scenario& scenario, const std::string& file) {
  const Trajectory& motion = *scenario.motion;
  const Model& model = scenario.model;
  const std::vector<double> times = instants_of(motion, std::min(motion.duration(), scenario.options.duration));
  Matrix rows(static_cast<Eigen::Index>(times.size()), model.nq());
  Vector q(model.nq()), v(model.nv()), a(model.nv());
  for (std::size_t k = 0; k < times.size(); ++k) {
    motion.at(times[k], q, v, a);
    rows.row(static_cast<Eigen::Index>(k)) = q;
  }
  std::vector<std::string> sentences;
  for (const Excess& e : positions_exceeded(model, rows, rounding_of_limits))
    sentences.push_back(
        sentence(file + ": [motion]", e,
                 fmt::format(" (first beyond at {} s)", number(times[static_cast<std::size_t>(e.first)]))) +
        degrees_hint(e, true));
  return sentences;
}

}  // namespace

std::vector<Excess> positions_exceeded(const Model& model, const Matrix& q, double slack) {
  std::vector<Excess> list;
  const std::vector<Joint>& joints = model.description().joints;
  for (const Coordinate& c : model.coordinates()) {
    if (c.nq != 1) continue;
    note_positions(list, c.joint, c.type != JointType::prismatic, joints[static_cast<std::size_t>(c.index)].limits,
                   q.col(c.q), slack, c.q);
  }
  for (const Joint& joint : joints) {  // joints that follow another have limits of their own
    if (!follows(joint)) continue;
    const Follower f = follower(model, joint);
    note_positions(list, joint.name, joint.type != JointType::prismatic, joint.limits,
                   (f.ratio * q.col(f.leader.q)).array() + f.offset, slack, -1);
  }
  return list;
}

std::vector<Excess> rates_exceeded(const Model& model, const Matrix& v, const Matrix& tau) {
  constexpr double slack = 1e-12;
  std::vector<Excess> list;
  const std::vector<std::string> names = model.velocity_names();
  const std::vector<Units> units = velocity_units(model);
  const std::vector<Joint>& joints = model.description().joints;
  for (const Coordinate& c : model.coordinates()) {
    const Limits& limits = joints[static_cast<std::size_t>(c.index)].limits;
    for (int i = c.v; i < c.v + c.nv; ++i) {
      const auto k = static_cast<std::size_t>(i);
      note(list, names[k], "velocity", units[k].velocity, v.col(i).cwiseAbs(), limits.velocity, true, slack);
      note(list, names[k], "effort", units[k].force, tau.col(i).cwiseAbs(), limits.effort, true, slack);
    }
  }
  for (const Joint& joint : joints) {
    if (!follows(joint)) continue;
    const Follower f = follower(model, joint);
    note(list, joint.name, "velocity", joint.type == JointType::prismatic ? "m/s" : "rad/s",
         (f.ratio * v.col(f.leader.v)).cwiseAbs(), joint.limits.velocity, true, slack);
  }
  return list;
}

std::string degrees_hint(const Excess& excess, bool in_file) {
  if (!excess.degrees) return "";
  if (in_file)
    return fmt::format("; {}° would be {} rad", number(excess.farthest), number(degree * excess.farthest, 10));
  return fmt::format("; write {}deg if degrees are meant", number(excess.farthest));
}

void warn_of_positions(const Model& model, const Vector& q, const std::string& from,
                       const std::vector<bool>& in_degrees, Output& out) {
  std::vector<std::string> sentences;
  for (Excess& e : positions_exceeded(model, q.transpose(), rounding_of_limits)) {
    if (e.q >= 0 && static_cast<std::size_t>(e.q) < in_degrees.size() && in_degrees[static_cast<std::size_t>(e.q)])
      e.degrees = false;
    sentences.push_back(sentence(from, e, "") + degrees_hint(e, !from.starts_with("--")));
  }
  tell(sentences, out);
}

void warn_of_positions(const Scenario& scenario, const std::string& file, Output& out) {
  read::Log log(file);
  const read::Value document = read::toml_document(scenario.text, log);
  const auto part = [&](const char* table, const char* key) -> const read::Value* {
    const read::Value* found = document.find(table);
    return found ? found->find(key) : nullptr;
  };
  const auto at = [&](const read::Value& value) { return fmt::format("{}:{}", file, value.line); };
  const read::Value* const start = part("start", "q");
  // A start that the motion gives, or a seed, is told below or nobody's mistake.
  if (start || part("start", "file"))
    warn_of_positions(scenario.model, scenario.q, start ? at(*start) : file + ": [start]", {}, out);
  if (const read::Value* target = part("input", "target"))
    warn_of_positions(scenario.model, read::quantity(scenario.model, *target, "q", log), at(*target), {}, out);
  if (scenario.motion) tell(beyond_in_motion(scenario, file), out);
}

}  // namespace catena::cli
