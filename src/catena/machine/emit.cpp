#include "catena/machine/emit.hpp"

#if defined(__x86_64__) && defined(__unix__) && __has_include(<asmjit/x86.h>)

#include <algorithm>
#include <cstring>

#include "catena/machine/code_memory.hpp"
#include "catena/machine/emit_operands.hpp"

namespace catena::compile {

namespace {

using namespace asmjit;

struct JitCode : MachineCode {
  std::vector<double> pool;
  CodeMemory memory;
};

// Registers: rsi the output blocks, r9 to r11 and, of a fourth one, rdi the input blocks, r8 the constants, rax free, rsp and frame_base() the frame.
class Emitter : Operands {
 public:
  using Operands::Operands, Operands::pool;

  void run() {
    place_functions();
    a_.push(x86::rbp);
    a_.mov(x86::rbp, x86::rsp);
    for (int i = unsaved_bases_; i < bases_; ++i) a_.push(frame_base(i));
    a_.and_(x86::rsp, -64);
    a_.long_().sub(x86::rsp, 0x7fffffff);  // size of the frame: patched
    frame_end_ = a_.offset();
    a_.mov(x86::r8, imm(0x7fffffffffffffff));  // address of the constants: patched
    pool_end_ = a_.offset();
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      a_.mov(input_base(i), x86::qword_ptr(x86::rdi, static_cast<int>(8 * i)));
    }
    for (int i = 0; i < bases_; ++i) a_.lea(frame_base(i), x86::ptr(x86::rsp, frame_base_offset(i)));
    clear_padding();
    for (; position_ < static_cast<int>(steps_.list.size()); ++position_) step(steps_.list[position_]);
    a_.lea(x86::rsp, x86::ptr(x86::rbp, -8 * (bases_ - unsaved_bases_)));
    for (int i = bases_ - 1; i >= unsaved_bases_; --i) a_.pop(frame_base(i));
    a_.pop(x86::rbp);
    a_.vzeroupper();
    a_.ret();
  }

  // The pool must not move any more.
  void patch(CodeHolder& code, const double* pool) const {
    std::uint8_t* const text = code.textSection()->buffer().data();
    const auto frame = static_cast<std::uint32_t>((frame_size() + 63) / 64 * 64);
    std::memcpy(text + frame_end_ - sizeof frame, &frame, sizeof frame);
    std::memcpy(text + pool_end_ - sizeof pool, &pool, sizeof pool);
  }

 private:
  // A group of functions: where their arguments and results are.
  struct Group {
    const Direct* direct = nullptr;
    int count = 0;  // numbers per result array
    int arguments = 0;

    bool gathered() const { return direct->place.empty(); }
  };
  Group group(const std::vector<int>& arguments, const Direct& direct) {
    Group out{&direct, static_cast<int>(direct.place.empty() ? arguments.size() : direct.scale.size()), 0};
    if (out.gathered()) out.arguments = reserve(out.count);
    return out;
  }
  void place_functions() {
    angles_ = group(steps_.angles, steps_.direct_angles);
    slopes_ = group(steps_.slopes, steps_.direct_slopes);
    sines_ = reserve(angles_.count);
    cosines_ = reserve(angles_.count);
    tanhs_ = reserve(slopes_.count);
    const auto put = [&](int k, int base, const Group& g, std::size_t i) {
      if (k >= 0) put_on_stack(k, base + bytes() * (g.gathered() ? static_cast<int>(i) : g.direct->place[i]));
    };
    for (std::size_t i = 0; i < steps_.angles.size(); ++i) {
      put(steps_.sine[i], sines_, angles_, i);
      put(steps_.cosine[i], cosines_, angles_, i);
    }
    for (std::size_t i = 0; i < steps_.tanh.size(); ++i) put(steps_.tanh[i], tanhs_, slopes_, i);
  }
  int vectors_of(const Group& g) const { return (lanes_ * g.count + width_ - 1) / width_; }
  // Numbers that nobody asked for must not be slow ones: what the stack held before may be.
  void clear_padding() {
    vectors_.clear(0);
    for (const Group* g : {&angles_, &slopes_}) {
      if (!g->gathered() || lanes_ * g->count % width_ == 0) continue;
      a_.vmovupd(x86::ptr(x86::rsp, g->arguments + 8 * width_ * (vectors_of(*g) - 1)), vectors_.vec(0, width_));
    }
  }
  void functions() {
    empty_registers();
    const auto load_argument = [&](const Group& g, int i) {
      if (g.gathered()) {
        vectors_.load(g.arguments + 8 * width_ * i);
        return;
      }
      std::size_t block = 0;
      while (g.direct->first >= program_.inputs[block].first + program_.inputs[block].size()) ++block;
      const int first = i * width_;
      vectors_.load_direct(input_base(block), 8 * (g.direct->first - program_.inputs[block].first + first),
                           g.count - first, g.direct->scale.data() + first, g.direct->offset.data() + first);
    };
    for (int i = 0; i < vectors_of(angles_); ++i) {
      load_argument(angles_, i);
      vectors_.sincos(sines_ + 8 * width_ * i, cosines_ + 8 * width_ * i);
    }
    for (int i = 0; i < vectors_of(slopes_); ++i) {
      load_argument(slopes_, i);
      vectors_.tanh(tanhs_ + 8 * width_ * i);
    }
  }

  InstId id(InstId scalar, InstId vector) const { return lanes_ == 1 ? scalar : vector; }

  void step(const Step& s) {
    unpin();
    pin_operands(s);
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
      case Form::argument: argument(s); break;
      case Form::functions: functions(); break;
      case Form::store: result(s); break;
    }
  }
  int destination(const Step& s) {
    finish_operands(s);
    unpin();  // the result may overwrite an operand
    const int reg = take_register();
    hold(reg, s.d);
    return reg;
  }
  // The result takes over the register of an operand that dies.
  void replace(const Step& s, int reg) {
    finish_operands(s);
    hold(reg, s.d);
  }
  void binary(const Step& s, InstId inst, bool commutes) {
    int x = s.x, y = s.y;
    // memory can only be the second operand
    if (commutes && !in_register(x) && (in_register(y) || dies(x))) std::swap(x, y);
    const int left = need(x);
    const Operand right = any(y);
    a_.emit(inst, vec(destination(s)), vec(left), right);
  }
  void negate(const Step& s) {
    const int x = need(s.x), d = take_register();
    vectors_.clear(d);
    a_.emit(id(x86::Inst::kIdVsubsd, x86::Inst::kIdVsubpd), vec(d), vec(d), vec(x));
    replace(s, d);
  }
  void root(const Step& s) {
    const int x = need(s.x), d = destination(s);
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
      const int d = register_of(s.c);
      a_.emit(into_c, vec(d), vec(left), right);
      replace(s, d);
      return;
    }
    if (!(in_register(x) && dies(x))) std::swap(x, y);
    if (in_register(x) && dies(x)) {
      const int d = need(x), factor = need(y);
      const Operand term = any(s.c);
      a_.emit(into_x, vec(d), vec(factor), term);
      replace(s, d);
      return;
    }
    if (!in_register(x) && (in_register(y) || dies(x))) std::swap(x, y);
    const int left = need(x);
    const Operand right = any(y);
    const int d = take_register();
    if (in_register(s.c))
      a_.vmovapd(vec(d), vec(register_of(s.c)));
    else
      load(d, s.c);
    a_.emit(into_c, vec(d), vec(left), right);
    replace(s, d);
  }
  void argument(const Step& s) {
    const int angles = static_cast<int>(steps_.angles.size());
    const int at = s.d < angles ? angles_.arguments + bytes() * s.d : slopes_.arguments + bytes() * (s.d - angles);
    store(x86::ptr(x86::rsp, at), need(s.x));
    finish_operands(s);
  }
  void result(const Step& s) {
    std::size_t block = 0;
    while (s.d >= program_.outputs[block].first + program_.outputs[block].size()) ++block;
    const int reg = need(s.x);
    if (output_in_rax_ != static_cast<int>(block)) {
      a_.mov(x86::rax, x86::qword_ptr(x86::rsi, static_cast<int>(8 * block)));
      output_in_rax_ = static_cast<int>(block);
    }
    store(x86::ptr(x86::rax, bytes() * (s.d - program_.outputs[block].first)), reg);
    finish_operands(s);
  }

  Group angles_, slopes_;
  int sines_ = 0, cosines_ = 0, tanhs_ = 0;
  int output_in_rax_ = -1;
  std::size_t frame_end_ = 0, pool_end_ = 0;
};

bool place(CodeHolder& code, JitCode& out) {
  if (code.flatten() != kErrorOk || code.resolveUnresolvedLinks() != kErrorOk) return false;
  const void* const address = out.memory.reserve(code.codeSize());
  if (address == nullptr || code.relocateToBase(reinterpret_cast<std::uintptr_t>(address)) != kErrorOk) return false;
  std::vector<std::uint8_t> bytes(code.codeSize());
  if (code.copyFlattenedData(bytes.data(), bytes.size()) != kErrorOk || !out.memory.run(bytes)) return false;
  std::memcpy(&out.entry, &address, sizeof address);
  return true;
}

}  // namespace

int widest_lanes() {
  const auto& f = CpuInfo::host().features().x86();
  if (f.hasAVX512_F() && f.hasAVX512_DQ() && f.hasAVX512_VL()) return 8;
  return f.hasAVX2() && f.hasFMA() ? 4 : 0;
}

std::unique_ptr<MachineCode> emit(const Program& program, int lanes, int width) {
  if (width == 0 || width > widest_lanes() || (lanes != 1 && lanes != width)) return nullptr;
  if (program.inputs.size() > most_input_blocks) return nullptr;
  const Steps steps = make_steps(program, lanes == 1);
  if (!steps.possible) return nullptr;
  auto out = std::make_unique<JitCode>();
  CodeHolder code;
  if (code.init(Environment::host()) != kErrorOk) return nullptr;
  x86::Assembler assembler(&code);
  struct Errors : ErrorHandler {
    bool any = false;
    void handleError(Error, const char*, BaseEmitter*) override { any = true; }
  } errors;
  code.setErrorHandler(&errors);
  Emitter emitter(program, steps, lanes, width, assembler);
  emitter.run();
  out->pool = emitter.pool();
  emitter.patch(code, out->pool.data());
  if (errors.any || !place(code, *out)) return nullptr;
  out->lanes = lanes;
  out->bytes = code.codeSize();
  return out;
}

}  // namespace catena::compile

#else

namespace catena::compile {

int widest_lanes() { return 0; }
std::unique_ptr<MachineCode> emit(const Program&, int, int) { return nullptr; }

}  // namespace catena::compile

#endif
