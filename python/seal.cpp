#include "seal.hpp"

#include <cstring>
#include <string>
#include <string_view>

#include "errors.hpp"

namespace catena::python {

namespace py = pybind11;

namespace {

// The base of all classes must be this module's own (CMakeLists.txt sees to it): other modules make objects with theirs.
static_assert(std::string_view(PYBIND11_INTERNALS_ID).find("catena") != std::string_view::npos);
PyTypeObject* base() { return reinterpret_cast<PyTypeObject*>(py::detail::get_internals().instance_base); }

PyObject* refuse(PyTypeObject* type, const char* what) {
  while (type->tp_base != base() && type->tp_base != nullptr) type = type->tp_base;  // of a subclass: the class itself
  const char* const dot = std::strrchr(type->tp_name, '.');
  const std::string name = std::string("catena.") + (dot == nullptr ? type->tp_name : dot + 1);
  PyErr_Format(PyExc_TypeError, "a %s %s: the library makes it; help(%s) says how", name.c_str(), what, name.c_str());
  return nullptr;
}

void close(PyTypeObject* type) {
#ifdef Py_TPFLAGS_IMMUTABLETYPE  // from Python 3.10
  type->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
#endif
  PyType_Modified(type);
}

PyCFunction pybind11_call = nullptr;  // what all functions that pybind11 makes begin with

PyObject* guarded_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  try {
    return reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void (*)()>(pybind11_call))(self, args, kwargs);
  } catch (...) {
    raise_current();
    return nullptr;
  }
}

// A method's first argument is the object. pybind11 takes None for one where a member function is bound: a null pointer.
PyObject* guarded_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (PyTuple_GET_SIZE(args) > 0 && PyTuple_GET_ITEM(args, 0) == Py_None) {
    PyErr_SetString(PyExc_TypeError, "a method of a class of catena needs an object of it, not None");
    return nullptr;
  }
  return guarded_call(self, args, kwargs);
}

PyCFunction function_from(PyCFunctionWithKeywords f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

// A function, a method or the function behind a property.
void guard(py::handle object, PyCFunctionWithKeywords guarded) {
  if (PyInstanceMethod_Check(object.ptr())) object = PyInstanceMethod_GET_FUNCTION(object.ptr());
  if (Py_TYPE(object.ptr()) == &PyProperty_Type) return guard(object.attr("fget"), guarded);
  if (!PyCFunction_Check(object.ptr())) return;
  PyMethodDef& definition = *reinterpret_cast<PyCFunctionObject*>(object.ptr())->m_ml;
  if (pybind11_call == nullptr) pybind11_call = definition.ml_meth;
  if (definition.ml_meth == pybind11_call) definition.ml_meth = function_from(guarded);
}

}  // namespace

// Classes take this slot over from their base. pybind11 itself makes objects without it, and __new__ of object, which
// would too, is not allowed where there is a slot like this.
void close_constructors() {
  base()->tp_new = [](PyTypeObject* type, PyObject*, PyObject*) { return refuse(type, "is not made by hand"); };
}

void seal(const py::module_& module) {
  for (const auto& [name, value] : py::dict(module.attr("__dict__"))) {
    guard(value, guarded_call);
    auto* const type = reinterpret_cast<PyTypeObject*>(value.ptr());
    if (!PyType_Check(value.ptr()) || !PyType_IsSubtype(type, base())) continue;
    py::setattr(value, "__module__", py::str("catena"));  // where users find it
    const auto reduce = [type](const py::args&) -> py::object {
      refuse(type, "cannot be copied or pickled");
      throw py::error_already_set();
    };
    if (!py::dict(value.attr("__dict__")).contains("__reduce_ex__"))  // a Model has its own
      py::setattr(value, "__reduce_ex__", py::cpp_function(reduce, py::name("__reduce_ex__"), py::is_method(value)));
    for (const auto& [key, member] : py::dict(value.attr("__dict__"))) guard(member, guarded_method);
    close(type);
  }
  close(base());
}

}  // namespace catena::python
