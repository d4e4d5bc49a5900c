#include "bench/peak.hpp"

#include <cstring>
#include <functional>
#include <vector>

#include "cli/timing.hpp"

namespace catena::race {
namespace {

constexpr int chains = 10, turns = 2000;

// The best of many tries, in units per second: a disturbance only ever takes time.
double fastest(double units, const std::function<void()>& work) {
  double best = 0;
  for (int k = 0; k < 200; ++k) {
    const auto start = cli::Clock::now();
    work();
    best = std::max(best, units / cli::seconds_since(start));
  }
  return best;
}

#ifdef __x86_64__
// Ten fused multiply-adds that do not wait for one another, in the assembler's words: a compiler may do what it likes
// with a loop without results.
#define CATENA_ONE(INSTRUCTION, R, K) #INSTRUCTION " %%" #R "mm15, %%" #R "mm15, %%" #R "mm" #K "\n\t"
#define CATENA_TEN(I, R) \
  CATENA_ONE(I, R, 0)    \
  CATENA_ONE(I, R, 1)    \
  CATENA_ONE(I, R, 2)    \
  CATENA_ONE(I, R, 3)    \
  CATENA_ONE(I, R, 4)    \
  CATENA_ONE(I, R, 5) CATENA_ONE(I, R, 6) CATENA_ONE(I, R, 7) CATENA_ONE(I, R, 8) CATENA_ONE(I, R, 9)
#define CATENA_PEAK(NAME, INSTRUCTION, R)                                                                 \
  void NAME() {                                                                                           \
    for (int k = 0; k < turns; ++k) {                                                                     \
      __asm__ volatile(CATENA_TEN(INSTRUCTION, R)                                                         \
                       :                                                                                  \
                       :                                                                                  \
                       : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9"); \
    }                                                                                                     \
  }
CATENA_PEAK(multiply_add, vfmadd231sd, x)
CATENA_PEAK(multiply_add_4, vfmadd231pd, y)
CATENA_PEAK(multiply_add_8, vfmadd231pd, z)
#endif

double write_speed(std::size_t bytes) {
  std::vector<char> memory(bytes);
  char value = 0;
  return 1e-9 * fastest(static_cast<double>(bytes), [&] {
           std::memset(memory.data(), ++value, bytes);
           __asm__ volatile("" : : "r"(memory.data()) : "memory");
         });
}

}  // namespace

Peak measure_peak() {
  Peak out;
#ifdef __x86_64__
  const double each = 2e-9 * chains * turns;
  if (__builtin_cpu_supports("fma")) out.scalar = out.vector = fastest(each, multiply_add);
  if (__builtin_cpu_supports("avx2") && out.scalar > 0) out.width = 4, out.vector = fastest(4 * each, multiply_add_4);
  if (__builtin_cpu_supports("avx512f")) out.width = 8, out.vector = fastest(8 * each, multiply_add_8);
#endif
  out.near_writes = write_speed(256 << 10);
  out.far_writes = write_speed(64 << 20);
  return out;
}

}  // namespace catena::race
