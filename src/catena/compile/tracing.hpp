// The tracing scalar: run a kernel with it and the graph holds what the kernel computes.
// A number made from a double is a constant of the robot and needs no graph; one that depends on the state carries the
// graph it belongs to, and so does everything computed from it.
#pragma once

#include <cmath>
#include <stdexcept>

#include "catena/compile/graph.hpp"

namespace catena::compile {

class Traced {
 public:
  Traced() = default;
  Traced(double value) : value_(value) {}  // NOLINT: kernels mix it with double
  Traced(Graph& graph, int node) : graph_(&graph), node_(node) {
    if (graph.is_constant(node)) value_ = graph[node].value, graph_ = nullptr;
  }

  bool constant() const { return graph_ == nullptr; }
  double value() const { return value_; }  // of a constant
  int node(Graph& graph) const { return constant() ? graph.constant(value_) : node_; }

  friend Traced operator-(const Traced& a) {
    if (a.constant()) return -a.value_;
    return {*a.graph_, a.graph_->neg(a.node_)};
  }
  friend Traced operator+(const Traced& a, const Traced& b) {
    if (a.constant() && b.constant()) return sum_of_constants(a.value_, b.value_);
    return binary(a, b, &Graph::add);
  }
  friend Traced operator-(const Traced& a, const Traced& b) {
    if (a.constant() && b.constant()) return sum_of_constants(a.value_, -b.value_);
    return binary(a, b, &Graph::sub);
  }
  friend Traced operator*(const Traced& a, const Traced& b) {
    if (a.constant() && b.constant()) return a.value_ * b.value_;
    return binary(a, b, &Graph::mul);
  }
  friend Traced operator/(const Traced& a, const Traced& b) {
    if (a.constant() && b.constant()) return a.value_ / b.value_;
    return binary(a, b, &Graph::div);
  }
  Traced& operator+=(const Traced& b) { return *this = *this + b; }
  Traced& operator-=(const Traced& b) { return *this = *this - b; }
  Traced& operator*=(const Traced& b) { return *this = *this * b; }
  Traced& operator/=(const Traced& b) { return *this = *this / b; }

  friend bool vanishes(const Traced& a) { return a.constant() && a.value_ == 0; }

  // A straight-line program cannot take decisions on the state.
  friend bool operator<(const Traced& a, const Traced& b) {
    if (a.constant() && b.constant()) return a.value_ < b.value_;
    throw std::invalid_argument("a decision that depends on the state cannot be compiled");
  }

  friend Traced sqrt(const Traced& a) {
    return unary(a, &Graph::sqrt, [](double x) { return std::sqrt(x); });
  }
  friend Traced tanh(const Traced& a) {
    return unary(a, &Graph::tanh, [](double x) { return std::tanh(x); });
  }
  friend Traced atan2(const Traced&, const Traced&) { throw std::invalid_argument("atan2 cannot be compiled"); }
  friend void sincos(const Traced& angle, Traced& sine, Traced& cosine) {
    const Traced x = angle;  // the results may be the argument
    sine = unary(x, &Graph::sin, [](double y) { return std::sin(y); });
    cosine = unary(x, &Graph::cos, [](double y) { return std::cos(y); });
  }

 private:
  static Traced binary(const Traced& a, const Traced& b, int (Graph::*make)(int, int)) {
    Graph& graph = a.constant() ? *b.graph_ : *a.graph_;
    return {graph, (graph.*make)(a.node(graph), b.node(graph))};
  }
  template <class Function>
  static Traced unary(const Traced& a, int (Graph::*make)(int), const Function& on_constant) {
    if (a.constant()) return on_constant(a.value_);
    return {*a.graph_, (a.graph_->*make)(a.node_)};
  }

  double value_ = 0;
  Graph* graph_ = nullptr;
  int node_ = -1;
};

}  // namespace catena::compile
