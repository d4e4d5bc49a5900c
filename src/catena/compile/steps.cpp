#include "catena/compile/steps.hpp"

#include <algorithm>

namespace catena::compile {

namespace {

bool is_function(Op op) { return op == Op::sin || op == Op::cos || op == Op::tanh; }

class Sequencer {
 public:
  explicit Sequencer(const Code& code)
      : code_(code), uses_(count_uses(code)), early_(code.size(), false), fused_(code.size(), false) {}

  Steps run() {
    find_functions();
    for (const std::vector<int>* arguments : {&out_.angles, &out_.slopes}) {
      for (const int k : *arguments) mark_early(k);
    }
    if (!out_.possible) return out_;
    find_fused();
    for (int k = 0; k < code_.size(); ++k) {
      if (early_[k]) compute(k);
    }
    int number = 0;
    for (const std::vector<int>* arguments : {&out_.angles, &out_.slopes}) {
      for (const int k : *arguments) out_.list.push_back({Form::argument, number++, k});
    }
    if (number > 0) out_.list.push_back({Form::functions});
    std::vector<std::vector<int>> results(code_.size());
    for (std::size_t i = 0; i < code_.results.size(); ++i) results[code_.results[i]].push_back(static_cast<int>(i));
    for (int k = 0; k < code_.size(); ++k) {
      if (!early_[k]) compute(k);
      for (const int i : results[k]) out_.list.push_back({Form::store, i, k});
    }
    return std::move(out_);
  }

 private:
  void find_functions() {
    for (int k = 0; k < code_.size(); ++k) {
      const Node& node = code_[k];
      if (node.op == Op::tanh) {
        out_.slopes.push_back(node.a);
        out_.tanh.push_back(k);
      } else if (node.op == Op::sin || node.op == Op::cos) {
        const auto at = std::find(out_.angles.begin(), out_.angles.end(), node.a);
        const std::size_t index = static_cast<std::size_t>(at - out_.angles.begin());
        if (at == out_.angles.end()) {
          out_.angles.push_back(node.a);
          out_.sine.push_back(-1);
          out_.cosine.push_back(-1);
        }
        (node.op == Op::sin ? out_.sine : out_.cosine)[index] = k;
      }
    }
  }
  void mark_early(int k) {
    const Node& node = code_[k];
    if (is_leaf(node.op) || early_[k]) return;
    if (is_function(node.op)) {
      out_.possible = false;
      return;
    }
    early_[k] = true;
    mark_early(node.a);
    if (is_binary(node.op)) mark_early(node.b);
  }
  // Products used once, by a sum, become part of it.
  void find_fused() {
    for (int k = 0; k < code_.size(); ++k) {
      const Node& node = code_[k];
      if (node.op != Op::add && node.op != Op::sub) continue;
      const auto can = [&](int m) { return code_[m].op == Op::mul && uses_[m] == 1 && early_[m] == early_[k]; };
      // the later of two: the other is then finished when it is needed
      if (can(node.b) && (node.b > node.a || !can(node.a)))
        fused_[node.b] = true;
      else if (can(node.a))
        fused_[node.a] = true;
    }
  }
  void compute(int k) {
    const Node& node = code_[k];
    const auto push = [&](Form form, int x, int y = -1, int c = -1) { out_.list.push_back({form, k, x, y, c}); };
    const auto product = [&](Form form, int m, int c) { push(form, code_[m].a, code_[m].b, c); };
    if (fused_[k]) return;
    switch (node.op) {
      case Op::add:
        if (fused_[node.b])
          product(Form::fma, node.b, node.a);
        else if (fused_[node.a])
          product(Form::fma, node.a, node.b);
        else
          push(Form::add, node.a, node.b);
        break;
      case Op::sub:
        if (fused_[node.b])
          product(Form::fnma, node.b, node.a);
        else if (fused_[node.a])
          product(Form::fms, node.a, node.b);
        else
          push(Form::sub, node.a, node.b);
        break;
      case Op::mul: push(Form::mul, node.a, node.b); break;
      case Op::div: push(Form::div, node.a, node.b); break;
      case Op::neg: push(Form::neg, node.a); break;
      case Op::sqrt: push(Form::sqrt, node.a); break;
      case Op::constant:
      case Op::input:
      case Op::sin:
      case Op::cos:
      case Op::tanh: break;
    }
  }

  const Code& code_;
  std::vector<int> uses_;
  std::vector<bool> early_;  // needed for the arguments of functions
  std::vector<bool> fused_;
  Steps out_;
};

}  // namespace

Steps make_steps(const Code& code) { return Sequencer(code).run(); }

}  // namespace catena::compile
