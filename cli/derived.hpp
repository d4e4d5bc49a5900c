// Columns that follow from those of a recording and its robot: the quasi-velocities xi and nu from q and v, the working
// moments kappa and epsilon from q and tau (docs/papers/diagonalized.md). Those of a robot on a base at rest.
#pragma once

#include "catena/kinematics/configuration.hpp"
#include "catena/record/recording.hpp"

namespace catena::cli {

// The robot that a recording carries, or else the one it names. Throws DataError where it does neither.
Model recorded_robot(const Recording& recording, const std::string& path);

bool is_derived(const std::string& quantity);  // xi, nu, kappa, epsilon
// Whether the recording has the columns from which this one can be computed.
bool can_derive(const Model& model, const Recording& recording, const std::string& quantity);

struct DerivedColumns {
  std::vector<Column> columns;
  Matrix values;  // a row for each of those asked for
};
// The quantities side by side, at these rows of the recording. Throws DataError for columns that are missing,
// NumericalError where the mass matrix is singular.
DerivedColumns derive_columns(const Model& model, const Recording& recording,
                              const std::vector<std::string>& quantities, const std::vector<long>& rows);

}  // namespace catena::cli
