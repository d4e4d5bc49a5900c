// Programs: a function of the library specialised to one robot, as a short list of operations without loops or choices.
// Traced from the kernels, simplified, then interpreted, written as C (write_c.hpp) or made into machine code.
// Angles in rad, lengths in m; matrices column by column, as everywhere in the library.
#pragma once

#include <span>
#include <string>

#include "catena/compile/code.hpp"
#include "catena/compile/counting.hpp"
#include "catena/model/parameter.hpp"

namespace catena {

enum class Function {
  inverse,              // q, v, a -> tau
  gravity,              // q -> tau that holds the robot still, without joint terms
  coriolis,             // q, v -> tau of Coriolis and centrifugal forces alone
  bias,                 // q, v -> tau for a = 0
  mass_matrix,          // q -> M
  mass_matrix_inverse,  // q -> M_inv
  coriolis_matrix,      // q, v -> C
  forward,              // q, v, tau -> a
  linearize_inverse,    // q, v, a -> M, A_D, B_D
  linearize_forward,    // q, v, tau -> a, M_inv, A_C, B_C
  nu,                   // q, v -> nu, the quasi-velocities in which the mass matrix is 1
  epsilon,              // q, tau -> epsilon, the forces that belong to them
  forward_nu,           // q, nu, tau -> v, nu_dot
  xi,                  // q, v -> xi, the quasi-velocities in which the mass matrix is diagonal: nu without square roots
  kappa,               // q, tau -> kappa, the forces that belong to them
  forward_xi,          // q, xi, tau -> v, xi_dot
  velocity_from_nu,    // q, nu -> v, and so on: the ways back
  velocity_from_xi,    // q, xi -> v
  force_from_epsilon,  // q, epsilon -> tau
  force_from_kappa,    // q, kappa -> tau
  jacobian,            // q -> for each frame 6 x nv, [angular; linear] in world axes at its origin (Axes::aligned)
  pose,                // q -> for each frame 3 x 4, [R p] in the world
};
const std::vector<Function>& functions();
std::vector<Function> functions(const Model& model);  // those that can be traced for it
const char* function_name(Function function);
Function function_from_name(const std::string& name);  // throws std::invalid_argument with the names there are

bool in_quasi_velocities(Function function);  // nu, xi, the forces that belong to them, and the ways back
bool of_frames(Function function);            // whose outputs are named after the model's frames: jacobian, pose
bool uses_inverse_mass_matrix(
    Function function);  // of the mass matrix, so that its condition number magnifies rounding

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

class Program {
 public:
  Function function = Function::inverse;
  std::string method;  // "composite", "articulated", where there was a choice
  std::vector<ProgramBlock> inputs, outputs;
  std::vector<Parameter> parameters;  // those that are inputs; all other numbers of the robot are constants
  compile::Code code;                 // its inputs and results are numbered through all blocks
  // Behind the results stands one more number, the doubt: the sum of (floor / pivot)^2 over the pivots of the mass
  // matrix. Below 1 all of them are safe (Tree::pivot_floor); otherwise, and where it is NaN, the plain
  // library has to be asked.
  bool guarded = false;

  int input_count() const;
  int output_count() const;
  Operations operations() const;  // trig: sines, cosines and tanh; signs are free
};

// outputs: names of those wanted, none means all; of jacobian and pose they are frames: {"tool0"}. Joint terms, couplings
// and gravity as in the model, base at rest, no wrenches. Throws std::invalid_argument for what cannot be compiled:
// springs on spherical and free joints, linearization with springs on planar ones, quasi-velocities with couplings, and
// programs of millions of operations.
Program trace(const Model& model, Function function, const std::vector<std::string>& outputs = {},
              const std::vector<std::string>& parameters = {});
// The same with the doubt, if the function stands behind an inverse of the mass matrix.
Program trace_guarded(const Model& model, Function function, const std::vector<std::string>& outputs = {},
                      const std::vector<std::string>& parameters = {});

// Runs the program operation by operation. Throws std::invalid_argument for wrong sizes.
void evaluate(const Program& program, std::span<const double> inputs, std::span<double> outputs);

}  // namespace catena
