// The doctor: checks a Description for everything that breaks or distorts dynamics, and mends what can be mended.
// Severities: an error stops loading; a warning is computed with as written; a note informs.
#pragma once

#include "catena/model/description.hpp"

namespace catena {

// Every finding that can be made from the description alone (readers add what only the file shows).
Findings check(const Description& description);

struct Change {
  Source source;
  std::string body;
  std::string what;  // "inertia: eigenvalues (..) -> (..), ..."
};

// The nearest physically valid inertia (about the centre of mass) in the Frobenius norm: the second-moment matrix
// S = tr(I)/2 1 - I is projected onto the positive semidefinite cone. Also symmetrises.
Matrix3 nearest_valid_inertia(const Matrix3& inertia);

// Mends inertias, axes, limits, ... in place and lists each change. What has no unique remedy stays.
std::vector<Change> mend(Description& description);

}  // namespace catena
