// The linearization of forward dynamics in two parts, for robots with many coordinates: straight code up to a, M^-1,
// A_D and B_D, then A_C = M^-1 A_D and B_C = M^-1 B_D by loops over vectors, which know the zeros of the tree.
#pragma once

#include "catena/compile/program.hpp"
#include "catena/linear/algorithm4.hpp"

namespace catena::compile {

// q, v, tau -> a, M_inv, and in the places of A_C and B_C: A_D and B_D; guarded. For robots without mimic joints.
Program trace_but_products(const Model& model);

// Scratch memory of a call is on the stack: up to so many coordinates.
constexpr int most_multiplied = 48;

class Multiplier {
 public:
  explicit Multiplier(const Tree& tree) : n_(tree.nv), shared_(tree) {}

  // outputs: a, M_inv, A_C, B_C, the doubt; first_part(a, M_inv, A_D, B_D, the doubt) computes those.
  template <class FirstPart>
  void run(double* const* outputs, const FirstPart& first_part) const {
    const std::size_t square = static_cast<std::size_t>(n_) * n_;
    double scratch[3 * most_multiplied * most_multiplied + 16];  // the products read a little beyond M_inv
    double* const parts[] = {outputs[0], scratch, scratch + square + 16, scratch + 2 * square + 16, outputs[4]};
    first_part(parts);
    kernel::vector_factor().multiply(parts[1], n_, {shared_.first, shared_.partner, parts[2], parts[3]}, outputs[2],
                                     outputs[3], n_);
    std::copy_n(parts[1], square, outputs[1]);
  }

 private:
  int n_;
  kernel::SharedPaths shared_;
};

}  // namespace catena::compile
