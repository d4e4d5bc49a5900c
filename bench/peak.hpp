// What one core can do: multiply-adds without dependencies, and writes.
#pragma once

namespace catena::race {

struct Peak {
  int width = 1;                           // numbers in the widest vector
  double scalar = 0, vector = 0;           // GFLOP/s of fused multiply-adds, two operations each; 0: not known
  double near_writes = 0, far_writes = 0;  // GB/s into 256 kB and into 64 MB
};
Peak measure_peak();

}  // namespace catena::race
