// How the dynamics of a Model depends on the robot's own numbers: regressors, base parameters, sensitivities.
#include "catena/linear/regressor.hpp"

#include <pybind11/stl.h>

#include "catena/linear/parameters.hpp"
#include "catena/model/names.hpp"
#include "robot.hpp"

namespace catena::python {

namespace {

ParameterKind kind_from(const std::string& wanted) {
  std::vector<std::string> names;
  for (const auto& [name, kind] : parameter_kinds()) {
    if (wanted == name) return kind;
    names.emplace_back(name);
  }
  throw std::invalid_argument("no kind of parameter is called '" + wanted + "'" + suggestion(wanted, names));
}

// of_state(q, v, third): a regressor, nv x columns.
template <class OfState>
py::object regressor(const Robot& self, const char* name, int columns, std::initializer_list<py::handle> state,
                     const OfState& of_state) {
  const int nq = self.model.nq(), nv = self.model.nv();
  const Call call(name, self.model.name(), {{{"q", nq}, {"v", nv}, {"a", nv}}, {{"Y", nv, columns, true}}});
  return call.each(state, {}, [&](Pointers in, OutPointers out) {
    matrix(out[0], nv, columns) = of_state(vector(in[0], nq), vector(in[1], nv), vector(in[2], nv));
  });
}

// By a kind of parameters, or by those of a list of names; third: the name of the argument after v.
template <class Compute>
py::object sensitivity(const Robot& self, const char* name, const char* third_name, py::handle kind, py::handle q,
                       py::handle v, py::handle third, const Compute& compute) {
  const int nq = self.model.nq(), nv = self.model.nv();
  const Array at_q = one_state(q, {"q", nq}, self.model, name), at_v = one_state(v, {"v", nv}, self.model, name);
  const Array at_third = one_state(third, {third_name, nv}, self.model, name);
  const auto by = [&](const auto& what) {
    return compute(self.model, what, vector(at_q.data(), nq), vector(at_v.data(), nv), vector(at_third.data(), nv),
                   ExternalLoads{});
  };
  const Sensitivity found = py::isinstance<py::str>(kind)
                                ? by(kind_from(kind.cast<std::string>()))
                                : by(parameters(self.model, kind.cast<std::vector<std::string>>()));
  return result_type("Sensitivity", {"names", "derivative"})(found.names, array_from(found.derivative));
}

py::object base_parameters_of(const Robot& self, std::uint64_t seed) {
  BaseParameters found;
  {
    const py::gil_scoped_release others_may_run;  // thousands of states and a QR: long, and the model is only read
    found = base_parameters(self.model, seed);
  }
  return result_type("BaseParameters", {"independent", "combination", "last_kept", "first_dropped"})(
      found.independent, array_from(found.combination), found.last_kept, found.first_dropped);
}

void define_sensitivities(py::class_<Robot>& robot) {
  robot
      .def(
          "inverse_sensitivity",
          [](const Robot& self, const py::object& kind, py::handle q, py::handle v, py::handle a) {
            return sensitivity(self, "inverse_sensitivity", "a", kind, q, v, a,
                               [](const auto&... x) { return inverse_sensitivity(x...); });
          },
          py::arg("kind"), py::arg("q"), py::arg("v"), py::arg("a"),
          "inverse_sensitivity(kind, q, v, a) -> (names, derivative)\n\nThe derivative of tau by the robot's own "
          "numbers, with q, v and a held: a column for each of names, nv rows\n(N m or N per unit of the "
          "parameter, SI).\nkind: 'inertia' (10 per body), 'placement' or 'body_pose' (6 per joint: rotation, then "
          "translation), 'armature',\n'damping', 'friction', 'friction_scale', 'stiffness', 'rest' (1 per joint that "
          "moves) or 'gravity' (3);\nor a list of names of parameters: ['forearm.mass', 'flange.payload'].\nOne state "
          "at a time: arrays of shape (n,).")
      .def(
          "forward_sensitivity",
          [](const Robot& self, const py::object& kind, py::handle q, py::handle v, py::handle tau) {
            return sensitivity(self, "forward_sensitivity", "tau", kind, q, v, tau,
                               [](const auto&... x) { return forward_sensitivity(x...); });
          },
          py::arg("kind"), py::arg("q"), py::arg("v"), py::arg("tau"),
          "forward_sensitivity(kind, q, v, tau) -> (names, derivative)\n\nThe derivative of the acceleration by the "
          "robot's own numbers, with q, v and tau held: a column for each of names,\nnv rows (rad/s^2 or m/s^2 per "
          "unit of the parameter, SI). kind: as in inverse_sensitivity.\nOne state at a time: arrays of shape (n,). "
          "Raises NumericalError where the mass matrix is singular.");
}

}  // namespace

void define_regressors(py::class_<Robot>& robot) {
  robot
      .def_property_readonly(
          "inertial_parameters", [](const Robot& self) { return array_from(inertial_parameters(self.model)); },
          "pi of tau = Y pi: ten numbers for each body, its mass m (kg), m c (kg m) and inertia about its frame's "
          "origin\n(kg m^2), in the order of inertial_parameter_names.")
      .def_property_readonly(
          "inertial_parameter_names", [](const Robot& self) { return inertial_parameter_names(self.model); },
          "Names of inertial_parameters and of the columns of joint_torque_regressor(): 'forearm.m', 'forearm.mx', "
          "...,\n'forearm.Jyz'.")
      .def(
          "joint_torque_regressor",
          [](const Robot& self, py::handle q, py::handle v, py::handle a) {
            const int columns = 10 * static_cast<int>(self.model.description().bodies.size());
            return regressor(self, "joint_torque_regressor", columns, {q, v, a}, [&](auto q_k, auto v_k, auto a_k) {
              return joint_torque_regressor(self.model, q_k, v_k, a_k);
            });
          },
          py::arg("q"), py::arg("v"), py::arg("a"),
          "joint_torque_regressor(q, v, a) -> Y\n\nY, nv x 10 bodies: tau = Y inertial_parameters + armature a + "
          "damping, friction and springs (N m or N).\nColumns are named by inertial_parameter_names. q: rad or m, v: "
          "rad/s or m/s, a: rad/s^2 or m/s^2.\n(n,), or (B, n) for B states.")
      .def(
          "payload_regressor",
          [](const Robot& self, const std::string& frame, py::handle q, py::handle v, py::handle a) {
            const int index = self.model.frame(frame);
            return regressor(self, "payload_regressor", 10, {q, v, a}, [&](auto q_k, auto v_k, auto a_k) {
              return payload_regressor(self.model, index, q_k, v_k, a_k);
            });
          },
          py::arg("frame"), py::arg("q"), py::arg("v"), py::arg("a"),
          "payload_regressor(frame, q, v, a) -> Y\n\nY, nv x 10: a body attached to the frame adds Y (m, mx, my, mz, "
          "Jxx, Jyy, Jzz, Jxy, Jxz, Jyz) to tau (N m or N),\nin kg, kg m and kg m^2, in the frame's axes and about its "
          "origin. (n,), or (B, n) for B states.")
      .def("base_parameters", &base_parameters_of, py::arg("seed") = 1,
           "base_parameters(seed=1) -> (independent, combination, last_kept, first_dropped)\n\nWhat joint forces can "
           "tell about inertial_parameters: Y = Y[:, independent] @ combination for every state, and\ncombination @ "
           "inertial_parameters are the base parameters. rank: how many there are, by a QR over random states;\n"
           "last_kept, first_dropped: the pivots on either side of the cut, relative to the first one.");
  define_sensitivities(robot);
}

}  // namespace catena::python
