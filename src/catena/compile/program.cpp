#include "catena/compile/program.hpp"

#include <cmath>

namespace catena {

using compile::is_binary;
using compile::Node;
using compile::Op;

namespace {

int total_size(const std::vector<ProgramBlock>& blocks) {
  return blocks.empty() ? 0 : blocks.back().first + blocks.back().size();
}

}  // namespace

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
