// Motions that come with Catena, with exact derivatives. Point to point: every joint follows one motion profile
// s(t) from 0 to 1,
//   q = from (+) s w,  v = s_dot w,  a = s_ddot w,  w = difference(from, to),
// which for spherical, free and planar joints is a screw of constant axis. Through points: pieces of polynomials.
// Source of the cycloidal profile: Saha (38), (39) as corrected in formula sheet 2.6 and 2.7.
#pragma once

#include <memory>

#include "catena/read/state.hpp"
#include "catena/trajectory/trajectory.hpp"

#pragma GCC visibility push(default)
namespace catena {

// All throw std::invalid_argument for wrong sizes, NaN, and times that are not positive or do not increase.

// Stands still; duration 0. The target of a controller that holds a pose.
std::unique_ptr<Trajectory> standstill(const Model& model, ConstVector q);

// s = t/T - sin(2 pi t/T) / (2 pi): a is continuous and zero at both ends.
std::unique_ptr<Trajectory> cycloidal(const Model& model, ConstVector from, ConstVector to, double duration);

// s = 10 x^3 - 15 x^4 + 6 x^5, x = t/T: the least integral of jerk squared.
std::unique_ptr<Trajectory> minimum_jerk(const Model& model, ConstVector from, ConstVector to, double duration);

// Constant acceleration for ramp T, constant velocity, constant deceleration for ramp T. 0 < ramp <= 1/2.
std::unique_ptr<Trajectory> trapezoidal(const Model& model, ConstVector from, ConstVector to, double duration,
                                        double ramp = 0.25);
// The fastest of these, all joints together, that keeps |v| and |a| of every component within the peaks (nv positive
// numbers each, infinity where free).
std::unique_ptr<Trajectory> trapezoidal_within(const Model& model, ConstVector from, ConstVector to,
                                               ConstVector peak_velocity, ConstVector peak_acceleration);

enum class SplineEnds {
  at_rest,  // v = 0 at both ends
  smooth,   // not a knot: the first two pieces are one polynomial, and the last two
};

// Cubic pieces with continuous v and a through a row of `waypoints` (nq numbers) at each of the times. Spherical, free
// and planar joints: pieces of fifth order in the tangent space of each waypoint, again with continuous v and a.
// Before a first time above zero the robot waits at the first waypoint.
std::unique_ptr<Trajectory> spline(const Model& model, ConstVector times, const Matrix& waypoints,
                                   SplineEnds ends = SplineEnds::at_rest);

// Through the rows of a file: by q, v and a in pieces of fifth order (a continuous); by q and v in cubic pieces
// (v continuous); by q alone as a spline with smooth ends.
std::unique_ptr<Trajectory> sampled(const Model& model, const read::TrajectoryRows& rows);

}  // namespace catena
#pragma GCC visibility pop
