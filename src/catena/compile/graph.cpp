#include "catena/compile/graph.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace catena::compile {

namespace {

std::size_t hash(Op op, int a, int b, double value) {
  std::uint64_t x = std::bit_cast<std::uint64_t>(value) ^ (static_cast<std::uint64_t>(op) << 56);
  x ^= static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) * 0x9e3779b97f4a7c15u;
  x ^= static_cast<std::uint64_t>(static_cast<std::uint32_t>(b)) * 0xc2b2ae3d27d4eb4fu;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  return static_cast<std::size_t>(x ^ (x >> 29));
}

}  // namespace

double sum_of_constants(double a, double b) {
  const double sum = a + b;
  return std::abs(sum) <= 8 * std::numeric_limits<double>::epsilon() * std::abs(a) ? 0.0 : sum;
}

Graph::Graph() : table_(1024, -1) {}

void Graph::grow() {
  std::vector<int> table(2 * table_.size(), -1);
  const std::size_t mask = table.size() - 1;
  for (int k = 0; k < size(); ++k) {
    const Node& node = nodes_[k];
    std::size_t slot = hash(node.op, node.a, node.b, node.value) & mask;
    while (table[slot] >= 0) slot = (slot + 1) & mask;
    table[slot] = k;
  }
  table_ = std::move(table);
}

int Graph::find_or_make(Op op, int a, int b, double value) {
  const std::size_t mask = table_.size() - 1;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::size_t slot = hash(op, a, b, value) & mask;
  for (; table_[slot] >= 0; slot = (slot + 1) & mask) {
    const Node& node = nodes_[table_[slot]];
    if (node.op == op && node.a == a && node.b == b && std::bit_cast<std::uint64_t>(node.value) == bits) {
      return table_[slot];
    }
  }
  const int made = size();
  if (made >= limit) throw std::invalid_argument("a program of millions of operations is of no use: not traced");
  nodes_.push_back({op, a, b, value});
  table_[slot] = made;
  if (2 * nodes_.size() > table_.size()) grow();
  return made;
}

int Graph::constant(double value) { return find_or_make(Op::constant, -1, -1, value == 0 ? 0.0 : value); }

int Graph::input(int number) { return find_or_make(Op::input, number, -1, 0); }

int Graph::neg(int a) {
  if (is_constant(a)) return constant(-nodes_[a].value);
  if (nodes_[a].op == Op::neg) return nodes_[a].a;
  return find_or_make(Op::neg, a, -1, 0);
}

int Graph::add(int a, int b) {
  if (is_constant(a) && is_constant(b)) return constant(sum_of_constants(nodes_[a].value, nodes_[b].value));
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  const bool minus_a = nodes_[a].op == Op::neg, minus_b = nodes_[b].op == Op::neg;
  if (minus_a && minus_b) return neg(add(nodes_[a].a, nodes_[b].a));
  if (minus_b) return sub(a, nodes_[b].a);
  if (minus_a) return sub(b, nodes_[a].a);
  // (x - y) + y
  if (nodes_[a].op == Op::sub && nodes_[a].b == b) return nodes_[a].a;
  if (nodes_[b].op == Op::sub && nodes_[b].b == a) return nodes_[b].a;
  if (a > b) std::swap(a, b);
  return find_or_make(Op::add, a, b, 0);
}

int Graph::sub(int a, int b) {
  if (is_constant(a) && is_constant(b)) return constant(sum_of_constants(nodes_[a].value, -nodes_[b].value));
  if (a == b) return constant(0);
  if (is_constant(b, 0)) return a;
  if (is_constant(a, 0)) return neg(b);
  const bool minus_a = nodes_[a].op == Op::neg, minus_b = nodes_[b].op == Op::neg;
  if (minus_a && minus_b) return sub(nodes_[b].a, nodes_[a].a);
  if (minus_b) return add(a, nodes_[b].a);
  if (minus_a) return neg(add(nodes_[a].a, b));
  // x - (x - y), (x - y) - x, x - (x + y), (x + y) - x
  const Node left = nodes_[a], right = nodes_[b];
  if (right.op == Op::sub && right.a == a) return right.b;
  if (left.op == Op::sub && left.a == b) return neg(left.b);
  if (right.op == Op::add && (right.a == a || right.b == a)) return neg(right.a == a ? right.b : right.a);
  if (left.op == Op::add && (left.a == b || left.b == b)) return left.a == b ? left.b : left.a;
  if (a > b) return neg(find_or_make(Op::sub, b, a, 0));
  return find_or_make(Op::sub, a, b, 0);
}

int Graph::mul(int a, int b) {
  if (is_constant(a) && is_constant(b)) return constant(nodes_[a].value * nodes_[b].value);
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a)) {
    const double c = nodes_[a].value;
    if (c == 0) return a;
    if (c == 1) return b;
    if (c < 0) return neg(mul(constant(-c), b));
    const Node other = nodes_[b];
    if (other.op == Op::neg) return neg(mul(a, other.a));
    if (other.op == Op::mul && is_constant(other.a)) return mul(constant(c * nodes_[other.a].value), other.b);
    return find_or_make(Op::mul, a, b, 0);
  }
  const bool minus_a = nodes_[a].op == Op::neg, minus_b = nodes_[b].op == Op::neg;
  if (minus_a && minus_b) return mul(nodes_[a].a, nodes_[b].a);
  if (minus_a) return neg(mul(nodes_[a].a, b));
  if (minus_b) return neg(mul(a, nodes_[b].a));
  if (a > b) std::swap(a, b);
  return find_or_make(Op::mul, a, b, 0);
}

int Graph::div(int a, int b) {
  if (is_constant(b)) return mul(constant(1 / nodes_[b].value), a);
  if (is_constant(a, 0)) return a;
  const bool minus_a = nodes_[a].op == Op::neg, minus_b = nodes_[b].op == Op::neg;
  if (minus_a && minus_b) return div(nodes_[a].a, nodes_[b].a);
  if (minus_a) return neg(div(nodes_[a].a, b));
  if (minus_b) return neg(div(a, nodes_[b].a));
  return find_or_make(Op::div, a, b, 0);
}

int Graph::sqrt(int a) {
  if (is_constant(a)) return constant(std::sqrt(nodes_[a].value));
  return find_or_make(Op::sqrt, a, -1, 0);
}

int Graph::sin(int a) {
  if (is_constant(a)) return constant(std::sin(nodes_[a].value));
  if (nodes_[a].op == Op::neg) return neg(sin(nodes_[a].a));
  return find_or_make(Op::sin, a, -1, 0);
}

int Graph::cos(int a) {
  if (is_constant(a)) return constant(std::cos(nodes_[a].value));
  if (nodes_[a].op == Op::neg) a = nodes_[a].a;
  return find_or_make(Op::cos, a, -1, 0);
}

int Graph::tanh(int a) {
  if (is_constant(a)) return constant(std::tanh(nodes_[a].value));
  if (nodes_[a].op == Op::neg) return neg(tanh(nodes_[a].a));
  return find_or_make(Op::tanh, a, -1, 0);
}

}  // namespace catena::compile
