#include "catena/model/builder.hpp"

namespace catena {

Builder& Builder::add_body(std::string name, const Inertial& inertial, Joint joint) {
  joint.child = name;
  if (joint.name.empty()) joint.name = name + "_joint";
  description_.bodies.push_back({std::move(name), inertial});
  description_.joints.push_back(std::move(joint));
  return *this;
}

Builder& Builder::add_root(std::string name, const Inertial& inertial) {
  description_.bodies.push_back({std::move(name), inertial});
  return *this;
}

Builder& Builder::add_frame(std::string name, std::string body, const Pose& pose) {
  description_.frames.push_back({std::move(name), std::move(body), pose});
  return *this;
}

Builder& Builder::gravity(double x, double y, double z) {
  description_.gravity = {x, y, z};
  return *this;
}

Matrix3 box_inertia(double mass, double x, double y, double z) {
  return Vector3(y * y + z * z, x * x + z * z, x * x + y * y).asDiagonal() * (mass / 12);
}

Matrix3 cylinder_inertia(double mass, double radius, double length) {
  const double across = mass * (3 * radius * radius + length * length) / 12;
  return Vector3(across, across, mass * radius * radius / 2).asDiagonal();
}

Matrix3 sphere_inertia(double mass, double radius) { return Matrix3::Identity() * (0.4 * mass * radius * radius); }

Matrix3 rod_inertia(double mass, double length) { return cylinder_inertia(mass, 0, length); }

}  // namespace catena
