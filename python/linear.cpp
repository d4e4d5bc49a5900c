// Linearized dynamics of a Model beyond its matrices: state space, continuous and sampled, and directional derivatives.
#include <cmath>

#include "robot.hpp"

namespace catena::python {

namespace {

py::object state_space_of(Robot& self, py::handle q, py::handle v, py::handle tau) {
  const int nq = self.model.nq(), nv = self.model.nv();
  const Call call("StateSpace", self.model.name(),
                  {{{"q", nq}, {"v", nv}, {"tau", nv}}, {{"A", 2 * nv, 2 * nv, true}, {"B", 2 * nv, nv, true}}});
  return call.each({q, v, tau}, {}, [&](Pointers in, OutPointers out) {
    const StateSpace found = state_space(self.model, vector(in[0], nq), vector(in[1], nv), vector(in[2], nv));
    matrix(out[0], 2 * nv, 2 * nv) = found.A;
    matrix(out[1], 2 * nv, nv) = found.B;
  });
}

// A matrix with so many rows; square: and columns.
Matrix matrix_from(py::handle object, const char* name, py::ssize_t rows, bool square) {
  const Array array = without_gaps(numbers_from(object, name));
  const bool right = array.ndim() == 2 && (square ? array.shape(0) == array.shape(1) : array.shape(0) == rows);
  if (!right) {
    throw std::invalid_argument(
        std::string(name) + " has the shape " + shape_text(array) + "; discretize needs " +
        (square ? "a square matrix, (n, n)" : "a row for each of A: (" + std::to_string(rows) + ", inputs)") +
        ", of one system at a time");
  }
  Matrix out(array.shape(0), array.shape(1));
  for (Eigen::Index i = 0; i < out.rows(); ++i) {
    for (Eigen::Index j = 0; j < out.cols(); ++j) {
      out(i, j) = array.at(i, j);
      if (std::isfinite(out(i, j))) continue;
      throw std::invalid_argument(std::string(name) + " is " + (std::isnan(out(i, j)) ? "not a number" : "infinite") +
                                  " at row " + std::to_string(i) + ", column " + std::to_string(j));
    }
  }
  return out;
}

py::object discretized(py::handle A, py::handle B, double step) {
  StateSpace continuous;
  continuous.A = matrix_from(A, "A", 0, true);
  continuous.B = matrix_from(B, "B", continuous.A.rows(), false);
  const StateSpace sampled = discretize(continuous, step);
  return result_type("StateSpace", {"A", "B"})(array_from(sampled.A), array_from(sampled.B));
}

py::object inverse_jvp(Robot& self, py::handle q, py::handle v, py::handle a, py::handle dq, py::handle dv,
                       py::handle da) {
  const int nq = self.model.nq(), nv = self.model.nv();
  const Call call("inverse_jvp", self.model.name(),
                  {{{"q", nq}, {"v", nv}, {"a", nv}, {"dq", nv}, {"dv", nv}, {"da", nv}}, {{"dtau", nv}}});
  return call.each({q, v, a, dq, dv, da}, {}, [&](Pointers in, OutPointers out) {
    inverse_dynamics_jvp(self.model, self.linear_workspace(), vector(in[0], nq), vector(in[1], nv), vector(in[2], nv),
                         vector(in[3], nv), vector(in[4], nv), vector(in[5], nv), vector(out[0], nv));
  });
}

py::object forward_jvp(Robot& self, py::handle q, py::handle v, py::handle tau, py::handle dq, py::handle dv,
                       py::handle dtau, const std::string& method) {
  const int nq = self.model.nq(), nv = self.model.nv();
  const LinearMethod which = linear_method(method);
  const Call call("forward_jvp", self.model.name(),
                  {{{"q", nq}, {"v", nv}, {"tau", nv}, {"dq", nv}, {"dv", nv}, {"dtau", nv}}, {{"da", nv}}});
  return call.each({q, v, tau, dq, dv, dtau}, {}, [&](Pointers in, OutPointers out) {
    forward_dynamics_jvp(self.model, self.linear_workspace(), vector(in[0], nq), vector(in[1], nv), vector(in[2], nv),
                         vector(in[3], nv), vector(in[4], nv), vector(in[5], nv), vector(out[0], nv), {}, which);
  });
}

}  // namespace

void define_linear(py::module_& module, py::class_<Robot>& robot) {
  robot
      .def("state_space", &state_space_of, py::arg("q"), py::arg("v"), py::arg("tau"),
           "state_space(q, v, tau) -> (A, B)\n\nThe dynamics linearized about a state: x_dot = A x + B dtau with x = "
           "(dq, dv), A 2 nv x 2 nv, B 2 nv x nv.\nA = [[0, 1], [-B_C, -A_C]], B = [[0], [M_inv]]; for spherical, "
           "planar and free joints v also carries dq along.\nq: rad or m, v: rad/s or m/s, tau: N m or N. (n,), or "
           "(B, n) for B states. Sampled: catena.discretize(A, B, step).")
      .def(
          "inverse_jvp", &inverse_jvp, py::arg("q"), py::arg("v"), py::arg("a"), py::arg("dq"), py::arg("dv"),
          py::arg("da"),
          "inverse_jvp(q, v, a, dq, dv, da) -> dtau\n\nThe derivative of inverse dynamics in one direction, dtau = "
          "M da + A_D dv + B_D dq, in O(n) (Algorithm 1).\ndq has nv numbers: q changes to integrate(q, dq). rad or m, "
          "N m or N. (n,), or (B, n) for B states.")
      .def("forward_jvp", &forward_jvp, py::arg("q"), py::arg("v"), py::arg("tau"), py::arg("dq"), py::arg("dv"),
           py::arg("dtau"), py::kw_only(), py::arg("method") = "auto",
           "forward_jvp(q, v, tau, dq, dv, dtau, *, method='auto') -> da\n\nThe derivative of forward dynamics in one "
           "direction, da = M_inv dtau - A_C dv - B_C dq (rad/s^2 or m/s^2).\ndq has nv numbers: q changes to "
           "integrate(q, dq). method: '5', articulated bodies in O(n), '3', a solve with M, or\n'auto', 5 but 3 with "
           "mimic joints. (n,), or (B, n) for B states.");

  module.def("discretize", &discretized, py::arg("A"), py::arg("B"), py::arg("step"),
             "discretize(A, B, step) -> (A, B)\n\nThe system x_dot = A x + B u sampled every `step` seconds: x_next = "
             "A x + B u, exact for u held over the step.\nOne system at a time: A (n, n), B (n, inputs).");
}

}  // namespace catena::python
