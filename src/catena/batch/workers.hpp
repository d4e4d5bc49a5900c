// Work on many states, shared between threads that are kept from call to call: two of them pay from a few hundred states
// on, where starting one takes as long as computing a thousand.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "catena/batch/batch.hpp"

namespace catena::batch {

// Throws std::invalid_argument; what: "a batch".
void require_threads(int threads, const std::string& what);

// One call at a time. The threads are made by the first call that has work for them, and sleep between calls.
class Workers {
 public:
  explicit Workers(int threads);  // the caller's own among them
  Workers(Workers&&) noexcept;
  Workers& operator=(Workers&&) noexcept;
  ~Workers();

  // Calls work(thread, begin, end) for ranges that cover 0 ... states, each of whole vectors. The error of the earliest
  // range is the one thrown, after all have come to their end. Where the system gives no thread the others do its work.
  template <class Work>
  void share(std::ptrdiff_t states, int width, const Work& work) {
    if (threads_ == 1 || states <= width) {
      if (states > 0) work(0, std::ptrdiff_t{0}, states);
      return;
    }
    run(states, width, {&work, [](const void* self, int thread, std::ptrdiff_t begin, std::ptrdiff_t end) {
                          (*static_cast<const Work*>(self))(thread, begin, end);
                        }});
  }

 private:
  struct Task {
    const void* self;
    void (*call)(const void* self, int thread, std::ptrdiff_t begin, std::ptrdiff_t end);
  };
  struct Crew;
  void run(std::ptrdiff_t states, int width, Task task);
  void dismiss();

  int threads_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace catena::batch
