// Timing by turns: the backends that compute the same thing work round by round, each for a moment, so that a noisy
// machine disturbs all of them alike.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace catena::cli {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The value below which the given part of them lies: 0 the smallest, 0.5 the median, 1 the largest.
inline double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}

// A backend: one call of `work` takes all states.
struct Backend {
  std::string name;
  std::function<void()> work;
  std::function<std::vector<double>(int state)> answer = {};  // results for one state, so that backends can be compared
  std::vector<double> ns = {};                                // per state, a number for each round
};

// Every backend works for `turn` seconds in each round.
inline void take_turns(std::vector<Backend>& backends, int states, int rounds, double turn = 2e-3) {
  std::vector<int> repeat;
  for (const Backend& backend : backends) {
    backend.work();  // warm
    const auto start = Clock::now();
    backend.work();
    repeat.push_back(std::max(1, static_cast<int>(turn / std::max(1e-9, seconds_since(start)))));
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t w = 0; w < backends.size(); ++w) {
      const auto start = Clock::now();
      for (int k = 0; k < repeat[w]; ++k) backends[w].work();
      backends[w].ns.push_back(1e9 * seconds_since(start) / repeat[w] / states);
    }
  }
}

}  // namespace catena::cli
