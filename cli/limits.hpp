// Where positions, velocities and forces pass the joints' limits, told in one way by every command.
#pragma once

#include "catena/simulate/scenario.hpp"
#include "cli/output.hpp"

namespace catena::cli {

// A limit that some numbers pass.
struct Excess {
  std::string name;      // of the component, or of a mimic joint
  const char* quantity;  // "position", "velocity", "effort"
  std::string unit;
  double limit, by;        // the limit, and how far they go beyond it at most
  double farthest;         // the number that does
  Eigen::Index first = 0;  // row that passes it first
  int q = -1;              // the number of q, for a position that is a coordinate
  bool degrees = false;    // an angle that would lie within the limits if it were degrees
};

// q, v and tau: a row per instant.
std::vector<Excess> positions_exceeded(const Model& model, const Matrix& q, double slack = 1e-12);
std::vector<Excess> rates_exceeded(const Model& model, const Matrix& v, const Matrix& tau);

// "; write 90deg if degrees are meant", where the number looks like it; in a file, what 90 degrees are in radians.
std::string degrees_hint(const Excess& excess, bool in_file);

// Warns of every joint of a state beyond its limits. from: "--q" or a file; in_degrees: numbers typed as 90deg.
void warn_of_positions(const Model& model, const Vector& q, const std::string& from,
                       const std::vector<bool>& in_degrees, Output& out);
// The same for where a scenario starts, for the pose that its controller holds and for its motion.
void warn_of_positions(const Scenario& scenario, const std::string& file, Output& out);

}  // namespace catena::cli
