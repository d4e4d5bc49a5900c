// Work on many states, split between threads in pieces of whole vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "catena/batch/batch.hpp"

namespace catena::batch {

// Throws std::invalid_argument; what: "a batch".
inline void require_threads(int threads, const std::string& what) {
  if (threads < 1) throw std::invalid_argument(what + " needs at least one thread, not " + std::to_string(threads));
  if (threads <= most_threads) return;
  throw std::invalid_argument(what + " runs on at most " + std::to_string(most_threads) + " threads, not " +
                              std::to_string(threads));
}

// Calls work(thread, begin, end) for ranges that cover 0 ... states. The error of the earliest range is the one thrown,
// after all have come to their end. Ranges for which the system gives no thread are computed on this one.
template <class Work>
void share(int threads, std::ptrdiff_t states, int width, const Work& work) {
  const std::ptrdiff_t vectors = (states + width - 1) / width;
  const auto used = static_cast<int>(std::min<std::ptrdiff_t>(threads, vectors));
  if (used <= 1) {
    if (states > 0) work(0, std::ptrdiff_t{0}, states);
    return;
  }
  const auto bound = [&](int k) { return std::min(states, vectors * k / used * width); };
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(used));
  const auto guarded = [&](int k) {
    try {
      work(k, bound(k), bound(k + 1));
    } catch (...) {
      errors[static_cast<std::size_t>(k)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(static_cast<std::size_t>(used) - 1);
    int made = 1;
    try {
      for (; made < used; ++made) others.emplace_back(guarded, made);
    } catch (const std::system_error&) {
    }
    guarded(0);
    for (int k = made; k < used; ++k) guarded(k);
  }
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) std::rethrow_exception(error);
  }
}

}  // namespace catena::batch
