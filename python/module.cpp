// The Python module: errors first, then what is defined in the files beside this one.
#include <pybind11/stl.h>

#include "robot.hpp"

namespace catena::python {

namespace {

// Raises `type` with the message and one attribute more.
void raise(const py::object& type, const char* message, const char* attribute, const py::object& value) {
  const py::object error = type(message);
  py::setattr(error, attribute, value);
  PyErr_SetObject(type.ptr(), error.ptr());
}

// Kept as long as the interpreter lives; never destroyed, because by then it may be gone.
PyObject *model_error = nullptr, *numerical_error = nullptr;

void define_errors(py::module_& module) {
  model_error = PyErr_NewExceptionWithDoc(
      "catena.ModelError", "A file or description that is no robot. findings: all that is wrong, a line each.",
      PyExc_ValueError, nullptr);
  numerical_error =
      PyErr_NewExceptionWithDoc("catena.NumericalError", "No answer exists: the mass matrix is singular. body: the joint.",
                                PyExc_ArithmeticError, nullptr);
  module.attr("ModelError") = py::reinterpret_borrow<py::object>(model_error);
  module.attr("NumericalError") = py::reinterpret_borrow<py::object>(numerical_error);
  // std::invalid_argument is ValueError by pybind11's own rules.
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const ModelError& error) {
      py::list findings;
      for (const Finding& finding : error.findings()) findings.append(finding.text());
      raise(py::reinterpret_borrow<py::object>(model_error), error.what(), "findings", findings);
    } catch (const NumericalError& error) {
      raise(py::reinterpret_borrow<py::object>(numerical_error), error.what(), "body", py::str(error.body()));
    }
  });
}

}  // namespace

}  // namespace catena::python

PYBIND11_MODULE(_catena, module) {
  pybind11::options options;
  options.disable_function_signatures();  // the docstrings begin with ones that are easier to read
  catena::python::define_errors(module);
  catena::python::define_model(module);
  module.attr("__version__") = CATENA_VERSION;
}
