// The doctor: checks a Description for everything that breaks or distorts dynamics, and mends what can be mended.
// Severities: an error stops loading; a warning is computed with as written; a note informs.
#pragma once

#include "catena/model/description.hpp"

#pragma GCC visibility push(default)
namespace catena {

// Every finding that can be made from the description alone (readers add what only the file shows).
Findings check(const Description& description);

struct Change {
  Source source;
  std::string body;
  std::string what;  // "inertia: eigenvalues (..) -> (..), ..."
};

// The nearest physically valid inertia about the centre of mass. An inertia I belongs to a distribution of mass exactly
// if its second moments S = tr(I)/2 1 - I are positive semidefinite; S is projected onto that cone, eigenvalue by
// eigenvalue. The result is nearest in the Frobenius norm of S, which for a change dI of the inertia is
// sqrt(|dI|_F^2 - tr(dI)^2 / 4); the principal axes stay. Eigenvalues of S that were negative end at 1e-9 of the
// largest instead of 0, so that rounding cannot undo the mending. A valid inertia comes back as it is (its symmetric
// part).
Matrix3 nearest_valid_inertia(const Matrix3& inertia);

// Mends in place and lists each change: inertias that break physics or symmetry, axes that are not unit vectors,
// reversed limits, negative damping and friction, a friction scale of 0, rounded rotation matrices, fixed joints that
// mimic. What has no natural remedy stays. Afterwards check() reports none of these.
std::vector<Change> mend(Description& description);

}  // namespace catena
#pragma GCC visibility pop
