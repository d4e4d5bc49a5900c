// Expression graph of a traced computation. Nodes are made once (equal expressions share a node) and simplified as they
// are made: constants folded, x + 0, x * 1, x * 0, signs moved outward so that x - y and y - x share one node.
// Nodes refer only to earlier ones, so their order is an order of evaluation.
#pragma once

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace catena::compile {

enum class Op : std::uint8_t { constant, input, neg, add, sub, mul, div, sqrt, sin, cos, tanh };

// Operands a and b; input: a is its number.
struct Node {
  Op op = Op::constant;
  int a = -1, b = -1;
  double value = 0;
};

constexpr bool is_leaf(Op op) { return op == Op::constant || op == Op::input; }
constexpr bool is_binary(Op op) { return op == Op::add || op == Op::sub || op == Op::mul || op == Op::div; }

// Throws std::invalid_argument beyond `limit` nodes.
// Threads: built by one; what is const by any number at a time.
class Graph {
 public:
  static constexpr int limit = 3'000'000;
  Graph();

  int constant(double value);
  int input(int number);
  int neg(int a);
  int add(int a, int b);
  int sub(int a, int b);
  int mul(int a, int b);
  int div(int a, int b);
  int sqrt(int a);
  int sin(int a);
  int cos(int a);
  int tanh(int a);

  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& operator[](int node) const { return nodes_[node]; }
  bool is_constant(int node) const { return nodes_[node].op == Op::constant; }
  bool is_constant(int node, double value) const { return is_constant(node) && nodes_[node].value == value; }

 private:
  int find_or_make(Op op, int a, int b, double value);
  void grow();

  std::vector<Node> nodes_;
  std::vector<int> table_;  // open addressing, -1 where empty
};

// Sum of constants of a robot: one that cancels to rounding is a zero of the robot.
double sum_of_constants(double a, double b);

}  // namespace catena::compile
#pragma GCC visibility pop
