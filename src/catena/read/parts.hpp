// The parts that body tables and DH tables share: units, poses, inertials, joint terms, shapes.
#pragma once

#include <limits>

#include "catena/read/fields.hpp"

namespace catena::read {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();  // what a file does not say; the doctor asks

inline void set(double& target, std::optional<double> value, double factor = 1) {
  if (value) target = *value * factor;
}

// Factors to SI. They apply to angles, lengths and limits; masses, inertias and joint terms are always in SI.
struct Units {
  double angle = 1;   // rad
  double length = 1;  // m
  bool angle_given = false, length_given = false;

  // Of the joint's own coordinate: rest, limits, mimic offset. Joints that both rotate and translate are in SI.
  double coordinate(JointType type) const;
};

Units read_units(Fields& document);

bool has_axis(JointType type);  // neither fixed, spherical nor free

// Joint type by name, with the common other names (floating, ball, screw).
std::optional<JointType> joint_type_named(const std::string& name);
std::string joint_type_names();
// did_you_mean (model/names.hpp) among them.
std::string near_joint_types(const std::string& name);

// position (or p) and one of rpy, R, quaternion; prefix "body_" reads body_position, body_rpy, ...
Pose read_pose(Fields& fields, const Units& units, const std::string& prefix = "");

// mass, com, inertia; none if there is no such key. Saha's r (from the mass centre to the origin) instead of com
// where that is allowed.
std::optional<Inertial> read_inertial(Fields& fields, const Units& units, bool allow_r);

// axis, second_axis, pitch, limits, damping, friction, ..., mimic: everything but type, names and placement.
void read_joint_details(Fields& fields, const Units& units, Joint& joint);

std::vector<Shape> read_shapes(Fields& fields, const Units& units);

}  // namespace catena::read
