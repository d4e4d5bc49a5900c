// The Python module: what is defined in the files beside this one.
#include "errors.hpp"
#include "robot.hpp"
#include "seal.hpp"

PYBIND11_MODULE(_catena, module) {
  pybind11::options options;
  options.disable_function_signatures();  // the docstrings begin with ones that are easier to read
  catena::python::close_constructors();
  catena::python::define_errors(module);
  catena::python::define_model(module);
  catena::python::define_simulation(module);
  catena::python::define_tool(module);
  catena::python::seal(module);
  module.attr("__version__") = CATENA_VERSION;
}
