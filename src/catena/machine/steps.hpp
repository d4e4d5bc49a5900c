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

// Arguments scale x + offset of inputs that lie side by side: a vector can be read where they are.
struct Direct {
  int first = 0;                      // input
  std::vector<double> scale, offset;  // of first, first + 1, ...; empty: the arguments must be gathered
  std::vector<int> place;             // of each argument
};

struct Steps {
  std::vector<Step> list;
  std::vector<int> angles, sine, cosine;  // argument, and the instructions that want its sine and cosine (-1: nobody)
  std::vector<int> slopes, tanh;          // argument and result of each tanh; arguments are numbered after the angles
  Direct direct_angles, direct_slopes;
  bool possible = true;  // false: an argument depends on another function's result
};

// direct: look for arguments that need no gathering.
Steps make_steps(const Program& program, bool direct);

}  // namespace catena::compile
