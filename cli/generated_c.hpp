// What `catena generate` writes, compiled by the C compiler of this machine and called: for catena verify.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/compile/program.hpp"

namespace catena::cli {

// Longer functions take a C compiler longer than a check should.
constexpr long long generated_operations_limit = 10'000;

// Threads: what is const by any number at a time.
class GeneratedC {
 public:
  // Null, and the reason in `why`, without a compiler or a place for its files. Throws NumericalError with the compiler's
  // words if the source does not compile.
  static std::shared_ptr<GeneratedC> make(const Model& model, const std::vector<Program>& programs, std::string& why);
  ~GeneratedC();
  GeneratedC(const GeneratedC&) = delete;
  GeneratedC& operator=(const GeneratedC&) = delete;

  // Program k: all input blocks one after the other, outputs likewise.
  void call(std::size_t k, const double* inputs, double* outputs) const { calls_[k](inputs, outputs); }

 private:
  using Call = void (*)(const double*, double*);
  GeneratedC() = default;

  void* library_ = nullptr;
  std::vector<Call> calls_;
};

}  // namespace catena::cli
