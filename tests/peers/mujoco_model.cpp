// A robot for MuJoCo, as an MJCF text.
#include "mujoco_model.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace catena::peers {
namespace {

std::string text(const Vector3& x) { return fmt::format("{:.17g} {:.17g} {:.17g}", x[0], x[1], x[2]); }

std::string text(const Matrix3& R) {
  const Eigen::Quaterniond r = Eigen::Quaterniond(R).normalized();
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", r.w(), r.x(), r.y(), r.z());
}

// Writes bodies and joints by number, because names may hold anything.
class Writer {
 public:
  explicit Writer(const Description& robot) : robot_(robot) {}

  std::string mjcf() {
    text_ = fmt::format(
        "<mujoco><compiler angle='radian' inertiafromgeom='false' balanceinertia='false'/>"
        "<option gravity='{}'><flag contact='disable' constraint='disable'/></option><worldbody>\n",
        text(robot_.gravity));
    write_children("");
    for (const Body& body : robot_.bodies) {  // a root stands on the ground, where its mass does not matter
      const auto carried = [&](const Joint& joint) { return joint.child == body.name; };
      if (std::none_of(robot_.joints.begin(), robot_.joints.end(), carried)) write_children(body.name);
    }
    return text_ + "</worldbody></mujoco>\n";
  }

 private:
  void write_children(const std::string& parent) {
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      const Joint& joint = robot_.joints[j];
      if (joint.parent != parent) continue;
      const Pose pose = joint.placement * joint.body_in_joint;
      std::size_t b = 0;
      while (robot_.bodies[b].name != joint.child) ++b;
      text_ += fmt::format("<body name='b{}' pos='{}' quat='{}'>", b, text(pose.p), text(pose.R));
      write_joint(joint, j);
      if (robot_.bodies[b].inertial) write_inertial(*robot_.bodies[b].inertial);
      write_children(joint.child);
      text_ += "</body>\n";
    }
  }

  void write_inertial(const Inertial& inertial) {
    if (inertial.mass == 0 && inertial.inertia.isZero(0)) return;
    const Eigen::SelfAdjointEigenSolver<Matrix3> eigen(inertial.inertia);
    Matrix3 axes = eigen.eigenvectors();
    if (axes.determinant() < 0) axes.col(0) *= -1;
    const Vector3 moments = eigen.eigenvalues();
    text_ += fmt::format("<inertial pos='{}' quat='{}' mass='{:.17g}' diaginertia='{}'/>", text(inertial.com),
                         text(axes), inertial.mass, text(moments));
  }

  void write_joint(const Joint& joint, std::size_t number) {
    const auto add = [&](const char* type, int component, const Vector3& axis, double rest) {
      text_ += fmt::format(
          "<joint name='j{}.{}' type='{}' pos='{}' axis='{}' limited='false' armature='{:.17g}' damping='{:.17g}' "
          "stiffness='{:.17g}' springref='{:.17g}'/>",
          number, component, type, text(joint.body_in_joint.inverse().p),
          text(Vector3(joint.body_in_joint.R.transpose() * axis)), joint.terms.armature(), joint.terms.damping,
          joint.terms.stiffness, rest);
    };
    switch (joint.type) {
      case JointType::revolute:
      case JointType::continuous: return add("hinge", 0, joint.axis, joint.terms.rest);
      case JointType::prismatic: return add("slide", 0, joint.axis, joint.terms.rest);
      case JointType::cylindrical: return add("hinge", 0, joint.axis, 0), add("slide", 1, joint.axis, 0);
      case JointType::universal: return add("hinge", 0, joint.axis, 0), add("hinge", 1, joint.second_axis, 0);
      case JointType::spherical: return add("ball", 0, joint.axis, 0);
      case JointType::free: return add("free", 0, joint.axis, 0);
      default: return;
    }
  }

  const Description& robot_;
  std::string text_;
};

}  // namespace

mjModel* mujoco_model(const Description& robot) {
  const std::string mjcf = Writer(robot).mjcf();
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "robot.xml", static_cast<int>(mjcf.size()));
  std::memcpy(files->filedata[0], mjcf.data(), mjcf.size());
  char message[1000] = "";
  mjModel* model = mj_loadXML("robot.xml", files.get(), message, sizeof message);
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(std::string("MuJoCo: ") + message);
  return model;
}

}  // namespace catena::peers
