// CompiledFunction: a function made for one robot, as an object. CompiledModel: all of them, made when first used.
#include <pybind11/stl.h>

#include <cmath>

#include "catena/compile/plain.hpp"
#include "catena/machine/machine_code.hpp"
#include "catena/model/names.hpp"
#include "catena/source/write_c.hpp"
#include "robot.hpp"

namespace catena::python {

namespace {

class Compiled {
 public:
  Compiled(const Model& model, Function function, std::vector<std::string> outputs = {},
           std::vector<std::string> parameters = {})
      : model_(model),
        code_(model, function, outputs, parameters),
        call_(function_name(function), model.name(),
              blocks_of(model, function, {code_.program().inputs, code_.program().outputs, {}})),
        outputs_(std::move(outputs)),
        parameters_(std::move(parameters)) {}

  const Model& model() const { return model_; }
  const CompiledFunction& code() const { return code_; }
  const Program& program() const { return code_.program(); }
  const Call& call() const { return call_; }

  py::object compute(const py::tuple& args, py::handle kwargs) {
    return call_(
        args, kwargs, [&](Pointers in, OutPointers out) { compute_one(in, out); },
        [&](Views in, OutViews out) {
          if (!batch_) {
            batch_ = std::make_unique<SharedBatch>(model_, program().function,
                                                   BatchOptions{.outputs = outputs_, .parameters = parameters_});
          }
          (*batch_)(in, out);
        });
  }

 private:
  // Machine code asks nothing of its inputs; Python does, as the plain library would.
  void compute_one(Pointers in, OutPointers out) const {
    for (std::size_t k = 0; k < in.size(); ++k) require_input(model_, call_.blocks().inputs[k], in[k]);
    code_.call(in.data(), out.data());
    bool finite = true;
    for (std::size_t k = 0; k < out.size(); ++k) {
      finite &= vector(out[k], call_.blocks().outputs[k].size()).allFinite();
    }
    if (!finite) ask_plain(in, out);
  }
  // The plain library has the last word: it names the joint where the mass matrix is singular.
  void ask_plain(Pointers in, OutPointers out) const {
    Vector inputs(program().input_count());
    for (std::size_t k = 0; k < in.size(); ++k) {
      const ProgramBlock& block = program().inputs[k];
      inputs.segment(block.first, block.size()) = vector(in[k], block.size());
    }
    const Vector outputs = plain_values(model_, program(), inputs);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const ProgramBlock& block = program().outputs[k];
      vector(out[k], block.size()) = outputs.segment(block.first, block.size());
    }
  }

  Model model_;
  CompiledFunction code_;
  Call call_;
  std::vector<std::string> outputs_, parameters_;
  std::unique_ptr<SharedBatch> batch_;
};

py::object operations(const Program& program) {
  static const char* const names[] = {"mul", "add", "div", "sqrt", "trig"};
  const Operations n = program.operations();
  return result_type("Operations", {std::begin(names), std::end(names)})(n.mul, n.add, n.div, n.sqrt, n.trig);
}

std::string compiled_text(const Compiled& f) {
  std::string out = "<catena.CompiledFunction " + f.call().text() + " of " + f.model().name() + ": " +
                    std::to_string(f.program().operations().total()) + " operations";
  if (!f.program().method.empty()) out += ", " + f.program().method;
  return out + (f.code().is_machine_code() ? ", machine code" : ", plain library") + ">";
}

py::dict source(const Compiled& f, const std::string& name, bool single, bool cpp) {
  py::dict files;
  for (const SourceFile& file : write_source(f.model(), {f.program()}, {.name = name, .single = single, .cpp = cpp})) {
    files[py::str(file.name)] = file.text;
  }
  return files;
}

// Functions are made when they are first asked for, and then are attributes like any other.
struct Everything {
  Model model;
};

py::object function_of(const py::object& self, const std::string& name) {
  const Model& model = self.cast<const Everything&>().model;
  std::vector<std::string> names;
  for (const Function function : functions()) {
    names.emplace_back(function_name(function));
    if (name != names.back()) continue;
    py::object compiled = py::cast(std::make_unique<Compiled>(model, function));
    py::setattr(self, name.c_str(), compiled);
    return compiled;
  }
  throw py::attribute_error("a compiled robot has no function '" + name + "'" + did_you_mean(name, names) +
                            "; catena.functions() lists them");
}

}  // namespace

void define_compile(py::module_& module, py::class_<Robot>& robot) {
  py::class_<Compiled> compiled(
      module, "CompiledFunction",
      "A function of one robot as machine code, made by Model.compile(). Call it like the Model's "
      "method:\none state, (n,), or many, (B, n); out= takes arrays to write into.");
  make_callable(compiled);
  compiled.def_property_readonly("name", [](const Compiled& self) { return self.call().name(); })
      .def_property_readonly("model", [](const Compiled& self) { return Robot(self.model()); })
      .def_property_readonly(
          "inputs", [](const Compiled& self) { return shapes(self.call().blocks().inputs); },
          "Name and shape of each argument, for one state.")
      .def_property_readonly(
          "outputs", [](const Compiled& self) { return shapes(self.call().blocks().outputs); },
          "Name and shape of each result, for one state.")
      .def_property_readonly(
          "parameters", [](const Compiled& self) { return names_of(self.program().parameters); },
          "Names of the robot's numbers in the argument of that name, in order.")
      .def_property_readonly(
          "operations", [](const Compiled& self) { return operations(self.program()); },
          "How many of each kind a call takes: mul, add, div, sqrt, trig.")
      .def_property_readonly(
          "method", [](const Compiled& self) { return self.program().method; },
          "'composite' or 'articulated' bodies, where there was a choice; else ''.")
      .def_property_readonly(
          "is_machine_code", [](const Compiled& self) { return self.code().is_machine_code(); },
          "False where the plain library computes instead.")
      .def_property_readonly(
          "lanes", [](const Compiled& self) { return self.code().lanes(); }, "States side by side in a batch.")
      .def("c_source", &source, py::kw_only(), py::arg("name") = "", py::arg("single") = false, py::arg("cpp") = false,
           "c_source(*, name='', single=False, cpp=False) -> dict\n\nStandalone C99 (or C++) as {file name: text}: "
           "header, source, self-test. single: float, not double.")
      .def("__repr__", &compiled_text);

  py::class_<Everything>(module, "CompiledModel", py::dynamic_attr(),
                         "A compiled robot, made by Model.compile(): every function of it as an attribute, compiled "
                         "on first use.")
      .def("__getattr__", &function_of)
      .def("__dir__",
           [](const Everything& self) {
             std::vector<std::string> names = {"model"};
             for (const Function function : functions(self.model)) names.emplace_back(function_name(function));
             return names;
           })
      .def_property_readonly("model", [](const Everything& self) { return Robot(self.model); })
      .def("__repr__", [](const Everything& self) { return "<catena.CompiledModel " + self.model.name() + ">"; });

  robot.def(
      "compile",
      [](const Robot& self, const std::optional<std::string>& function,
         const std::optional<std::vector<std::string>>& outputs,
         const std::optional<std::vector<std::string>>& parameters) -> py::object {
        const std::vector<std::string> none;
        if (function) {
          return py::cast(std::make_unique<Compiled>(self.model, function_from_name(*function), outputs.value_or(none),
                                                     parameters.value_or(none)));
        }
        if (outputs || parameters)
          throw std::invalid_argument("outputs and parameters are those of a function: name it");
        return py::cast(Everything{self.model});
      },
      py::arg("function") = py::none(), py::arg("outputs") = py::none(), py::arg("parameters") = py::none(),
      "compile(function=None, outputs=None, parameters=None) -> CompiledFunction or CompiledModel\n\n"
      "The function made for this robot alone, as machine code, in milliseconds: the plain results to rounding.\n"
      "outputs: names of those wanted; nothing else is computed. parameters: names of numbers of the robot, such as\n"
      "'link7.mass', that become one more argument. Without a function: all of them, each on first use.");
}

}  // namespace catena::python
