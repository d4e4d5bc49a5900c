// The robot and its motion for the viewer's page.
#include "cli/view_data.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "catena/joints/joints.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "cli/derived.hpp"
#include "cli/options.hpp"
#include "cli/packed.hpp"
#include "cli/view_inertias.hpp"

namespace catena::cli {
namespace {

constexpr long most_instants = 20'000;    // more than a screen has columns, at any zoom worth having
constexpr long most_numbers = 1'400'000;  // 5.3 characters each: the page stays below 10 MB

Vector vector_of(const Pose& pose) {
  Vector x(12);
  x << pose.R.row(0).transpose(), pose.R.row(1).transpose(), pose.R.row(2).transpose(), pose.p;
  return x;
}

bool is_identity(const Pose& pose) { return pose.R == Matrix3::Identity() && pose.p == Vector3::Zero(); }

// Simple visuals; where there are none, simple collision shapes.
std::vector<Json> shapes_of(const Body& body) {
  std::vector<Json> shapes;
  for (const bool collision : {false, true}) {
    for (const Shape& shape : body.shapes) {
      if (shape.kind == Shape::Kind::mesh || shape.collision != collision) continue;
      Json json;
      json.add("kind", name_of(shape.kind)).add("size", Vector(shape.size)).add("pose", vector_of(shape.pose));
      if (shape.rgba) json.add("rgba", Vector(shape.rgba->cast<double>().matrix()));
      shapes.push_back(std::move(json));
    }
    if (!shapes.empty()) break;
  }
  return shapes;
}

// The box of even density with this inertia: edges from I_x = m (b^2 + c^2) / 12 and so on.
void add_inertia_box(Json& json, const Inertial& inertial) {
  if (!(inertial.mass > 0)) return;
  const Eigen::SelfAdjointEigenSolver<Matrix3> axes(inertial.inertia);
  const Vector3 moments = axes.eigenvalues();
  if (axes.info() != Eigen::Success || !(moments.maxCoeff() > 0)) return;
  Vector3 edges;
  for (int i = 0; i < 3; ++i) edges[i] = std::sqrt(std::max(0.0, 6 * (moments.sum() - 2 * moments[i]) / inertial.mass));
  Pose pose{axes.eigenvectors(), inertial.com};
  if (pose.R.determinant() < 0) pose.R.col(2) *= -1;
  json.add("box", Json().add("size", Vector(edges)).add("pose", vector_of(pose)));
}

std::vector<Json> bodies_of(const Description& robot) {
  const bool any_shapes =
      std::any_of(robot.bodies.begin(), robot.bodies.end(), [](const Body& body) { return !body.shapes.empty(); });
  std::vector<Json> bodies;
  for (const Body& body : robot.bodies) {
    Json json;
    json.add("name", body.name);
    const bool massive = body.inertial && body.inertial->mass > 0;
    if (massive) json.add("mass", body.inertial->mass).add("com", Vector(body.inertial->com));
    std::vector<Json> shapes = shapes_of(body);
    // A link without mass and shape among links that have shapes is a frame, not a thing.
    if (!shapes.empty()) {
      json.add("shapes", shapes);
    } else if (massive || !any_shapes || !body.shapes.empty()) {
      json.add_bool("bare", true);
      if (massive) add_inertia_box(json, *body.inertial);
    }
    bodies.push_back(std::move(json));
  }
  return bodies;
}

// Indices of the joints, each after the joint that carries its parent.
std::vector<int> parents_first(const Description& robot, const std::map<std::string, int>& joint_of_child) {
  std::vector<int> order, path;
  std::vector<bool> done(robot.joints.size(), false);
  for (int start = 0; start < static_cast<int>(robot.joints.size()); ++start) {
    for (int j = start; j >= 0 && !done[j];) {
      path.push_back(j);
      done[j] = true;
      const auto carrier = joint_of_child.find(robot.joints[j].parent);
      j = carrier == joint_of_child.end() ? -1 : carrier->second;
    }
    order.insert(order.end(), path.rbegin(), path.rend());
    path.clear();
  }
  return order;
}

// Which numbers of q move a joint: its own, or those of the joint at the end of its chain of mimic joints.
void add_coordinate(Json& json, const Model& model, const Joint& joint, const std::map<std::string, int>& by_name) {
  if (joint.type == JointType::fixed) return;
  if (!joint.mimic) {
    json.add_int("q", model.coordinate(joint.name).q);
    return;
  }
  double ratio = 1, offset = 0;
  const Joint* master = &joint;
  while (master->mimic) {
    offset += ratio * master->mimic->offset;
    ratio *= master->mimic->ratio;
    master = &model.description().joints[by_name.at(master->mimic->joint)];
  }
  Json follows;
  follows.add_int("q", model.coordinate(master->name).q).add("ratio", ratio).add("offset", offset);
  json.add("follows", follows);
}

std::vector<Json> joints_of(const Model& model) {
  const Description& robot = model.description();
  std::map<std::string, int> body_by_name, joint_by_name, joint_of_child;
  for (std::size_t b = 0; b < robot.bodies.size(); ++b) body_by_name[robot.bodies[b].name] = static_cast<int>(b);
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    joint_by_name[robot.joints[j].name] = static_cast<int>(j);
    joint_of_child[robot.joints[j].child] = static_cast<int>(j);
  }
  std::vector<Json> joints;
  for (const int j : parents_first(robot, joint_of_child)) {
    const Joint& joint = robot.joints[j];
    Json json;
    json.add("name", joint.name).add("type", name_of(joint.type));
    json.add_int("parent", joint.parent.empty() ? -1 : body_by_name.at(joint.parent));
    json.add_int("child", body_by_name.at(joint.child));
    json.add("placement", vector_of(joint.placement));
    if (!is_identity(joint.body_in_joint)) json.add("body_in_joint", vector_of(joint.body_in_joint));
    if (facts_of(joint.type).has_axis) json.add("axis", Vector(joint.axis));
    if (joint.type == JointType::universal) json.add("second_axis", Vector(joint.second_axis));
    if (joint.type == JointType::gimbal) json.add("sequence", joint.sequence);
    if (joint.type == JointType::helical) json.add("pitch", joint.pitch);
    if (std::isfinite(joint.limits.lower)) json.add("lower", joint.limits.lower);
    if (std::isfinite(joint.limits.upper)) json.add("upper", joint.limits.upper);
    add_coordinate(json, model, joint, joint_by_name);
    joints.push_back(std::move(json));
  }
  return joints;
}

std::vector<double> picked(const Vector& column, const std::vector<long>& rows) {
  std::vector<double> numbers;
  for (const long row : rows) numbers.push_back(column[row]);
  return numbers;
}

struct Curve {
  Column column;
  Vector values;
};

// The recorded columns, and the sums that the page shows. The balance is a small difference of large numbers, so it is
// taken here, in doubles.
std::vector<Curve> curves_of(const Recording& recording) {
  std::vector<Curve> curves;
  for (std::size_t c = 0; c < recording.header.columns.size(); ++c) {
    Column column = recording.header.columns[c];
    if (column.name == "time") continue;
    if (column.name.find('.') == std::string::npos) column.name = "other." + column.name;
    curves.push_back({std::move(column), recording.values.col(static_cast<Eigen::Index>(c))});
  }
  const auto has = [&](const char* name) { return recording.header.column(name) >= 0; };
  const auto values = [&](const char* name) { return recording.column(name); };
  if (!has("energy.kinetic") || !has("energy.potential")) return curves;
  const Vector total = values("energy.kinetic") + values("energy.potential");
  if (!has("energy.total")) curves.push_back({{"energy.total", "J"}, total});
  if (!has("energy.balance") && total.size() > 0) {
    Vector balance = total.array() - total[0];
    if (has("energy.work")) balance -= values("energy.work");
    if (has("energy.dissipated")) balance += values("energy.dissipated");
    curves.push_back({{"energy.balance", "J"}, balance});
  }
  return curves;
}

std::vector<Json> groups_of(const std::vector<Curve>& curves) {
  std::vector<std::pair<std::string, std::string>> groups = {
      {"q", "Position"}, {"v", "Velocity"}, {"tau", "Force"}, {"energy", "Energy"}, {"a", "Acceleration"}};
  for (const Curve& curve : curves) {
    const std::string id = curve.column.name.substr(0, curve.column.name.find('.'));
    if (std::none_of(groups.begin(), groups.end(), [&](const auto& group) { return group.first == id; }))
      groups.emplace_back(id, id == "nu" || id == "xi" ? fmt::format("Quasi-velocity {}", id == "nu" ? "ν" : "ξ") : id);
  }
  std::vector<Json> json;
  for (const auto& [id, title] : groups) json.push_back(Json().add("id", id).add("title", title));
  return json;
}

// Side by side in one tab: what is measured, what the joint does in the motion of all, and the same weighted by inertia.
std::vector<Json> rates_and_moments() {
  const auto pane = [](const char* id, const char* title) { return Json().add("id", id).add("title", title); };
  return {Json()
              .add("id", "rates")
              .add("title", "v beside ν")
              .add("panes", std::vector<Json>{pane("v", "own rate v"), pane("xi", "total rate ξ: own + carried"),
                                              pane("nu", "ν = √D ξ: weighted by the inertia felt")}),
          Json()
              .add("id", "moments")
              .add("title", "τ beside ε")
              .add("panes", std::vector<Json>{pane("tau", "force of the drive τ"),
                                              pane("kappa", "working moment κ: τ less what holds"),
                                              pane("epsilon", "ε = κ/√D: ν·ε is the power")})};
}

// Quantities of the diagonalized equations that the file has not and that follow from what it has.
std::vector<std::string> derivable(const Model& model, const Recording& recording) {
  std::vector<std::string> quantities;
  for (const char* quantity : {"xi", "nu", "kappa", "epsilon"}) {
    const std::string first = fmt::format("{}.{}", quantity, model.nv() > 0 ? model.velocity_names().front() : "");
    if (model.nv() > 0 && recording.header.column(first) < 0 && can_derive(model, recording, quantity))
      quantities.emplace_back(quantity);
  }
  return quantities;
}

}  // namespace

Json viewer_robot(const Model& model, const Vector& q) {
  const Description& robot = model.description();
  Json json;
  json.add("name", robot.name).add("origin", robot.origin).add("gravity", Vector(robot.gravity));
  json.add("mass", model.total_mass()).add_int("nv", model.nv());
  json.add("position_names", model.position_names());
  std::vector<double> quaternions;
  for (const Coordinate& c : model.coordinates()) {
    if (const int place = facts_of(c.type).quaternion; place >= 0) quaternions.push_back(c.q + place);
  }
  json.add("quaternions",
           Vector(Eigen::Map<Vector>(quaternions.data(), static_cast<Eigen::Index>(quaternions.size()))));
  json.add("bodies", bodies_of(robot)).add("joints", joints_of(model));
  std::map<std::string, int> body_by_name;
  for (std::size_t b = 0; b < robot.bodies.size(); ++b) body_by_name[robot.bodies[b].name] = static_cast<int>(b);
  std::vector<Json> frames;
  for (const Frame& frame : robot.frames) {
    Json item;
    item.add("name", frame.name).add_int("body", frame.body.empty() ? -1 : body_by_name.at(frame.body));
    frames.push_back(item.add("pose", vector_of(frame.pose)));
  }
  json.add("frames", frames).add("q", q);
  const Kinematics kinematics(model, q);
  Matrix poses(static_cast<Eigen::Index>(robot.bodies.size()), 12);
  for (Eigen::Index b = 0; b < poses.rows(); ++b)
    poses.row(b) = vector_of(kinematics.pose(static_cast<int>(b))).transpose();
  return json.add_matrix("poses", poses);
}

ViewerMotion viewer_motion(const Model& model, const Recording& recording) {
  const auto require = [&](const std::string& name) {
    if (recording.header.column(name) < 0)
      throw DataError(fmt::format("the recording has no column {}: the page needs time and every position", name));
  };
  require("time");
  for (const std::string& name : model.position_names()) require("q." + name);
  ViewerMotion motion;
  motion.rows = static_cast<long>(recording.values.rows());
  if (motion.rows == 0) throw DataError("the recording has no rows yet");

  const std::vector<Curve> curves = curves_of(recording);
  const std::vector<std::string> quantities = derivable(model, recording);
  const long numbers = static_cast<long>(curves.size()) + model.nv() * static_cast<long>(quantities.size()) + 2;
  const long limit = std::min(most_instants, most_numbers / numbers);
  motion.kept = std::min(motion.rows, std::max(2l, limit));
  std::vector<long> rows(motion.kept);
  for (long i = 0; i < motion.kept; ++i)  // first and last stay
    rows[i] = motion.kept == 1 ? 0 : (i * (motion.rows - 1) + (motion.kept - 1) / 2) / (motion.kept - 1);

  const Vector time = recording.column("time");
  motion.first = time[0];
  motion.last = time[motion.rows - 1];
  motion.json.add("time", packed_doubles(picked(time, rows)));
  std::vector<Json> columns, groups = groups_of(curves);
  const auto add_column = [&](const Column& column, const std::vector<double>& values) {
    columns.push_back(Json().add("name", column.name).add("unit", column.unit).add("values", packed_floats(values)));
  };
  for (const Curve& curve : curves) add_column(curve.column, picked(curve.values, rows));
  std::optional<Json> inertia;
  try {
    const DerivedColumns derived = derive_columns(model, recording, quantities, rows);
    for (std::size_t c = 0; c < derived.columns.size(); ++c) {
      const Vector values = derived.values.col(static_cast<Eigen::Index>(c));
      add_column(derived.columns[c], {values.data(), values.data() + values.size()});
    }
    for (Json& group : rates_and_moments()) groups.push_back(std::move(group));
    if (model.nv() > 0 && !model.has_couplings()) inertia = viewer_inertias(model, recording, rows);
  } catch (const NumericalError& error) {  // of a motion whose forces are known all the same
    motion.left_out.push_back(fmt::format("the page has no ν and no inertias at joints: {}", error.what()));
  }
  inertia ? motion.json.add("inertia", *inertia) : motion.json.add_null("inertia");
  motion.json.add("columns", columns).add("groups", groups).add_int("rows", motion.rows);
  return motion;
}

}  // namespace catena::cli
