// The curvature of a Model's mass matrix, taken as the metric of the kinetic energy.
#include "catena/linear/flat_coordinates.hpp"

#include "robot.hpp"

namespace catena::python {

namespace {

// compute() takes long, reads nothing but the model and numbers of its own: other Python threads run meanwhile.
template <class Compute>
auto let_others_run(const Compute& compute) {
  const py::gil_scoped_release others_may_run;
  return compute();
}

Vector configuration_from(const Robot& self, py::handle q, const char* function) {
  const Array array = one_state(q, {"q", self.model.nq()}, self.model, function);
  return vector(array.data(), self.model.nq());
}

py::object result_of(const Curvature& found) {
  const auto count = static_cast<py::ssize_t>(found.symbols.size());
  py::array_t<std::int64_t> indices({count, py::ssize_t{4}});
  Array values(count), bounds(count);
  for (py::ssize_t s = 0; s < count; ++s) {
    const RiemannSymbol& symbol = found.symbols[s];
    const int places[] = {symbol.h, symbol.i, symbol.j, symbol.k};
    for (py::ssize_t k = 0; k < 4; ++k) indices.mutable_at(s, k) = places[k];
    values.mutable_at(s) = symbol.value;
    bounds.mutable_at(s) = symbol.bound;
  }
  return result_type("Curvature", {"M", "indices", "values", "bounds"})(array_from(found.M), indices, values, bounds);
}

// (n, n, n), the list's place first.
Array stacked(const std::vector<Matrix>& matrices) {
  const auto n = static_cast<py::ssize_t>(matrices.size());
  Array out({n, n, n});
  for (py::ssize_t k = 0; k < n; ++k) {
    for (py::ssize_t i = 0; i < n; ++i) {
      for (py::ssize_t j = 0; j < n; ++j) out.mutable_at(k, i, j) = matrices[k](i, j);
    }
  }
  return out;
}

py::object christoffel_symbols_of(const Robot& self, py::handle q_object) {
  const Vector q = configuration_from(self, q_object, "christoffel_symbols");
  const ChristoffelSymbols found = let_others_run([&] { return christoffel_symbols(self.model, q); });
  return result_type("ChristoffelSymbols", {"first", "second"})(stacked(found.first), stacked(found.second));
}

py::object curvature_of(const Robot& self, py::handle q_object) {
  const Vector q = configuration_from(self, q_object, "curvature");
  return result_of(let_others_run([&] { return curvature(self.model, q); }));
}

py::object sectional_curvature_of(const Robot& self, py::handle q_object) {
  const Vector q = configuration_from(self, q_object, "sectional_curvature");
  const SectionalCurvature found = let_others_run([&] { return sectional_curvature(curvature(self.model, q)); });
  return result_type("SectionalCurvature", {"planes", "lowest", "highest", "scalar"})(
      array_from(found.planes), found.lowest, found.highest, found.scalar);
}

py::object flatness_of(const Robot& self, int samples, std::uint64_t seed) {
  const Flatness found = let_others_run([&] { return flatness(self.model, samples, seed); });
  return result_type("Flatness", {"flat", "samples", "q", "curvature"})(found.flat, found.samples, array_from(found.q),
                                                                        result_of(found.curvature));
}

py::object pair_curvature_of(const Robot& self, int samples, std::uint64_t seed) {
  const PairCurvature found = let_others_run([&] { return pair_curvature(self.model, samples, seed); });
  return result_type("PairCurvature", {"mean", "largest", "range", "samples"})(
      array_from(found.mean), array_from(found.largest), array_from(found.range), found.samples);
}

py::object flat_coordinates_of(const Robot& self, py::handle q_object, py::handle q0_object) {
  const Vector q = configuration_from(self, q_object, "flat_coordinates");
  const Vector q0 =
      q0_object.is_none() ? neutral_configuration(self.model) : configuration_from(self, q0_object, "flat_coordinates");
  const FlatCoordinates found = let_others_run([&] { return flat_coordinates(self.model, q, q0); });
  return result_type("FlatCoordinates", {"theta", "J", "Q", "metric_error", "path_error"})(
      array_from(found.theta), array_from(found.J), array_from(found.Q), found.metric_error, found.path_error);
}

}  // namespace

void define_curvature(py::class_<Robot>& robot) {
  robot
      .def("christoffel_symbols", &christoffel_symbols_of, py::arg("q"),
           "christoffel_symbols(q) -> (first, second)\n\nOf the mass matrix, nv x nv x nv: first[k, i, j] = [ij, k] = "
           "(d_j M_ik + d_i M_jk - d_k M_ij) / 2,\nsecond[l, i, j] = sum over k of M^-1_lk [ij, k]. SI units.\nOne "
           "state at a time, q: (nq,). Raises ValueError for robots with planar, spherical or free joints (v is not "
           "dq/dt).")
      .def("curvature", &curvature_of, py::arg("q"),
           "curvature(q) -> (M, indices, values, bounds)\n\nThe Riemann symbols R_hijk of the mass matrix M: values[s] "
           "is the one with (h, i, j, k) = indices[s], the\nn^2 (n^2 - 1) / 12 that are independent; bounds[s] is its "
           "rounding error. flat: whether all are zero within\nthat; tensor(): all n^4 of them. SI units.\nOne state "
           "at a time, q: (nq,). Raises ValueError for robots with planar, spherical or free joints (v is not dq/dt).")
      .def("sectional_curvature", &sectional_curvature_of, py::arg("q"),
           "sectional_curvature(q) -> (planes, lowest, highest, scalar)\n\nplanes[h, i]: the curvature of the plane of "
           "velocities h and i (1/(kg m^2) for rotations). lowest, highest: bounds\nover all planes; scalar: the "
           "scalar curvature. O(n^6).\nOne state at a time, q: (nq,). Raises ValueError for robots with planar, "
           "spherical or free joints (v is not dq/dt).")
      .def("flatness", &flatness_of, py::arg("samples") = 8, py::arg("seed") = 1,
           "flatness(samples=8, seed=1) -> (flat, samples, q, curvature)\n\nWhether there are coordinates in which the "
           "mass matrix is constant: all Riemann symbols zero at random configurations.\nq: the sample whose symbols "
           "exceed their bounds most (rad or m); curvature: the one there, see curvature().\nRaises ValueError for "
           "robots with planar, spherical or free joints (v is not dq/dt).")
      .def("pair_curvature", &pair_curvature_of, py::arg("samples") = 20, py::arg("seed") = 1,
           "pair_curvature(samples=20, seed=1) -> (mean, largest, range, samples)\n\nHow far from flat, by pairs of "
           "joints (nv, nv), in rad: the angle by which directions turn that are carried around small\nrectangles of "
           "both joints' motions, added up over the range of both; mean over random configurations, and as if all\n"
           "were like the worst. range: of each joint, rad or m. Zero for all pairs: flat.\nRaises ValueError for "
           "robots with planar, spherical or free joints (v is not dq/dt).")
      .def(
          "flat_coordinates", &flat_coordinates_of, py::arg("q"), py::arg("q0") = py::none(),
          "flat_coordinates(q, q0=None) -> (theta, J, Q, metric_error, path_error)\n\nOf a flat robot, the coordinates "
          "in which the mass matrix is the identity and no Coriolis forces act (m sqrt(kg)):\ntheta_dot = J v = "
          "Q nu, J.T @ J = M, theta = 0 and Q = 1 at q0 (default: neutral_configuration()). metric_error and\n"
          "path_error: what J.T @ J and M, and two ways from q0 to q, differ by, relative.\nOne state at a time, q: "
          "(nq,). Raises NumericalError naming the two joints with the largest curvature if the robot is\nnot flat, "
          "and where M is singular on the way; ValueError for planar, spherical or free joints (v is not dq/dt).");
}

}  // namespace catena::python
