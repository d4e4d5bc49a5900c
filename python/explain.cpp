// The papers' interpretations as numbers (reference/explain.hpp), in dictionaries: the names of the C++ members.
#include "catena/reference/explain.hpp"

#include <algorithm>

#include "catena/model/names.hpp"
#include "robot.hpp"

namespace catena::python {
namespace {

py::dict by_place(const PartsByPlace& parts) {
  py::dict out;
  out["outboard"] = array_from(parts.outboard), out["present"] = array_from(parts.present);
  out["inboard"] = array_from(parts.inboard);
  return out;
}

Vector state_vector(const Robot& robot, py::handle from, const char* name, int size, const char* function) {
  return vector(one_state(from, {name, size}, robot.model, function).data(), size);
}

py::dict explained_diagonal(const Robot& robot, py::handle q, py::handle v, py::handle tau) {
  const int nv = robot.model.nv();
  const char* const name = "explain_diagonal";
  const DiagonalExplanation x =
      explain_diagonal(robot.model, state_vector(robot, q, "q", robot.model.nq(), name),
                       state_vector(robot, v, "v", nv, name), state_vector(robot, tau, "tau", nv, name));
  py::dict out, reduced, by_link;
  out["links"] = x.links;
  out["own_rate"] = array_from(x.own_rate), out["carried_rate"] = array_from(x.carried_rate);
  out["own_nu"] = array_from(x.own_nu), out["carried_nu"] = array_from(x.carried_nu);
  out["rate_shares"] = array_from(x.rate_shares), out["V_plus"] = array_from(x.V_plus);
  out["kappa"] = array_from(x.kappa), out["passed_on"] = array_from(x.passed_on);
  out["moment_shares"] = array_from(x.moment_shares), out["z"] = array_from(x.z);
  out["C_xi"] = by_place(x.C_xi), out["C_nu"] = by_place(x.C_nu);
  by_link["outboard"] = array_from(x.C_xi_outboard), by_link["present"] = array_from(x.C_xi_present);
  by_link["inboard"] = array_from(x.C_xi_inboard);
  out["C_xi_by_link"] = by_link;
  out["c_nu"] = array_from(x.c_nu), out["c_xi"] = array_from(x.c_xi);
  out["bias_nu"] = array_from(x.bias_nu), out["bias_xi"] = array_from(x.bias_xi);
  const ReducedManipulators& r = x.reduced;
  reduced["links"] = array_from(r.links), reduced["mass"] = array_from(r.mass);
  reduced["articulated"] = array_from(r.articulated), reduced["locked"] = array_from(r.locked);
  reduced["gives_way"] = array_from(r.gives_way), reduced["energy"] = array_from(r.energy);
  out["reduced"] = reduced;
  return out;
}

py::dict explained_torque(const Robot& robot, py::handle q, py::handle v, py::handle a) {
  const int nv = robot.model.nv();
  const char* const name = "explain_torque";
  const TorqueExplanation x =
      explain_torque(robot.model, state_vector(robot, q, "q", robot.model.nq(), name),
                     state_vector(robot, v, "v", nv, name), state_vector(robot, a, "a", nv, name));
  py::dict out, bias;
  out["links"] = x.links, out["tau"] = array_from(x.tau);
  out["by_acceleration"] = array_from(x.by_acceleration);
  out["by_bias_acceleration"] = array_from(x.by_bias_acceleration);
  out["by_bias_force"] = array_from(x.by_bias_force), out["by_weight"] = array_from(x.by_weight);
  out["joint_terms"] = array_from(x.joint_terms), out["coriolis"] = array_from(x.coriolis);
  out["acceleration"] = by_place(x.acceleration), out["bias_acceleration"] = by_place(x.bias_acceleration);
  out["bias_force"] = by_place(x.bias_force), out["weight"] = by_place(x.weight);
  bias["force_rigid"] = array_from(x.bias.force_rigid);
  bias["force_articulated"] = array_from(x.bias.force_articulated);
  bias["acceleration_rigid"] = array_from(x.bias.acceleration_rigid);
  bias["acceleration_articulated"] = array_from(x.bias.acceleration_articulated);
  out["bias"] = bias;
  return out;
}

py::dict explained_coefficients(const Robot& robot, py::handle q, py::handle v, const std::string& joint) {
  const char* const name = "explain_coefficients";
  const std::vector<std::string> names = robot.model.velocity_names();
  const auto found = std::find(names.begin(), names.end(), joint);
  if (found == names.end())
    throw std::invalid_argument("no velocity component \"" + joint + "\"" + suggestion(joint, names));
  const CoefficientRow x = explain_coefficients(robot.model, state_vector(robot, q, "q", robot.model.nq(), name),
                                                state_vector(robot, v, "v", robot.model.nv(), name),
                                                static_cast<int>(found - names.begin()));
  py::dict out;
  out["c_nu"] = array_from(x.nu), out["c_xi"] = array_from(x.xi);
  return out;
}

py::dict joint_inertias(const Robot& robot, py::handle q) {
  const InertiasAtJoints x =
      inertias_at_joints(robot.model, state_vector(robot, q, "q", robot.model.nq(), "inertias_at_joints"));
  py::dict out;
  for (std::size_t j = 0; j < x.joints.size(); ++j) {
    py::dict at;
    at["articulated"] = array_from(x.articulated[j]), at["composite"] = array_from(x.composite[j]);
    at["origin"] = array_from(Vector(x.origins[j]));
    out[py::str(robot.model.description().joints[static_cast<std::size_t>(x.joints[j])].name)] = at;
  }
  return out;
}

}  // namespace

void define_explanations(py::class_<Robot>& robot) {
  robot
      .def("explain_diagonal", explained_diagonal, py::arg("q"), py::arg("v"), py::arg("tau"),
           "explain_diagonal(q, v, tau) -> dict\n\nWhat the terms of the diagonalized equations are made of, at one "
           "state: own and carried rates (xi = own_rate + carried_rate),\nworking moments and what passes on (tau = "
           "kappa "
           "+ passed_on), Coriolis terms by outboard, present and inboard links,\nthe coefficients c_nu and c_xi, the "
           "reduced manipulator behind each nu.")
      .def("explain_torque", explained_torque, py::arg("q"), py::arg("v"), py::arg("a"),
           "explain_torque(q, v, a) -> dict\n\ntau term by term, at one state (Kozlowski's (39)): by the acceleration "
           "of "
           "each joint, the bias acceleration, the bias force\nand the weight of each link, in N m and N; all rows and "
           "joint_terms add up to tau.")
      .def("explain_coefficients", explained_coefficients, py::arg("q"), py::arg("v"), py::arg("joint"),
           "explain_coefficients(q, v, joint) -> dict\n\nThe row of one joint in the tables c_nu and c_xi of "
           "explain_diagonal, summand by summand (Kozlowski's (48), Fig. 1):\na line for each link at which summands "
           "arise, a column for each joint; the columns add up to the row.")
      .def(
          "inertias_at_joints", joint_inertias, py::arg("q"),
          "inertias_at_joints(q) -> dict\n\nBy joint: how the robot from there outward resists motion of the link that "
          "the joint moves, 6 x 6, angular part first,\nat the joint's origin (`origin` in the link's frame) and in "
          "the link's axes: `articulated` with the joints further out free,\n`composite` with them locked. In kg m² "
          "and "
          "kg.");
}

}  // namespace catena::python
