// A program as steps for a machine with fused multiply-add: first the arguments of sines, cosines and tanh, then those
// functions all at once (many in one vector), then the rest. Results are stored as soon as they are known.
#pragma once

#include "catena/compile/program.hpp"

namespace catena::compile {

enum class Form : std::uint8_t {
  add,        // x + y
  sub,        // x - y
  mul,        // x y
  div,        // x / y
  neg,        // -x
  sqrt,       // root of x
  fma,        // x y + c
  fms,        // x y - c
  fnma,       // c - x y
  argument,   // x is argument number d of the functions
  functions,  // all of them
  store,      // x is result number d
};

struct Step {
  Form form;
  int d = -1, x = -1, y = -1, c = -1;  // instructions of the code
};

struct Steps {
  std::vector<Step> list;
  std::vector<int> angles, sine, cosine;  // argument, and the instructions that want its sine and cosine (-1: nobody)
  std::vector<int> slopes, tanh;          // argument and result of each tanh; arguments are numbered after the angles
  bool possible = true;                   // false: an argument depends on another function's result
};

Steps make_steps(const Code& code);

}  // namespace catena::compile
