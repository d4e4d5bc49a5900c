// States and motions by joint name. A coordinate is found by its label: "elbow", "ball.2".
#include "catena/read/state.hpp"

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "catena/joints/joints.hpp"
#include "catena/model/names.hpp"
#include "catena/read/csv.hpp"
#include "catena/read/fields.hpp"
#include "catena/read/file.hpp"
#include "catena/read/number.hpp"

namespace catena::read {
namespace {

using Vector = Eigen::VectorXd;

constexpr std::size_t longest_state = 64 * megabyte;
constexpr const char* quantities[] = {"q", "v", "a", "tau"};
constexpr std::size_t quantity_count = 4;

const Joint* joint_named(const Model& model, const std::string& name) {
  const auto& joints = model.description().joints;
  const auto found = std::find_if(joints.begin(), joints.end(), [&](const Joint& j) { return j.name == name; });
  return found == joints.end() ? nullptr : &*found;
}

// All joints at zero or at the nearer limit, quaternions at identity: what a joint that is not named does.
Vector neutral(const Model& model) {
  Vector q = Vector::Zero(model.nq());
  for (const Coordinate& c : model.coordinates()) {
    if (const int k = facts_of(c.type).quaternion; k >= 0) q[c.q + k + 3] = 1;
  }
  std::unordered_map<std::string, const Joint*> joints;
  for (const Joint& joint : model.description().joints) joints[joint.name] = &joint;
  for (const Coordinate& c : model.coordinates()) {
    const auto found = joints.find(c.joint);
    if (c.nq != 1 || found == joints.end()) continue;
    const Limits& limits = found->second->limits;
    if (limits.lower <= limits.upper) q[c.q] = std::clamp(0.0, limits.lower, limits.upper);
  }
  return q;
}

bool is_position(std::size_t quantity) { return quantity == 0; }

// {"shoulder": 0.1, "ball": [0, 0, 0, 1]} or a plain list of all numbers. others: names that could be meant besides the
// joints'; what: how to call it in messages.
Vector read_vector(const Model& model, const Value& from, std::size_t quantity, Log& log,
                   const std::vector<std::string>& others = {}, std::string what = {}) {
  const bool position = is_position(quantity);
  if (what.empty()) what = quantities[quantity];
  Vector out = position ? neutral(model) : Vector::Zero(model.nv());
  if (from.kind != Value::Kind::list && from.kind != Value::Kind::table) {
    log.error("key-type", from.line, "",
              what + " must be a list of " + std::to_string(out.size()) + (out.size() == 1 ? " number" : " numbers") +
                  " or a table by joint name",
              "write one of these");
    return out;
  }
  const Value none{Value::Kind::table, from.line};
  Fields fields(from.kind == Value::Kind::list ? none : from, log);
  if (from.kind == Value::Kind::list) {
    const auto size = static_cast<std::size_t>(out.size());
    const auto all = fields.numbers(from, what, {size});
    if (all && size > 0) out = Eigen::Map<const Vector>(all->data(), out.size());
    return out;
  }
  std::unordered_map<std::string, const Coordinate*> coordinates;
  for (const Coordinate& c : model.coordinates()) coordinates[c.joint] = &c;
  for (std::size_t i = 0; i < from.keys.size(); ++i) {
    const std::string& name = from.keys[i];
    const Value& item = from.items[i];
    const auto found = coordinates.find(name);
    if (found == coordinates.end()) {
      std::vector<std::string> known = others;
      for (const Coordinate& c : model.coordinates()) known.push_back(c.joint);
      const auto [why, remedy] = why_no_coordinate(model, name, known);
      log.error("joint-unknown", item.line, name, what + ": " + why, remedy);
      continue;
    }
    const Coordinate& c = *found->second;
    const int first = position ? c.q : c.v, count = position ? c.nq : c.nv;
    const std::string where = what + " of " + name;
    if (count == 1 && item.kind != Value::Kind::list) {
      if (const auto one = fields.number(item, where)) out[first] = *one;
    } else if (const auto several = fields.numbers(item, where, {static_cast<std::size_t>(count)})) {
      out.segment(first, count) = Eigen::Map<const Vector>(several->data(), count);
    }
  }
  return out;
}

State state_from_tables(const Model& model, const Value& document, Log& log) {
  State state;
  std::optional<Vector>* targets[] = {&state.q, &state.v, &state.a, &state.tau};
  if (document.kind == Value::Kind::list) {  // nothing but the positions
    state.q = read_vector(model, document, 0, log);
    return state;
  }
  Fields fields(document, log);
  bool any = false;
  for (std::size_t k = 0; k < quantity_count; ++k) {
    const Value* found = fields.value(quantities[k]);
    any = any || found;
    if (found) *targets[k] = read_vector(model, *found, k, log);
  }
  if (any) {
    fields.finish(Severity::error);                  // what nobody reads would be left out of the state in silence
  } else if (document.kind == Value::Kind::table) {  // joints without a heading: positions
    state.q = read_vector(model, document, 0, log, {std::begin(quantities), std::end(quantities)});
  }
  return state;
}

// Columns of a table by label, for each quantity.
struct Columns {
  int time = -1;
  std::vector<int> of[quantity_count];  // component -> column, -1 if there is none

  bool any(std::size_t quantity) const {
    return std::any_of(of[quantity].begin(), of[quantity].end(), [](int column) { return column >= 0; });
  }
};

// "elbow" of "q.elbow"; all of a name without such a beginning.
std::string joint_of_column(const std::string& name) {
  for (const char* quantity : quantities) {
    const std::string prefix = std::string(quantity) + ".";
    if (name.rfind(prefix, 0) == 0) return name.substr(prefix.size());
  }
  return name;
}

Columns match(const Model& model, const Csv& table, Log& log) {
  const std::vector<std::string> positions = model.position_names(), velocities = model.velocity_names();
  std::unordered_map<std::string, std::pair<std::size_t, std::size_t>> labels;
  Columns columns;
  for (std::size_t k = 0; k < quantity_count; ++k) {
    const auto& names = is_position(k) ? positions : velocities;
    columns.of[k].assign(names.size(), -1);
    for (std::size_t i = 0; i < names.size(); ++i) labels[std::string(quantities[k]) + "." + names[i]] = {k, i};
  }
  for (std::size_t i = 0; i < positions.size(); ++i) labels.try_emplace(positions[i], 0, i);

  columns.time = std::max(table.column("time"), table.column("t"));
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    const std::string& name = table.names[c];
    if (static_cast<int>(c) == columns.time) continue;
    if (name.empty() || parse_number(name).ok() || table.column(name) != static_cast<int>(c)) continue;  // told already
    const auto label = labels.find(name);
    const auto starts = [&](const char* prefix) { return name.rfind(prefix, 0) == 0; };
    if (label == labels.end() && (starts("energy.") || starts("nu.") || starts("xi."))) continue;
    if (label == labels.end()) {
      std::vector<std::string> known;
      for (const auto& [text, place] : labels) known.push_back(text);
      std::sort(known.begin(), known.end());
      const Joint* joint = joint_named(model, joint_of_column(name));
      if (joint && (joint->mimic || joint->type == JointType::fixed)) {
        const auto [why, remedy] = why_no_coordinate(model, joint->name, known);
        log.error("column-unknown", table.header_line, name, "the column " + quote(name) + ": " + why, remedy);
        continue;
      }
      log.error("column-unknown", table.header_line, name,
                "the column " + quote(name) + " names no coordinate" + suggestion(name, known),
                "name columns time, q.<joint>, v.<joint>, a.<joint> or tau.<joint>");
      continue;
    }
    int& place = columns.of[label->second.first][label->second.second];
    if (place >= 0) {
      log.error("column-doubled", table.header_line, name,
                "two columns give the same coordinate: " + quote(table.names[static_cast<std::size_t>(place)]) +
                    " and " + quote(name),
                "remove one of them");
    }
    place = static_cast<int>(c);
  }
  return columns;
}

// False for a table whose first line is a row of numbers, or that could not be read at all.
bool has_header(const Csv& table) {
  return std::any_of(table.names.begin(), table.names.end(),
                     [](const std::string& name) { return !name.empty() && !parse_number(name).ok(); });
}

State state_from_csv(const Model& model, const Csv& table, Log& log) {
  if (!has_header(table)) return {};
  const Columns columns = match(model, table, log);
  if (table.lines.size() != 1) {
    log.error("state-rows", 0, "", "a state has one row of numbers, here are " + std::to_string(table.lines.size()),
              table.lines.empty() ? "write one below the names" : "keep one row; a motion is for --trajectory");
    return {};
  }
  State state;
  std::optional<Vector>* targets[] = {&state.q, &state.v, &state.a, &state.tau};
  for (std::size_t k = 0; k < quantity_count; ++k) {
    if (!columns.any(k)) continue;
    Vector out = is_position(k) ? neutral(model) : Vector::Zero(model.nv());
    for (std::size_t i = 0; i < columns.of[k].size(); ++i) {
      if (columns.of[k][i] >= 0) out[static_cast<int>(i)] = table.values(0, columns.of[k][i]);
    }
    *targets[k] = out;
  }
  return state;
}

}  // namespace

std::string leader_of(const Model& model, const std::string& name) {
  const Joint* joint = joint_named(model, name);
  if (!joint || !joint->mimic) return "";
  while (joint && joint->mimic) joint = joint_named(model, joint->mimic->joint);
  return joint ? joint->name : "";
}

NoCoordinate why_no_coordinate(const Model& model, const std::string& name, const std::vector<std::string>& known) {
  const Joint* joint = joint_named(model, name);
  if (const std::string leader = leader_of(model, name); !leader.empty()) {
    const std::string& next = joint->mimic->joint;
    return {"the joint '" + name + "' follows '" + next + "' and has no coordinate of its own",
            "leave it out and give '" + leader + "'" + (next == leader ? "" : ", which moves them all")};
  }
  if (joint && joint->type == JointType::fixed)
    return {"the joint '" + name + "' is fixed and has no coordinate", "leave it out"};
  return {"the robot has no coordinate " + quote(name) + suggestion(name, known), "correct the name"};
}

Eigen::VectorXd quantity(const Model& model, const Value& value, std::string_view what, Log& log,
                         const std::string& key) {
  const auto found = std::find(std::begin(quantities), std::end(quantities), what);
  return read_vector(model, value, static_cast<std::size_t>(found - std::begin(quantities)), log, {}, key);
}

State state(const Model& model, const std::string& path) {
  Log log(path);
  State out;
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  if (ending == ".csv") {
    out = state_from_csv(model, csv(path, log), log);
  } else {
    const std::string text = text_file(path, longest_state);
    const char first = trimmed(text)[0];
    const bool is_json = ending == ".json" || (ending != ".toml" && first == '{');
    const Value document = is_json ? json_document(text, log) : toml_document(text, log);
    if (document.kind != Value::Kind::null) out = state_from_tables(model, document, log);
  }
  if (has_errors(log.findings())) throw ModelError(log.findings());
  return out;
}

TrajectoryRows trajectory(const Model& model, const std::string& path, const std::vector<std::string>& needed,
                          Times times) {
  Log log(path);
  const Csv table = csv(path, log);
  if (!has_header(table)) throw ModelError(log.findings());
  const Columns columns = match(model, table, log);
  if (table.lines.empty())
    log.error("trajectory-empty", 0, "", "there are no rows of numbers", "write one row per instant");

  const bool has_time = columns.time >= 0, has_rates = columns.any(1) || columns.any(2);
  const bool derivable = times == Times::rise_without_rates;
  const bool derived = derivable && !has_rates && has_time && table.lines.size() > 1;
  if (has_time) check_times(table, columns.time, !derived && times != Times::rise, log);
  if (!has_time && times == Times::rise)
    log.error("column-missing", table.header_line, "", "there is no column time", "add a column time, in seconds");

  TrajectoryRows out;
  out.lines = table.lines;
  if (has_time) out.time = table.values.col(columns.time);
  Eigen::MatrixXd* targets[] = {&out.q, &out.v, &out.a, &out.tau};
  for (std::size_t k = 0; k < quantity_count; ++k) {
    const bool rate = k == 1 || k == 2;
    const bool wanted = std::find(needed.begin(), needed.end(), quantities[k]) != needed.end() && !(derived && rate);
    if (!wanted && !columns.any(k)) continue;
    const auto names = is_position(k) ? model.position_names() : model.velocity_names();
    targets[k]->resize(table.values.rows(), static_cast<Eigen::Index>(names.size()));
    std::string missing;
    std::size_t count = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const int column = columns.of[k][i];
      if (column >= 0) {
        targets[k]->col(static_cast<Eigen::Index>(i)) = table.values.col(column);
      } else if (++count <= 8) {
        missing += (missing.empty() ? "" : ", ") + std::string(quantities[k]) + "." + names[i];
      }
    }
    if (count > 0) {
      std::string other;
      const auto also = [&](bool needed_too, const char* what) {
        if (needed_too) other += (other.empty() ? "" : " and ") + std::string(what);
      };
      if (derivable && rate) {
        also(has_rates, "leave out all of v and a");
        also(!has_time, "add a column time");
        also(table.lines.size() < 2, "add a second row");
        other = ", or " + other + ": with time and q alone, v and a are those of the spline through the rows";
      }
      log.error("column-missing", table.header_line, "",
                "missing columns: " + missing + (count > 8 ? ", ... (" + std::to_string(count) + " in all)" : ""),
                "add them" + other);
    }
  }
  if (has_errors(log.findings())) throw ModelError(log.findings());
  return out;
}

}  // namespace catena::read
