// What rounding acts on, number by number: of linearized dynamics, and of what a solve with M amplifies.
#pragma once

#include "cli/checks.hpp"

namespace catena::cli {

// Of A_D and B_D. They are summed in the axes of the ground about a point at the first joint, whatever is left of them.
struct ChangeSizes {
  Matrix A, B;
};
ChangeSizes inverse_change_sizes(const Sample& s);

// M x = b solved for x leaves at most roundings of these forces: what M times x is summed from.
Vector product_sizes(const Vector& root, const Vector& x);

// Of a, M^-1, A_C and B_C: the forces above through |M^-1|.
Vector acceleration_sizes(const Sample& s);
Matrix inverse_sizes(const Sample& s);
ChangeSizes forward_change_sizes(const Sample& s, const ChangeSizes& inverse, const Matrix& A_D, const Matrix& B_D);

}  // namespace catena::cli
