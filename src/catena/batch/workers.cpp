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

// Pieces for each thread: one that wakes late, or is slowed by others' work, leaves its share to the rest.
constexpr int pieces_per_thread = 4;

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
    for (unsigned seen = 0;; ++seen) {
      wait_for_change(round, seen);
      if (end) return;
      work(thread);
      if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) busy.notify_one();
    }
  }

  void work(int thread) {
    for (int k = next.fetch_add(1, std::memory_order_relaxed); k < pieces;
         k = next.fetch_add(1, std::memory_order_relaxed)) {
      try {
        task.call(task.self, thread, bound(k), bound(k + 1));
      } catch (...) {
        const std::lock_guard lock(failed);
        if (k < earliest) earliest = k, error = std::current_exception();
      }
    }
  }
  std::ptrdiff_t bound(int piece) const { return std::min(states, vectors * piece / pieces * width); }

  void run(std::ptrdiff_t count, int of_width, Task given) {
    task = given;
    states = count, width = of_width, vectors = (states + width - 1) / width;
    const auto most = static_cast<std::ptrdiff_t>(pieces_per_thread * (others.size() + 1));
    pieces = static_cast<int>(std::min(most, vectors));
    next = 0;
    earliest = pieces, error = nullptr;
    busy = static_cast<int>(others.size());
    begin_round();
    work(0);
    for (int left = busy; left != 0; left = busy) wait_for_change(busy, left);
    if (error != nullptr) std::rethrow_exception(error);
  }

  const pid_t process;
  std::vector<std::thread> others;
  std::atomic<unsigned> round{0};
  std::atomic<int> busy{0};  // others that have not come to their end
  bool end = false;

  // of this round
  Task task{};
  std::ptrdiff_t states = 0, vectors = 0;
  int width = 1, pieces = 0;
  std::atomic<int> next{0};
  std::mutex failed;
  int earliest = 0;
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
