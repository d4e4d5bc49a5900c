// Programs: a function of the library specialised to one robot, as a short list of operations without loops or choices.
// Traced from the kernels, simplified, then interpreted, written as C (write_c.hpp) or made into machine code.
// Angles in rad, lengths in m; matrices column by column, as everywhere in the library.
#pragma once

#include <span>
#include <string>

#include "catena/compile/code.hpp"
#include "catena/compile/function.hpp"
#include "catena/count/counting.hpp"
#include "catena/model/parameter.hpp"

#pragma GCC visibility push(default)
namespace catena {

std::vector<Function> functions(const Model& model);  // those that can be traced for it

// An argument or a result: a vector (columns 1) or a matrix.
struct ProgramBlock {
  std::string name;
  int rows = 0, columns = 1;
  int first = 0;  // position among all inputs or outputs

  int size() const { return rows * columns; }
};

// What a function takes and gives: all of it, or of the outputs those that are named, in the function's order.
struct Signature {
  std::vector<ProgramBlock> inputs, outputs;
  std::vector<Parameter> parameters;  // in the order of the last input, parameters_block
};
// Parameters of the robot (model/parameter.hpp) can be inputs too, in one more block behind the others.
inline constexpr const char* parameters_block = "parameters";
inline constexpr std::size_t most_input_blocks = 4;  // with it
// Throws std::invalid_argument for names that are not among the outputs or parameters, or given twice.
Signature signature(const Model& model, Function function, const std::vector<std::string>& outputs = {},
                    const std::vector<std::string>& parameters = {});

// Threads: what is const by any number at a time.
class Program {
 public:
  Function function = Function::inverse;
  std::string method;  // "composite", "articulated", where there was a choice
  std::vector<ProgramBlock> inputs, outputs;
  std::vector<Parameter> parameters;  // those that are inputs; all others of the robot are constants
  compile::Code code;                 // its inputs and results are numbered through all blocks
  // Behind the results stands one more number, the doubt: the sum of (floor / pivot)^2 over the pivots of the mass
  // matrix. Below 1 all of them are safe (Tree::pivot_floor); otherwise, and where it is NaN, the plain
  // library has to be asked.
  bool guarded = false;

  int input_count() const;
  int output_count() const;
  Operations operations() const;  // trig: sines, cosines and tanh; signs are free
};

// outputs: names of those wanted, none means all; of jacobian and pose they are frames: {"tool0"}. Joint terms, mimic
// joints and gravity as in the model, base at rest, no wrenches. Throws std::invalid_argument for what cannot be
// compiled: springs on spherical and free joints, linearization with springs on planar ones, quasi-velocities with
// mimic joints, and programs of millions of operations.
Program trace(const Model& model, Function function, const std::vector<std::string>& outputs = {},
              const std::vector<std::string>& parameters = {});
// The same with the doubt, if the function stands behind an inverse of the mass matrix.
Program trace_guarded(const Model& model, Function function, const std::vector<std::string>& outputs = {},
                      const std::vector<std::string>& parameters = {});

// Runs the program operation by operation. Throws std::invalid_argument for wrong sizes.
void evaluate(const Program& program, std::span<const double> inputs, std::span<double> outputs);

}  // namespace catena
#pragma GCC visibility pop
