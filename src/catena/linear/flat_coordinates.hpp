// Flat robots: the coordinates theta(q) in which the mass matrix is the identity, so that there are no Coriolis forces:
//   theta_dot = J v     J' J = M(q)     theta_ddot = J^-T (tau - gravity - joint forces)
// Source: Lemma 2.1 of Jain and Rodriguez, "Diagonalized Lagrangian robot dynamics" (formula sheet 4.11).
// The lemma asks for a factor m of M whose transpose is the Jacobian of theta. Factors of M differ by a rotation,
// m Q', and that of DiagonalForm is in general not the one: theta_dot = J v = Q(q) nu with Q orthogonal. The lemma's
// nu = theta_dot holds as it stands where Q is the identity everywhere (a gantry); C(q, nu) = Q' Q_dot nu says by how much
// it fails elsewhere (a polar arm with a point mass).
// Free motions are straight lines in theta, passed at constant speed. theta is one-to-one only near a pose: a polar arm
// that has turned once is where it was.
#pragma once

#include "catena/linear/curvature.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct FlatCoordinates {
  Vector theta;  // m sqrt(kg): zero at q0
  Matrix J;      // d theta / dq; at q0 it is m', so that theta_dot = nu there
  Matrix Q;      // theta_dot = Q nu, orthogonal; the identity at q0
  // Evidence, both rounding and the integration's error. metric: largest |J' J - M|_ij / sqrt(M_ii M_jj). path: what
  // theta (over the length of the way) and J (over sqrt M_jj) differ by when the joints go one after another instead of
  // together; on a robot that is not flat the first stays small, the second does not.
  double metric_error = 0, path_error = 0;
};

// theta at q from q0 on. Throws NumericalError naming the two joints with the largest curvature if the robot is not flat
// (at q, at q0, or at one of eight random configurations), and where M is singular on the way: then take a q0 on the same
// side of the singular pose. All joints but planar, spherical and free ones, which throw std::invalid_argument.
FlatCoordinates flat_coordinates(const Model& model, ConstVector q, ConstVector q0);

}  // namespace catena
#pragma GCC visibility pop
