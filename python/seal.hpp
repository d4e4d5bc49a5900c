// Objects of this module come from the library's functions alone. pybind11 lets Python make objects with nothing in them
// (T.__new__(T), a subclass that forgets its base's __init__, copies, pickles) and put one class in another's place
// (x.__class__ = T); a method then reads memory that holds no T. Here all of that is a TypeError.
#pragma once

#include <pybind11/pybind11.h>

namespace catena::python {

// Before the first class: none of those that follow makes objects for Python.
void close_constructors();

// After the last definition, for every class of the module: no copies (but of a Model, which says how), and no change of the classes any more. And no
// exception leaves a function: pybind11 lets those out that come up while it words an error.
void seal(const pybind11::module_& module);

}  // namespace catena::python
