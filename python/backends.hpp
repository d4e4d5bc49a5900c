// The backends of a batch by their names, and the number of its threads.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "catena/batch/batch.hpp"
#include "catena/model/names.hpp"

namespace catena::python {

inline constexpr const char* backend_names[] = {"automatic", "lanes", "compiled", "plain"};  // in the order of the enum

inline BatchOptions::Backend backend_from(const std::string& name) {
  for (int k = 0; k < static_cast<int>(std::size(backend_names)); ++k) {
    if (name == backend_names[k]) return static_cast<BatchOptions::Backend>(k);
  }
  throw std::invalid_argument("backend is 'automatic', 'lanes', 'compiled' or 'plain', not '" + name + "'" +
                              did_you_mean(name, {std::begin(backend_names), std::end(backend_names)}));
}

// Whatever Python takes for an index; True is a slip, not one thread.
inline int threads_from(pybind11::handle object) {
  const std::string kind = pybind11::str(object.get_type().attr("__name__"));
  const auto whole = pybind11::reinterpret_steal<pybind11::object>(
      kind == "bool" || kind == "bool_" ? nullptr : PyNumber_Index(object.ptr()));  // bool_ is numpy's
  if (!whole) {
    PyErr_Clear();
    throw pybind11::type_error("threads must be a whole number, not " + kind);
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  if (overflow == 0 && value >= 1 && value <= most_threads) return static_cast<int>(value);
  throw std::invalid_argument("threads must be from 1 to " + std::to_string(most_threads) + ", not " +
                              (overflow == 0 ? std::to_string(value) : "a number of more than 64 bits"));
}

}  // namespace catena::python
