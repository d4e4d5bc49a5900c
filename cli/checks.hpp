// The checks of `catena verify`: a table, each row comparing two independent algorithms at one
// state. A new check is one more row of the table in checks.cpp.
#pragma once

#include <limits>

#include "catena/dynamics/inverse.hpp"
#include "catena/reference/dh_newton_euler.hpp"

namespace catena::cli {

// The robot in the versions that the checks need.
struct Subject {
  explicit Subject(const Model& robot);

  Model model;
  Model rigid;                   // without joint terms
  Model conservative;            // without damping and friction
  std::optional<DhChain> chain;  // DH parameters where the robot is a plain serial chain
};

// Everything the checks need at one state, computed once.
struct Sample {
  Sample(const Subject& subject, std::uint64_t seed);

  const Model& model;
  const Model& rigid;
  const Model& conservative;
  const std::optional<DhChain>& chain;
  Vector q, v, a, tau;  // tau = inverse dynamics
  Vector gravity, coriolis, joint_force;
  Vector scale;  // per coordinate: size of the forces that rounding acts on
  Kinematics motion;

  // Dense part, only up to dense_limit coordinates.
  bool dense = false;
  Matrix M, M_inv, C, M_dot;
  // sqrt of the inertia that each coordinate carries, all of it: what M's number of it was added up from, and rounding
  // acts on. Coordinates scaled by it are of one kind, and |M_ij| <= root_i root_j.
  Vector root;
  Vector rate;                         // how fast that inertia rotates and moves: C_ij is summed from M_ij times rates
  double smallest = 0, condition = 1;  // eigenvalue and condition number of M in those coordinates
  // The same where inertias are summed in world axes, as linearized dynamics do; and where arms are differences of
  // places in the world, as in DeNOC.
  Vector world_root, ground_root;
  Vector world_scale;  // scale with moments about the first joint, where linearized dynamics take them

  double operations() const;  // rounding errors that add up along the longest path, as a multiple of epsilon
};

constexpr int dense_limit = 400;

struct Difference {
  double error = 0, bound = 0;
};

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double not_zero = std::numeric_limits<double>::min();  // the least size to divide by

double largest(const Eigen::Ref<const Matrix>& x);  // magnitude; 0 of nothing
// Worst entry of a difference of mass matrices, or of their rates, each against what it was summed from: root_i root_j.
double inertia_error(const Vector& root, const Matrix& difference);
double rate_error(const Sample& s, const Vector& root, const Matrix& difference);
double force_error(const Sample& s, const Vector& one, const Vector& other);
Difference force_outcome(const Sample& s, const Vector& one, const Vector& other);
// A force error of some roundings of s.scale becomes, through M^-1, an acceleration error.
// terms: accelerations that `one` is a sum of, where they are larger.
Difference acceleration_outcome(const Sample& s, const Vector& one, const Vector& other, const Vector& terms = {});

// What a check may need.
constexpr unsigned nothing = 0, matrices = 1, serial = 2, uncoupled = 4, chain_of_single_joints = 8, small = 16,
                   adding = 32;
// small: few coordinates; adding: few, and dq/dt = v
constexpr int small_limit = 40, adding_limit = 12;

struct Check {
  const char* name;
  const char* meaning;
  unsigned needs;  // of the robot, any of the below
  Difference (*run)(Sample&);
};

const std::vector<Check>& checks();            // all of them
const std::vector<Check>& paper_checks();      // checks_papers.cpp: those of the five papers
const std::vector<Check>& linear_checks();     // checks_linear.cpp: linearized dynamics
const std::vector<Check>& method_checks();     // checks_methods.cpp: the papers' other methods, curvature
const std::vector<Check>& body_checks();       // checks_bodies.cpp: poses, steps, joint wrenches
const std::vector<Check>& mechanics_checks();  // checks_mechanics.cpp: state space, parameters, rollouts, control

}  // namespace catena::cli
