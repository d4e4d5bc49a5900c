// A robot from a document of tables. Two spellings: "body" ([[body]], parents by name) and "bodies" (a list, parents by
// name or number from 0, names optional).
#include "catena/read/tables.hpp"

#include <filesystem>

#include "catena/read/dh.hpp"
#include "catena/read/leftovers.hpp"
#include "catena/read/number.hpp"
#include "catena/read/parts.hpp"

namespace catena::read {
namespace {

std::string name_in(const Value& entry, const std::string& otherwise) {
  const Value* name = entry.find("name");
  return name && name->kind == Value::Kind::text ? name->text : otherwise;
}

class BodyTables {
 public:
  BodyTables(const Value& list, bool numbered, const Units& units, Log& log, Description& description)
      : list_(list), numbered_(numbered), units_(units), log_(log), description_(description) {
    for (std::size_t k = 0; k < list.items.size(); ++k)
      names_.push_back(name_in(list.items[k], "body" + std::to_string(k + 1)));
  }

  void read() {
    for (std::size_t k = 0; k < list_.items.size(); ++k) read_body(k);
  }

 private:
  void read_body(std::size_t k) {
    Fields fields(list_.items[k], log_, names_[k]);
    if (!fields.text("name") && !numbered_) {
      fields.error("name-missing", fields.line(), "a body has no name", "write name = \"...\"");
    }
    Body body;
    body.name = names_[k];
    body.source = log_.at(fields.line());
    body.inertial = read_inertial(fields, units_, false);
    body.shapes = read_shapes(fields, units_);
    read_joint(fields, k);
    fields.finish();
    description_.bodies.push_back(std::move(body));
  }

  void read_joint(Fields& fields, std::size_t k) {
    Joint joint;
    joint.source = log_.at(fields.has("joint") ? fields.line("joint") : fields.line());
    joint.child = names_[k];
    joint.name = fields.text("joint_name").value_or(numbered_ ? "joint" + std::to_string(k + 1) : names_[k] + "_joint");
    if (const auto type = fields.text("joint")) {
      const auto known = joint_type_named(*type);
      if (!known) {
        fields.error("joint-type", fields.line("joint"), "unknown joint type " + quote(*type) + near_joint_types(*type),
                     "write " + joint_type_names());
      }
      joint.type = known.value_or(JointType::revolute);
    }
    joint.parent = parent_of(fields);
    joint.placement = read_pose(fields, units_);
    joint.body_in_joint = read_pose(fields, units_, "body_");
    read_joint_details(fields, units_, joint);
    // A body that says nothing about a joint stands on the ground by itself.
    bool jointless = !fields.has("joint") && !fields.has("joint_name") && joint.parent.empty();
    for (const char* key : {"position", "p", "rpy", "R", "quaternion", "body_position", "body_p", "body_rpy", "body_R",
                            "body_quaternion"}) {
      jointless = jointless && !fields.has(key);
    }
    if (!jointless) description_.joints.push_back(std::move(joint));
  }

  std::string parent_of(Fields& fields) {
    const Value* parent = fields.value("parent");
    if (!parent || parent->kind != Value::Kind::number) return fields.text("parent").value_or("");
    const double index = fields.number("parent").value_or(-1);
    if (index == -1) return "";
    const auto count = static_cast<double>(names_.size());
    if (!(index >= 0 && index < count) || index != static_cast<double>(static_cast<std::size_t>(index))) {
      fields.error("parent-unknown", parent->line, "there is no body number " + quote(parent->text),
                   "bodies are numbered from 0 to " + std::to_string(names_.size() - 1) + "; -1 is the ground");
      return "";
    }
    return names_[static_cast<std::size_t>(index)];
  }

  const Value& list_;
  bool numbered_;
  const Units& units_;
  Log& log_;
  Description& description_;
  std::vector<std::string> names_;
};

void read_frames(Fields& document, const Units& units, Description& description) {
  const Value* list = document.list("frame");
  if (!list) return;
  for (const Value& entry : list->items) {
    Fields fields(entry, document.log(), name_in(entry, ""));
    Frame frame;
    frame.source = document.log().at(entry.line);
    for (const auto& [key, target] : {std::pair{"name", &frame.name}, std::pair{"body", &frame.body}}) {
      if (const auto text = fields.text(key)) {
        *target = *text;
      } else if (!fields.has(key)) {
        fields.error("key-missing", entry.line, std::string("a frame needs its ") + key,
                     std::string("write ") + key + " = \"...\"");
      }
    }
    frame.pose = read_pose(fields, units);
    fields.finish();
    description.frames.push_back(std::move(frame));
  }
}

}  // namespace

Reading robot_from_tables(const Value& document, Log log) {
  Description description;
  description.source = log.at(0);
  if (document.kind != Value::Kind::table) {
    log.error("key-type", document.line, "", "the file holds no table of a robot",
              "see docs/formats.md for the layout");
    return {std::move(description), log.findings()};
  }
  Fields fields(document, log);
  description.name = fields.text("name").value_or(std::filesystem::path(log.file()).stem().string());
  description.origin = fields.text("origin").value_or("");
  if (const auto text = fields.text("description")) {
    if (description.origin.empty()) {
      description.origin = *text;
    } else {
      log.leave(document.find("description"));
    }
  }
  if (const auto gravity = fields.vector("gravity")) description.gravity = *gravity;
  const Units units = read_units(fields);
  if (const Value* list = fields.list("body")) BodyTables(*list, false, units, log, description).read();
  if (const Value* list = fields.list("bodies")) BodyTables(*list, true, units, log, description).read();
  if (const Value* table = fields.table("dh")) read_dh(*table, units, log, description);
  read_frames(fields, units, description);
  if (!fields.has("body") && !fields.has("bodies") && !fields.has("dh")) {
    log.error("robot-missing", 0, "", "the file describes no bodies",
              "write [[body]] or [dh] tables, or \"bodies\" in JSON; see docs/formats.md");
  }
  // Files that carry a robot beside other data are common: unknown keys at the top only inform, unless mistyped.
  fields.finish(Severity::note);
  return {std::move(description), log.findings(), log.accounting() ? table_leftovers(document, log) : Leftovers{}};
}

}  // namespace catena::read
