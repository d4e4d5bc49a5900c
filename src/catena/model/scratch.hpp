// Scratch memory that a model lends to the calls that return their results: made by the first such call, kept for the
// next, taken and given back without a lock. Whoever brings a workspace of his own does without.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "catena/model/model.hpp"

namespace catena {

class Scratch {
 public:
  // What can be lent; derived from, so that the model need not know workspaces.
  struct Memory {
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    virtual ~Memory() = default;
  };
  enum Use { dynamics, linear, compiled, uses };

  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  std::unique_ptr<Memory> take(Use use);  // null: none is there
  void give(Use use, std::unique_ptr<Memory> memory);

 private:
  // One place for each of as many calls at the same time; what finds none free is thrown away.
  static constexpr int places = 8;
  struct alignas(64) Place {  // no two threads wait for one line of the cache
    std::atomic<Memory*> memory{nullptr};
  };
  std::array<std::array<Place, places>, uses> lent_;
};

// A Workspace or LinearWorkspace for the length of a call: from the model's scratch memory if there is one to spare.
template <class Work, Scratch::Use use>
class Borrowed {
 public:
  explicit Borrowed(const Model& model) : scratch_(model.scratch()) {
    if (scratch_ != nullptr) held_.reset(static_cast<Held*>(scratch_->take(use).release()));
    // what the model keeps must not keep the model
    if (held_ == nullptr) held_ = std::make_unique<Held>(model.without_scratch());
  }
  ~Borrowed() {
    if (scratch_ != nullptr) scratch_->give(use, std::move(held_));
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  operator Work&() { return held_->work; }
  Work* operator->() { return &held_->work; }

 private:
  struct Held : Scratch::Memory {
    explicit Held(const Model& model) : work(model) {}
    Work work;
  };
  Scratch* scratch_;
  std::unique_ptr<Held> held_;
};

}  // namespace catena
