// Numpy arrays in and out: which memory can be used as it is, and what is wrong with what cannot.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <boost/container/small_vector.hpp>
#include <span>
#include <string>
#include <vector>

#include "catena/batch/states.hpp"

namespace catena::python {

namespace py = pybind11;
using Array = py::array_t<double>;

// A call has few arguments and results: no memory is asked for them.
template <class T>
using Few = boost::container::small_vector<T, 4>;

// Whatever numpy takes for numbers, as float64 of any strides; copied only where it is something else.
// Throws std::invalid_argument naming the argument.
Array numbers_from(py::handle object, const std::string& name);

// A new array, not filled. Strides in numbers.
Array new_array(std::span<const py::ssize_t> shape, std::span<const py::ssize_t> strides);

// The same memory, or a copy in C order where there are gaps or another order.
Array without_gaps(const Array& array);

// Strides in numbers, not bytes.
inline py::ssize_t stride(const py::array& array, int axis) {
  return array.strides(axis) / static_cast<py::ssize_t>(sizeof(double));
}

// "(3, 7)", as Python writes it.
std::string shape_text(const py::array& array);

// "float32" of an array, "str" of another object.
std::string kind_text(py::handle object);

// Whether the memory of two arrays may have numbers in common.
bool may_overlap(const py::array& a, const py::array& b);

// Whether they have.
bool overlap(const py::array& a, const py::array& b);

// Whether two numbers of an array have memory in common: a stride of 0, windows that slide.
bool overlaps_itself(const py::array& array);

// A named tuple type of the package, the same one for the same names.
py::object result_type(const std::string& name, const std::vector<std::string>& fields);

}  // namespace catena::python
