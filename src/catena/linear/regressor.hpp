// The joint-torque regressor: tau is linear in the inertial parameters of the bodies,
//   tau = Y(q, v, a) pi + armature a + joint_forces - (external wrenches' part),
// with ten numbers per body of the description: m, m c, and J about the body frame's origin, in the body's own frame.
#pragma once

#include <cstdint>

#include "catena/dynamics/workspace.hpp"

#pragma GCC visibility push(default)
namespace catena {

// (m, mx, my, mz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz)
using Vector10 = Eigen::Matrix<double, 10, 1, Eigen::DontAlign>;

Vector10 inertial_parameters(const Inertial& inertial);
// The inverse. Throws std::invalid_argument unless the mass is positive.
Inertial inertial_from_parameters(const Vector10& parameters);

// pi: ten numbers for each body in the order of description().bodies, zero for massless ones. Body b is also frame b,
// so that its block starts at 10 * model.frame("body").
Vector inertial_parameters(const Model& model);
std::vector<std::string> inertial_parameter_names(const Model& model);  // "forearm.m", "forearm.mx", ... "forearm.Jyz"

// nv x 10 bodies. Bodies behind fixed joints have blocks of their own; those of bodies on the ground are zero.
// Gravity and the base's motion are in Y; wrenches are not. O(depth) per column.
Matrix joint_torque_regressor(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                              const ExternalLoads& loads = {});

// nv x 10: the same for a body rigidly attached to a frame, parameters in the frame's axes and about its origin.
Matrix payload_regressor(const Model& model, int frame, ConstVector q, ConstVector v, ConstVector a,
                         const ExternalLoads& loads = {});

// What joint forces can tell about pi: Y = Y(:, independent) combination for every state, and
// combination * pi are the base parameters. The numerical rank of Y over random states, by QR with column pivoting.
struct BaseParameters {
  std::vector<int> independent;  // columns of Y, ascending
  Matrix combination;            // rank x 10 bodies
  double last_kept = 0;          // pivots relative to the first: last one counted,
  double first_dropped = 0;      // and first one taken for zero (0: none left). A wide gap makes the rank trustworthy.

  int rank() const { return static_cast<int>(independent.size()); }
};
BaseParameters base_parameters(const Model& model, std::uint64_t seed = 1);

}  // namespace catena
#pragma GCC visibility pop
