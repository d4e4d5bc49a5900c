#include "catena/compile/machine_code.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>

#include "catena/compile/emit.hpp"
#include "catena/compile/plain.hpp"

namespace catena {

namespace {

constexpr std::size_t most_blocks = 4;
constexpr int tile_numbers = 2048;  // packed at a time in batch(): fits the first cache
constexpr int least_vectors = 4;    // but not less

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

// Up to one vector; whole ones without a call.
void copy_vector(const double* from, double* to, int count) {
  if (count == 8)
    std::memcpy(to, from, 8 * sizeof(double));
  else if (count == 4)
    std::memcpy(to, from, 4 * sizeof(double));
  else
    std::copy_n(from, count, to);
}

// Pointers to the blocks of a row of numbers.
template <class Number>
std::array<Number*, most_blocks> blocks_of(const std::vector<ProgramBlock>& blocks, Number* numbers, int lanes = 1) {
  std::array<Number*, most_blocks> out{};
  for (std::size_t k = 0; k < blocks.size(); ++k) out[k] = numbers + blocks[k].first * lanes;
  return out;
}

}  // namespace

CompiledFunction::CompiledFunction(Program program) : program_(std::move(program)) {
  const std::vector<bool> angles = inputs_of_angles(program_.code, program_.input_count());
  for (int b = 0; b < static_cast<int>(program_.inputs.size()); ++b) {
    const ProgramBlock& block = program_.inputs[b];
    for (int i = 0; i < block.size(); ++i) {
      if (angles[block.first + i]) angles_.push_back({b, i});
    }
  }
  if (program_.operations().total() > compiled_operations_limit) return;
  one_ = compile::emit(program_, 1);
  if (one_ != nullptr) many_ = compile::emit(program_, compile::widest_lanes());
}

CompiledFunction::CompiledFunction(const Model& model, Function function, const std::vector<std::string>& outputs)
    : CompiledFunction(trace(model, function, outputs)) {
  model_ = model;
}

CompiledFunction::CompiledFunction(CompiledFunction&&) noexcept = default;
CompiledFunction& CompiledFunction::operator=(CompiledFunction&&) noexcept = default;
CompiledFunction::~CompiledFunction() = default;

bool CompiledFunction::is_machine_code() const { return one_ != nullptr; }
int CompiledFunction::lanes() const { return many_ == nullptr ? 1 : many_->lanes; }

bool CompiledFunction::angles_in_range(const double* const* inputs) const {
  bool good = true;
  for (const Place& p : angles_) good &= std::abs(inputs[p.block][p.index]) <= compile::largest_angle;
  return good;
}

void CompiledFunction::compute_otherwise(const double* const* inputs, double* const* outputs) const {
  Vector in(program_.input_count()), out(program_.output_count());
  for (std::size_t k = 0; k < program_.inputs.size(); ++k) {
    std::copy_n(inputs[k], program_.inputs[k].size(), in.begin() + program_.inputs[k].first);
  }
  // the interpreter is slow but asks nothing of its inputs; it takes the odd state that machine code does not
  if (model_ && !is_machine_code() && in.allFinite())
    out = plain_values(*model_, program_, in);
  else
    evaluate(program_, {in.data(), static_cast<std::size_t>(in.size())},
             {out.data(), static_cast<std::size_t>(out.size())});
  for (std::size_t k = 0; k < program_.outputs.size(); ++k) {
    std::copy_n(out.begin() + program_.outputs[k].first, program_.outputs[k].size(), outputs[k]);
  }
}

void CompiledFunction::call(const double* const* inputs, double* const* outputs) const {
  if (one_ != nullptr && angles_in_range(inputs))
    one_->entry(inputs, outputs);
  else
    compute_otherwise(inputs, outputs);
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
  call(blocks_of(program_.inputs, inputs.data()).data(), blocks_of(program_.outputs, outputs.data()).data());
}

void CompiledFunction::batch(std::span<const double> inputs, std::span<double> outputs, int states) const {
  const int n_in = program_.input_count(), n_out = program_.output_count();
  if (states < 0 || inputs.size() != static_cast<std::size_t>(n_in) * states ||
      outputs.size() != static_cast<std::size_t>(n_out) * states) {
    throw std::invalid_argument("a batch of " + std::to_string(states) + " states takes " + std::to_string(n_in) +
                                " x states numbers and gives " + std::to_string(n_out) + " x states");
  }
  if (overlap(inputs, outputs))
    throw std::invalid_argument("outputs of a compiled function may not overlap its inputs");
  // Vectors are packed and unpacked some at a time, row by row: rows of a large batch lie on different pages of memory.
  const int width = lanes();
  const int vectors = std::max(tile_numbers / ((n_in + n_out) * width), least_vectors);
  std::vector<double> in(static_cast<std::size_t>(n_in) * width * vectors);
  std::vector<double> out(static_cast<std::size_t>(n_out) * width * vectors);
  for (int first = 0; first < states; first += width * vectors) {
    const int count = std::min(width * vectors, states - first), used = (count + width - 1) / width;
    for (int i = 0; i < n_in; ++i) {
      const double* const row = inputs.data() + static_cast<std::size_t>(i) * states + first;
      for (int g = 0; g < used; ++g) {
        double* const to = in.data() + static_cast<std::size_t>(g * n_in + i) * width;
        const int here = std::min(width, count - g * width);
        copy_vector(row + g * width, to, here);
        if (here < width)
          std::fill(to + here, to + width, row[g * width + here - 1]);  // the last state fills the vector
      }
    }
    for (int g = 0; g < used; ++g) {
      const auto in_blocks = blocks_of<const double>(program_.inputs, in.data() + g * n_in * width, width);
      const auto out_blocks = blocks_of<double>(program_.outputs, out.data() + g * n_out * width, width);
      call_lanes(in_blocks.data(), out_blocks.data());
    }
    for (int i = 0; i < n_out; ++i) {
      double* const row = outputs.data() + static_cast<std::size_t>(i) * states + first;
      for (int g = 0; g < used; ++g) {
        const double* const from = out.data() + static_cast<std::size_t>(g * n_out + i) * width;
        copy_vector(from, row + g * width, std::min(width, count - g * width));
      }
    }
  }
}

void CompiledFunction::call_lanes(const double* const* inputs, double* const* outputs) const {
  const int width = lanes();
  bool good = many_ != nullptr;
  for (const Place& p : angles_) {
    const double* const x = inputs[p.block] + p.index * width;
    for (int l = 0; l < width; ++l) good &= std::abs(x[l]) <= compile::largest_angle;
  }
  if (good) {
    many_->entry(inputs, outputs);
    return;
  }
  Vector one(program_.input_count()), result(program_.output_count());
  const auto from = blocks_of<const double>(program_.inputs, one.data());
  const auto to = blocks_of<double>(program_.outputs, result.data());
  for (int l = 0; l < width; ++l) {
    for (std::size_t b = 0; b < program_.inputs.size(); ++b) {
      const ProgramBlock& block = program_.inputs[b];
      for (int i = 0; i < block.size(); ++i) one[block.first + i] = inputs[b][i * width + l];
    }
    call(from.data(), to.data());
    for (std::size_t b = 0; b < program_.outputs.size(); ++b) {
      const ProgramBlock& block = program_.outputs[b];
      for (int i = 0; i < block.size(); ++i) outputs[b][i * width + l] = result[block.first + i];
    }
  }
}

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
  std::array<const double*, most_blocks> in{};
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
