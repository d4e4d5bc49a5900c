// Where the values of a program are while its code is emitted: in registers, in memory, or both.
// When no register is free, the value whose next use lies furthest ahead goes to memory: the best choice there is, and
// known exactly, because the program has no branches.
#pragma once

#include <set>

#include "catena/machine/emit_functions.hpp"
#include "catena/machine/steps.hpp"

namespace catena::compile {

class Operands {
 public:
  Operands(const Program& program, const Steps& steps, int lanes, int width, asmjit::x86::Assembler& a);

  const std::vector<double>& pool() const { return pool_.numbers(); }
  int frame_size() const { return frame_size_; }

 protected:
  enum class Home { none, input, constant, stack };
  struct Value {
    Home home = Home::none;
    int block = 0, offset = 0;
    int reg = -1;
    int next = 0, last = 0;  // range in use_positions_
  };
  static constexpr int never = 0x7fffffff;

  // The base of an input block stays in a register. The last one is where all of them are found: read last.
  static asmjit::x86::Gp input_base(std::size_t block);
  // Registers that point into the frame, 256 bytes apart: addresses near them are a byte long, not four. A long program
  // runs as fast as it can be fetched and decoded. The first ones need not be saved.
  asmjit::x86::Gp frame_base(int i) const;
  static int frame_base_offset(int i) { return 256 * i + 128; }
  int bytes() const { return 8 * lanes_; }
  // Memory for some values on the stack, in whole vectors.
  int reserve(int values);
  void put_on_stack(int k, int offset);

  asmjit::x86::Vec vec(int reg) const { return vectors_.vec(reg, lanes_); }
  bool in_register(int k) const { return values_[k].reg >= 0; }
  int register_of(int k) const { return values_[k].reg; }
  bool dies(int k) const { return next_use(k) == never; }  // not used after this step
  int take_register();
  void hold(int reg, int k);
  void pin(int reg) { pinned_ |= std::uint64_t{1} << reg; }
  void pin_operands(const Step& s);  // begins a step
  void unpin() { pinned_ = 0; }
  void finish_operands(const Step& s);  // counts their use, and frees what is not needed again
  void empty_registers();

  asmjit::x86::Mem memory(int k) const;
  asmjit::x86::Mem frame(int offset) const;
  void load(int reg, int k);
  void store(const asmjit::x86::Mem& at, int reg);
  int need(int k);             // a register with the value
  asmjit::Operand any(int k);  // a register, or memory for a value that is not needed again

  const Program& program_;
  const Code& code_;
  const Steps& steps_;
  int lanes_, width_;
  int unsaved_bases_, bases_;  // in use
  asmjit::x86::Assembler& a_;
  ConstantPool pool_;
  VectorFunctions vectors_;
  int position_ = 0;  // of the step

 private:
  int next_use(int k) const;
  void spill(int reg);
  void list_uses();
  void find_homes();

  int registers_;
  std::vector<Value> values_;
  std::vector<int> use_positions_, holder_;
  std::set<int> free_slots_;        // of values on the stack that are not needed any more
  std::vector<int> retired_slots_;  // free after this step, which may still read them
  std::uint64_t pinned_ = 0;
  int frame_size_ = 0;
};

}  // namespace catena::compile
