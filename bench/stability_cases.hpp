// The robots, states and methods of the study of rounding in forward dynamics (docs/studies/stability.md), and what is
// measured on them.
#pragma once

#include <string>
#include <vector>

#include "catena/kinematics/configuration.hpp"

namespace catena::stability {

using Solve = Vector (*)(const Model&, ConstVector, ConstVector, ConstVector);

struct Method {
  const char* name;
  const char* meaning;
  bool linear;  // O(n)
  Solve solve;
  int ceiling;  // coordinates up to which it is run
};
const std::vector<Method>& methods();

struct State {
  Model model;
  Vector q, v, tau;
};

// What grows: a row of robots.
struct Family {
  const char* name;
  const char* title;
  const char* grows;
  std::vector<double> sizes;
  // driven: forces that accelerate every joint by about 1 rad/s^2; otherwise let go, no forces.
  State (*state)(double size, std::uint64_t seed, bool driven);
};
const std::vector<Family>& families(bool quick);

// Of one method at one state. NaN: it gave up.
struct Errors {
  double forward;   // |a - exact| / |exact|, largest components
  double backward;  // |M a - (tau - bias)| / (|M| |a| + |tau - bias|), in coordinates scaled by sqrt(M_ii)
};
struct Measured {
  double condition;            // of M, coordinates scaled by sqrt(M_ii)
  std::vector<Errors> errors;  // by method
};
Measured measure(const State& state);

// What a Dormand-Prince integrator makes of a method: steps over `duration` seconds, tolerance relative and absolute.
struct Run {
  int taken = 0, rejected = 0;
  bool whole = false;  // it got to the end
};
Run integrate(const State& start, const Method& method, double tolerance, double duration);
// noise alone: at `count` states q + k step v.
double noise(const State& state, const Method& method, double step, int count);

}  // namespace catena::stability
