// Programs as machine code in memory: x86-64 with AVX2 and FMA, or AVX-512, chosen by what this processor offers.
// Memory for code is never writable and executable at once.
#pragma once

#include <memory>

#include "catena/compile/program.hpp"

namespace catena::compile {

// One pointer per block; outputs may not overlap inputs. With lanes, number i of lane l stands at [i * lanes + l].
using Entry = void (*)(const double* const* inputs, double* const* outputs);

class MachineCode {
 public:
  MachineCode() = default;
  MachineCode(const MachineCode&) = delete;
  MachineCode& operator=(const MachineCode&) = delete;
  virtual ~MachineCode() = default;

  Entry entry = nullptr;
  int lanes = 1;
  std::size_t bytes = 0;
};

// Doubles in this processor's widest vector that code can be emitted for: 8, 4, or 0 where it cannot.
int widest_lanes();

// width: doubles in a vector, 4 (AVX2) or 8 (AVX-512). lanes: states at a time, 1 or width.
// Null where machine code is not possible: a processor without such vectors, or sines of sines.
std::unique_ptr<MachineCode> emit(const Program& program, int lanes, int width = widest_lanes());

// Sines and cosines are computed to rounding for angles up to this.
constexpr double largest_angle = 1e5;

}  // namespace catena::compile
