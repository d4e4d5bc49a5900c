// Batch: a function for many states at a time, on threads, without the interpreter's lock.
#include <pybind11/stl.h>

#include "backends.hpp"
#include "robot.hpp"

namespace catena::python {

namespace {

class ManyStates {
 public:
  ManyStates(const Model& model, Function function, const BatchOptions& options)
      : robot_(model.name()),
        batch_(model, function, options),
        call_(function_name(function), model.name(), blocks_of(model, function, batch_.batch().blocks())) {}

  const Call& call() const { return call_; }
  const Batch& batch() const { return batch_.batch(); }

  py::object compute(const py::tuple& args, py::handle kwargs) {
    const auto one = [&](Pointers in, OutPointers out) {  // a batch of one
      std::vector<ConstStates> inputs;
      std::vector<States> outputs;
      for (std::size_t k = 0; k < in.size(); ++k) {
        inputs.emplace_back(in[k], call_.blocks().inputs[k].size(), 1, 1, 0);
      }
      for (std::size_t k = 0; k < out.size(); ++k) {
        outputs.emplace_back(out[k], call_.blocks().outputs[k].size(), 1, 1, 0);
      }
      batch_(inputs, outputs);
    };
    return call_(args, kwargs, one, [&](Views in, OutViews out) { batch_(in, out); });
  }
  std::string text() const {
    return "<catena.Batch " + call_.text() + " of " + robot_ + ": " + backend_names[batch().backend()] + ", " +
           std::to_string(batch().width()) + " states side by side, threads " + std::to_string(batch().threads()) + ">";
  }

 private:
  std::string robot_;
  SharedBatch batch_;
  Call call_;
};

}  // namespace

void define_batch(py::module_& module, py::class_<Robot>& robot) {
  py::class_<ManyStates> batch(
      module, "Batch",
      "A function of one robot for many states, made by Model.batch(). Call it with arrays (B, n) "
      "of any\nstrides; out= takes arrays to write into. Other Python threads run meanwhile; two "
      "that call the same\nBatch wait for each other.");
  make_callable(batch);
  batch.def_property_readonly("name", [](const ManyStates& self) { return self.call().name(); })
      .def_property_readonly(
          "inputs", [](const ManyStates& self) { return shapes(self.call().blocks().inputs); },
          "Name and shape of each argument, for one state.")
      .def_property_readonly(
          "outputs", [](const ManyStates& self) { return shapes(self.call().blocks().outputs); },
          "Name and shape of each result, for one state.")
      .def_property_readonly(
          "parameters", [](const ManyStates& self) { return names_of(self.batch().blocks().parameters); },
          "Names of the robot's numbers in the argument of that name, in order.")
      .def_property_readonly(
          "backend", [](const ManyStates& self) { return backend_names[self.batch().backend()]; },
          "As chosen: 'compiled', 'lanes' or 'plain'.")
      .def_property_readonly(
          "lanes", [](const ManyStates& self) { return self.batch().width(); }, "States side by side.")
      .def_property_readonly("threads", [](const ManyStates& self) { return self.batch().threads(); })
      .def("__repr__", &ManyStates::text);

  robot.def(
      "batch",
      [](const Robot& self, const std::string& function, py::handle threads, const std::string& backend,
         const std::optional<std::vector<std::string>>& outputs,
         const std::optional<std::vector<std::string>>& parameters, int lanes) {
        BatchOptions options;
        options.backend = backend_from(backend);
        options.threads = threads_from(threads);
        options.width = lanes;
        if (outputs) options.outputs = *outputs;
        if (parameters) options.parameters = *parameters;
        return std::make_unique<ManyStates>(self.model, function_from_name(function), options);
      },
      py::arg("function"), py::kw_only(), py::arg("threads") = 1, py::arg("backend") = "automatic",
      py::arg("outputs") = py::none(), py::arg("parameters") = py::none(), py::arg("lanes") = 0,
      "batch(function, *, threads=1, backend='automatic', outputs=None, parameters=None, lanes=0) -> Batch\n\n"
      "The function for many states at a time; the same bits for a state on any number of threads.\n"
      "backend: 'compiled' (machine code), 'lanes' (the kernels, a state in each lane), 'plain', or 'automatic'.\n"
      "outputs: names of those wanted. parameters: names of numbers of the robot, such as 'link7.mass', of which each\n"
      "state brings its own, in one more argument (B, len(parameters)). lanes: 2, 4 or 8 states side by side, 0 for as "
      "many as there can be.");
}

}  // namespace catena::python
