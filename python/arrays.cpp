#include "arrays.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
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

std::string kind_text(py::handle object) {
  const bool array = py::isinstance<py::array>(object);
  return array ? py::str(object.attr("dtype")) : py::str(object.get_type().attr("__name__"));
}

bool may_overlap(const py::array& a, const py::array& b) {
  if (a.size() == 0 || b.size() == 0) return false;
  const Range x = range_of(a), y = range_of(b);
  return x.begin < y.end && y.begin < x.end;
}

bool overlap(const py::array& a, const py::array& b) {
  return may_overlap(a, b) && py::module_::import("numpy").attr("shares_memory")(a, b).cast<bool>();
}

bool overlaps_itself(const py::array& array) {
  if (array.size() <= 1) return false;
  Few<std::pair<py::ssize_t, py::ssize_t>> axes;  // stride and steps, the shortest stride first
  for (int axis = 0; axis < array.ndim(); ++axis) {
    if (array.shape(axis) > 1) axes.emplace_back(std::abs(array.strides(axis)), array.shape(axis) - 1);
  }
  std::sort(axes.begin(), axes.end());
  py::ssize_t reach = array.itemsize();  // bytes from the first to behind the last of what lies in the axes so far
  bool apart = true;
  for (const auto& [stride, steps] : axes) {
    apart &= stride >= reach;
    reach += stride * steps;
  }
  // Slices of slices are always apart. What is left is rare: more numbers than there is room for, or to be tried out.
  if (apart || reach / array.itemsize() < array.size()) return !apart;
  std::vector<py::ssize_t> places = {0};
  for (const auto& [stride, steps] : axes) {
    const std::size_t count = places.size();
    for (py::ssize_t step = 1; step <= steps; ++step) {
      for (std::size_t k = 0; k < count; ++k) places.push_back(places[k] + step * stride);
    }
  }
  std::sort(places.begin(), places.end());
  const auto too_near = [&](py::ssize_t a, py::ssize_t b) { return b - a < array.itemsize(); };
  return std::adjacent_find(places.begin(), places.end(), too_near) != places.end();
}

py::object result_type(const std::string& name, const std::vector<std::string>& fields) {
  py::tuple names(fields.size());
  for (std::size_t k = 0; k < fields.size(); ++k) names[k] = fields[k];
  return py::module_::import("catena._results").attr("result_type")(name, names);
}

}  // namespace catena::python
