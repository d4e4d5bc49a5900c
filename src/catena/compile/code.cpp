#include "catena/compile/code.hpp"

#include <utility>

namespace catena::compile {

namespace {

// Pushes a minus sign into an expression that nobody else uses, where that costs nothing.
class Signs {
 public:
  Signs(std::vector<Node>& nodes, const std::vector<int>& uses) : nodes_(nodes), uses_(uses) {}

  bool can_flip(int k) const {
    if (k >= static_cast<int>(uses_.size())) return false;  // a constant made below
    const Node& node = nodes_[k];
    if (node.op == Op::constant) return true;
    if (uses_[k] != 1) return false;
    switch (node.op) {
      case Op::sub: return true;
      case Op::add:
      case Op::mul:
      case Op::div: return can_flip(node.a) || can_flip(node.b);
      case Op::tanh:
      case Op::sin: return can_flip(node.a);
      default: return false;
    }
  }
  // Makes node k the negative of itself, and returns it (a constant gets a node of its own).
  int flip(int k) {
    Node& node = nodes_[k];
    switch (node.op) {
      case Op::constant: {
        const double value = -node.value;
        nodes_.push_back({Op::constant, -1, -1, value});
        return static_cast<int>(nodes_.size()) - 1;
      }
      case Op::sub: std::swap(node.a, node.b); return k;
      case Op::add: {  // -(a + b) = (-a) - b
        if (!can_flip(node.a)) std::swap(node.a, node.b);
        node.op = Op::sub;
        break;
      }
      case Op::mul:
      case Op::div:
        if (!can_flip(node.a)) {
          const int flipped = flip(node.b);
          nodes_[k].b = flipped;
          return k;
        }
        break;
      default: break;
    }
    const int flipped = flip(nodes_[k].a);
    nodes_[k].a = flipped;
    return k;
  }

 private:
  std::vector<Node>& nodes_;
  const std::vector<int>& uses_;
};

}  // namespace

std::vector<int> count_uses(const Code& code) {
  std::vector<int> uses(code.size(), 0);
  for (const Node& node : code.nodes) {
    if (is_leaf(node.op)) continue;
    ++uses[node.a];
    if (is_binary(node.op)) ++uses[node.b];
  }
  for (const int k : code.results) ++uses[k];
  return uses;
}

Code arrange(const Traces& traces) {
  const Graph& graph = traces.graph;
  std::vector<int> uses = count_uses(graph, traces.outputs);
  std::vector<Node> nodes;
  for (int k = 0; k < graph.size(); ++k) nodes.push_back(graph[k]);
  Signs signs(nodes, uses);
  std::vector<int> stands_for(graph.size());
  for (int k = 0; k < graph.size(); ++k) {
    stands_for[k] = k;
    if (uses[k] == 0 || nodes[k].op != Op::neg || !signs.can_flip(nodes[k].a)) continue;
    stands_for[k] = signs.flip(nodes[k].a);
  }

  // live nodes, as the signs have changed them
  std::vector<int> results = traces.outputs;
  const auto actual = [&](int k) { return k < graph.size() ? stands_for[k] : k; };
  for (int& k : results) k = actual(k);
  std::vector<bool> live(nodes.size(), false);
  for (const int k : results) live[k] = true;
  for (int k = graph.size() - 1; k >= 0; --k) {
    Node& node = nodes[k];
    if (!live[k] || is_leaf(node.op)) continue;
    live[node.a = actual(node.a)] = true;
    if (is_binary(node.op)) live[node.b = actual(node.b)] = true;
  }

  Code out;
  std::vector<int> place(nodes.size(), -1);
  for (const bool leaves : {true, false}) {
    for (int k = 0; k < static_cast<int>(nodes.size()); ++k) {
      if (!live[k] || is_leaf(nodes[k].op) != leaves) continue;
      Node node = nodes[k];
      if (!leaves) {
        node.a = place[node.a];
        if (is_binary(node.op)) node.b = place[node.b];
      }
      place[k] = out.size();
      out.nodes.push_back(node);
    }
  }
  for (const int k : results) out.results.push_back(place[k]);
  return out;
}

}  // namespace catena::compile
