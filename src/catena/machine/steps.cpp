#include "catena/machine/steps.hpp"

#include <algorithm>

#include "catena/machine/interleave.hpp"

namespace catena::compile {

namespace {

bool is_function(Op op) { return op == Op::sin || op == Op::cos || op == Op::tanh; }

struct Affine {
  bool is = true;
  int input = -1;  // none: a constant
  double scale = 0, offset = 0;
};

Affine affine(const Code& code, int k) {
  const Node& node = code[k];
  const Affine no{false};
  if (node.op == Op::constant) return {true, -1, 0, node.value};
  if (node.op == Op::input) return {true, node.a, 1, 0};
  if (node.op != Op::neg && node.op != Op::add && node.op != Op::sub && node.op != Op::mul) return no;
  Affine a = affine(code, node.a);
  if (!a.is) return no;
  if (node.op == Op::neg) return {true, a.input, -a.scale, -a.offset};
  Affine b = affine(code, node.b);
  if (!b.is || (a.input >= 0 && b.input >= 0)) return no;
  if (node.op == Op::mul) {
    if (a.input >= 0) std::swap(a, b);
    return {true, b.input, a.offset * b.scale, a.offset * b.offset};
  }
  const double sign = node.op == Op::sub ? -1 : 1;
  return {true, std::max(a.input, b.input), a.scale + sign * b.scale, a.offset + sign * b.offset};
}

class Sequencer {
 public:
  Sequencer(const Program& program, bool direct)
      : program_(program),
        code_(program.code),
        direct_(direct),
        uses_(count_uses(code_)),
        early_(code_.size(), false),
        fused_(code_.size(), false) {}

  Steps run() {
    find_functions();
    if (direct_) {
      out_.direct_angles = find_direct(out_.angles);
      out_.direct_slopes = find_direct(out_.slopes);
    }
    for (const std::vector<int>* arguments : {&out_.angles, &out_.slopes}) {
      for (const int k : *arguments) mark_early(k);
    }
    if (!out_.possible) return out_;
    drop_unused();
    find_fused();
    for (int k = 0; k < code_.size(); ++k) {
      if (early_[k] && uses_[k] > 0) compute(k);
    }
    gather(out_.angles, out_.direct_angles, 0);
    gather(out_.slopes, out_.direct_slopes, static_cast<int>(out_.angles.size()));
    if (!out_.angles.empty() || !out_.slopes.empty()) out_.list.push_back({Form::functions});
    std::vector<std::vector<int>> results(code_.size());
    for (std::size_t i = 0; i < code_.results.size(); ++i) results[code_.results[i]].push_back(static_cast<int>(i));
    for (int k = 0; k < code_.size(); ++k) {
      if (!early_[k]) compute(k);
      for (const int i : results[k]) out_.list.push_back({Form::store, i, k});
    }
    interleave(out_.list, code_.size());
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
  // The arguments as one row of inputs, where they are one.
  Direct find_direct(const std::vector<int>& arguments) const {
    if (arguments.empty()) return {};
    std::vector<Affine> all;
    int first = code_.size(), last = -1;
    for (const int k : arguments) {
      all.push_back(affine(code_, k));
      if (!all.back().is || all.back().input < 0) return {};
      first = std::min(first, all.back().input), last = std::max(last, all.back().input);
    }
    const int count = static_cast<int>(arguments.size()), range = last + 1 - first;
    for (const ProgramBlock& block : program_.inputs) {
      if (first < block.first + block.size() && last >= block.first + block.size()) return {};
    }
    if (range > 2 * count + 8) return {};
    Direct out{first, std::vector<double>(range, 1), std::vector<double>(range, 0), {}};
    std::vector<bool> taken(range, false);
    for (const Affine& a : all) {
      const int at = a.input - first;
      if (taken[at]) return {};
      taken[at] = true;
      out.place.push_back(at);
      out.scale[at] = a.scale, out.offset[at] = a.offset;
    }
    return out;
  }
  void gather(const std::vector<int>& arguments, const Direct& direct, int number) {
    if (!direct.place.empty()) return;
    for (const int k : arguments) out_.list.push_back({Form::argument, number++, k});
  }
  // What was only the argument of functions that read it directly is not needed any more.
  void drop_unused() {
    for (int k = 0; k < code_.size(); ++k) {
      const Op op = code_[k].op;
      const bool angle = (op == Op::sin || op == Op::cos) && !out_.direct_angles.place.empty();
      if (angle || (op == Op::tanh && !out_.direct_slopes.place.empty())) --uses_[code_[k].a];
    }
    for (int k = code_.size() - 1; k >= 0; --k) {
      if (!early_[k] || uses_[k] > 0) continue;
      --uses_[code_[k].a];
      if (is_binary(code_[k].op)) --uses_[code_[k].b];
    }
  }
  // Products used once, by a sum, become part of it.
  void find_fused() {
    for (int k = 0; k < code_.size(); ++k) {
      const Node& node = code_[k];
      if ((node.op != Op::add && node.op != Op::sub) || uses_[k] == 0) continue;
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

  const Program& program_;
  const Code& code_;
  bool direct_;
  std::vector<int> uses_;
  std::vector<bool> early_;  // needed for the arguments of functions
  std::vector<bool> fused_;
  Steps out_;
};

}  // namespace

Steps make_steps(const Program& program, bool direct) { return Sequencer(program, direct).run(); }

}  // namespace catena::compile
