// Instants closer than this are one: times are multiples of a period, rounded.
#pragma once

#include <algorithm>
#include <cmath>

namespace catena {

inline double slack(double time) { return 1e-12 * std::max(1.0, std::abs(time)); }

}  // namespace catena
