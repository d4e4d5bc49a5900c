// Comparison with other libraries: what a peer is asked, in Catena's conventions, and how its answers are judged.
// A peer is built from our Description, never from the file, so that only the dynamics are compared.
// Frames: Jacobians [angular; linear] in world axes at each body's origin; everything else as in catena/model/model.hpp.
#pragma once

#include <functional>

#include "catena/kinematics/configuration.hpp"

namespace catena::peers {

struct State {
  Vector q, v, a, tau;
};

// Bodies in the order of the description.
struct Answer {
  Vector inverse, gravity, forward;
  Matrix mass_matrix;
  std::vector<Pose> poses;
  std::vector<Matrix> jacobians;
};

using Ask = std::function<Answer(const State&)>;

// What a library can represent.
struct Abilities {
  std::vector<JointType> types;
  bool joint_terms = false;  // damping, armature, springs; friction differs everywhere and is left out
  bool any_inertia = true;   // otherwise inertias that break physics are mended first, for both sides
  bool moving_root = false;  // robots without a free joint are tried on a floating base too
};

// The robot as both sides get it: no couplings, a joint under every body (fixed ones added under the roots), unit axes.
using MakePeer = std::function<Ask(const Model&)>;

std::vector<std::string> builtin_robots();
std::vector<std::string> given_robots();  // files or names in the environment variable CATENA_PEER_ROBOTS, by colons

// Twenty random states per robot; inverse and forward dynamics, gravity, mass matrix, poses and Jacobians, each relative
// to its largest entry. Robots with couplings are compared a second time, the peer's answers projected onto q.
// A robot with joints beyond the peer's abilities is left out, and said so.
void expect_agreement(const std::string& peer, const std::vector<std::string>& robots, const Abilities& abilities,
                      const MakePeer& make);

// The same on ten random trees of the peer's joint types (not free ones, which peers want on the ground).
void expect_agreement_on_random_trees(const std::string& peer, const Abilities& abilities, const MakePeer& make);

}  // namespace catena::peers
