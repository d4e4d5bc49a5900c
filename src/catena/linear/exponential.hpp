// exp(A) of a square matrix.
#pragma once

#include "catena/kinematics/configuration.hpp"

namespace catena {

Matrix exponential(Matrix A);

}  // namespace catena
