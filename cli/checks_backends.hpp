// The checks of `catena verify` on backends: every function by lanes of each width, by machine code for one state and
// for batches, by generated C, against the plain calls, which the other checks hold against independent algorithms.
#pragma once

#include <functional>
#include <unordered_map>

#include "catena/batch/batch.hpp"
#include "catena/machine/machine_code.hpp"
#include "cli/checks.hpp"

namespace catena::cli {

// What rounding acts on in the results of dynamics and linearizations, by name, number by number.
using BlockSizes = std::unordered_map<std::string, Matrix>;

class BackendChecks {
 public:
  explicit BackendChecks(const Model& model);

  // A backend, all functions that it has: one check.
  struct Verdict {
    std::string name, meaning;
    int functions = 0;
    double error = 0, bound = 0;  // of the state and function that come nearest to their bound, or exceed it most
    std::uint64_t seed = 0;
    Function worst = Function::inverse;
    bool passed = true;
  };
  const std::vector<Verdict>& verdicts() const { return verdicts_; }
  // Functions without machine code, by the reason: the plain kernels run in its place.
  struct Plain {
    std::string why, functions;
  };
  const std::vector<Plain>& plain() const { return plain_; }
  // Why there is no check of generated C, or which functions it leaves out; empty where there is nothing to say.
  const std::string& without_c() const { return without_c_; }

  void run(const Sample& sample, std::uint64_t seed);

 private:
  struct Task {
    std::size_t verdict;
    Program signature;  // without code
    std::function<void(const Vector& in, Vector& out)> compute;
  };
  void add_compiled(Function function, const std::vector<std::string>& outputs);
  void add_parametric(Function function);
  void add_generated();
  void add_plain(Function function, const std::string& why);
  void add(const std::string& name, const std::string& meaning, Function function,
           std::function<void(const Vector& in, Vector& out)> compute);
  void add_batch(const std::string& name, const std::string& meaning, Function function, const BatchOptions& options);
  void compare(Task& task, const Sample& sample, const BlockSizes& sizes, const Vector& in, const Vector& expected,
               std::uint64_t seed);

  const Model& model_;
  std::vector<std::string> frame_;  // the tip: one frame stands for all
  std::vector<Verdict> verdicts_;
  std::vector<Task> tasks_;
  std::vector<Plain> plain_;
  std::vector<std::pair<Function, long long>> traced_;  // and its operations
  std::string without_c_;
};

}  // namespace catena::cli
