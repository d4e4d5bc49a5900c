// The builder: a robot written in C++, body by body.
//
//   catena::Builder arm("two-link arm");
//   arm.add_body("upper", {.mass = 2, .com = {0, 0, -0.25}, .inertia = ...}, revolute("shoulder").about(0, 1, 0));
//   arm.add_body("lower", {...}, revolute("elbow").on("upper").at(0, 0, -0.5).about(0, 1, 0).damped(0.1));
//   const catena::Model model = arm.build();
#pragma once

#include "catena/model/model.hpp"

#pragma GCC visibility push(default)
namespace catena {

// Threads: one at a time.
class Builder {
 public:
  explicit Builder(std::string name) { description_.name = std::move(name); }

  // A body carried by a joint; the joint's parent (.on) must have been added before, or is the ground.
  Builder& add_body(std::string name, const Inertial& inertial, Joint joint);
  // A body fixed to the ground.
  Builder& add_root(std::string name, const Inertial& inertial = {});
  Builder& add_frame(std::string name, std::string body, const Pose& pose = {});
  Builder& gravity(double x, double y, double z);

  const Description& description() const { return description_; }
  Model build() const { return Model(description_); }  // throws ModelError

 private:
  Description description_;
};

// Inertia tensors about the centre of mass of homogeneous bodies, in their own axes.
Matrix3 box_inertia(double mass, double x, double y, double z);
Matrix3 cylinder_inertia(double mass, double radius, double length);  // axis z
Matrix3 sphere_inertia(double mass, double radius);
Matrix3 rod_inertia(double mass, double length);  // slender, along z

}  // namespace catena
#pragma GCC visibility pop
