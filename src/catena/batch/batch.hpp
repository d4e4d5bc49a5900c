// Batch: one function of one robot for many states at a time, several side by side in each processor's vectors and, if
// asked, on several threads. The plain library's results to rounding; a state's result does not depend on its place in
// the batch nor on the number of threads, bit for bit.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/batch/states.hpp"
#include "catena/compile/program.hpp"

#pragma GCC visibility push(default)
namespace catena {

// More are refused: each takes a stack and scratch memory of its own, and no processor runs as many side by side.
constexpr int most_threads = 1024;

struct BatchOptions {
  enum Backend {
    automatic,  // machine code where it can be made, else lanes, else the plain library
    lanes,      // the library's kernels, a state in each lane of a vector
    compiled,   // machine code made for this robot
    plain,      // state by state
  };
  Backend backend = automatic;
  int threads = 1;                        // 1 to most_threads; where the system gives fewer, those do the work
  int width = 0;                          // lanes in a vector: 2, 4 (AVX2) or 8 (AVX-512); 0: the widest there is
  std::vector<std::string> outputs = {};  // names of those wanted, none: all; machine code computes nothing else
  // Parameters of the robot that each state brings along, in one more input behind the others (model/parameter.hpp):
  // {"link7.mass", "elbow.damping"}. By machine code or, where it cannot be made, state by state.
  std::vector<std::string> parameters = {};
};

// Threads: one call at a time; the call itself runs on `threads` of them.
class Batch {
 public:
  // Throws std::invalid_argument for what this robot or processor cannot do.
  Batch(const Model& model, Function function, const BatchOptions& options = {});
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  const Signature& blocks() const;        // names and sizes of inputs and outputs, in order; matrices column by column
  BatchOptions::Backend backend() const;  // as chosen
  int width() const;                      // states side by side
  int threads() const;

  // One view per block; all of the same number of states. An output without data is not wanted.
  // Throws std::invalid_argument for wrong sizes, numbers that are not finite, quaternions not of unit length;
  // NumericalError where the mass matrix is singular; both name the state. Outputs of other states may be written by
  // then. Outputs may not overlap inputs. One call at a time; with one thread nothing is allocated.
  void operator()(std::span<const ConstStates> inputs, std::span<const States> outputs);
  void operator()(std::initializer_list<ConstStates> inputs, std::initializer_list<States> outputs) {
    (*this)(std::span(inputs.begin(), inputs.size()), std::span(outputs.begin(), outputs.size()));
  }

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena
#pragma GCC visibility pop
