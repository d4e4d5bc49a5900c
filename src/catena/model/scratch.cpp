#include "catena/model/scratch.hpp"

#include <functional>
#include <thread>

namespace catena {

namespace {

// Where a thread looks first: for most of them a place of their own.
std::size_t first_place() { return std::hash<std::thread::id>{}(std::this_thread::get_id()); }

}  // namespace

Scratch::~Scratch() {
  for (auto& all : lent_) {
    for (Place& place : all) delete place.memory.load();
  }
}

std::unique_ptr<Scratch::Memory> Scratch::take(Use use) {
  const std::size_t first = first_place();
  for (std::size_t k = 0; k < places; ++k) {
    std::atomic<Memory*>& place = lent_[use][(first + k) % places].memory;
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    if (Memory* const memory = place.exchange(nullptr, std::memory_order_acquire); memory != nullptr) {
      return std::unique_ptr<Memory>(memory);
    }
  }
  return nullptr;
}

void Scratch::give(Use use, std::unique_ptr<Memory> memory) {
  const std::size_t first = first_place();
  for (std::size_t k = 0; k < places; ++k) {
    std::atomic<Memory*>& place = lent_[use][(first + k) % places].memory;
    Memory* empty = nullptr;
    if (place.compare_exchange_strong(empty, memory.get(), std::memory_order_release, std::memory_order_relaxed)) {
      static_cast<void>(memory.release());
      return;
    }
  }
}

}  // namespace catena
