// Motions, inputs and wrenches of a scenario.
#include "catena/simulate/scenario_parts.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "catena/control/controllers.hpp"
#include "catena/control/inputs.hpp"
#include "catena/read/csv.hpp"
#include "catena/read/number.hpp"
#include "catena/read/state.hpp"
#include "catena/trajectory/trajectories.hpp"

namespace catena::scenario {

using read::Fields;
using read::Log;
using read::Value;

namespace {

// A key is missing, whatever the robot.
struct Incomplete : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// What the library refuses becomes an error with a line; mistakes in a file that the table names keep their own place.
template <class Work>
void guarded(const Scenario& scenario, Fields& fields, const char* code, Work work) {
  try {
    work();
  } catch (const ModelError& error) {
    for (const Finding& finding : error.findings())
      if (robot_known(scenario) || !finding.code.starts_with("column-"))
        fields.log().add(placed(finding, fields, "file"));
  } catch (const Incomplete& error) {
    fields.error(code, fields.line(), error.what(), "correct this table");
  } catch (const NumericalError& error) {
    if (robot_known(scenario)) fields.error(code, fields.line(), error.what(), "change the weights or the pose");
  } catch (const std::invalid_argument& error) {
    if (robot_known(scenario)) fields.error(code, fields.line(), error.what(), "correct this table");
  }
}

bool several(const Value& value) { return value.kind == Value::Kind::list || value.kind == Value::Kind::table; }

std::string list_of(const Scenario& scenario, int count) {
  if (!robot_known(scenario)) return "a list of numbers";
  return "a list of " + std::to_string(count) + (count == 1 ? " number" : " numbers");
}

// One number for all, or nv numbers, or a table by joint name.
Vector per_joint(const Scenario& scenario, Fields& fields, const char* key, double otherwise) {
  const Value* value = fields.value(key);
  if (!value) return Vector::Constant(scenario.model.nv(), otherwise);
  if (value->kind == Value::Kind::number)
    return Vector::Constant(scenario.model.nv(), fields.number(key).value_or(otherwise));
  if (!several(*value)) {
    fields.error(
        "key-type", value->line,
        std::string(key) + " must be a number, " + list_of(scenario, scenario.model.nv()) + " or a table by joint name",
        "write one of these");
    return Vector::Constant(scenario.model.nv(), otherwise);
  }
  return quantity(scenario, *value, "tau", key, fields.log());
}

std::optional<int> frame_of(const Scenario& scenario, Fields& fields) {
  const auto name = fields.text("frame");
  if (!name) {
    fields.error("frame-missing", fields.line(), "this table names no frame", "write frame = \"tool\"");
    return std::nullopt;
  }
  try {
    return scenario.model.frame(*name);
  } catch (const std::invalid_argument& error) {
    if (robot_known(scenario)) fields.error("frame-unknown", fields.line("frame"), error.what(), "correct the name");
    return std::nullopt;
  }
}

// position = [x, y, z], rpy = [roll, pitch, yaw]; what is left out stays as it is at the start.
Pose goal_of(const Scenario& scenario, Fields& fields, int frame) {
  Pose goal = Kinematics(scenario.model, scenario.q).pose(frame);
  if (const auto p = fields.vector("position")) goal.p = *p;
  if (const auto rpy = fields.vector("rpy")) goal.R = rotation_from_rpy(rpy->x(), rpy->y(), rpy->z());
  return goal;
}

Vector6 pair_of(Fields& fields, const char* key, double turn, double shift) {
  const auto both = fields.numbers(key, {2});
  Vector6 all;
  all << Vector3::Constant(both ? (*both)[0] : turn), Vector3::Constant(both ? (*both)[1] : shift);
  return all;
}

void check_numbers(const Value& value, const char* what, Log& log) {
  const Value none{Value::Kind::table, value.line};
  for (const Value& item : value.items) {
    if (item.kind == Value::Kind::list || item.kind == Value::Kind::table) {
      check_numbers(item, what, log);
    } else {
      Fields(none, log).number(item, what);
    }
  }
}

}  // namespace

Finding placed(Finding finding, Fields& fields, const char* key) {
  if (finding.source.line != 0 || !finding.code.starts_with("file-")) return finding;
  finding.message = std::string(key) + " " + read::quote(finding.source.file) + ": " + finding.message;
  finding.source = fields.log().at(fields.line(key));
  return finding;
}

Vector quantity(const Scenario& scenario, const Value& value, const char* what, const char* key, Log& log) {
  if (robot_known(scenario)) return read::quantity(scenario.model, value, what, log, key);
  if (several(value)) {
    check_numbers(value, key, log);
  } else {
    log.error("key-type", value.line, "", std::string(key) + " must be a list of numbers or a table by joint name",
              "write one of these");
  }
  return std::string_view(what) == "q" ? scenario.q : Vector(Vector::Zero(scenario.model.nv()));
}

void allow(Fields& fields, const char* keys) {
  for (const std::string_view key : read::words(keys)) fields.value(std::string(key).c_str());
}

std::shared_ptr<const Trajectory> read_motion(const Scenario& scenario, const Value& table, Log& log) {
  Fields fields(table, log);
  const Model& model = scenario.model;
  static constexpr Form laws[] = {{"cycloidal", "from to duration"},
                                  {"minimum_jerk", "from to duration"},
                                  {"trapezoidal", "from to duration ramp"},
                                  {"spline", "times waypoints"},
                                  {"file", "file"}};
  const auto law = choice(fields, "law", laws);
  std::shared_ptr<const Trajectory> motion;
  if (!law) {
    if (!fields.has("law"))
      fields.error("law-missing", table.line, "the motion has no profile",
                   "write law = \"cycloidal\", to = [...], duration = 1");
  } else if (*law == 4) {
    if (const auto name = fields.text("file")) {
      guarded(scenario, fields, "motion", [&] {
        motion = sampled(model, read::trajectory(model, beside(log.file(), *name), {"q"}, read::Times::rise));
      });
    } else {
      fields.error("file-missing", table.line, "the motion names no file", "write file = \"motion.csv\"");
    }
  } else if (*law == 3) {
    const Value* times = fields.list("times");
    const Value* points = fields.list("waypoints");
    if (!times || !points || times->items.size() != points->items.size()) {
      fields.error("spline-incomplete", table.line, "a spline needs times and as many waypoints",
                   "write times = [0, 1], waypoints = [[...], [...]]");
    } else {
      Vector at(static_cast<Eigen::Index>(times->items.size()));
      Matrix through(at.size(), model.nq());
      for (Eigen::Index k = 0; k < at.size(); ++k) {
        at[k] = fields.number(times->items[static_cast<std::size_t>(k)], "times").value_or(0);
        through.row(k) =
            quantity(scenario, points->items[static_cast<std::size_t>(k)], "q", "a waypoint", log).transpose();
      }
      guarded(scenario, fields, "motion", [&] { motion = spline(model, at, through); });
    }
  } else {
    const Value* from = fields.value("from");
    const Value* to = fields.value("to");
    const auto duration = fields.number("duration");
    const auto ramp = *law == 2 ? fields.number("ramp") : std::nullopt;
    if (!to || !duration) {
      fields.error("motion-incomplete", table.line, "this motion needs where to go and a duration",
                   "write to = [...], duration = 1");
    } else {
      const Vector start = from ? quantity(scenario, *from, "q", "from", log) : scenario.q;
      const Vector end = quantity(scenario, *to, "q", "to", log);
      guarded(scenario, fields, "motion", [&] {
        if (*law == 0) motion = cycloidal(model, start, end, *duration);
        if (*law == 1) motion = minimum_jerk(model, start, end, *duration);
        if (*law == 2) motion = trapezoidal(model, start, end, *duration, ramp.value_or(0.25));
      });
    }
  }
  fields.finish(Severity::error);
  return motion;
}

void read_input(Scenario& scenario, const Value& table, Log& log) {
  Fields fields(table, log);
  const Model& model = scenario.model;
  static constexpr Form kinds[] = {
      {"zero", ""},
      {"constant", "tau"},
      {"series", "file hold"},
      {"feedforward", ""},
      {"pd", "target stiffness damping"},
      {"pd_gravity", "target stiffness damping"},
      {"computed_torque", "target stiffness damping"},
      {"joint_impedance", "target stiffness damping"},
      {"lqr", "target position_weight velocity_weight force_weight"},
      {"tracking_lqr", "position_weight velocity_weight force_weight"},
      {"operational_impedance", "frame position rpy stiffness damping joint_damping"},
      {"brake", "c compensate_gravity"},
      {"reach", "frame position rpy position_weight orientation_weight c compensate_gravity"}};
  const auto kind = choice(fields, "kind", kinds);
  if (!kind && !fields.has("kind"))
    fields.error("kind-missing", table.line, "the input has no kind",
                 "write kind = \"zero\", \"constant\", \"pd\", ...");
  const auto seconds = [&](const char* key, const char* what) {
    const double given = fields.number(key).value_or(0);
    if (given >= 0) return given;
    fields.error("scenario", fields.line(key), std::string(what) + " must be zero or a positive number of seconds",
                 std::string("write ") + key + " = 0.002, or leave it out");
    return 0.0;
  };
  scenario.actuation.period = seconds("period", "the sample period");
  scenario.actuation.delay = seconds("delay", "the delay");
  if (scenario.actuation.delay > 0 && !fields.has("period"))
    fields.error("scenario", fields.line("delay"), "a delay needs a sample period", "write period = 0.002");
  scenario.actuation.limit_effort = flag(fields, "limit_effort").value_or(false);
  const std::string word = kind ? kinds[*kind].word : "";

  // What to follow: the motion, or the pose `target`, or where the robot starts.
  const auto target = [&]() -> Target {
    if (const Value* pose = fields.value("target"))
      return standstill(model, quantity(scenario, *pose, "q", "target", log));
    if (scenario.motion) return scenario.motion;
    return standstill(model, scenario.q);
  };
  const auto gains = [&](double stiffness, double damping) {
    return JointGains{per_joint(scenario, fields, "stiffness", stiffness),
                      per_joint(scenario, fields, "damping", damping)};
  };
  const auto weights = [&] {
    const double position = fields.number("position_weight").value_or(1);
    const double velocity = fields.number("velocity_weight").value_or(1);
    return uniform_weights(model, position, velocity, fields.number("force_weight").value_or(1));
  };
  const auto compensate = [&] { return flag(fields, "compensate_gravity").value_or(true); };

  guarded(scenario, fields, "input", [&] {
    if (word == "constant") {
      const Value* tau = fields.value("tau");
      if (!tau) throw Incomplete("a constant input needs tau = [...]");
      scenario.controller = constant_input(model, quantity(scenario, *tau, "tau", "tau", log));
    } else if (word == "series") {
      const auto name = fields.text("file");
      if (!name) throw Incomplete("a series needs file = \"tau.csv\" with columns time, tau.<joint>");
      const auto hold = flag(fields, "hold").value_or(false);
      const read::TrajectoryRows rows = read::trajectory(model, beside(log.file(), *name), {"tau"}, read::Times::rise);
      scenario.controller = series_input(model, rows.time, rows.tau, hold ? Between::hold : Between::linear);
    } else if (word == "feedforward") {
      if (!scenario.motion) throw Incomplete("feedforward needs a [motion]");
      scenario.controller = feedforward(model, scenario.motion);
    } else if (word == "pd") {
      scenario.controller = pd(model, target(), gains(100, 10));
    } else if (word == "pd_gravity") {
      scenario.controller = pd_gravity(model, target(), gains(100, 10));
    } else if (word == "computed_torque") {
      scenario.controller = computed_torque(model, target(), gains(100, 20));
    } else if (word == "joint_impedance") {
      scenario.controller = joint_impedance(model, target(), gains(100, 10));
    } else if (word == "lqr") {
      const Value* pose = fields.value("target");
      scenario.controller = lqr(model, pose ? quantity(scenario, *pose, "q", "target", log) : scenario.q, weights());
    } else if (word == "tracking_lqr") {
      if (!scenario.motion) throw Incomplete("tracking_lqr needs a [motion]");
      scenario.controller = tracking_lqr(model, scenario.motion, weights());
    } else if (word == "operational_impedance") {
      if (const auto frame = frame_of(scenario, fields)) {
        FrameImpedance spring;
        spring.frame = *frame;
        spring.goal = goal_of(scenario, fields, *frame);
        spring.stiffness = pair_of(fields, "stiffness", 20, 200);
        spring.damping = pair_of(fields, "damping", 2, 20);
        spring.joint_damping = fields.number("joint_damping").value_or(0);
        scenario.controller = operational_impedance(model, spring);
      }
    } else if (word == "brake") {
      scenario.controller = diagonal_brake(model, per_joint(scenario, fields, "c", 1), compensate());
    } else if (word == "reach") {
      if (const auto frame = frame_of(scenario, fields)) {
        PoseGoal goal;
        goal.frame = *frame;
        goal.goal = goal_of(scenario, fields, *frame);
        goal.position_weight = fields.number("position_weight").value_or(1);
        goal.orientation_weight = fields.number("orientation_weight").value_or(1);
        scenario.controller = diagonal_reach(model, goal, per_joint(scenario, fields, "c", 1), compensate());
      }
    }
  });
  fields.finish(Severity::error);
}

std::vector<WrenchTimeSeries> read_wrenches(const Scenario& scenario, const Value& list, Log& log) {
  std::vector<WrenchTimeSeries> all_series;
  for (const Value& item : list.items) {
    Fields fields(item, log);
    WrenchTimeSeries series;
    if (const auto frame = frame_of(scenario, fields)) series.wrench.frame = *frame;
    if (const auto point = fields.vector("point")) series.wrench.point = *point;
    static constexpr const char* axes[] = {"body", "aligned", "world"};  // "world" as 0.1 called what is aligned
    if (const auto k = choice(fields, "axes", axes)) series.wrench.axes = *k == 0 ? Axes::body : Axes::aligned;
    if (const auto name = fields.text("file")) {
      guarded(scenario, fields, "wrench", [&] {
        Log file(beside(log.file(), *name));
        const read::Csv rows = read::csv(file.file(), file);
        const std::vector<std::string> names = {"time", "mx", "my", "mz", "fx", "fy", "fz"};
        int column[7];
        for (int i = 0; i < 7; ++i) column[i] = rows.column(names[static_cast<std::size_t>(i)]);
        for (const std::string& one : rows.names) {
          if (std::find(names.begin(), names.end(), one) == names.end() && !one.empty())
            file.error("wrench-column", rows.header_line, one,
                       "the column '" + one + "' means nothing here" + suggestion(one, names), "correct or remove it");
        }
        if (column[0] < 0 && !rows.names.empty())
          file.error("wrench-column", rows.header_line, "", "there is no column time", "add a column time, in seconds");
        if (column[0] >= 0) read::check_times(rows, column[0], true, file);
        if (rows.values.rows() == 0 && !has_errors(file.findings()))
          file.error("wrench-empty", 0, "", "there are no rows of numbers", "write one row per instant");
        if (has_errors(file.findings())) throw ModelError(file.findings());
        for (Eigen::Index r = 0; r < rows.values.rows(); ++r) {
          series.times.push_back(rows.values(r, column[0]));
          Vector6 value = Vector6::Zero();
          for (int i = 0; i < 6; ++i)
            if (column[i + 1] >= 0) value[i] = rows.values(r, column[i + 1]);
          series.values.push_back(value);
        }
      });
    } else {
      Vector6 value;
      value << fields.vector("moment").value_or(Vector3::Zero()), fields.vector("force").value_or(Vector3::Zero());
      const double from = fields.number("from").value_or(0);
      const double until = fields.number("until").value_or(scenario.options.duration + 1);
      if (!(from < until))
        fields.error("wrench-times", item.line, "the wrench ends before it begins", "write from < until");
      series.times = {from, until};
      series.values = {value, value};
    }
    fields.finish(Severity::error);
    all_series.push_back(series);
  }
  return all_series;
}

}  // namespace catena::scenario
