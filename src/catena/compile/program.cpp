#include "catena/compile/program.hpp"

#include <algorithm>
#include <cmath>

#include "catena/model/names.hpp"

namespace catena {

using compile::is_binary;
using compile::Node;
using compile::Op;

namespace {

// in the order of the enumeration
constexpr const char* names[] = {"inverse",
                                 "gravity",
                                 "coriolis",
                                 "bias",
                                 "mass_matrix",
                                 "mass_matrix_inverse",
                                 "coriolis_matrix",
                                 "forward",
                                 "linearize_inverse",
                                 "linearize_forward",
                                 "nu",
                                 "epsilon",
                                 "forward_nu",
                                 "xi",
                                 "kappa",
                                 "forward_xi",
                                 "velocity_from_nu",
                                 "velocity_from_xi",
                                 "force_from_epsilon",
                                 "force_from_kappa",
                                 "jacobian",
                                 "pose"};

int total_size(const std::vector<ProgramBlock>& blocks) {
  return blocks.empty() ? 0 : blocks.back().first + blocks.back().size();
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> list;
    for (std::size_t k = 0; k < std::size(names); ++k) list.push_back(static_cast<Function>(k));
    return list;
  }();
  return all;
}

const char* function_name(Function function) { return names[static_cast<int>(function)]; }

Function function_from_name(const std::string& name) {
  std::string known;
  for (const Function function : functions()) {
    if (name == function_name(function)) return function;
    known += known.empty() ? "" : ", ";
    known += function_name(function);
  }
  throw std::invalid_argument("no function '" + name + "' to compile" +
                              did_you_mean(name, {std::begin(names), std::end(names)}) + "; there are " + known);
}

bool of_frames(Function function) { return function == Function::jacobian || function == Function::pose; }

bool in_quasi_velocities(Function function) {
  switch (function) {
    case Function::nu:
    case Function::epsilon:
    case Function::forward_nu:
    case Function::xi:
    case Function::kappa:
    case Function::forward_xi:
    case Function::velocity_from_nu:
    case Function::velocity_from_xi:
    case Function::force_from_epsilon:
    case Function::force_from_kappa: return true;
    default: return false;
  }
}

bool uses_inverse_mass_matrix(Function function) {
  return in_quasi_velocities(function) || function == Function::mass_matrix_inverse || function == Function::forward ||
         function == Function::linearize_forward;
}

int Program::input_count() const { return total_size(inputs); }
int Program::output_count() const { return total_size(outputs); }

Operations Program::operations() const {
  Operations out;
  for (const Node& node : code.nodes) {
    switch (node.op) {
      case Op::constant:
      case Op::input:
      case Op::neg: break;
      case Op::add:
      case Op::sub: ++out.add; break;
      case Op::mul: ++out.mul; break;
      case Op::div: ++out.div; break;
      case Op::sqrt: ++out.sqrt; break;
      case Op::sin:
      case Op::cos:
      case Op::tanh: ++out.trig; break;
    }
  }
  return out;
}

void evaluate(const Program& program, std::span<const double> inputs, std::span<double> outputs) {
  if (static_cast<int>(inputs.size()) != program.input_count() ||
      static_cast<int>(outputs.size()) != program.output_count()) {
    throw std::invalid_argument("this program takes " + std::to_string(program.input_count()) + " numbers and gives " +
                                std::to_string(program.output_count()));
  }
  const compile::Code& code = program.code;
  std::vector<double> x(code.size());
  for (int k = 0; k < code.size(); ++k) {
    const Node& node = code[k];
    const double a = node.op != Op::constant && node.op != Op::input ? x[node.a] : 0;
    const double b = is_binary(node.op) ? x[node.b] : 0;
    switch (node.op) {
      case Op::constant: x[k] = node.value; break;
      case Op::input: x[k] = inputs[node.a]; break;
      case Op::neg: x[k] = -a; break;
      case Op::add: x[k] = a + b; break;
      case Op::sub: x[k] = a - b; break;
      case Op::mul: x[k] = a * b; break;
      case Op::div: x[k] = a / b; break;
      case Op::sqrt: x[k] = std::sqrt(a); break;
      case Op::sin: x[k] = std::sin(a); break;
      case Op::cos: x[k] = std::cos(a); break;
      case Op::tanh: x[k] = std::tanh(a); break;
    }
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k] = x[code.results[k]];
}

}  // namespace catena
