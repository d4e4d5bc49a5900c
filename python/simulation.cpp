// Simulation: a scenario of the library, driven by its controllers or by a function of Python. The rows come back as one
// array; the classes around it are Python's own (catena/_simulation.py).
#include "catena/simulate/simulation.hpp"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <chrono>
#include <filesystem>

#include "catena/simulate/scenario.hpp"
#include "cli/output.hpp"
#include "cli/run.hpp"
#include "robot.hpp"

namespace catena::python {

namespace {

// tau = function(time, q, v).
class PythonController : public Controller {
 public:
  PythonController(py::function function, const Model& model) : function_(std::move(function)), nv_(model.nv()) {}

  void forces(double time, ConstVector q, ConstVector v, VectorRef tau) override {
    const py::object result = function_(time, array_from(Vector(q)), array_from(Vector(v)));
    const Array numbers = without_gaps(numbers_from(result, "what the controller returns"));
    if (numbers.ndim() != 1 || numbers.shape(0) != nv_)
      throw std::invalid_argument("the controller returns " + std::to_string(nv_) +
                                  " joint forces, not an array of shape " + shape_text(numbers));
    tau = vector(numbers.data(), nv_);
    if (!tau.allFinite())
      throw std::invalid_argument("the controller returned a force that is not finite at t = " + std::to_string(time) +
                                  " s");
  }

 private:
  py::function function_;
  int nv_;
};

// Ctrl-C is Python's to handle, and a person may watch or stop the run: both now and then, for they take the lock.
class Watch {
 public:
  explicit Watch(py::object progress) : progress_(std::move(progress)) {}

  bool operator()(double time) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return true;
    last_ = now;
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    return progress_.is_none() || !progress_(time).is(py::bool_(false));
  }

 private:
  py::object progress_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

Array rows_of(const Recording& recording) {
  Array out({static_cast<py::ssize_t>(recording.values.rows()), static_cast<py::ssize_t>(recording.values.cols())});
  std::copy(recording.values.data(), recording.values.data() + recording.values.size(), out.mutable_data());
  return out;
}

py::list columns_of(const RecordingHeader& header) {
  py::list out;
  for (const Column& column : header.columns) out.append(py::make_tuple(column.name, column.unit));
  return out;
}

py::dict facts_of(const Outcome& outcome, const Findings& of_robot) {
  const Energies& e = outcome.energies;
  py::dict energies, out;
  energies["kinetic"] = e.kinetic, energies["potential"] = e.potential, energies["work"] = e.work;
  energies["dissipated"] = e.dissipated, energies["balance"] = e.balance;
  py::list events;
  for (const SimulationEvent& event : outcome.events) events.append(py::make_tuple(event.time, event.what));
  out["reason"] = outcome.reason, out["finished"] = outcome.finished;
  out["steps"] = outcome.steps, out["rejected"] = outcome.rejected, out["evaluations"] = outcome.evaluations;
  out["energies"] = energies, out["drift"] = outcome.drift, out["events"] = events;
  std::vector<std::string> warnings;  // of the robot as this run has it, then of the run
  for (const Finding& finding : of_robot)
    if (finding.severity == Severity::warning) warnings.push_back(finding.text());
  warnings.insert(warnings.end(), outcome.warnings.begin(), outcome.warnings.end());
  out["warnings"] = warnings;
  return out;
}

// (model, columns, notes, values, facts)
py::tuple simulate(const py::object& robot, const std::string& text, const std::string& file,
                   const py::object& controller, py::object progress) {
  const Model* const given = robot.is_none() ? nullptr : &robot.cast<Robot&>().model;
  Scenario scenario = scenario_from_text(text, file, given);
  const bool in_python = !controller.is_none();
  if (in_python)
    scenario.controller = std::make_shared<PythonController>(controller.cast<py::function>(), scenario.model);
  Simulation simulation(scenario.model, scenario.controller, scenario.options, scenario.actuation, scenario.wrenches);
  simulation.start(scenario.q, scenario.v);
  Recording rows;
  Watch watch(std::move(progress));
  Outcome outcome;
  {
    std::optional<py::gil_scoped_release> unlocked;
    if (!in_python) unlocked.emplace();
    outcome = simulation.run(rows, [&](double time) { return watch(time); });
  }
  rows.header = cli::header_of(scenario, simulation);
  return py::make_tuple(Robot(scenario.model), columns_of(rows.header), rows.header.notes, rows_of(rows),
                        facts_of(outcome, scenario.model.findings()));
}

// (columns, notes, values)
py::tuple read_rows(const std::filesystem::path& path) {
  Recording recording;
  {
    const py::gil_scoped_release unlocked;
    recording = read_recording(path.string());
  }
  return py::make_tuple(columns_of(recording.header), recording.header.notes, rows_of(recording));
}

void write_rows(const std::filesystem::path& path, const std::vector<std::pair<std::string, std::string>>& columns,
                const std::vector<std::pair<std::string, std::string>>& notes, const Array& values, bool force) {
  RecordingHeader header{{}, notes};
  for (const auto& [name, unit] : columns) header.columns.push_back({name, unit});
  const Array rows = without_gaps(values);
  const py::gil_scoped_release unlocked;
  const auto recorder = create_recording(cli::claim_file(path.string(), force), header);
  for (py::ssize_t k = 0; k < rows.shape(0); ++k)
    recorder->append(vector(rows.data() + k * rows.shape(1), static_cast<int>(rows.shape(1))));
  recorder->finish();
}

}  // namespace

void define_simulation(py::module_& module) {
  module.def("_simulate", &simulate, py::arg("robot"), py::arg("text"), py::arg("file"), py::arg("controller"),
             py::arg("progress"));
  module.def("_read_recording", &read_rows, py::arg("path"));
  module.def("_write_recording", &write_rows, py::arg("path"), py::arg("columns"), py::arg("notes"), py::arg("values"),
             py::arg("force"));
}

}  // namespace catena::python
