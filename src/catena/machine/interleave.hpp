// The order of steps: what waits for a result lets others go first.
#pragma once

#include "catena/machine/steps.hpp"

namespace catena::compile {

// Reorders what follows the functions. A processor looks ahead only so far, and a program in the order of the kernels
// puts sums that wait for one another side by side. Looks at a few steps at a time, because every step drawn forward
// keeps a register longer.
// values: instructions of the code.
void interleave(std::vector<Step>& list, int values);

}  // namespace catena::compile
