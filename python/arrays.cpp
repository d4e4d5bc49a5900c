#include "arrays.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace catena::python {

namespace {

// Fields of records may stand where no double may.
bool is_aligned(const Array& array) {
  bool good = reinterpret_cast<std::uintptr_t>(array.data()) % alignof(double) == 0;
  for (int axis = 0; axis < array.ndim(); ++axis) {
    good &= array.strides(axis) % static_cast<py::ssize_t>(sizeof(double)) == 0;
  }
  return good;
}

struct Range {
  const char *begin, *end;
};
Range range_of(const py::array& array) {
  const char* const data = static_cast<const char*>(array.data());
  Range out = {data, data + array.itemsize()};
  for (int axis = 0; axis < array.ndim(); ++axis) {
    const py::ssize_t reach = (array.shape(axis) - 1) * array.strides(axis);
    (reach < 0 ? out.begin : out.end) += reach;
  }
  return out;
}

}  // namespace

Array new_array(std::span<const py::ssize_t> shape, std::span<const py::ssize_t> strides) {
  constexpr int most = 3;
  py::ssize_t bytes[most] = {};
  for (std::size_t k = 0; k < strides.size(); ++k) bytes[k] = strides[k] * static_cast<py::ssize_t>(sizeof(double));
  // numpy itself, because py::array asks for memory four times on the way there
  const auto& numpy = py::detail::npy_api::get();
  PyObject* const array =
      numpy.PyArray_NewFromDescr_(numpy.PyArray_Type_, py::dtype::of<double>().release().ptr(),
                                  static_cast<int>(shape.size()), shape.data(), bytes, nullptr, 0, nullptr);
  if (array == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<Array>(array);
}

Array numbers_from(py::handle object, const std::string& name) {
  if (py::isinstance<Array>(object)) {
    Array array = py::reinterpret_borrow<Array>(object);
    return is_aligned(array) ? array : Array(array.attr("copy")());
  }
  py::array array;
  try {
    array = py::module_::import("numpy").attr("asarray")(object);
  } catch (const py::error_already_set& error) {
    throw std::invalid_argument(name + " is not an array of numbers: " + std::string(py::str(error.value())));
  }
  const char kind = array.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b') {
    throw std::invalid_argument(name + " must be an array of real numbers, not of " +
                                std::string(py::str(array.dtype())));
  }
  return Array(array.attr("astype")("float64"));
}

Array without_gaps(const Array& array) {
  if ((array.flags() & py::array::c_style) != 0) return array;
  return py::array_t<double, py::array::c_style | py::array::forcecast>(array);
}

std::string shape_text(const py::array& array) { return py::str(array.attr("shape")); }

bool may_overlap(const py::array& a, const py::array& b) {
  if (a.size() == 0 || b.size() == 0) return false;
  const Range x = range_of(a), y = range_of(b);
  return x.begin < y.end && y.begin < x.end;
}

py::object result_type(const std::string& name, const std::vector<std::string>& fields) {
  py::tuple names(fields.size());
  for (std::size_t k = 0; k < fields.size(); ++k) names[k] = fields[k];
  return py::module_::import("catena._results").attr("result_type")(name, names);
}

}  // namespace catena::python
