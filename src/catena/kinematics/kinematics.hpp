// Kinematics: where every frame is at a state, how it moves, and how it would move (Jacobians).
// A Kinematics object holds one state's results; update() replaces them without allocating.
#pragma once

#include "catena/kinematics/configuration.hpp"

#pragma GCC visibility push(default)
namespace catena {

// In whose axes, and about which point, a 6-vector of a frame is expressed.
enum class Axes {
  body,     // the frame's own axes, at its origin
  world,    // world axes, at the world's origin (the spatial vector)
  aligned,  // world axes, at the frame's origin
};

// A frame by its number, or by its name, which is then looked up.
class FrameRef {
 public:
  FrameRef(int index) : index_(index) {}
  FrameRef(const char* name) : name_(name) {}
  FrameRef(const std::string& name) : name_(name.c_str()) {}
  // Throws std::invalid_argument with near names, or with the number of frames.
  int in(const Model& model) const;

 private:
  const char* name_ = nullptr;
  int index_ = 0;
};

// Prescribed motion of the ground that carries the robot, in base axes (which coincide with the world's at this
// instant): ordinary derivatives, of the base's origin.
struct BaseMotion {
  Vector3 angular_velocity = Vector3::Zero(), velocity = Vector3::Zero();
  Vector3 angular_acceleration = Vector3::Zero(), acceleration = Vector3::Zero();
};

// Threads: update() by one, while nobody reads; what is const by any number at a time.
class Kinematics {
 public:
  explicit Kinematics(const Model& model);
  Kinematics(const Model& model, ConstVector q);
  Kinematics(const Model& model, ConstVector q, ConstVector v);
  Kinematics(const Model& model, ConstVector q, ConstVector v, ConstVector a);
  Kinematics(Kinematics&&) noexcept;
  Kinematics& operator=(Kinematics&&) noexcept;
  ~Kinematics();

  void update(ConstVector q);
  void update(ConstVector q, ConstVector v, const BaseMotion& base = {});
  void update(ConstVector q, ConstVector v, ConstVector a, const BaseMotion& base = {});

  Pose pose(FrameRef frame) const;                    // in the world
  Vector6 velocity(FrameRef frame, Axes axes) const;  // [angular; linear]
  // Component-wise derivative of the body-axes velocity: spatial acceleration (gravity not included).
  Vector6 acceleration(FrameRef frame, Axes axes) const;
  // [angular acceleration; second derivative of the origin's position].
  Vector6 ordinary_acceleration(FrameRef frame, Axes axes) const;

  // 6 x nv with velocity = J v (for a base at rest). J_dot: its derivative, with the same axes.
  Matrix jacobian(FrameRef frame, Axes axes) const;
  void jacobian(FrameRef frame, Axes axes, MatrixRef J) const;
  Matrix jacobian_dot(FrameRef frame, Axes axes) const;
  void jacobian_dot(FrameRef frame, Axes axes, MatrixRef J_dot) const;

  // Whole-robot quantities in world axes; bodies fixed to the ground (a root link with mass) are part of the robot.
  Vector3 center_of_mass() const;
  Vector3 center_of_mass_velocity() const;
  Matrix center_of_mass_jacobian() const;  // 3 x nv
  Vector6 momentum() const;                // [angular about the centre of mass; linear]
  double kinetic_energy() const;           // of the bodies, rotor (armature) energy included
  double potential_energy() const;         // gravity and joint springs; gravity's zero at the world's origin

  struct Storage;  // catena/kinematics/storage.hpp

 private:
  std::unique_ptr<Storage> storage_;
};

}  // namespace catena
#pragma GCC visibility pop
