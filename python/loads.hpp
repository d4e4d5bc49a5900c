// External loads as Python writes them: wrenches and the motion of the base, as dictionaries with named parts.
#pragma once

#include <pybind11/pybind11.h>

#include "catena/dynamics/workspace.hpp"

namespace catena::python {

// wrenches: None, a dict {"frame", "force", "moment", "point", "axes"} or a sequence of them. base: None or a dict
// {"angular_velocity", "velocity", "angular_acceleration", "acceleration"}. Throws std::invalid_argument with near names.
ExternalLoads loads_from(const Model& model, pybind11::handle wrenches, pybind11::handle base);

Axes axes_from(const std::string& name);

}  // namespace catena::python
