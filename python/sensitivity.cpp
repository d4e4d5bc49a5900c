// Derivatives of a simulated motion over its whole run (simulate/sensitivity.hpp).
#include "catena/simulate/sensitivity.hpp"

#include <pybind11/stl.h>

#include "catena/control/inputs.hpp"
#include "robot.hpp"

namespace catena::python {
namespace {

// (nv,): a constant force; (T, nv) with its times: linear between them.
std::shared_ptr<Controller> input_from(const Model& model, py::handle tau, py::handle tau_times) {
  if (tau.is_none()) {
    if (!tau_times.is_none()) throw std::invalid_argument("tau_times are the times of the rows of tau: give tau too");
    return zero_input(model);
  }
  const Array numbers = numbers_from(tau, "tau");
  if (numbers.ndim() == 1) {
    if (!tau_times.is_none())
      throw std::invalid_argument("tau has the shape (n,), a constant force: leave out tau_times");
    return constant_input(
        model, vector(one_state(tau, {"tau", model.nv()}, model, "trajectory_sensitivity").data(), model.nv()));
  }
  if (numbers.ndim() != 2 || numbers.shape(1) != model.nv())
    throw std::invalid_argument("tau is a constant force, (" + std::to_string(model.nv()) +
                                ",), or a row for each of " + "tau_times, (T, " + std::to_string(model.nv()) + ")");
  if (tau_times.is_none()) throw std::invalid_argument("tau has a row for each instant: give their times, tau_times");
  const Array times = numbers_from(tau_times, "tau_times");
  if (times.ndim() != 1 || times.shape(0) != numbers.shape(0))
    throw std::invalid_argument("tau_times needs a number for each of the " + std::to_string(numbers.shape(0)) +
                                " rows of tau");
  Vector at(times.shape(0));
  Matrix rows(numbers.shape(0), numbers.shape(1));
  for (py::ssize_t k = 0; k < numbers.shape(0); ++k) {
    at[k] = *times.data(k);
    for (py::ssize_t i = 0; i < numbers.shape(1); ++i) rows(k, i) = *numbers.data(k, i);
  }
  return series_input(model, at, rows);
}

Array stacked(const std::vector<Vector>& rows, int columns) {
  Matrix out(static_cast<Eigen::Index>(rows.size()), columns);
  for (std::size_t k = 0; k < rows.size(); ++k) out.row(static_cast<Eigen::Index>(k)) = rows[k];
  return array_from(out);
}

py::object trajectory_sensitivity_of(const Robot& self, py::handle q, py::handle v, double duration,
                                     const std::vector<std::string>& by, py::handle tau, py::handle tau_times,
                                     const std::optional<std::vector<double>>& times, double rtol) {
  const Model& model = self.model;
  const char* name = "trajectory_sensitivity";
  SensitivityProblem problem{model, input_from(model, tau, tau_times),
                             vector(one_state(q, {"q", model.nq()}, model, name).data(), model.nq()),
                             vector(one_state(v, {"v", model.nv()}, model, name).data(), model.nv()), duration};
  problem.accuracy.rtol = rtol;
  differentiate_by(problem, by);
  TrajectorySensitivity found;
  {
    const py::gil_scoped_release others_may_run;
    problem.method = suggested_method(problem);
    found = trajectory_sensitivity(problem, times.value_or(std::vector<double>{}));
  }
  const auto rows = static_cast<py::ssize_t>(found.rows.size()),
             columns = static_cast<py::ssize_t>(found.parameters.size());
  const py::ssize_t shape[] = {static_cast<py::ssize_t>(found.S.size()), rows, columns};
  py::array_t<double> S(shape);
  for (py::ssize_t k = 0; k < shape[0]; ++k)
    for (py::ssize_t r = 0; r < rows; ++r)
      for (py::ssize_t c = 0; c < columns; ++c) *S.mutable_data(k, r, c) = found.S[static_cast<std::size_t>(k)](r, c);
  Vector at(static_cast<Eigen::Index>(found.times.size()));
  std::copy(found.times.begin(), found.times.end(), at.begin());
  return result_type("TrajectorySensitivity", {"times", "q", "v", "S", "rows", "parameters"})(
      array_from(at), stacked(found.q, model.nq()), stacked(found.v, model.nv()), S, found.rows, found.parameters);
}

}  // namespace

void define_sensitivity(py::class_<Robot>& robot) {
  robot.def("trajectory_sensitivity", &trajectory_sensitivity_of, py::arg("q"), py::arg("v"), py::arg("duration"),
            py::arg("by"), py::kw_only(), py::arg("tau") = py::none(), py::arg("tau_times") = py::none(),
            py::arg("times") = py::none(), py::arg("rtol") = 1e-10,
            "trajectory_sensitivity(q, v, duration, by, *, tau=None, tau_times=None, times=None, rtol=1e-10)\n"
            "  -> (times, q, v, S, rows, parameters)\n\nHow the motion from (q, v) changes with its numbers: S[k] is "
            "d(q, v)/dp at times[k], a row for each of rows\n('q.elbow', ..., 'v.elbow', ...) and a column for each "
            "of parameters. times: at which; without, the end alone.\nby: a list of 'initial', 'tau', kinds as in "
            "inverse_sensitivity ('inertia', 'damping', ...) and names of parameters\n('flange.payload', "
            "'forearm.mass'; a payload is what with_parameters() attached, else zero).\ntau: a constant force (n,), "
            "or rows at tau_times, linear between them; without, zero.\nChanges of q are in the tangent space, as "
            "integrate() moves. One motion at a time.");
}

}  // namespace catena::python
