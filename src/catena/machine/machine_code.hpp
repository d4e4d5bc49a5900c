// A compiled robot: its functions as machine code made for it in a millisecond, with the plain library's results to
// rounding. Where code cannot be made (another processor, a program too long), and for a state with an angle beyond
// 1e5 rad, the plain library computes instead; NaN is interpreted.
// Safe to share between threads.
#pragma once

#include <memory>
#include <optional>

#include "catena/compile/program.hpp"
#include "catena/kinematics/configuration.hpp"

#pragma GCC visibility push(default)
namespace catena {

namespace compile {
class MachineCode;
}
class PlainCalls;

// Straight-line code longer than this outgrows the instruction cache: not compiled.
constexpr long long compiled_operations_limit = 30'000;
// Longer than this the linearization of forward dynamics leaves its products with M^-1 to loops over vectors.
constexpr long long straight_operations_limit = 10'000;

class CompiledFunction {
 public:
  explicit CompiledFunction(Program program);
  // parameters: those of the robot that become inputs, in one more block (program.hpp).
  CompiledFunction(const Model& model, Function function, const std::vector<std::string>& outputs = {},
                   const std::vector<std::string>& parameters = {});
  CompiledFunction(CompiledFunction&&) noexcept;
  CompiledFunction& operator=(CompiledFunction&&) noexcept;
  ~CompiledFunction();

  const Program& program() const { return program_; }
  bool is_machine_code() const;
  int lanes() const;  // states at a time in a batch; 1 without code for lanes, which a long program may lack
  // Why there is no machine code for one state a call, or for lanes; empty where there is.
  std::string why_plain() const;
  std::string why_no_lanes() const;

  // One state: all input blocks one after the other, outputs likewise. Quaternions and the size of numbers are not
  // checked. Throws std::invalid_argument for wrong sizes or where outputs overlap inputs, NumericalError naming the
  // joint where the mass matrix is singular, if it was made from a model and the function stands behind its inverse.
  void operator()(std::span<const double> inputs, std::span<double> outputs) const;
  // The same, one pointer per block; sizes are the caller's business.
  void call(const double* const* inputs, double* const* outputs) const;

  // The code for lanes() states at a time, number i of state l at [i * lanes() + l] of each block; null without machine
  // code. What Batch (batch/batch.hpp) calls: nothing is checked, and angles beyond 1e5 rad are not for it. Behind the
  // outputs of a guarded program there is a block of one number, the doubt (program.hpp).
  using Entry = void (*)(const double* const* inputs, double* const* outputs);
  Entry lanes_entry() const;

 private:
  void compile_but_products(const Model& model);
  bool all_finite(const double* const* inputs) const;
  void compute_otherwise(const double* const* inputs, double* const* outputs) const;
  void call_several(const double* const* inputs, double* const* outputs, double& doubt) const;
  void call_for_many_blocks(const double* const* inputs, double* outputs) const;
  bool angles_in_range(const double* const* inputs) const;
  bool parameters_possible(const double* const* inputs) const;
  std::string why_not_emitted() const;

  struct Place {
    int block, index;
  };
  struct Products;
  Program program_;
  std::optional<Model> model_;
  std::vector<Place> angles_;  // inputs that sines depend on
  int guarded_outputs_ = 0;    // blocks before the doubt; 0: there is none
  std::unique_ptr<compile::MachineCode> one_, many_;
  std::unique_ptr<Products> products_;  // what is left to do after one_, if anything
  std::unique_ptr<PlainCalls> plain_;   // what computes where there is no machine code
};

class CompiledModel {
 public:
  // Throws std::invalid_argument for functions that cannot be traced (program.hpp).
  explicit CompiledModel(const Model& model,
                         const std::vector<Function>& functions = {Function::inverse, Function::gravity, Function::bias,
                                                                   Function::mass_matrix, Function::forward});

  const Model& model() const { return model_; }
  const CompiledFunction& function(Function function) const;  // throws std::invalid_argument if not asked for

  void inverse_dynamics(ConstVector q, ConstVector v, ConstVector a, VectorRef tau) const;
  void gravity_forces(ConstVector q, VectorRef tau) const;
  void bias_forces(ConstVector q, ConstVector v, VectorRef tau) const;
  void forward_dynamics(ConstVector q, ConstVector v, ConstVector tau, VectorRef a) const;
  void mass_matrix(ConstVector q, Eigen::Ref<Matrix> M) const;
  void mass_matrix_inverse(ConstVector q, Eigen::Ref<Matrix> M_inv) const;

 private:
  Model model_;
  std::vector<CompiledFunction> functions_;
};

}  // namespace catena
#pragma GCC visibility pop
