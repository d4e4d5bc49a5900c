// Parameters of a robot by name, to be changed in it or to be inputs of a function (compile/program.hpp).
//   BODY.mass  BODY.com.x ... .z  BODY.inertia.xx .yy .zz .xy .xz .yz     about the centre of mass, in the body's axes
//   FRAME.payload.mass, .com.x, ..., .inertia.yz                         of a body attached to the frame, in its axes
//   JOINT.armature  .damping  .friction  .friction_scale  .stiffness  .rest
//   gravity.x  .y  .z                                                    in the world
// BODY.com, BODY.inertia, gravity stand for all their components, BODY.inertial and FRAME.payload for all ten numbers.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catena/model/model.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct Parameter {
  enum class Kind { mass, com, inertia, armature, damping, friction, friction_scale, stiffness, rest, gravity };
  Kind kind = Kind::mass;
  bool payload = false;  // mass, com and inertia: of a payload, not of the body itself
  int index = 0;         // of the body, frame (model.frame(name)) or joint
  int component = 0;     // com, gravity: x, y, z; inertia: xx, yy, zz, xy, xz, yz
  std::string name, unit;
  double value = 0;                                         // the robot's own; of a payload zero
  double least = -std::numeric_limits<double>::infinity();  // below it no robot can be
};

// All that the robot has, one by one.
std::vector<Parameter> parameters(const Model& model);
// Those that are named, in this order. Throws std::invalid_argument with near names, and for a number named twice.
std::vector<Parameter> parameters(const Model& model, const std::vector<std::string>& names);

// The robot with other values. Throws ModelError where the doctor finds an error in them.
Model with_parameters(const Model& model, const std::vector<Parameter>& parameters, std::span<const double> values);
Model with_parameters(const Model& model, const std::vector<std::pair<std::string, double>>& values);

}  // namespace catena
#pragma GCC visibility pop
