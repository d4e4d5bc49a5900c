// What remains of a graph when only its outputs count: unused nodes dropped, sums regrouped (like terms merged, common
// factors taken out), signs absorbed.
#pragma once

#include "catena/compile/graph.hpp"

#pragma GCC visibility push(default)
namespace catena::compile {

struct Traces {
  Graph graph;
  std::vector<int> outputs;
};

Traces simplify(const Graph& graph, const std::vector<int>& outputs);

// How often each node is used by live nodes and outputs; 0 for dead nodes.
std::vector<int> count_uses(const Graph& graph, const std::vector<int>& outputs);

}  // namespace catena::compile
#pragma GCC visibility pop
