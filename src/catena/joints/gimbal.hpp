// Three angles in a stated sequence, each about an axis that the rotations before it have moved (intrinsic): sequence
// "zyx" is J = Rot(z, q0) Rot(y, q1) Rot(x, q2). Hinge triples of MJCF, the gimbal joint of MATLAB, joint
// angles of biomechanics. q: the angles, v: their rates. Where the second angle puts the third axis on the first
// (gimbal lock: +-90 degrees if all letters differ, 0 or 180 degrees if first and third are the same) the rates no
// longer reach every angular velocity: M is singular there, unless rotors add to it.
#pragma once

#include <cstddef>
#include <string_view>

#include "catena/joints/universal.hpp"

namespace catena::kernel {

struct Gimbal : TurnsInSequence<3> {
  static constexpr JointType type = JointType::gimbal;
  static constexpr JointFacts facts = {
      .name = "gimbal", .nq = 3, .nv = 3, .turning = 3, .bodies = 3, .has_axis = false};

  template <class Joint>
  static std::array<Vec3<double>, 3> axes(const Joint& joint) {
    std::array<Vec3<double>, 3> out{};
    for (std::size_t i = 0; i < 3; ++i) {
      const char letter = i < joint.sequence.size() ? joint.sequence[i] : ' ';
      out[i] = {letter == 'x' ? 1.0 : 0.0, letter == 'y' ? 1.0 : 0.0, letter == 'z' ? 1.0 : 0.0};
    }
    return out;
  }

  // What is wrong with a sequence, as the end of a sentence; null: nothing.
  static constexpr const char* fault(std::string_view sequence) {
    if (sequence.size() != 3 || sequence.find_first_not_of("xyz") != std::string_view::npos)
      return "is not three of the letters x, y and z";
    if (sequence[0] == sequence[1] || sequence[1] == sequence[2])
      return "turns about the same axis twice in a row, so one turn does what the other does";
    return nullptr;
  }
  static constexpr const char* remedy = "write three letters, neighbours different, for example sequence = \"zyx\"";
};

}  // namespace catena::kernel
