#include "catena/compile/emit.hpp"

#if defined(__x86_64__) && defined(__unix__) && __has_include(<asmjit/x86.h>)

#include <asmjit/x86.h>

#include <algorithm>
#include <bit>

#include "catena/compile/emit_functions.hpp"
#include "catena/compile/steps.hpp"

namespace catena::compile {

namespace {

using namespace asmjit;

class JitCode : public MachineCode {
 public:
  JitCode() : runtime_(&parameters()) {}

  JitRuntime& runtime() { return runtime_; }
  std::vector<double> pool;

 private:
  static const JitAllocator::CreateParams& parameters() {
    static const JitAllocator::CreateParams dual = [] {
      JitAllocator::CreateParams p{};
      p.options = JitAllocatorOptions::kUseDualMapping;  // one mapping to write, another to run
      return p;
    }();
    return dual;
  }
  JitRuntime runtime_;
};

// Registers by next use: when none is free, the value whose next use lies furthest ahead goes to memory.
class Emitter {
 public:
  Emitter(const Program& program, const Steps& steps, int lanes, x86::Assembler& a)
      : code_(program.code),
        program_(program),
        steps_(steps),
        lanes_(lanes),
        a_(a),
        vectors_(a, widest_lanes(), pool_) {
    registers_ = widest_lanes() == 8 ? 32 : 16;
    holder_.assign(registers_, -1);
    values_.resize(code_.size());
    list_uses();
  }

  void run() {
    const int count = static_cast<int>(steps_.angles.size() + steps_.slopes.size());
    arguments_ = reserve(count + (lanes_ == 1 && count > 0 ? widest_lanes() : 0));  // the last vector may reach beyond
    sines_ = reserve(static_cast<int>(steps_.angles.size()));
    cosines_ = reserve(static_cast<int>(steps_.angles.size()));
    tanhs_ = reserve(static_cast<int>(steps_.slopes.size()));
    homes();
    a_.push(x86::rbp);
    a_.mov(x86::rbp, x86::rsp);
    a_.and_(x86::rsp, -64);
    a_.long_().sub(x86::rsp, 0x7fffffff);  // patched when the frame is known
    frame_end_ = a_.offset();
    a_.mov(x86::r8, imm(0x7fffffffffffffff));  // the pool's address, patched too
    pool_end_ = a_.offset();
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      a_.mov(input_base(i), x86::qword_ptr(x86::rdi, static_cast<int>(8 * i)));
    }
    if (lanes_ == 1 && count > 0) {  // numbers that nobody asked for must not be slow ones
      vectors_.clear(0);
      for (int at = 8 * count; at < sines_ - arguments_; at += 8 * widest_lanes()) {
        a_.vmovupd(x86::ptr(x86::rsp, arguments_ + std::min(at, sines_ - arguments_ - 8 * widest_lanes())),
                   vectors_.vec(0, widest_lanes()));
      }
    }
    for (position_ = 0; position_ < static_cast<int>(steps_.list.size()); ++position_) step(steps_.list[position_]);
    a_.mov(x86::rsp, x86::rbp);
    a_.pop(x86::rbp);
    a_.vzeroupper();
    a_.ret();
  }

  // The pool must not move any more.
  void patch(CodeHolder& code, const double* pool) const {
    std::uint8_t* const text = code.textSection()->buffer().data();
    const auto frame = static_cast<std::uint32_t>((frame_size_ + 63) / 64 * 64);
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&frame), 4, text + frame_end_ - 4);
    const auto address = std::bit_cast<std::uint64_t>(pool);
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&address), 8, text + pool_end_ - 8);
  }
  const std::vector<double>& pool() const { return pool_.numbers(); }

 private:
  enum class Home { none, input, constant, stack };
  struct Value {
    Home home = Home::none;
    int block = 0, offset = 0;
    int reg = -1;
    int next = 0, last = 0;  // range in use_positions_
  };

  static x86::Gp input_base(std::size_t block) {
    static const x86::Gp bases[] = {x86::r9, x86::r10, x86::r11};
    return bases[block];
  }
  int reserve(int values) {
    // whole vectors: the functions read and write them
    const int at = frame_size_, vector = 8 * widest_lanes();
    frame_size_ += (8 * lanes_ * values + vector - 1) / vector * vector;
    return at;
  }

  static void operands(const Step& s, int (&out)[3], int& count) {
    count = 0;
    for (const int k : {s.x, s.y, s.c}) {
      if (k < 0) continue;
      bool seen = false;
      for (int i = 0; i < count; ++i) seen = seen || out[i] == k;
      if (!seen) out[count++] = k;
    }
  }
  void list_uses() {
    std::vector<int> count(code_.size(), 0);
    int who[3], n = 0;
    for (const Step& s : steps_.list) {
      operands(s, who, n);
      for (int i = 0; i < n; ++i) ++count[who[i]];
    }
    int total = 0;
    for (int k = 0; k < code_.size(); ++k) {
      values_[k].next = values_[k].last = total;
      total += count[k];
    }
    use_positions_.resize(total);
    for (int p = 0; p < static_cast<int>(steps_.list.size()); ++p) {
      operands(steps_.list[p], who, n);
      for (int i = 0; i < n; ++i) use_positions_[values_[who[i]].last++] = p;
    }
  }
  // Where values can be read from memory from the beginning.
  void homes() {
    for (int k = 0; k < code_.size(); ++k) {
      const Node& node = code_[k];
      Value& value = values_[k];
      if (node.op == Op::constant) {
        value.home = Home::constant;
        value.offset = pool_.find(node.value, lanes_ > 1);
      } else if (node.op == Op::input) {
        value.home = Home::input;
        while (node.a >= program_.inputs[value.block].first + program_.inputs[value.block].size()) ++value.block;
        value.offset = 8 * lanes_ * (node.a - program_.inputs[value.block].first);
      }
    }
    const auto on_stack = [&](int k, int base, std::size_t i) {
      if (k < 0) return;
      values_[k].home = Home::stack;
      values_[k].offset = base + 8 * lanes_ * static_cast<int>(i);
    };
    for (std::size_t i = 0; i < steps_.angles.size(); ++i) {
      on_stack(steps_.sine[i], sines_, i);
      on_stack(steps_.cosine[i], cosines_, i);
    }
    for (std::size_t i = 0; i < steps_.tanh.size(); ++i) on_stack(steps_.tanh[i], tanhs_, i);
  }

  // --- registers
  x86::Vec vec(int reg) const { return vectors_.vec(reg, lanes_); }
  bool dies(int k) const {  // not used after this step
    const Value& v = values_[k];
    return v.next >= v.last || (use_positions_[v.next] == position_ && v.next + 1 >= v.last);
  }
  int next_use(int k) const {
    const Value& v = values_[k];
    const int at = v.next < v.last && use_positions_[v.next] == position_ ? v.next + 1 : v.next;
    return at < v.last ? use_positions_[at] : 0x7fffffff;
  }
  int take_register() {
    int best = -1, furthest = -1;
    for (int r = 0; r < registers_; ++r) {
      if (pinned_ >> r & 1) continue;
      if (holder_[r] < 0) return r;
      const int use = next_use(holder_[r]);
      // a value that memory holds already is cheaper to give up
      const int weight = use == 0x7fffffff ? use : 2 * use + (values_[holder_[r]].home != Home::none ? 1 : 0);
      if (weight > furthest) furthest = weight, best = r;
    }
    Value& value = values_[holder_[best]];
    if (value.home == Home::none && next_use(holder_[best]) != 0x7fffffff) {
      value.home = Home::stack;
      value.offset = frame_size_;
      frame_size_ += 8 * lanes_;
      store(memory(holder_[best]), best);
    }
    value.reg = -1;
    holder_[best] = -1;
    return best;
  }
  void hold(int reg, int k) {
    holder_[reg] = k;
    values_[k].reg = reg;
  }
  void pin(int reg) { pinned_ |= std::uint64_t{1} << reg; }
  void finish_operands(const Step& s) {
    int who[3], n = 0;
    operands(s, who, n);
    for (int i = 0; i < n; ++i) {
      Value& value = values_[who[i]];
      if (value.next < value.last && use_positions_[value.next] == position_) ++value.next;
      if (value.next >= value.last && value.reg >= 0) {
        holder_[value.reg] = -1;
        value.reg = -1;
      }
    }
  }

  // --- operands
  x86::Mem memory(int k) const {
    const Value& value = values_[k];
    switch (value.home) {
      case Home::input: return x86::ptr(input_base(static_cast<std::size_t>(value.block)), value.offset);
      case Home::constant: return vectors_.constant(value.offset, lanes_ > 1);
      default: return x86::ptr(x86::rsp, value.offset);
    }
  }
  void load(int reg, int k) {
    if (lanes_ == 1) {
      a_.vmovsd(vec(reg).as<x86::Xmm>(), memory(k));
    } else if (values_[k].home == Home::constant) {
      vectors_.load_constant(reg, values_[k].offset);
    } else {
      a_.vmovupd(vec(reg), memory(k));
    }
  }
  void store(const x86::Mem& at, int reg) {
    if (lanes_ == 1)
      a_.vmovsd(at, vec(reg).as<x86::Xmm>());
    else
      a_.vmovupd(at, vec(reg));
  }
  int need(int k) {
    int reg = values_[k].reg;
    if (reg < 0) {
      reg = take_register();
      load(reg, k);
      hold(reg, k);
    }
    pin(reg);
    return reg;
  }
  // A register, or memory for a value that is not needed again.
  Operand any(int k) {
    if (values_[k].reg < 0 && dies(k)) return memory(k);
    return vec(need(k));
  }
  bool in_register(int k) const { return values_[k].reg >= 0; }

  InstId id(InstId scalar, InstId vector) const { return lanes_ == 1 ? scalar : vector; }

  // --- steps
  void step(const Step& s) {
    pinned_ = 0;
    for (const int k : {s.x, s.y, s.c}) {
      if (k >= 0 && in_register(k)) pin(values_[k].reg);
    }
    switch (s.form) {
      case Form::add: binary(s, id(x86::Inst::kIdVaddsd, x86::Inst::kIdVaddpd), true); break;
      case Form::mul: binary(s, id(x86::Inst::kIdVmulsd, x86::Inst::kIdVmulpd), true); break;
      case Form::sub: binary(s, id(x86::Inst::kIdVsubsd, x86::Inst::kIdVsubpd), false); break;
      case Form::div: binary(s, id(x86::Inst::kIdVdivsd, x86::Inst::kIdVdivpd), false); break;
      case Form::neg: negate(s); break;
      case Form::sqrt: root(s); break;
      case Form::fma:
        fused(s, id(x86::Inst::kIdVfmadd231sd, x86::Inst::kIdVfmadd231pd),
              id(x86::Inst::kIdVfmadd213sd, x86::Inst::kIdVfmadd213pd));
        break;
      case Form::fms:
        fused(s, id(x86::Inst::kIdVfmsub231sd, x86::Inst::kIdVfmsub231pd),
              id(x86::Inst::kIdVfmsub213sd, x86::Inst::kIdVfmsub213pd));
        break;
      case Form::fnma:
        fused(s, id(x86::Inst::kIdVfnmadd231sd, x86::Inst::kIdVfnmadd231pd),
              id(x86::Inst::kIdVfnmadd213sd, x86::Inst::kIdVfnmadd213pd));
        break;
      case Form::argument:
        store(x86::ptr(x86::rsp, arguments_ + 8 * lanes_ * s.d), need(s.x));
        finish_operands(s);
        break;
      case Form::functions: functions(); break;
      case Form::store: result(s); break;
    }
  }
  int destination(const Step& s) {
    finish_operands(s);
    pinned_ = 0;  // the result may overwrite an operand
    const int reg = take_register();
    hold(reg, s.d);
    return reg;
  }
  void binary(const Step& s, InstId inst, bool commutes) {
    int x = s.x, y = s.y;
    // memory can only be the second operand
    if (commutes && (!in_register(x) && (in_register(y) || dies(x)))) std::swap(x, y);
    const int left = need(x);
    const Operand right = any(y);
    a_.emit(inst, vec(destination(s)), vec(left), right);
  }
  void negate(const Step& s) {
    const int x = need(s.x);
    const int d = take_register();
    vectors_.clear(d);
    a_.emit(id(x86::Inst::kIdVsubsd, x86::Inst::kIdVsubpd), vec(d), vec(d), vec(x));
    finish_operands(s);
    hold(d, s.d);
  }
  void root(const Step& s) {
    const int x = need(s.x);
    const int d = destination(s);
    if (lanes_ == 1)
      a_.vsqrtsd(vec(d).as<x86::Xmm>(), vec(x).as<x86::Xmm>(), vec(x).as<x86::Xmm>());
    else
      a_.vsqrtpd(vec(d), vec(x));
  }
  // 231: d = x y + d     213: d = y d + c
  void fused(const Step& s, InstId into_c, InstId into_x) {
    int x = s.x, y = s.y;
    if (in_register(s.c) && dies(s.c)) {
      if (!in_register(x) && in_register(y)) std::swap(x, y);
      const int left = need(x);
      const Operand right = any(y);
      const int d = values_[s.c].reg;
      a_.emit(into_c, vec(d), vec(left), right);
      replace(s, d);
      return;
    }
    if (!(in_register(x) && dies(x))) std::swap(x, y);
    if (in_register(x) && dies(x)) {
      const int d = need(x);
      const int factor = need(y);
      const Operand term = any(s.c);
      a_.emit(into_x, vec(d), vec(factor), term);
      replace(s, d);
      return;
    }
    if (!in_register(x) && (in_register(y) || dies(x))) std::swap(x, y);
    const int left = need(x);
    const Operand right = any(y);
    const bool copy = in_register(s.c);
    const int d = take_register();
    pin(d);
    if (copy)
      a_.vmovapd(lanes_ == 1 ? x86::Vec(vec(d).as<x86::Xmm>()) : vec(d), vec(values_[s.c].reg));
    else
      load(d, s.c);
    a_.emit(into_c, vec(d), vec(left), right);
    finish_operands(s);
    hold(d, s.d);
  }
  // The result takes over the register of an operand that dies.
  void replace(const Step& s, int reg) {
    finish_operands(s);
    hold(reg, s.d);
  }
  void functions() {
    for (int r = 0; r < registers_; ++r) {
      if (holder_[r] < 0) continue;
      Value& value = values_[holder_[r]];
      if (value.home == Home::none && value.next < value.last) {
        value.home = Home::stack;
        value.offset = frame_size_;
        frame_size_ += 8 * lanes_;
        store(memory(holder_[r]), r);
      }
      value.reg = -1;
      holder_[r] = -1;
    }
    const int vector = 8 * widest_lanes();
    const auto vectors_of = [&](std::size_t count) {
      return (8 * lanes_ * static_cast<int>(count) + vector - 1) / vector;
    };
    for (int i = 0; i < vectors_of(steps_.angles.size()); ++i) {
      vectors_.sincos(arguments_ + i * vector, sines_ + i * vector, cosines_ + i * vector);
    }
    // arguments of tanh follow those of the angles without a gap
    const int first = arguments_ + 8 * lanes_ * static_cast<int>(steps_.angles.size());
    for (int i = 0; i < vectors_of(steps_.slopes.size()); ++i) vectors_.tanh(first + i * vector, tanhs_ + i * vector);
  }
  void result(const Step& s) {
    std::size_t block = 0;
    while (s.d >= program_.outputs[block].first + program_.outputs[block].size()) ++block;
    const int reg = need(s.x);
    a_.mov(x86::rax, x86::qword_ptr(x86::rsi, static_cast<int>(8 * block)));
    store(x86::ptr(x86::rax, 8 * lanes_ * (s.d - program_.outputs[block].first)), reg);
    finish_operands(s);
  }

  const Code& code_;
  const Program& program_;
  const Steps& steps_;
  int lanes_, registers_;
  x86::Assembler& a_;
  ConstantPool pool_{widest_lanes()};
  VectorFunctions vectors_;
  std::vector<Value> values_;
  std::vector<int> use_positions_, holder_;
  std::uint64_t pinned_ = 0;
  int position_ = 0;
  int frame_size_ = 0, arguments_ = 0, sines_ = 0, cosines_ = 0, tanhs_ = 0;
  std::size_t frame_end_ = 0, pool_end_ = 0;
};

}  // namespace

int widest_lanes() {
  static const int lanes = [] {
    const auto& f = CpuInfo::host().features().x86();
    if (f.hasAVX512_F() && f.hasAVX512_DQ() && f.hasAVX512_VL()) return 8;
    return f.hasAVX2() && f.hasFMA() ? 4 : 0;
  }();
  return lanes;
}

std::unique_ptr<MachineCode> emit(const Program& program, int lanes) {
  if (widest_lanes() == 0 || (lanes != 1 && lanes != widest_lanes())) return nullptr;
  if (program.inputs.size() > 3) return nullptr;
  const Steps steps = make_steps(program.code);
  if (!steps.possible) return nullptr;
  auto out = std::make_unique<JitCode>();
  CodeHolder code;
  if (code.init(out->runtime().environment()) != kErrorOk) return nullptr;
  x86::Assembler assembler(&code);
  struct Errors : ErrorHandler {
    bool any = false;
    void handleError(Error, const char*, BaseEmitter*) override { any = true; }
  } errors;
  code.setErrorHandler(&errors);
  Emitter emitter(program, steps, lanes, assembler);
  emitter.run();
  out->pool = emitter.pool();
  emitter.patch(code, out->pool.data());
  if (errors.any || out->runtime().add(&out->entry, &code) != kErrorOk) return nullptr;
  out->lanes = lanes;
  out->bytes = code.codeSize();
  return out;
}

}  // namespace catena::compile

#else

namespace catena::compile {

int widest_lanes() { return 0; }
std::unique_ptr<MachineCode> emit(const Program&, int) { return nullptr; }

}  // namespace catena::compile

#endif
