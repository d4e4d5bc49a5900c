// States and loads from the command line.
#include "cli/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "catena/model/names.hpp"
#include "catena/read/number.hpp"
#include "catena/read/state.hpp"
#include "cli/limits.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

struct Entry {
  std::string name;  // of "name=value"; empty for a plain number
  double value = 0;
  bool degrees = false;
};

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t begin = text.find_first_not_of(", ;\t\n", i);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(text.find_first_of(", ;\t\n", begin), text.size());
    list.push_back(text.substr(begin, end - begin));
    i = end;
  }
  return list;
}

Entry parse_entry(std::string word, const std::string& what) {
  Entry entry;
  const std::string original = word;
  if (const std::size_t equal = word.rfind('='); equal != std::string::npos) {
    entry.name = word.substr(0, equal);
    word.erase(0, equal + 1);
  }
  for (const char* suffix : {"deg", "°"})
    if (word.size() > std::char_traits<char>::length(suffix) && word.ends_with(suffix)) {
      entry.degrees = true;
      word = word.substr(0, word.size() - std::char_traits<char>::length(suffix));
      break;
    }
  const read::Number parsed = read::parse_number(word);
  if (!parsed.ok())
    throw DataError(fmt::format("{}: '{}' {}; write a list such as 0.1,-2,30deg", what, original, parsed.problem));
  entry.value = parsed.value;
  if (entry.degrees) entry.value *= std::numbers::pi / 180;
  return entry;
}

std::vector<Entry> parse_entries(const std::string& text, const std::string& what) {
  std::vector<Entry> entries;
  for (const std::string& word : words(text)) entries.push_back(parse_entry(word, what));
  if (entries.empty()) throw DataError(fmt::format("{}: the list is empty", what));
  return entries;
}

std::string shortened(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 8; ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.size() > 8 ? text + ", …" : text;
}

// A list into a vector whose components have these names; entries by name change only what they name. Gives back
// which components were typed in degrees.
std::vector<bool> fill(const Model& model, Vector& vector, const std::string& text, const std::string& what,
                       const std::vector<std::string>& names, const std::vector<bool>& is_angle) {
  const std::vector<Entry> entries = parse_entries(text, what);
  const bool by_name = !entries.front().name.empty();
  if (!by_name && entries.size() != names.size())
    throw DataError(fmt::format("{} has {}, the robot needs {}: {}", what, counted(entries.size(), "number"),
                                names.size(), shortened(names)));
  std::vector<bool> seen(names.size(), false), in_degrees(names.size(), false);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (entry.name.empty() == by_name)
      throw DataError(fmt::format("{} mixes plain numbers and name=number; use one of the two", what));
    std::size_t k = i;
    if (by_name) {
      k = static_cast<std::size_t>(std::find(names.begin(), names.end(), entry.name) - names.begin());
      if (k == names.size()) {
        const auto [why, remedy] = read::why_no_coordinate(model, entry.name, names);
        throw DataError(fmt::format("{}: {}; {}", what, why, remedy));
      }
      if (seen[k]) throw DataError(fmt::format("{}: {} is given twice", what, entry.name));
      seen[k] = true;
    }
    if (entry.degrees && !is_angle[k])
      throw DataError(fmt::format("{}: {} is not an angle, so it cannot be in degrees", what, names[k]));
    vector(static_cast<Eigen::Index>(k)) = entry.value;
    in_degrees[k] = entry.degrees;
  }
  return in_degrees;
}

}  // namespace

std::vector<double> parse_numbers(const std::string& text, const std::string& what) {
  std::vector<double> numbers;
  for (const Entry& entry : parse_entries(text, what)) {
    if (!entry.name.empty()) throw DataError(fmt::format("{}: plain numbers expected, found {}=…", what, entry.name));
    numbers.push_back(entry.value);
  }
  return numbers;
}

Vector parse_exactly(const std::string& text, int count, const std::string& what) {
  std::vector<double> numbers;
  try {
    numbers = parse_numbers(text, what);
  } catch (const DataError& error) {
    throw UsageError(error.what());
  }
  if (numbers.size() != static_cast<std::size_t>(count))
    throw UsageError(fmt::format("{} needs {} numbers, found {}", what, count, numbers.size()));
  return Eigen::Map<const Vector>(numbers.data(), count);
}

std::vector<bool> fill_positions(const Model& model, const std::string& text, const std::string& what, Vector& q) {
  return fill(model, q, text, what, model.position_names(), position_is_angle(model));
}

State read_state(const Model& model, const Options& options, Output& out) {
  const State state = read_state(model, options);
  // Defaults and random states are nobody's mistake.
  if (options.q.empty() && state.q_from != options.state_file) return state;
  warn_of_positions(model, state.q, state.q_from, state.in_degrees, out);
  return state;
}

State read_state(const Model& model, const Options& options) {
  State state;
  state.q = neutral_configuration(model), state.q_from = "neutral (default)";
  state.v = state.a = state.tau = Vector::Zero(model.nv());
  state.v_from = state.a_from = state.tau_from = "zero (default)";

  if (options.random) {
    const std::uint64_t seed = *options.random;
    state.q = random_configuration(model, seed);
    state.v = random_vector(model, seed + 1);
    state.a = random_vector(model, seed + 2);
    state.tau = random_vector(model, seed + 3);
    state.q_from = state.v_from = state.a_from = state.tau_from = fmt::format("random (seed {})", seed);
  }
  if (!options.state_file.empty()) {
    const read::State file = read::state(model, options.state_file);
    const auto take = [&](Vector& to, std::string& from, const std::optional<Vector>& given) {
      if (given) to = *given, from = options.state_file;
    };
    take(state.q, state.q_from, file.q), take(state.v, state.v_from, file.v);
    take(state.a, state.a_from, file.a), take(state.tau, state.tau_from, file.tau);
  }

  std::vector<bool> turns;
  for (const Units& unit : velocity_units(model)) turns.push_back(unit.velocity == "rad/s");
  const std::vector<bool> never(turns.size(), false);
  const auto rates = [&](Vector& to, std::string& from, const std::string& text, const char* flag,
                         const std::vector<bool>& is_angle) {
    if (!text.empty()) fill(model, to, text, flag, model.velocity_names(), is_angle), from = flag;
  };
  if (!options.q.empty()) state.in_degrees = fill_positions(model, options.q, "--q", state.q), state.q_from = "--q";
  rates(state.v, state.v_from, options.v, "--v", turns), rates(state.a, state.a_from, options.a, "--a", turns);
  rates(state.tau, state.tau_from, options.tau, "--tau", never);
  require_configuration(model, state.q);
  return state;
}

namespace {

constexpr const char* wrench_form = "FRAME:FX,FY,FZ[,MX,MY,MZ][@aligned|@body]";

Wrench parse_wrench(const Model& model, const std::string& text) {
  const auto malformed = [&](const std::string& why) {
    return UsageError(fmt::format("--wrench '{}': {}; write {}", text, why, wrench_form));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) throw malformed("no frame before ':'");
  std::string numbers = text.substr(colon + 1);
  Wrench wrench;
  if (const std::size_t at = numbers.find('@'); at != std::string::npos) {
    const std::string axes = numbers.substr(at + 1);
    const bool aligned = axes == "aligned" || axes == "world";  // the second is what 0.1 called it
    if (!aligned && axes != "body") throw malformed(fmt::format("axes '{}' are neither aligned nor body", axes));
    wrench.axes = aligned ? Axes::aligned : Axes::body;
    numbers = numbers.substr(0, at);
  }
  std::vector<double> parts;
  try {
    parts = parse_numbers(numbers, "--wrench");
  } catch (const DataError& error) {
    throw UsageError(error.what());
  }
  if (parts.size() != 3 && parts.size() != 6)
    throw malformed(fmt::format("{} instead of 3 or 6", counted(parts.size(), "number")));
  wrench.force = {parts[0], parts[1], parts[2]};
  if (parts.size() == 6) wrench.moment = {parts[3], parts[4], parts[5]};
  wrench.frame = model.frame(text.substr(0, colon));
  return wrench;
}

}  // namespace

ExternalLoads read_loads(const Model& model, const Options& options) {
  ExternalLoads loads;
  for (const std::string& text : options.wrenches) loads.wrenches.push_back(parse_wrench(model, text));
  if (!options.base_twist.empty()) {
    const Vector twist = parse_exactly(options.base_twist, 6, "--base-twist");
    loads.base.angular_velocity = twist.head<3>(), loads.base.velocity = twist.tail<3>();
  }
  if (!options.base_acceleration.empty()) {
    const Vector rate = parse_exactly(options.base_acceleration, 6, "--base-acceleration");
    loads.base.angular_acceleration = rate.head<3>(), loads.base.acceleration = rate.tail<3>();
  }
  return loads;
}

Given given_of(const State& state, const Options& options, Given otherwise) {
  if (!options.a.empty() && !options.tau.empty())
    throw UsageError("give --a or --tau, not both: one follows from the other");
  if (!options.a.empty()) return Given::acceleration;
  if (!options.tau.empty()) return Given::forces;
  const bool a_in_file = !options.state_file.empty() && state.a_from == options.state_file;
  const bool tau_in_file = !options.state_file.empty() && state.tau_from == options.state_file;
  if (a_in_file != tau_in_file) return a_in_file ? Given::acceleration : Given::forces;
  return otherwise;
}

void print_state_line(Output& out, const Model& model, const State& state, bool with_v, bool with_a, bool with_tau) {
  std::string text = fmt::format("  state    q: {}", state.q_from);
  if (with_v) text += fmt::format(", v: {}", state.v_from);
  if (with_a) text += fmt::format(", a: {}", state.a_from);
  if (with_tau) text += fmt::format(", tau: {}", state.tau_from);
  out.line(text);
  const Vector3& g = model.gravity();
  out.line(fmt::format("  gravity  ({}, {}, {}) m/s² in world axes", number(g.x()), number(g.y()), number(g.z())));
}

void print_loads(Output& out, const Model& model, const ExternalLoads& loads) {
  const auto triple = [](const Vector3& x) {
    return fmt::format("({}, {}, {})", number(x.x()), number(x.y()), number(x.z()));
  };
  for (const Wrench& wrench : loads.wrenches)
    out.line(fmt::format("  wrench   force {} N, moment {} N m on {}, at its origin, in {} axes", triple(wrench.force),
                         triple(wrench.moment), model.frame_name(wrench.frame),
                         wrench.axes == Axes::body ? "its own" : "world"));
  const BaseMotion& base = loads.base;
  if (!base.angular_velocity.isZero(0) || !base.velocity.isZero(0))
    out.line(
        fmt::format("  ground   turns {} rad/s, moves {} m/s", triple(base.angular_velocity), triple(base.velocity)));
  if (!base.angular_acceleration.isZero(0) || !base.acceleration.isZero(0))
    out.line(fmt::format("  ground   accelerates {} rad/s², {} m/s²", triple(base.angular_acceleration),
                         triple(base.acceleration)));
}

void add_joints(Json& json, const Model& model) {
  std::vector<std::string> joints;
  for (const Coordinate& coordinate : model.coordinates()) joints.push_back(coordinate.joint);
  json.add("joints", joints);
  if (static_cast<int>(joints.size()) != model.nv()) json.add("coordinates", model.velocity_names());
}

}  // namespace catena::cli
