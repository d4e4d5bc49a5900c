// A robot as its author wrote it: bodies, joints, frames, by name, in the author's frames and order.
// Readers and the builder fill a Description; the doctor checks it; Model is built from it; writers write it.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "catena/joints/type.hpp"
#include "catena/model/finding.hpp"

#pragma GCC visibility push(default)
namespace catena {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
// 6-vectors, angular part first. DontAlign keeps the ABI free of alignment demands.
using Vector6 = Eigen::Matrix<double, 6, 1, Eigen::DontAlign>;

// Pose of a frame in another: x_outer = R x + p.
struct Pose {
  Matrix3 R = Matrix3::Identity();
  Vector3 p = Vector3::Zero();

  Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};
inline Pose operator*(const Pose& a, const Pose& b) { return {a.R * b.R, a.R * b.p + a.p}; }
inline Vector3 operator*(const Pose& a, const Vector3& x) { return a.R * x + a.p; }

// Fixed-axis roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF.
Matrix3 rotation_from_rpy(double roll, double pitch, double yaw);
Vector3 rpy_from_rotation(const Matrix3& R);
Matrix3 rotation_about(const Vector3& unit_axis, double angle);
// A rotation that takes z to the direction; exact permutations for the coordinate axes, so that zeros stay zeros.
Matrix3 rotation_from_z_to(const Vector3& direction);

struct Inertial {
  double mass = 0;
  Vector3 com = Vector3::Zero();      // in the body's frame
  Matrix3 inertia = Matrix3::Zero();  // about the centre of mass, in the body's axes
  Source source = {};
};

using Colour = Eigen::Array<float, 4, 1, Eigen::DontAlign>;  // red, green, blue, opacity

// Kept for the viewer and the writers; dynamics never looks at it.
struct Shape {
  enum class Kind { box, cylinder, sphere, capsule, mesh };
  Kind kind = Kind::box;
  Pose pose;                       // in the body's frame
  Vector3 size = Vector3::Zero();  // box: edges; cylinder, capsule: (radius, length along z, 0); sphere: (radius, 0, 0)
  std::string mesh;                // file name as written
  Vector3 scale = Vector3::Ones();  // of the mesh
  std::optional<Colour> rgba;
  std::string name;
  bool collision = false;  // a <collision>, not a <visual>
};
const char* name_of(Shape::Kind kind);

struct Body {
  std::string name;
  std::optional<Inertial> inertial;  // none: massless
  std::vector<Shape> shapes = {};
  Source source = {};
};

const char* name_of(JointType type);
std::optional<JointType> joint_type_from(const std::string& name);
int position_count(JointType type);  // numbers in q: spherical 4, free 7, otherwise the velocity count
int velocity_count(JointType type);  // numbers in v

struct Limits {
  static constexpr double none = std::numeric_limits<double>::infinity();
  double lower = -none, upper = none;  // rad or m
  double velocity = none;              // rad/s or m/s
  double effort = none;                // N m or N
};

// Forces a joint adds by itself: tau = ... + armature a + damping v + friction tanh(v / friction_scale)
//                                          + stiffness (q - rest).
// For a joint with several degrees of freedom each number holds for every component of v.
struct JointTerms {
  double damping = 0;            // N m s/rad or N s/m
  double friction = 0;           // Coulomb: N m or N
  double friction_scale = 0.01;  // velocity at which friction reaches tanh(1) = 76 %: rad/s or m/s
  double rotor_inertia = 0;      // kg m^2, on the motor's side of the gear; not for planar and free joints
  double gear_ratio = 1;         // motor turns per joint turn
  double stiffness = 0;          // N m/rad or N/m
  double rest = 0;  // q at which the spring is slack (one degree, universal, gimbal; otherwise the neutral pose)

  double armature() const { return rotor_inertia * gear_ratio * gear_ratio; }
};

// q = ratio * q_master + offset
struct Mimic {
  std::string joint;
  double ratio = 1;
  double offset = 0;
  Source source = {};
};

// Joint pose: T(child in parent) = placement * J(q) * body_in_joint.
struct Joint {
  std::string name;
  JointType type = JointType::fixed;
  std::string parent;               // body name; empty: the ground
  std::string child;                // body name
  Pose placement;                   // of the joint's frame in the parent body
  Pose body_in_joint;               // of the child's frame in the joint's moving frame (standard DH: past the link)
  Vector3 axis = Vector3::UnitZ();  // in the joint's frame; planar: the normal
  Vector3 second_axis = Vector3::UnitY();  // universal only: J = Rot(axis, q0) Rot(second_axis, q1)
  std::string sequence = "xyz";            // gimbal only: axes of the joint's frame, in the order of the rotations
  double pitch = 0;                        // helical only: m/rad
  Limits limits;
  JointTerms terms;
  std::optional<Mimic> mimic;
  Source source;

  // Fluent setters, so that a joint reads as a sentence: revolute("elbow").on("upper").at(0, 0, -0.3).about(0, 1, 0)
  Joint& on(std::string parent_body) {
    parent = std::move(parent_body);
    return *this;
  }
  Joint& at(double x, double y, double z) {
    placement.p = {x, y, z};
    return *this;
  }
  Joint& turned(double roll, double pitch_angle, double yaw) {
    placement.R = rotation_from_rpy(roll, pitch_angle, yaw);
    return *this;
  }
  Joint& about(double x, double y, double z) {
    axis = {x, y, z};
    return *this;
  }
  Joint& along(double x, double y, double z) { return about(x, y, z); }
  Joint& limited(double lower, double upper, double velocity = Limits::none, double effort = Limits::none) {
    limits = {lower, upper, velocity, effort};
    return *this;
  }
  Joint& damped(double damping) {
    terms.damping = damping;
    return *this;
  }
  Joint& friction(double friction, double scale = 0.01) {
    terms.friction = friction;
    terms.friction_scale = scale;
    return *this;
  }
  Joint& geared(double rotor_inertia, double ratio = 1) {
    terms.rotor_inertia = rotor_inertia;
    terms.gear_ratio = ratio;
    return *this;
  }
  Joint& spring(double stiffness, double rest = 0) {
    terms.stiffness = stiffness;
    terms.rest = rest;
    return *this;
  }
  Joint& mimics(std::string master, double ratio = 1, double offset = 0) {
    mimic = Mimic{std::move(master), ratio, offset, {}};
    return *this;
  }
};

// What becomes z of its bodies in the tree, from the parent outward: its axis; two of a universal and three of a gimbal
// joint, none of a fixed one; z where no axis is given with the type.
std::vector<Vector3> axes_of(const Joint& joint);

Joint fixed(std::string name);
Joint revolute(std::string name);
Joint continuous(std::string name);
Joint prismatic(std::string name);
Joint helical(std::string name, double pitch);
Joint cylindrical(std::string name);
Joint planar(std::string name);
Joint universal(std::string name, const Vector3& first_axis, const Vector3& second_axis);
Joint gimbal(std::string name, std::string sequence);  // "zyx": Rot(z, q0) Rot(y, q1) Rot(x, q2)
Joint spherical(std::string name);
Joint free(std::string name);

// A named point of interest on a body (tool, sensor, foot).
struct Frame {
  std::string name;
  std::string body;
  Pose pose;  // in the body's frame
  Source source = {};
};

struct Description {
  std::string name = "robot";
  std::string origin;  // one line: where the numbers come from
  Vector3 gravity = {0, 0, -9.81};
  std::vector<Body> bodies;   // bodies without a joint of their own are roots, fixed to the ground
  std::vector<Joint> joints;  // their order is the order of q and v
  std::vector<Frame> frames;
  Source source;
};

// Puts a free joint, "floating_base", between the ground and the root body; it comes first in q and v. Where a joint of
// that name exists the new one is called "floating_base_2".
// Throws ModelError unless there is exactly one root body, and where a free joint of its own lets the robot float.
void make_floating(Description& description);

}  // namespace catena
#pragma GCC visibility pop
