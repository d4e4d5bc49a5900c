// Sums: a sum whose partial sums nobody else uses is a list of terms (coefficient, product). Terms with equal products
// merge; a factor that several terms share is taken out, the most frequent first. Repeated until nothing improves.
#include "catena/compile/simplify.hpp"

#include <algorithm>
#include <cmath>

namespace catena::compile {

std::vector<int> count_uses(const Graph& graph, const std::vector<int>& outputs) {
  std::vector<int> uses(graph.size(), 0);
  for (const int node : outputs) ++uses[node];
  for (int k = graph.size() - 1; k >= 0; --k) {
    if (uses[k] == 0 || is_leaf(graph[k].op)) continue;
    ++uses[graph[k].a];
    if (is_binary(graph[k].op)) ++uses[graph[k].b];
  }
  return uses;
}

namespace {

struct Term {
  double coefficient;
  std::vector<int> factors;  // nodes of the new graph, none of them constant
};

class Rewriter {
 public:
  Rewriter(const Graph& old, const std::vector<int>& outputs) : old_(old), uses_(count_uses(old, outputs)) {
    image_.assign(old.size(), -1);
    inner_.assign(old.size(), false);
    for (int k = 0; k < old.size(); ++k) {
      const Node& node = old[k];
      if (uses_[k] == 0 || (node.op != Op::add && node.op != Op::sub && node.op != Op::neg)) continue;
      for (const int operand : {node.a, node.b}) {
        if (operand < 0 || uses_[operand] != 1) continue;
        const Op op = old[operand].op;
        inner_[operand] = op == Op::add || op == Op::sub || op == Op::mul;
      }
    }
  }

  Traces run(const std::vector<int>& outputs) {
    for (int k = 0; k < old_.size(); ++k) {
      if (uses_[k] > 0 && !inner_[k]) image_[k] = rebuild(k);
    }
    Traces out;
    for (const int node : outputs) out.outputs.push_back(image_[node]);
    out.graph = std::move(graph_);
    return out;
  }

 private:
  int rebuild(int k) {
    const Node& node = old_[k];
    switch (node.op) {
      case Op::constant: return graph_.constant(node.value);
      case Op::input: return graph_.input(node.a);
      case Op::mul: return graph_.mul(image_[node.a], image_[node.b]);
      case Op::div: return graph_.div(image_[node.a], image_[node.b]);
      case Op::sqrt: return graph_.sqrt(image_[node.a]);
      case Op::sin: return graph_.sin(image_[node.a]);
      case Op::cos: return graph_.cos(image_[node.a]);
      case Op::tanh: return graph_.tanh(image_[node.a]);
      case Op::neg:
      case Op::add:
      case Op::sub: break;
    }
    std::vector<Term> terms;
    collect(k, 1, terms);
    return sum(std::move(terms));
  }

  // The terms of a node of the old graph; a product that is used elsewhere too stays one factor.
  void collect(int k, double sign, std::vector<Term>& terms) {
    const Node& node = old_[k];
    if (node.op == Op::neg) return collect(node.a, -sign, terms);
    if (image_[k] < 0 && (node.op == Op::add || node.op == Op::sub)) {
      collect(node.a, sign, terms);
      collect(node.b, node.op == Op::add ? sign : -sign, terms);
      return;
    }
    Term term{sign, {}};
    add_factors(k, term);
    terms.push_back(std::move(term));
  }
  void add_factors(int k, Term& term) {
    const Node& node = old_[k];
    if (image_[k] < 0) {  // a product of this sum alone
      for (const int operand : {node.a, node.b}) {
        if (image_[operand] >= 0)
          add_image(image_[operand], term);
        else
          add_factors(operand, term);
      }
      return;
    }
    add_image(image_[k], term);
  }
  void add_image(int node, Term& term) {
    if (graph_[node].op == Op::neg) {
      term.coefficient = -term.coefficient;
      node = graph_[node].a;
    }
    if (graph_.is_constant(node))
      term.coefficient *= graph_[node].value;
    else
      term.factors.push_back(node);
  }

  // The factor, by node or by size of the coefficient, that most terms share.
  struct Shared {
    int node = -1;
    double coefficient = 0;
    int count = 1;
  };
  Shared most_shared(const std::vector<Term>& terms) {
    candidates_.clear();
    for (const Term& term : terms) {
      const double size = std::abs(term.coefficient);
      if (term.factors.empty() || (term.factors.size() == 1 && size == 1)) continue;  // a bare node gains nothing
      int last = -1;
      for (const int factor : term.factors) {
        if (factor != last) candidates_.push_back({factor, 0, 1});
        last = factor;
      }
      if (size != 1) candidates_.push_back({-1, size, 1});
    }
    std::sort(candidates_.begin(), candidates_.end(), [](const Shared& a, const Shared& b) {
      return a.node != b.node ? a.node < b.node : a.coefficient < b.coefficient;
    });
    Shared best;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      Shared& c = candidates_[k];
      if (k > 0 && candidates_[k - 1].node == c.node && candidates_[k - 1].coefficient == c.coefficient) {
        c.count += candidates_[k - 1].count;
      }
      if (c.count > best.count) best = c;
    }
    return best;
  }

  int sum(std::vector<Term> terms) {
    for (Term& term : terms) std::sort(term.factors.begin(), term.factors.end());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (std::size_t j = terms.size() - 1; j > i; --j) {
        if (terms[i].factors != terms[j].factors) continue;
        terms[i].coefficient = sum_of_constants(terms[i].coefficient, terms[j].coefficient);
        terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
    std::erase_if(terms, [](const Term& term) { return term.coefficient == 0; });

    std::vector<int> parts;  // in the order of the terms
    while (true) {
      const Shared shared = terms.size() > 1 ? most_shared(terms) : Shared{};
      if (shared.count < 2) break;
      std::vector<Term> inside, outside;
      for (Term& term : terms) {
        const auto at = std::find(term.factors.begin(), term.factors.end(), shared.node);
        const bool bare = term.factors.size() == 1 && std::abs(term.coefficient) == 1;
        if (shared.node >= 0 && at != term.factors.end() && !bare) {
          term.factors.erase(at);
          inside.push_back(std::move(term));
        } else if (shared.node < 0 && std::abs(term.coefficient) == shared.coefficient && !term.factors.empty()) {
          term.coefficient = term.coefficient < 0 ? -1 : 1;
          inside.push_back(std::move(term));
        } else {
          outside.push_back(std::move(term));
        }
      }
      const int factor = shared.node >= 0 ? shared.node : graph_.constant(shared.coefficient);
      parts.push_back(graph_.mul(factor, sum(std::move(inside))));
      terms = std::move(outside);
    }
    for (const Term& term : terms) parts.push_back(product(term));
    if (parts.empty()) return graph_.constant(0);
    int total = parts[0];
    for (std::size_t k = 1; k < parts.size(); ++k) total = graph_.add(total, parts[k]);
    return total;
  }

  int product(const Term& term) {
    if (term.factors.empty()) return graph_.constant(term.coefficient);
    int value = term.factors[0];
    for (std::size_t k = 1; k < term.factors.size(); ++k) value = graph_.mul(value, term.factors[k]);
    return graph_.mul(graph_.constant(term.coefficient), value);
  }

  const Graph& old_;
  std::vector<int> uses_;
  std::vector<bool> inner_;  // folded into the sum that uses it
  std::vector<int> image_;   // in the new graph
  std::vector<Shared> candidates_;
  Graph graph_;
};

long long cost(const Traces& traces) {
  const std::vector<int> uses = count_uses(traces.graph, traces.outputs);
  long long total = 0;
  for (int k = 0; k < traces.graph.size(); ++k) {
    if (uses[k] > 0 && !is_leaf(traces.graph[k].op) && traces.graph[k].op != Op::neg) ++total;
  }
  return total;
}

}  // namespace

Traces simplify(const Graph& graph, const std::vector<int>& outputs) {
  Traces best = Rewriter(graph, outputs).run(outputs);
  for (int round = 0; round < 4; ++round) {
    Traces next = Rewriter(best.graph, best.outputs).run(best.outputs);
    if (cost(next) >= cost(best)) break;
    best = std::move(next);
  }
  return best;
}

}  // namespace catena::compile
