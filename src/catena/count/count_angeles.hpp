// Algorithms 7.4.1 and 7.4.2 counted line by line, as Angeles counts them: a moving base, a wrench at the tip, nothing
// zero; all joints of one kind.
#pragma once

#include "catena/count/counting.hpp"

namespace catena::compile {

std::vector<SweepCount> count_angeles(int joints, bool prismatic);

}  // namespace catena::compile
