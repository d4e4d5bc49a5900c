// Operational-space inertia: what an external force on a set of frames has to move.
// Source: formula sheet 4.2. With J = B' Phi' H' and (1 - H Psi K) H Phi = H Psi the mass matrix drops out:
//   mobility  J M^-1 J' = B' Psi' H' D^-1 H Psi B,     Lambda = mobility^-1
// Each frame contributes six rows, [angular; linear], in its own axes at its origin, in the order asked.
#pragma once

#include "catena/reference/spatial_operators.hpp"

#pragma GCC visibility push(default)
namespace catena {

// Accelerations of the frames per unit wrench on them; 6m x 6m, always exists, singular where the frames cannot move
// in some direction or move together.
Matrix operational_space_mobility(const SpatialOperators& operators, const std::vector<int>& frames);

// Its inverse. Throws NumericalError if the frames together have a direction that no joint rate moves: fewer than 6m
// degrees of freedom, a singular pose, frames on one body or on the ground. The mobility is there for these cases.
// Rank is judged after scaling the rows to unit length, so units do not matter: a relative size below 1e-9 counts as
// none, because beyond it not even half of the digits of Lambda would be right.
Matrix operational_space_inertia(const SpatialOperators& operators, const std::vector<int>& frames);

}  // namespace catena
#pragma GCC visibility pop
