// The library's errors as Python's.
#pragma once

#include <pybind11/pybind11.h>

namespace catena::python {

void define_errors(pybind11::module_& module);

// Sets Python's error from the exception being handled.
void raise_current();

}  // namespace catena::python
