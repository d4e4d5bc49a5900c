#include "catena/machine/machine_code.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "catena/compile/plain.hpp"
#include "catena/compile/products.hpp"
#include "catena/machine/emit.hpp"

namespace catena {

namespace {

constexpr std::size_t most_guarded_outputs = 4;

// The doubt as one more block, as machine code writes it.
Program with_doubt(Program program) {
  if (program.guarded) program.outputs.push_back({"doubt", 1, 1, program.output_count()});
  return program;
}

bool overlap(std::span<const double> a, std::span<const double> b) {
  const std::less<const double*> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

// The inputs that sines and cosines depend on.
std::vector<bool> inputs_of_angles(const compile::Code& code, int count) {
  std::vector<bool> needed(code.size(), false), out(count, false);
  for (int k = code.size() - 1; k >= 0; --k) {
    const compile::Node& node = code[k];
    if (node.op == compile::Op::sin || node.op == compile::Op::cos) needed[node.a] = true;
    if (!needed[k]) continue;
    if (node.op == compile::Op::input) out[node.a] = true;
    if (is_leaf(node.op)) continue;
    needed[node.a] = true;
    if (is_binary(node.op)) needed[node.b] = true;
  }
  return out;
}

// Pointers to the blocks of a row of numbers.
template <class Number>
void point(const std::vector<ProgramBlock>& blocks, Number* numbers, Number** out) {
  for (const ProgramBlock& block : blocks) *out++ = numbers + block.first;
}

}  // namespace

struct CompiledFunction::Products : compile::Multiplier {
  using Multiplier::Multiplier;
};

CompiledFunction::CompiledFunction(Program program) : program_(std::move(program)) {
  const std::vector<bool> angles = inputs_of_angles(program_.code, program_.input_count());
  for (int b = 0; b < static_cast<int>(program_.inputs.size()); ++b) {
    const ProgramBlock& block = program_.inputs[b];
    for (int i = 0; i < block.size(); ++i) {
      if (angles[block.first + i]) angles_.push_back({b, i});
    }
  }
  if (program_.guarded) guarded_outputs_ = static_cast<int>(program_.outputs.size());
  if (program_.operations().total() > compiled_operations_limit) return;
  const Program whole = with_doubt(program_);
  one_ = compile::emit(whole, 1);
  if (one_ != nullptr) many_ = compile::emit(whole, compile::widest_lanes());
}

CompiledFunction::CompiledFunction(const Model& model, Function function, const std::vector<std::string>& outputs,
                                   const std::vector<std::string>& parameters)
    : CompiledFunction(trace_guarded(model, function, outputs, parameters)) {
  model_ = model;
  if (!parameters.empty()) return;
  compile_but_products(model);
  if (!is_machine_code() && PlainCalls::can(function)) plain_ = std::make_unique<PlainCalls>(model, program_);
}

void CompiledFunction::compile_but_products(const Model& model) {
  const Tree& tree = model.tree();
  const bool divisible = program_.function == Function::linearize_forward && program_.outputs.size() == 4 &&
                         kernel::by_factor(tree) && tree.nv <= compile::most_multiplied;
  if (!divisible || program_.operations().total() <= straight_operations_limit) return;
  const Program first = compile::trace_but_products(model);
  if (first.operations().total() > compiled_operations_limit) return;
  if (auto code = compile::emit(with_doubt(first), 1); code != nullptr) {
    one_ = std::move(code);
    products_ = std::make_unique<Products>(tree);
  }
}

CompiledFunction::CompiledFunction(CompiledFunction&&) noexcept = default;
CompiledFunction& CompiledFunction::operator=(CompiledFunction&&) noexcept = default;
CompiledFunction::~CompiledFunction() = default;

bool CompiledFunction::is_machine_code() const { return one_ != nullptr; }
int CompiledFunction::lanes() const { return many_ == nullptr ? 1 : many_->lanes; }

std::string CompiledFunction::why_plain() const { return is_machine_code() ? "" : why_not_emitted(); }
std::string CompiledFunction::why_no_lanes() const { return many_ != nullptr ? "" : why_not_emitted(); }
std::string CompiledFunction::why_not_emitted() const {
  if (compile::widest_lanes() == 0) return "this processor has neither AVX2 with FMA nor AVX-512";
  const long long operations = program_.operations().total();
  if (operations <= compiled_operations_limit) return "a sine or a tanh depends on the result of another";
  return std::to_string(operations) + " operations in a row; beyond " + std::to_string(compiled_operations_limit) +
         " machine code outgrows the instruction cache";
}

bool CompiledFunction::angles_in_range(const double* const* inputs) const {
  bool good = true;
  for (const Place& p : angles_) good &= std::abs(inputs[p.block][p.index]) <= compile::largest_angle;
  return good;
}

bool CompiledFunction::all_finite(const double* const* inputs) const {
  for (std::size_t k = 0; k < program_.inputs.size(); ++k) {
    if (!Eigen::Map<const Vector>(inputs[k], program_.inputs[k].size()).allFinite()) return false;
  }
  return true;
}

// The interpreter is slow but asks nothing of its inputs; it takes what neither machine code nor the plain library takes.
void CompiledFunction::compute_otherwise(const double* const* inputs, double* const* outputs) const {
  const bool plain = model_ && all_finite(inputs);
  if (plain && plain_ != nullptr) return (*plain_)(*model_, inputs, outputs);
  Vector in(program_.input_count()), out(program_.output_count());
  for (std::size_t k = 0; k < program_.inputs.size(); ++k) {
    std::copy_n(inputs[k], program_.inputs[k].size(), in.begin() + program_.inputs[k].first);
  }
  if (plain)
    out = plain_values(*model_, program_, in);
  else
    evaluate(program_, {in.data(), static_cast<std::size_t>(in.size())},
             {out.data(), static_cast<std::size_t>(out.size())});
  for (std::size_t k = 0; k < program_.outputs.size(); ++k) {
    std::copy_n(out.begin() + program_.outputs[k].first, program_.outputs[k].size(), outputs[k]);
  }
}

// A state that the plain library would refuse, so that it says why.
bool CompiledFunction::parameters_possible(const double* const* inputs) const {
  const double* next = inputs[program_.inputs.size() - 1];
  for (const Parameter& parameter : program_.parameters) {
    if (!(*next++ >= parameter.least)) return false;
  }
  return true;
}

void CompiledFunction::call(const double* const* inputs, double* const* outputs) const {
  if (one_ == nullptr || !angles_in_range(inputs) || (!program_.parameters.empty() && !parameters_possible(inputs)))
    return compute_otherwise(inputs, outputs);
  if (guarded_outputs_ == 0) return one_->entry(inputs, outputs);
  double doubt = 0;
  if (guarded_outputs_ == 1) {
    double* const both[] = {outputs[0], &doubt};
    one_->entry(inputs, both);
  } else {
    call_several(inputs, outputs, doubt);
  }
  if (!(doubt < 1)) [[unlikely]]
    compute_otherwise(inputs, outputs);  // the plain library has the last word
}

void CompiledFunction::call_several(const double* const* inputs, double* const* outputs, double& doubt) const {
  double* all[most_guarded_outputs + 1];
  *std::copy_n(outputs, guarded_outputs_, all) = &doubt;
  if (products_ == nullptr)
    one_->entry(inputs, all);
  else
    products_->run(all, [&](double* const* first) { one_->entry(inputs, first); });
}

void CompiledFunction::operator()(std::span<const double> inputs, std::span<double> outputs) const {
  if (static_cast<int>(inputs.size()) != program_.input_count() ||
      static_cast<int>(outputs.size()) != program_.output_count()) {
    throw std::invalid_argument(std::string(function_name(program_.function)) + " takes " +
                                std::to_string(program_.input_count()) + " numbers and gives " +
                                std::to_string(program_.output_count()));
  }
  if (overlap(inputs, outputs))
    throw std::invalid_argument("outputs of a compiled function may not overlap its inputs");
  const double* in[most_input_blocks];
  point(program_.inputs, inputs.data(), in);
  constexpr std::size_t few = 128;
  if (program_.outputs.size() > few) return call_for_many_blocks(in, outputs.data());
  double* out[few];
  point(program_.outputs, outputs.data(), out);
  call(in, out);
}
// Frames of a very long robot: the one call that allocates.
void CompiledFunction::call_for_many_blocks(const double* const* inputs, double* outputs) const {
  std::vector<double*> out(program_.outputs.size());
  point(program_.outputs, outputs, out.data());
  call(inputs, out.data());
}

CompiledFunction::Entry CompiledFunction::lanes_entry() const { return many_ == nullptr ? nullptr : many_->entry; }

CompiledModel::CompiledModel(const Model& model, const std::vector<Function>& functions) : model_(model) {
  for (const Function function : functions) functions_.emplace_back(model, function);
}

const CompiledFunction& CompiledModel::function(Function function) const {
  for (const CompiledFunction& compiled : functions_) {
    if (compiled.program().function == function) return compiled;
  }
  throw std::invalid_argument(std::string(function_name(function)) + " of " + model_.name() +
                              " was not compiled: name it when making the CompiledModel");
}

namespace {

void run(const CompiledFunction& f, std::initializer_list<ConstVector> inputs, std::span<double> output) {
  std::array<const double*, most_input_blocks> in{};
  std::size_t k = 0;
  for (const ConstVector& x : inputs) {
    const ProgramBlock& block = f.program().inputs[k];
    if (x.size() != block.size()) {
      throw std::invalid_argument(block.name + " must have " + std::to_string(block.size()) + " numbers");
    }
    if (overlap({x.data(), static_cast<std::size_t>(x.size())}, output)) {
      throw std::invalid_argument("the result of a compiled function may not overlap " + block.name);
    }
    in[k++] = x.data();
  }
  if (static_cast<int>(output.size()) != f.program().output_count()) {
    throw std::invalid_argument("the result must have " + std::to_string(f.program().output_count()) + " numbers");
  }
  double* const out[] = {output.data()};
  f.call(in.data(), out);
}

template <class Result>
std::span<double> numbers(Result& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

void CompiledModel::inverse_dynamics(ConstVector q, ConstVector v, ConstVector a, VectorRef tau) const {
  run(function(Function::inverse), {q, v, a}, numbers(tau));
}
void CompiledModel::gravity_forces(ConstVector q, VectorRef tau) const {
  run(function(Function::gravity), {q}, numbers(tau));
}
void CompiledModel::bias_forces(ConstVector q, ConstVector v, VectorRef tau) const {
  run(function(Function::bias), {q, v}, numbers(tau));
}
void CompiledModel::forward_dynamics(ConstVector q, ConstVector v, ConstVector tau, VectorRef a) const {
  run(function(Function::forward), {q, v, tau}, numbers(a));
}
void CompiledModel::mass_matrix(ConstVector q, Eigen::Ref<Matrix> M) const {
  if (M.outerStride() != M.rows()) throw std::invalid_argument("M must be stored without gaps between its columns");
  run(function(Function::mass_matrix), {q}, numbers(M));
}
void CompiledModel::mass_matrix_inverse(ConstVector q, Eigen::Ref<Matrix> M_inv) const {
  if (M_inv.outerStride() != M_inv.rows()) {
    throw std::invalid_argument("M_inv must be stored without gaps between its columns");
  }
  run(function(Function::mass_matrix_inverse), {q}, numbers(M_inv));
}

}  // namespace catena
