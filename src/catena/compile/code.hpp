// A simplified graph as a list of instructions: constants and inputs first, then operations in the order they run, none
// of them unused, signs absorbed where an operand can carry them.
#pragma once

#include "catena/compile/simplify.hpp"

#pragma GCC visibility push(default)
namespace catena::compile {

struct Code {
  std::vector<Node> nodes;  // operands refer to earlier nodes
  std::vector<int> results;

  int size() const { return static_cast<int>(nodes.size()); }
  const Node& operator[](int k) const { return nodes[k]; }
  bool is_constant(int k) const { return nodes[k].op == Op::constant; }
};

Code arrange(const Traces& traces);

// How often each instruction is used by others and by results.
std::vector<int> count_uses(const Code& code);

}  // namespace catena::compile
#pragma GCC visibility pop
