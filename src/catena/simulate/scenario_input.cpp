// What drives a scenario's robot: [input], with the model that the controller has of it ([input.assumes]).
#include <Eigen/Geometry>
#include <cmath>

#include "catena/control/controllers.hpp"
#include "catena/control/inputs.hpp"
#include "catena/read/state.hpp"
#include "catena/simulate/scenario_parts.hpp"
#include "catena/trajectory/trajectories.hpp"

namespace catena::scenario {

using read::Fields;
using read::Log;
using read::Value;

namespace {

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

// position = [x, y, z], rpy = [roll, pitch, yaw]; what is left out stays as it is at the start, where the robot truly is.
Pose goal_of(const Scenario& scenario, Fields& fields) {
  const auto frame = frame_of(scenario, scenario.model, fields);
  if (!frame) return {};
  Pose goal = Kinematics(scenario.model, scenario.q).pose(*frame);
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

// One number for all twelve errors of a pose, twelve, or twelve rows of twelve; empty where something else stands there.
Matrix weight_of(Fields& fields) {
  constexpr std::size_t n = 12;
  const Value* value = fields.value("weight");
  if (!value) return {};
  if (fields.has("position_weight") || fields.has("orientation_weight"))
    fields.error("key-doubled", value->line, "weight stands beside position_weight or orientation_weight",
                 "keep weight alone, or leave it out");
  if (value->kind == Value::Kind::number) return fields.number("weight").value_or(1) * Matrix::Identity(n, n);
  if (value->kind != Value::Kind::list || value->items.size() != n) {
    fields.error("number-count", value->line, "weight must be a number, 12 numbers or 12 rows of 12 numbers",
                 "write one of these, in the order point, x axis, y axis, z axis");
    return {};
  }
  Matrix W = Matrix::Zero(n, n);
  if (value->items[0].kind != Value::Kind::list) {
    const auto diagonal = fields.numbers(*value, "weight", {n});
    if (!diagonal) return {};
    for (std::size_t i = 0; i < n; ++i) W(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) = (*diagonal)[i];
    return W;
  }
  bool good = true;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = fields.numbers(value->items[i], "row " + std::to_string(i + 1) + " of weight", {n});
    good = good && row.has_value();
    if (row) W.row(static_cast<Eigen::Index>(i)) = Eigen::Map<const Eigen::RowVectorXd>(row->data(), n);
  }
  return good ? W : Matrix();
}

// The robot with other effort limits than its own: numbers for every component of v, one of a joint.
void limit_efforts(Scenario& scenario, Fields& fields, const Vector& limits) {
  Description robot = scenario.model.description();
  for (const Coordinate& c : scenario.model.coordinates()) {
    Joint& joint = robot.joints[static_cast<std::size_t>(c.index)];
    const auto own = limits.segment(c.v, c.nv).array();
    if (!(own > 0).all() || (own != own[0]).any())
      return fields.error("effort-limits", fields.line("effort_limits"),
                          "effort_limits of '" + joint.name + "' must be positive, and one number for the joint",
                          "write magnitudes, N m or N");
    joint.limits.effort = own[0];
  }
  scenario.model = Model(robot);
}

// Sample period, delay and effort limits: what stands between any controller and the motors.
void read_actuation(Scenario& scenario, Fields& fields) {
  const auto seconds = [&](const char* key, const char* what) {
    const double given = fields.number(key).value_or(0);
    if (given >= 0) return given;
    fields.error("scenario", fields.line(key), std::string(what) + " must be zero or a positive number of seconds",
                 std::string("write ") + key + " = 0.002, or leave it out");
    return 0.0;
  };
  ActuationOptions& actuation = scenario.actuation;
  actuation.period = seconds("period", "the sample period");
  actuation.delay = seconds("delay", "the delay");
  if (actuation.delay > 0 && !fields.has("period"))
    fields.error("scenario", fields.line("delay"), "a delay needs a sample period", "write period = 0.002");
  const auto limited = flag(fields, "limit_effort");
  actuation.limit_effort = limited.value_or(fields.has("effort_limits"));
  if (!fields.has("effort_limits")) return;
  if (!actuation.limit_effort)
    fields.error("scenario", fields.line("limit_effort"), "effort_limits stand beside limit_effort = false",
                 "leave one of them out");
  const Vector limits = per_joint(scenario, fields, "effort_limits", 1);
  if (robot_known(scenario)) limit_efforts(scenario, fields, limits);
}

}  // namespace

void read_input(Scenario& scenario, const RobotRecipe& recipe, const Value& table, Log& log) {
  Fields fields(table, log);
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
      {"reach", "frame position rpy weight position_weight orientation_weight c compensate_gravity"}};
  const auto kind = choice(fields, "kind", kinds);
  if (!kind && !fields.has("kind"))
    fields.error("kind-missing", table.line, "the input has no kind",
                 "write kind = \"zero\", \"constant\", \"pd\", ...");
  read_actuation(scenario, fields);
  const Value* assumes = fields.table("assumes");
  const std::optional<Model> assumed = assumes ? read_assumed(recipe, scenario, *assumes, log) : std::nullopt;
  const Model& model = assumed ? *assumed : scenario.model;  // as the controller knows it
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
    LqrWeights out = uniform_weights(model, 1, 1, 1);
    out.Q.diagonal() << per_joint(scenario, fields, "position_weight", 1),
        per_joint(scenario, fields, "velocity_weight", 1);
    out.R.diagonal() = per_joint(scenario, fields, "force_weight", 1);
    return out;
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
      if (const auto frame = frame_of(scenario, model, fields)) {
        FrameImpedance spring;
        spring.frame = *frame;
        spring.goal = goal_of(scenario, fields);
        spring.stiffness = pair_of(fields, "stiffness", 20, 200);
        spring.damping = pair_of(fields, "damping", 2, 20);
        spring.joint_damping = fields.number("joint_damping").value_or(0);
        scenario.controller = operational_impedance(model, spring);
      }
    } else if (word == "brake") {
      scenario.controller = diagonal_brake(model, per_joint(scenario, fields, "c", 1), compensate());
    } else if (word == "reach") {
      if (const auto frame = frame_of(scenario, model, fields)) {
        PoseGoal goal;
        goal.frame = *frame;
        goal.goal = goal_of(scenario, fields);
        goal.W = weight_of(fields);
        goal.position_weight = fields.number("position_weight").value_or(1);
        goal.orientation_weight = fields.number("orientation_weight").value_or(1);
        scenario.controller = diagonal_reach(model, goal, per_joint(scenario, fields, "c", 1), compensate());
      }
    }
  });
  fields.finish(Severity::error);
}

}  // namespace catena::scenario
