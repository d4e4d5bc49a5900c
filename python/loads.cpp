#include "loads.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "catena/model/names.hpp"

namespace catena::python {

namespace {

Vector3 three(py::handle object, const std::string& name) {
  const Array x = without_gaps(numbers_from(object, name));
  if (x.ndim() != 1 || x.shape(0) != 3)
    throw std::invalid_argument(name + " is three numbers, not an array of shape " + shape_text(x));
  return {x.at(0), x.at(1), x.at(2)};
}

py::dict table(py::handle object, const std::string& what) {
  if (!py::isinstance<py::dict>(object))
    throw py::type_error(what + " is a dict, not " + std::string(py::str(object.get_type().attr("__name__"))));
  return py::reinterpret_borrow<py::dict>(object);
}

[[noreturn]] void unknown(const std::string& key, const std::string& what, const std::vector<std::string>& keys) {
  throw std::invalid_argument(what + " has no part called '" + key + "'" + suggestion(key, keys));
}

Wrench wrench_from(const Model& model, py::handle object) {
  static const std::vector<std::string> keys = {"frame", "force", "moment", "point", "axes"};
  const py::dict parts = table(object, "a wrench");
  if (!parts.contains("frame"))
    throw std::invalid_argument("a wrench needs the frame it acts on: {'frame': 'tool', 'force': (0, 0, -10)}");
  Wrench wrench;
  for (const auto& [key, value] : parts) {
    const std::string name = py::str(key);
    if (name == "frame")
      wrench.frame = model.frame(py::str(value));
    else if (name == "force")
      wrench.force = three(value, "the force of a wrench");
    else if (name == "moment")
      wrench.moment = three(value, "the moment of a wrench");
    else if (name == "point")
      wrench.point = three(value, "the point of a wrench");
    else if (name == "axes")
      wrench.axes = axes_from(py::str(value));
    else
      unknown(name, "a wrench", keys);
  }
  return wrench;
}

BaseMotion base_from(py::handle object) {
  static const std::vector<std::string> keys = {"angular_velocity", "velocity", "angular_acceleration", "acceleration"};
  BaseMotion base;
  Vector3* const parts[] = {&base.angular_velocity, &base.velocity, &base.angular_acceleration, &base.acceleration};
  for (const auto& [key, value] : table(object, "base")) {
    const std::string name = py::str(key);
    const auto found = std::find(keys.begin(), keys.end(), name);
    if (found == keys.end()) unknown(name, "base", keys);
    *parts[found - keys.begin()] = three(value, name + " of the base");
  }
  return base;
}

}  // namespace

Axes axes_from(const std::string& name) {
  if (name == "aligned") return Axes::aligned;
  if (name == "body") return Axes::body;
  if (name == "world") return Axes::world;
  throw std::invalid_argument("axes are 'aligned', 'body' or 'world', not '" + name + "'" +
                              did_you_mean(name, {"aligned", "body", "world"}));
}

ExternalLoads loads_from(const Model& model, py::handle wrenches, py::handle base) {
  ExternalLoads loads;
  if (wrenches && !wrenches.is_none()) {
    if (py::isinstance<py::dict>(wrenches)) {
      loads.wrenches.push_back(wrench_from(model, wrenches));
    } else {
      if (!py::isinstance<py::sequence>(wrenches)) throw py::type_error("wrenches is a dict or a list of dicts");
      for (const py::handle& item : wrenches) loads.wrenches.push_back(wrench_from(model, item));
    }
  }
  if (base && !base.is_none()) loads.base = base_from(base);
  return loads;
}

}  // namespace catena::python
