// Expressions over matrices in the papers' notation, e.g. "(1 + H*Phi*K) * D * (1 + H*Phi*K)^T - M".
//   sum     = term { (+ | -) term }          term  = factor { * factor }
//   factor  = [-] primary { ^T | ' | ^-1 }   primary = number | name | ( sum )
// A number beside a square matrix is that multiple of the identity, as 1 is in 1 + H Phi K.
#pragma once

#include <functional>

#include "catena/reference/workbench.hpp"

namespace catena::reference {

using Lookup = std::function<WorkbenchValue(const std::string& name)>;

// Throws std::invalid_argument: where it does not parse, and where sizes do not fit.
Evaluation evaluate(const std::string& expression, const Lookup& lookup);

}  // namespace catena::reference
