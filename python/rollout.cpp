// Rollout: many trajectories by fixed steps, on threads, without the interpreter's lock.
#include "catena/batch/rollout.hpp"

#include <pybind11/stl.h>

#include "backends.hpp"
#include "robot.hpp"

namespace catena::python {

namespace {

constexpr const char* method_names[] = {"euler", "rk4"};  // in the order of the enum

RolloutOptions::Method method_from(const std::string& name) {
  if (name == method_names[0]) return RolloutOptions::euler;
  if (name == method_names[1]) return RolloutOptions::rk4;
  throw std::invalid_argument("the method of a rollout is 'euler' or 'rk4', not '" + name + "'" +
                              did_you_mean(name, {std::begin(method_names), std::end(method_names)}));
}

class Trajectories {
 public:
  Trajectories(const Model& model, const RolloutOptions& options)
      : model_(model),
        options_(options),
        parameter_count_(parameters(model, options.parameters).size()),
        rollout_(model, options),
        result_(result_type("Trajectories", {"q", "v"})) {}

  py::object compute(py::handle q_object, py::handle v_object, py::handle tau_object, std::optional<py::ssize_t> steps,
                     py::ssize_t every, py::handle parameters_object) {
    const Array q = numbers_from(q_object, "q"), v = numbers_from(v_object, "v");
    const bool many = q.ndim() == 2;
    const py::ssize_t count = many ? q.shape(0) : 1;
    const ConstStates starts[] = {states_of(q, model_.nq(), count, many, "q"),
                                  states_of(v, model_.nv(), count, many, "v")};
    Array tau, parameters;
    ConstStates numbers;
    if (!parameters_object.is_none()) {
      parameters = numbers_from(parameters_object, parameters_block);
      numbers = states_of(parameters, static_cast<int>(parameter_count_), count, many, parameters_block);
    } else if (parameter_count_ > 0) {
      throw std::invalid_argument("the rollout was made with parameters: give their values, parameters=...");
    }
    ConstTimeSeries forces;
    if (!tau_object.is_none()) {
      tau = numbers_from(tau_object, "tau");
      const bool series = tau.ndim() == q.ndim() + 1;
      forces = series ? series_of(tau, count, many) : ConstTimeSeries(states_of(tau, model_.nv(), count, many, "tau"));
      if (series && steps.value_or(tau.shape(0)) != tau.shape(0)) {
        throw std::invalid_argument("tau is given for " + std::to_string(tau.shape(0)) + " steps, not " +
                                    std::to_string(*steps));
      }
      if (series) steps = tau.shape(0);
    }
    if (!steps) throw std::invalid_argument("say how many steps, or give tau for each of them");
    if (*steps < 0) throw std::invalid_argument("the number of steps is negative");
    if (every < 0) throw std::invalid_argument("every is negative");

    const py::ssize_t records = every == 0 ? 1 : *steps / every;
    Array q_out = make_output(records, count, model_.nq(), many, every > 0);
    Array v_out = make_output(records, count, model_.nv(), many, every > 0);
    const TimeSeries q_series = time_series_of_states_in_rows(q_out.mutable_data(), model_.nq(), count, records);
    const TimeSeries v_series = time_series_of_states_in_rows(v_out.mutable_data(), model_.nv(), count, records);
    {
      const py::gil_scoped_release others_may_run;
      const std::lock_guard one_at_a_time(mutex_);
      if (every == 0) {
        rollout_(starts[0], starts[1], forces, *steps, q_series.states, v_series.states, {}, numbers);
      } else {
        rollout_(starts[0], starts[1], forces, *steps, {}, {}, {every, q_series, v_series}, numbers);
      }
    }
    return result_(q_out, v_out);
  }
  std::string text() const {
    return "<catena.Rollout of " + model_.name() + ": " + method_names[options_.method] + ", step " +
           std::string(py::repr(py::float_(options_.step))) + " s, " + backend_names[rollout_.backend()] +
           ", threads " + std::to_string(options_.threads) + ">";
  }

 private:
  // (n,), the same for all trajectories, or (B, n).
  ConstStates states_of(const Array& array, int n, py::ssize_t count, bool many, const char* name) const {
    const bool same = array.ndim() == 1 && array.shape(0) == n;
    const bool each = many && array.ndim() == 2 && array.shape(0) == count && array.shape(1) == n;
    if (same) return {array.data(), n, count, stride(array, 0), 0};
    if (each) return {array.data(), n, count, stride(array, 1), stride(array, 0)};
    wrong_shape(array, n, count, many, name);
  }
  // (steps, n) or (steps, B, n); B may be 1, for forces that are the same for all trajectories.
  ConstTimeSeries series_of(const Array& array, py::ssize_t count, bool many) const {
    const int n = model_.nv(), last = many ? 2 : 1;
    const py::ssize_t given = many ? array.shape(1) : 1;
    if (array.shape(last) != n || (given != count && given != 1)) wrong_shape(array, n, count, many, "tau");
    const ConstStates first(array.data(), n, count, stride(array, last), given == 1 ? 0 : stride(array, 1));
    return {first, array.shape(0), stride(array, 0)};
  }
  [[noreturn]] void wrong_shape(const Array& array, int n, py::ssize_t count, bool many, const char* name) const {
    const std::string row = std::to_string(n), states = std::to_string(count);
    std::string wanted = "(" + row + ",)";
    if (many) wanted += " or (" + states + ", " + row + ")";
    if (std::string(name) == "q") wanted = "(" + row + ",) or (B, " + row + ")";
    if (std::string(name) == "tau")
      wanted += ", or one for each step: (steps, " + (many ? states + ", " : "") + row + ")";
    throw std::invalid_argument(std::string(name) + " has the shape " + shape_text(array) + "; " + model_.name() +
                                " needs " + wanted);
  }
  static Array make_output(py::ssize_t records, py::ssize_t count, py::ssize_t n, bool many, bool recorded) {
    std::vector<py::ssize_t> shape;
    if (recorded) shape.push_back(records);
    if (many) shape.push_back(count);
    shape.push_back(n);
    return Array(shape);
  }

  Model model_;
  RolloutOptions options_;
  std::size_t parameter_count_;
  Rollout rollout_;
  py::object result_;
  std::mutex mutex_;
};

}  // namespace

void define_rollout(py::module_& module, py::class_<Robot>& robot) {
  py::class_<Trajectories>(module, "Rollout", "Many trajectories of one robot by fixed steps, made by Model.rollout().")
      .def("__call__", &Trajectories::compute, py::arg("q"), py::arg("v"), py::arg("tau") = py::none(), py::kw_only(),
           py::arg("steps") = py::none(), py::arg("every") = 0, py::arg("parameters") = py::none(),
           "Call with (q, v, tau=None, *, steps, every=0, parameters=None): trajectories from q, v (B, n) under the "
           "joint forces tau: "
           "none,\n(B, nv), or one for each step (steps, B, nv); one-dimensional where they are the same for all.\n"
           "Returns (q, v) at the end or, with every=k, after each k steps: (steps // k, B, n).\nparameters: (B, k) or "
           "(k,), the values of those "
           "that the rollout was made with.")
      .def("__repr__", &Trajectories::text);

  robot.def(
      "rollout",
      [](const Robot& self, const std::string& method, double step, py::handle threads, const std::string& backend,
         const std::optional<std::vector<std::string>>& parameters) {
        RolloutOptions options;
        if (parameters) options.parameters = *parameters;
        options.method = method_from(method);
        options.step = step;
        options.threads = threads_from(threads);
        options.backend = backend_from(backend);
        return std::make_unique<Trajectories>(self.model, options);
      },
      py::kw_only(), py::arg("method") = "euler", py::arg("step") = 1e-3, py::arg("threads") = 1,
      py::arg("backend") = "automatic", py::arg("parameters") = py::none(),
      "rollout(*, method='euler', step=1e-3, threads=1, backend='automatic', parameters=None) -> Rollout\n\n"
      "Trajectories by fixed steps of `step` seconds: semi-implicit 'euler', or 'rk4' (Runge-Kutta).\n"
      "parameters: names of numbers of the robot, such as 'link7.mass', of which each trajectory brings its own.");
}

}  // namespace catena::python
