// What rounding acts on in M, C and their rates: the inertia that each coordinate carries, and how fast it moves.
#pragma once

#include "catena/kinematics/kinematics.hpp"

namespace catena::cli {

struct Weights {
  Vector root;               // by coordinate, sqrt: kg m^2 of angular ones, kg of linear ones; |M_ij| <= root_i root_j
  Vector world;              // the same about the first joint, where linearized dynamics in world axes take moments
  Vector ground;             // the same with arms as differences of places in the world, which DeNOC takes
  Vector rate;               // 1/s
  std::vector<double> arms;  // by joint of the description: how far from the first joint, m
};
Weights carried_weights(const Model& model, const Kinematics& motion);

}  // namespace catena::cli
