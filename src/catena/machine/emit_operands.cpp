#if defined(__x86_64__) && defined(__unix__) && __has_include(<asmjit/x86.h>)

#include "catena/machine/emit_operands.hpp"

namespace catena::compile {

using namespace asmjit;

namespace {

constexpr std::size_t long_program = 400;  // steps

// The different operands of a step.
struct Distinct {
  int who[3], count = 0;

  explicit Distinct(const Step& s) {
    for (const int k : {s.x, s.y, s.c}) {
      bool known = k < 0;
      for (int i = 0; i < count; ++i) known = known || who[i] == k;
      if (!known) who[count++] = k;
    }
  }
  const int* begin() const { return who; }
  const int* end() const { return who + count; }
};

}  // namespace

Operands::Operands(const Program& program, const Steps& steps, int lanes, int width, x86::Assembler& a)
    : program_(program),
      code_(program.code),
      steps_(steps),
      lanes_(lanes),
      width_(width),
      unsaved_bases_(program.inputs.size() < most_input_blocks ? 3 : 2),
      bases_(unsaved_bases_ + (steps.list.size() < long_program ? 0 : 5)),
      a_(a),
      pool_(width),
      vectors_(a, width, pool_),
      registers_(width == 8 ? 32 : 16),
      values_(code_.size()),
      holder_(registers_, -1) {
  list_uses();
  find_homes();
}

x86::Gp Operands::input_base(std::size_t block) {
  static const x86::Gp bases[most_input_blocks] = {x86::r9, x86::r10, x86::r11, x86::rdi};
  return bases[block];
}

x86::Gp Operands::frame_base(int i) const {
  static const x86::Gp unsaved[] = {x86::rcx, x86::rdx, x86::rdi};
  static const x86::Gp saved[] = {x86::rbx, x86::r13, x86::r14, x86::r15, x86::r12};
  return i < unsaved_bases_ ? unsaved[i] : saved[i - unsaved_bases_];
}

int Operands::reserve(int values) {
  const int at = frame_size_, vector = 8 * width_;
  frame_size_ += (bytes() * values + vector - 1) / vector * vector;
  return at;
}

void Operands::put_on_stack(int k, int offset) {
  values_[k].home = Home::stack;
  values_[k].offset = offset;
}

void Operands::list_uses() {
  std::vector<int> count(code_.size(), 0);
  for (const Step& s : steps_.list) {
    for (const int k : Distinct(s)) ++count[k];
  }
  int total = 0;
  for (int k = 0; k < code_.size(); ++k) {
    values_[k].next = values_[k].last = total;
    total += count[k];
  }
  use_positions_.resize(total);
  for (int p = 0; p < static_cast<int>(steps_.list.size()); ++p) {
    for (const int k : Distinct(steps_.list[p])) use_positions_[values_[k].last++] = p;
  }
}

// Inputs and constants can be read from memory from the beginning.
void Operands::find_homes() {
  for (int k = 0; k < code_.size(); ++k) {
    const Node& node = code_[k];
    Value& value = values_[k];
    if (node.op == Op::constant) {
      value.home = Home::constant;
      value.offset = pool_.find(node.value, lanes_ > 1);
    } else if (node.op == Op::input) {
      value.home = Home::input;
      while (node.a >= program_.inputs[value.block].first + program_.inputs[value.block].size()) ++value.block;
      value.offset = bytes() * (node.a - program_.inputs[value.block].first);
    }
  }
}

int Operands::next_use(int k) const {
  const Value& v = values_[k];
  const int at = v.next < v.last && use_positions_[v.next] == position_ ? v.next + 1 : v.next;
  return at < v.last ? use_positions_[at] : never;
}

void Operands::spill(int reg) {
  const int k = holder_[reg];
  if (values_[k].home == Home::none && next_use(k) != never) {
    if (free_slots_.empty()) {
      put_on_stack(k, frame_size_);
      frame_size_ += bytes();
    } else {
      const auto slot = free_slots_.begin();
      put_on_stack(k, *slot);
      free_slots_.erase(slot);
    }
    store(memory(k), reg);
  }
  values_[k].reg = -1;
  holder_[reg] = -1;
}

int Operands::take_register() {
  int best = -1;
  long long furthest = -1;
  for (int r = 0; r < registers_; ++r) {
    if (pinned_ >> r & 1) continue;
    if (holder_[r] < 0) return r;
    // of two with the same next use, one that memory holds already is cheaper to give up
    const long long weight = 2LL * next_use(holder_[r]) + (values_[holder_[r]].home != Home::none ? 1 : 0);
    if (weight > furthest) furthest = weight, best = r;
  }
  spill(best);
  return best;
}

void Operands::hold(int reg, int k) {
  holder_[reg] = k;
  values_[k].reg = reg;
}

void Operands::pin_operands(const Step& s) {
  free_slots_.insert(retired_slots_.begin(), retired_slots_.end());
  retired_slots_.clear();
  for (const int k : Distinct(s)) {
    if (in_register(k)) pin(values_[k].reg);
  }
}

void Operands::finish_operands(const Step& s) {
  for (const int k : Distinct(s)) {
    Value& value = values_[k];
    if (value.next < value.last && use_positions_[value.next] == position_) ++value.next;
    if (value.next < value.last) continue;
    if (value.home == Home::stack) retired_slots_.push_back(value.offset);
    if (value.reg < 0) continue;
    holder_[value.reg] = -1;
    value.reg = -1;
  }
}

void Operands::empty_registers() {
  for (int r = 0; r < registers_; ++r) {
    if (holder_[r] >= 0) spill(r);
  }
}

x86::Mem Operands::memory(int k) const {
  const Value& value = values_[k];
  switch (value.home) {
    case Home::input: return x86::ptr(input_base(static_cast<std::size_t>(value.block)), value.offset);
    case Home::constant: return vectors_.constant(value.offset, lanes_ > 1);
    default: return frame(value.offset);
  }
}

x86::Mem Operands::frame(int offset) const {
  const int i = offset / 256 < bases_ ? offset / 256 : 0;
  return x86::ptr(frame_base(i), offset - frame_base_offset(i));
}

void Operands::load(int reg, int k) {
  if (lanes_ == 1)
    a_.vmovsd(vec(reg).as<x86::Xmm>(), memory(k));
  else if (values_[k].home == Home::constant)
    vectors_.load_constant(reg, values_[k].offset);
  else
    a_.vmovupd(vec(reg), memory(k));
}

void Operands::store(const x86::Mem& at, int reg) {
  if (lanes_ == 1)
    a_.vmovsd(at, vec(reg).as<x86::Xmm>());
  else
    a_.vmovupd(at, vec(reg));
}

int Operands::need(int k) {
  if (!in_register(k)) {
    const int reg = take_register();
    load(reg, k);
    hold(reg, k);
  }
  pin(values_[k].reg);
  return values_[k].reg;
}

Operand Operands::any(int k) {
  if (in_register(k)) return vec(need(k));
  return memory(k);
}

}  // namespace catena::compile

#endif
