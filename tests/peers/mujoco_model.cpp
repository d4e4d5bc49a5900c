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

mjModel* load(const Description& robot) {
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

Matrix3 rotation_of(const Eigen::VectorXd& q, const Coordinate& c) {
  return Eigen::Quaterniond(q.segment<4>(c.q + 3)).toRotationMatrix();
}

}  // namespace

MujocoRobot::MujocoRobot(const Robot& robot)
    : ours_(robot), model_(load(robot.description), mj_deleteModel), data_(mj_makeData(model()), mj_deleteData) {
  if (model_->nv != robot.nv) throw std::runtime_error("MuJoCo counts other degrees of freedom");
}

int MujocoRobot::joint_number(const Coordinate& c, int component) const {
  return mj_name2id(model(), mjOBJ_JOINT, fmt::format("j{}.{}", c.index, component).c_str());
}

// A ball turns the child's axes: those of our joint turned by body_in_joint. A free joint must have none.
Eigen::VectorXd MujocoRobot::positions(const Eigen::VectorXd& q) const {
  Eigen::VectorXd theirs(model_->nq);
  for (const Coordinate& c : ours_.coordinates) {
    const Joint& joint = joint_of(ours_, c);
    const int first = model_->jnt_qposadr[joint_number(c)];
    if (c.type == JointType::spherical) {
      const Eigen::Quaterniond rotation(q.segment<4>(c.q)), b(joint.body_in_joint.R);
      const Eigen::Quaterniond turned = b.conjugate() * rotation * b;
      theirs.segment<4>(first) << turned.w(), turned.vec();
    } else if (c.type == JointType::free) {
      const Pose moved = joint.placement * joint.body_in_joint;
      if (!moved.R.isIdentity(0) || !moved.p.isZero(0)) throw std::runtime_error("free joint away from the origin");
      theirs.segment<7>(first) << q.segment<3>(c.q), q[c.q + 6], q.segment<3>(c.q + 3);
    } else {
      for (int k = 0; k < c.nq; ++k) theirs[model_->jnt_qposadr[joint_number(c, k)]] = q[c.q + k];
    }
  }
  return theirs;
}

Eigen::MatrixXd MujocoRobot::velocity_map(const Eigen::VectorXd& q) const {
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(ours_.nv, ours_.nv);
  for (const Coordinate& c : ours_.coordinates) {
    const int row = model_->jnt_dofadr[joint_number(c)];
    if (c.type == JointType::free) {
      T.block<3, 3>(row, c.v + 3) = rotation_of(q, c);
      T.block<3, 3>(row + 3, c.v).setIdentity();
    } else if (c.type == JointType::spherical) {
      T.block<3, 3>(row, c.v) = joint_of(ours_, c).body_in_joint.R.transpose();
    } else {
      for (int k = 0; k < c.nv; ++k) T(model_->jnt_dofadr[joint_number(c, k)], c.v + k) = 1;
    }
  }
  return T;
}

// The origin's velocity turns with the body.
Eigen::VectorXd MujocoRobot::turning(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  Eigen::VectorXd turning = Eigen::VectorXd::Zero(ours_.nv);
  for (const Coordinate& c : ours_.coordinates) {
    if (c.type != JointType::free) continue;
    const Vector3 angular = v.segment<3>(c.v), linear = v.segment<3>(c.v + 3);
    turning.segment<3>(model_->jnt_dofadr[joint_number(c)]) = rotation_of(q, c) * angular.cross(linear);
  }
  return turning;
}

}  // namespace catena::peers
