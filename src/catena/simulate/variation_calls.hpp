// What CVODES calls as it follows a variation: for sensitivities and for adjoints alike.
#pragma once

#include "catena/simulate/sundials.hpp"
#include "catena/simulate/variation.hpp"

namespace catena {

struct VariationCalls {
  Variation& variation;
  sundials::Guard guard = {};

  static int rate(double t, N_Vector x, N_Vector x_dot, void* user) {
    auto& calls = *static_cast<VariationCalls*>(user);
    return calls.guard.run([&] { calls.variation.rate(t, N_VGetArrayPointer(x), N_VGetArrayPointer(x_dot)); });
  }

  static int jacobian(double t, N_Vector x, N_Vector, SUNMatrix J, void* user, N_Vector, N_Vector, N_Vector) {
    auto& calls = *static_cast<VariationCalls*>(user);
    return calls.guard.run([&] {
      calls.variation.at(t, N_VGetArrayPointer(x));
      sundials::map(J) = calls.variation.jacobian();
    });
  }
};

}  // namespace catena
