// Engine: one function of one robot for a whole vector of states, and the scratch memory of one thread for it.
// There is one implementation (engine_impl.hpp), compiled once per instruction set; the processor decides which runs.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "catena/batch/states.hpp"
#include "catena/compile/program.hpp"

namespace catena {
class CompiledFunction;
struct ReducedTree;
}  // namespace catena

namespace catena::batch {

// What an engine computes: a function of a robot, all of its outputs or some.
struct Job {
  Function function = Function::inverse;
  std::vector<int> inputs, outputs;  // numbers of each block
  std::vector<double> least;         // of each parameter in the last of the inputs; empty: there is no such block
  std::vector<int> places;           // of these outputs, among all of the function
  std::vector<int> bodies;           // of jacobian and pose: on the way from the ground to these frames, parents first
  bool tests_pivots = false;         // the function stands behind an inverse of the mass matrix
  bool tests_results = false;        // numbers within bounds may have results that are not

  // Machine code that computes the outputs for as many states as the engine is wide: number i of lane l at
  // [i * width + l] of each block. Angles must be below spatial::largest_reduced_angle. If tests_pivots, there is one
  // more block behind the outputs, the doubt (program.hpp). Null: the kernels compute, which know no parameters.
  using Program = void (*)(const double* const* inputs, double* const* outputs);
  Program program = nullptr;
};
// Throws std::invalid_argument for outputs that the function does not have.
Job make_job(const Model& model, Function function, const Signature& blocks, Job::Program program = nullptr);

// A trajectory for each state, by fixed steps.
struct RolloutPlan {
  bool rk4 = false;  // or semi-implicit Euler
  double step = 0;
  std::ptrdiff_t steps = 0, record_every = 0;  // 0: the end only
  ConstStates q, v;
  ConstTimeSeries tau;            // by step; without data: zero
  ConstStates parameters;         // of each trajectory, if the job has any
  States q_end, v_end;            // without data: not wanted
  TimeSeries q_record, v_record;  // likewise
};

// What went wrong, in some lane.
enum class Trouble {
  none,
  input,       // not finite or too large, or a quaternion not of unit length
  singular,    // no safe pivot
  not_finite,  // the motion left the numbers
};
struct RolloutEnd {
  Trouble trouble = Trouble::none;
  std::ptrdiff_t step = 0;  // in which it happened
};

class Engine {
 public:
  explicit Engine(const Job& job);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine();

  virtual int width() const = 0;
  virtual int tile() const = 0;  // states that compute() takes at most, in whole vectors

  // States first ... first + count - 1; outputs: those of the job, without data where they are not wanted now. In
  // trouble, outputs of some vectors may have been written.
  virtual Trouble compute(const ConstStates* inputs, const States* outputs, std::ptrdiff_t first, int count) = 0;
  // States from `first` up to a vector or the last one, a trajectory each; the function must be `forward`. In trouble
  // q_end and v_end hold the states before the step.
  virtual RolloutEnd roll_out(const RolloutPlan& plan, std::ptrdiff_t first) = 0;

  // One vector of numbers, for tests.
  virtual void sincos(const double* angle, double* sine, double* cosine) const = 0;
  virtual void tanh(const double* x, double* out) const = 0;

 protected:
  // Made here, not by the files for one instruction set: what they make of std::vector others could be linked with.
  const Job job_;
  std::vector<double*> results_;  // room for a pointer to each output, and to the doubt
};

// The widths this processor runs, narrowest first: 2 everywhere, 4 with AVX2 and FMA, 8 with AVX-512.
std::vector<int> widths();

// width: one of widths(), 0 for the widest. Throws std::invalid_argument for others.
// The model must outlive the engine, and so must the program, which is for this width.
std::unique_ptr<Engine> make_engine(const Model& model, const Job& job, int width = 0);

// Machine code of the function for an engine of this width (0: any); nothing, and the reason, where it cannot be made.
std::optional<CompiledFunction> compile_for_lanes(const Model& model, Function function, int width,
                                                  const std::vector<std::string>& outputs,
                                                  const std::vector<std::string>& parameters, std::string& why_not);

// Whether lanes compute the function of this robot: all do, but for quasi-velocities with mimic joints.
bool runs_in_lanes(const Tree& tree, Function function);

std::unique_ptr<Engine> make_engine_2(const Tree& tree, const ReducedTree& reduced, const Job& job);
std::unique_ptr<Engine> make_engine_4(const Tree& tree, const ReducedTree& reduced, const Job& job);
std::unique_ptr<Engine> make_engine_8(const Tree& tree, const ReducedTree& reduced, const Job& job);

}  // namespace catena::batch
