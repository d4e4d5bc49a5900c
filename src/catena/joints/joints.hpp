// The one dispatch over joint types: visit() calls f with the type's struct, which holds all that is particular to it.
#pragma once

#include "catena/joints/cylindrical.hpp"
#include "catena/joints/fixed.hpp"
#include "catena/joints/free.hpp"
#include "catena/joints/gimbal.hpp"
#include "catena/joints/helical.hpp"
#include "catena/joints/planar.hpp"
#include "catena/joints/prismatic.hpp"
#include "catena/joints/revolute.hpp"
#include "catena/joints/spherical.hpp"
#include "catena/joints/universal.hpp"

namespace catena::kernel {

// Of a body of the tree.
template <class F>
CATENA_INLINE decltype(auto) visit(const TreeBody& body, F&& f) {
  if (body.kind == JointKind::revolute) [[likely]]
    return f(Revolute{});
  switch (body.kind) {
    case JointKind::prismatic: return f(Prismatic{});
    case JointKind::helical: return f(Helical{});
    case JointKind::cylindrical: return f(Cylindrical{});
    case JointKind::planar: return f(Planar{});
    case JointKind::spherical: return f(Spherical{});
    case JointKind::free: return f(Free{});
    case JointKind::ground:
    case JointKind::revolute: break;
  }
  return f(Revolute{});
}

// Of a joint as described.
template <class F>
CATENA_INLINE constexpr decltype(auto) visit(JointType type, F&& f) {
  switch (type) {
    case JointType::revolute: return f(Revolute{});
    case JointType::continuous: return f(Continuous{});
    case JointType::prismatic: return f(Prismatic{});
    case JointType::helical: return f(Helical{});
    case JointType::cylindrical: return f(Cylindrical{});
    case JointType::planar: return f(Planar{});
    case JointType::universal: return f(Universal{});
    case JointType::gimbal: return f(Gimbal{});
    case JointType::spherical: return f(Spherical{});
    case JointType::free: return f(Free{});
    case JointType::fixed: break;
  }
  return f(Fixed{});
}

template <class Joint>
CATENA_INLINE bool is(const TreeBody& body) {
  return body.kind == Joint::kind;
}

CATENA_INLINE int velocity_count(const TreeBody& body) {
  return visit(body, [](auto joint) { return decltype(joint)::d; });
}

}  // namespace catena::kernel

namespace catena {

CATENA_INLINE constexpr const JointFacts& facts_of(JointType type) {
  return kernel::visit(type, [](auto joint) -> const JointFacts& { return decltype(joint)::facts; });
}

}  // namespace catena
