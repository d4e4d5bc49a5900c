// Motions and wrenches of a scenario, and what its parts share. Inputs: scenario_input.cpp.
#include "catena/simulate/scenario_parts.hpp"

#include <algorithm>
#include <cmath>

#include "catena/read/csv.hpp"
#include "catena/read/number.hpp"
#include "catena/read/state.hpp"
#include "catena/trajectory/trajectories.hpp"

namespace catena::scenario {

using read::Fields;
using read::Log;
using read::Value;

namespace {

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

std::optional<int> frame_of(const Scenario& scenario, const Model& model, Fields& fields) {
  const auto name = fields.text("frame");
  if (!name) {
    fields.error("frame-missing", fields.line(), "this table names no frame", "write frame = \"tool\"");
    return std::nullopt;
  }
  try {
    return model.frame(*name);
  } catch (const std::invalid_argument& error) {
    if (robot_known(scenario)) fields.error("frame-unknown", fields.line("frame"), error.what(), "correct the name");
    return std::nullopt;
  }
}

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

std::vector<WrenchTimeSeries> read_wrenches(const Scenario& scenario, const Value& list, Log& log) {
  std::vector<WrenchTimeSeries> all_series;
  for (const Value& item : list.items) {
    Fields fields(item, log);
    WrenchTimeSeries series;
    if (const auto frame = frame_of(scenario, scenario.model, fields)) series.wrench.frame = *frame;
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
