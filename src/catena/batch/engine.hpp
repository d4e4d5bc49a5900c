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
}

namespace catena::batch {

// Machine code that computes the function, or some of its outputs, for as many states as the engine is wide: number i of
// lane l at [i * width + l] of each block. Angles must be below spatial::largest_reduced_angle.
struct LaneProgram {
  void (*call)(const double* const* inputs, double* const* outputs) = nullptr;
  int outputs = 0;
  int numbers[4] = {};  // of each
};

// A trajectory for each state, by fixed steps.
struct RolloutPlan {
  bool rk4 = false;  // or semi-implicit Euler
  double step = 0;
  std::ptrdiff_t steps = 0, record_every = 0;  // 0: the end only
  ConstStates q, v;
  ConstCourse tau;            // by step; without data: zero
  States q_end, v_end;        // without data: not wanted
  Course q_record, v_record;  // likewise
};

// What went wrong, in some lane.
enum class Trouble {
  none,
  input,       // not finite, or a quaternion not of unit length
  singular,    // no safe pivot
  not_finite,  // the motion left the numbers
};
struct RolloutEnd {
  Trouble trouble = Trouble::none;
  std::ptrdiff_t step = 0;  // in which it happened
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine();

  virtual int width() const = 0;
  virtual int tile() const = 0;  // states that compute() takes at most, in whole vectors

  // States first ... first + count - 1. In trouble, outputs of some vectors may have been written.
  virtual Trouble compute(const ConstStates* inputs, const States* outputs, std::ptrdiff_t first, int count) = 0;
  // States from `first` up to a vector or the last one, a trajectory each; the function must be `forward`. In trouble q_end and v_end hold the states
  // before the step.
  virtual RolloutEnd roll_out(const RolloutPlan& plan, std::ptrdiff_t first) = 0;

  // One vector of numbers, for tests.
  virtual void sincos(const double* angle, double* sine, double* cosine) const = 0;
  virtual void tanh(const double* x, double* out) const = 0;
};

// The widths this processor runs, narrowest first: 2 everywhere, 4 with AVX2 and FMA, 8 with AVX-512.
std::vector<int> widths();

// width: one of widths(), 0 for the widest. Throws std::invalid_argument for others.
// The tree must outlive the engine. program: none, or for this function and width; outputs are then those it has.
std::unique_ptr<Engine> make_engine(const Tree& tree, Function function, int width = 0,
                                    const LaneProgram& program = {});

// Machine code of the function for an engine of this width (0: any); nothing where it cannot be made.
std::optional<CompiledFunction> compile_for_lanes(const Model& model, Function function, int width,
                                                  const std::vector<std::string>& outputs = {});
LaneProgram lane_program(const CompiledFunction& code);  // which must outlive it

// Whether lanes compute the function of this robot: all do, but for quasi-velocities with couplings.
bool runs_in_lanes(const Tree& tree, Function function);

std::unique_ptr<Engine> make_engine_2(const Tree& tree, Function function, const LaneProgram& program);
std::unique_ptr<Engine> make_engine_4(const Tree& tree, Function function, const LaneProgram& program);
std::unique_ptr<Engine> make_engine_8(const Tree& tree, Function function, const LaneProgram& program);

}  // namespace catena::batch
