#include "catena/batch/workers.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace catena::batch {

namespace {

// A range is this part of what is left for each thread, and no less than a few vectors: ranges grow short towards the end,
// so that nobody waits long for the last one, and a thread that wakes late leaves its share to the others.
constexpr std::ptrdiff_t part_of_rest = 2, shortest_range = 4;

// A thread that waits looks this often before it sleeps, some tens of microseconds: as long as waking one takes.
constexpr int looks_before_sleep = 1000;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Returns once x is no longer `old`.
template <class Number>
void wait_for_change(const std::atomic<Number>& x, Number old) {
  for (int k = 0; k < looks_before_sleep; ++k) {
    if (x.load(std::memory_order_acquire) != old) return;
    pause();
  }
  x.wait(old, std::memory_order_acquire);
}

}  // namespace

void require_threads(int threads, const std::string& what) {
  if (threads < 1) throw std::invalid_argument(what + " needs at least one thread, not " + std::to_string(threads));
  if (threads <= most_threads) return;
  throw std::invalid_argument(what + " runs on at most " + std::to_string(most_threads) + " threads, not " +
                              std::to_string(threads));
}

struct Workers::Crew {
  explicit Crew(int threads) : process(getpid()) {
    try {
      for (int k = 1; k < threads; ++k) others.emplace_back([this, k] { serve(k); });
    } catch (const std::system_error&) {  // as many as the system gives
    }
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    end = true;
    begin_round();
    for (std::thread& other : others) other.join();
  }

  void begin_round() {
    round.fetch_add(1, std::memory_order_release);
    round.notify_all();
  }

  void serve(int thread) {
    for (unsigned seen = 0;;) {
      wait_for_change(round, seen);
      seen = round.load(std::memory_order_acquire);
      if (end) return;
      const bool open = (gate.fetch_add(1, std::memory_order_acq_rel) & closed) == 0;  // else the round went without it
      if (open) work(thread);
      if (gate.fetch_sub(1, std::memory_order_acq_rel) == (closed | 1)) gate.notify_one();
    }
  }

  void work(int thread) {
    const auto threads = static_cast<std::ptrdiff_t>(others.size()) + 1;
    for (std::ptrdiff_t first = next.load(std::memory_order_relaxed); first < vectors;) {
      const std::ptrdiff_t share = std::max((vectors - first) / (part_of_rest * threads), shortest_range);
      const std::ptrdiff_t last = std::min(first + share, vectors);
      if (!next.compare_exchange_weak(first, last, std::memory_order_relaxed)) continue;
      try {
        task.call(task.self, thread, first * width, std::min(last * width, states));
      } catch (...) {
        const std::lock_guard lock(failed);
        if (first < earliest) earliest = first, error = std::current_exception();
      }
      first = next.load(std::memory_order_relaxed);
    }
  }

  void run(std::ptrdiff_t count, int of_width, Task given) {
    task = given;
    states = count, width = of_width, vectors = (states + width - 1) / width;
    next = 0;
    earliest = vectors, error = nullptr;
    gate.fetch_and(~closed, std::memory_order_release);
    begin_round();
    work(0);
    // Whoever has not come by now need not: nobody waits for a thread to wake.
    for (unsigned inside = gate.fetch_or(closed, std::memory_order_acq_rel) | closed; inside != closed;
         inside = gate.load(std::memory_order_acquire)) {
      wait_for_change(gate, inside);
    }
    if (error != nullptr) std::rethrow_exception(error);
  }

  const pid_t process;
  std::vector<std::thread> others;
  std::atomic<unsigned> round{0};
  static constexpr unsigned closed = 1u << 31;
  std::atomic<unsigned> gate{closed};  // how many others are inside this round, and whether it takes more
  bool end = false;

  // of this round
  Task task{};
  std::ptrdiff_t states = 0, vectors = 0;
  int width = 1;
  std::atomic<std::ptrdiff_t> next{0};  // vector
  std::mutex failed;
  std::ptrdiff_t earliest = 0;
  std::exception_ptr error;
};

Workers::Workers(int threads) : threads_(threads) {}
Workers::Workers(Workers&&) noexcept = default;
Workers& Workers::operator=(Workers&& other) noexcept {
  dismiss();
  threads_ = other.threads_;
  crew_ = std::move(other.crew_);
  return *this;
}
Workers::~Workers() { dismiss(); }

// After fork the threads are the other process's: nobody here can wait for them, so their memory is let go.
void Workers::dismiss() {
  if (crew_ != nullptr && crew_->process != getpid()) static_cast<void>(crew_.release());
  crew_.reset();
}

void Workers::run(std::ptrdiff_t states, int width, Task task) {
  if (crew_ != nullptr && crew_->process != getpid()) dismiss();
  if (crew_ == nullptr) crew_ = std::make_unique<Crew>(threads_);
  crew_->run(states, width, task);
}

}  // namespace catena::batch
