#include "catena/simulate/scenario_robot.hpp"

#include <algorithm>

#include "catena/read/file.hpp"
#include "catena/read/parts.hpp"
#include "catena/read/robot.hpp"
#include "catena/simulate/scenario_parts.hpp"

namespace catena::scenario {

using read::Fields;
using read::Log;
using read::Value;

namespace {

std::optional<Payload> read_payload(const Value& table, Log& log) {
  Fields fields(table, log);
  Payload payload;
  payload.line = table.line;
  const auto frame = fields.text("frame");
  const auto inertial = read::read_inertial(fields, {}, false);
  if (!frame && !fields.has("frame"))
    fields.error("frame-missing", table.line, "the payload names no frame", "write frame = \"tool\"");
  if (!inertial) fields.error("mass-missing", table.line, "the payload has no mass", "write mass = 1 (kg)");
  if (inertial && inertial->mass < 0)
    fields.error("mass-negative", fields.line("mass"), "the mass of the payload is negative", "write 0 or more kg");
  fields.finish(Severity::error);
  if (!frame || !inertial || !(inertial->mass >= 0)) return std::nullopt;
  payload.frame = *frame;
  payload.inertial = *inertial;
  return payload;
}

struct NoSuchFrame : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Throws NoSuchFrame.
void fix(const Payload& payload, Description& robot) {
  std::vector<std::string> names;
  Joint joint = fixed("payload_mount");
  for (const Body& body : robot.bodies) {
    names.push_back(body.name);
    if (body.name == payload.frame) joint.parent = body.name;
  }
  for (const Frame& frame : robot.frames) {
    names.push_back(frame.name);
    if (frame.name == payload.frame) joint.parent = frame.body, joint.placement = frame.pose;
  }
  if (joint.parent.empty())
    throw NoSuchFrame("no body or frame \"" + payload.frame + "\" in " + robot.name + suggestion(payload.frame, names));
  joint.child = "payload";
  while (std::find(names.begin(), names.end(), joint.child) != names.end()) joint.child += '_';
  const auto taken = [&](const Joint& other) { return other.name == joint.name; };
  while (std::any_of(robot.joints.begin(), robot.joints.end(), taken)) joint.name += '_';
  robot.bodies.push_back({joint.child, payload.inertial});
  robot.joints.push_back(std::move(joint));
}

// The robot before the scenario's changes.
read::Reading named(const RobotRecipe& recipe, const std::string& file) {
  if (recipe.given) {
    read::Reading reading{recipe.given->description(), recipe.given->reader_findings()};
    if (recipe.floating) make_floating(reading.description);
    return reading;
  }
  const std::string near = beside(file, recipe.name);
  return read::robot(read::file_exists(near) ? near : recipe.name, {.floating = recipe.floating});
}

Model built(const RobotRecipe& recipe, const std::string& file) {
  read::Reading reading = named(recipe, file);
  if (recipe.gravity) reading.description.gravity = *recipe.gravity;
  if (!recipe.losses)
    for (Joint& joint : reading.description.joints) joint.terms.damping = joint.terms.friction = 0;
  if (recipe.payload) fix(*recipe.payload, reading.description);
  return read::build(reading);
}

// Why the controller's model cannot stand for the robot; empty if it can.
std::string why_not(const Model& robot, const Model& assumed) {
  const auto& own = robot.coordinates();
  const auto& other = assumed.coordinates();
  const auto joint = [](const Model& model, const Coordinate& c) -> const Joint& {
    return model.description().joints[static_cast<std::size_t>(c.index)];
  };
  for (std::size_t i = 0; i < std::max(own.size(), other.size()); ++i) {
    if (i >= own.size()) return "it has a joint '" + joint(assumed, other[i]).name + "' that the robot has not";
    const Joint& wanted = joint(robot, own[i]);
    if (i >= other.size()) return "it has no joint '" + wanted.name + "'";
    const Joint& found = joint(assumed, other[i]);
    if (found.name != wanted.name || velocity_count(found.type) != velocity_count(wanted.type) ||
        position_count(found.type) != position_count(wanted.type))
      return "its joint " + std::to_string(i + 1) + " is '" + found.name + "' (" + name_of(found.type) +
             "), the robot's '" + wanted.name + "' (" + name_of(wanted.type) + ")";
  }
  return "";
}

}  // namespace

RobotRecipe read_recipe(Fields& fields, Log& log, const Model* given) {
  RobotRecipe recipe;
  recipe.given = given;
  recipe.floating = flag(fields, "floating").value_or(false);
  recipe.gravity = fields.vector("gravity");
  recipe.losses = flag(fields, "losses").value_or(true);
  if (const Value* table = fields.table("payload")) recipe.payload = read_payload(*table, log);
  const auto name = fields.text("model");
  if (given) {
    if (name)
      fields.error("model-twice", fields.line("model"), "the scenario names a robot, and another one is given",
                   "leave one of them out");
  } else if (name) {
    recipe.name = *name;
  } else if (!fields.has("model")) {
    fields.error("model-missing", 0, "the scenario names no robot", "write model = \"robot.urdf\" or a built-in name");
  }
  return recipe;
}

std::optional<Model> read_robot(const RobotRecipe& recipe, Fields& fields, Findings& findings) {
  if (recipe.name.empty() && !recipe.given) return std::nullopt;
  try {
    return built(recipe, fields.log().file());
  } catch (const ModelError& error) {
    for (const Finding& finding : error.findings()) findings.push_back(placed(finding, fields, "model"));
  } catch (const NoSuchFrame& error) {
    fields.error("frame-unknown", recipe.payload->line, error.what(), "correct the frame of [payload]");
  }
  return std::nullopt;
}

std::optional<Model> read_assumed(RobotRecipe recipe, const Scenario& scenario, const Value& table, Log& log) {
  Fields fields(table, log);
  if (const auto name = fields.text("model")) recipe.name = *name, recipe.given = nullptr;
  if (const auto gravity = fields.vector("gravity")) recipe.gravity = gravity;
  if (const auto losses = flag(fields, "losses")) recipe.losses = *losses;
  if (const auto mass = fields.number("payload")) {
    if (!recipe.payload) {
      fields.error("payload-missing", fields.line("payload"), "the scenario has no [payload] to assume another mass of",
                   "write [payload] with frame and mass, or leave this out");
    } else if (!(*mass >= 0)) {
      fields.error("mass-negative", fields.line("payload"), "the assumed payload is negative", "write 0 or more kg");
    } else {  // the same thing, of another density
      Inertial& inertial = recipe.payload->inertial;
      inertial.inertia = inertial.mass > 0 ? Matrix3(inertial.inertia * (*mass / inertial.mass)) : Matrix3::Zero();
      inertial.mass = *mass;
    }
  }
  fields.finish(Severity::error);
  if (!robot_known(scenario)) return std::nullopt;
  try {
    Model model = built(recipe, log.file());
    const std::string why = why_not(scenario.model, model);
    if (why.empty()) return model;
    log.error("assumed-joints", fields.line("model"), "", "the assumed model does not fit the robot: " + why,
              "name a model with the same joints in the same order");
  } catch (const ModelError& error) {
    for (const Finding& finding : error.findings()) log.add(placed(finding, fields, "model"));
  } catch (const NoSuchFrame& error) {
    log.error("frame-unknown", table.line, "", error.what(), "name a model that has the frame of the payload");
  }
  return std::nullopt;
}

}  // namespace catena::scenario
