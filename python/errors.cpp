#include "errors.hpp"

#include <new>
#include <stdexcept>

#include "catena/model/finding.hpp"
#include "cli/options.hpp"

namespace catena::python {

namespace py = pybind11;

namespace {

// Kept as long as the interpreter lives; never destroyed, because by then it may be gone.
PyObject *model_error = nullptr, *file_error = nullptr, *numerical_error = nullptr;

// Raises `type` with the message and one attribute more.
void raise(PyObject* type, const char* message, const char* attribute, const py::object& value) {
  const py::object error = py::reinterpret_borrow<py::object>(type)(message);
  py::setattr(error, attribute, value);
  PyErr_SetObject(type, error.ptr());
}

void raise(const ModelError& error) {
  py::list findings;
  for (const Finding& finding : error.findings()) findings.append(finding.text());
  const bool of_file = dynamic_cast<const FileError*>(&error) != nullptr;
  raise(of_file ? file_error : model_error, error.what(), "findings", findings);
}
void raise(const NumericalError& error) { raise(numerical_error, error.what(), "body", py::str(error.body())); }

}  // namespace

void define_errors(py::module_& module) {
  model_error = PyErr_NewExceptionWithDoc(
      "catena.ModelError", "A file or description that is no robot. findings: all that is wrong, a line each.",
      PyExc_ValueError, nullptr);
  // both a ModelError and what Python raises for files
  const py::object bases = py::make_tuple(py::handle(model_error), py::handle(PyExc_OSError));
  file_error = PyErr_NewExceptionWithDoc(
      "catena.FileError", "A file that is missing, not readable or not writable. findings: what is wrong, a line each.",
      bases.ptr(), nullptr);
  numerical_error = PyErr_NewExceptionWithDoc(
      "catena.NumericalError", "No answer exists: a singular mass matrix, a motion that runs away. body: the joint.",
      PyExc_ArithmeticError, nullptr);
  module.attr("ModelError") = py::reinterpret_borrow<py::object>(model_error);
  module.attr("FileError") = py::reinterpret_borrow<py::object>(file_error);
  module.attr("NumericalError") = py::reinterpret_borrow<py::object>(numerical_error);
  // std::invalid_argument is ValueError by pybind11's own rules.
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const ModelError& error) {
      raise(error);
    } catch (const NumericalError& error) {
      raise(error);
    } catch (const cli::UsageError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const cli::DataError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
}

void raise_current() {
  try {
    throw;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const ModelError& error) {
    raise(error);
  } catch (const NumericalError& error) {
    raise(error);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::invalid_argument& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace catena::python
