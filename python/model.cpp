// Model: what a robot is, its functions, its configuration space.
#include <pybind11/stl.h>

#include <algorithm>

#include "catena/model/names.hpp"
#include "robot.hpp"

namespace catena::python {

namespace {

// values: a number for a name, or several for that of a group.
Model changed(const Model& model, const py::dict& values) {
  std::vector<std::string> names;
  std::vector<double> numbers;
  for (const auto& [key, value] : values) {
    const std::string name = py::str(key);
    const std::size_t count = parameters(model, {name}).size();
    const Array array = without_gaps(numbers_from(value, name));
    if (array.ndim() > 1 || static_cast<std::size_t>(array.size()) != count) {
      throw std::invalid_argument(name + " is " + (count == 1 ? "one number" : std::to_string(count) + " numbers") +
                                  ", not an array of shape " + shape_text(array));
    }
    names.push_back(name);
    numbers.insert(numbers.end(), array.data(), array.data() + count);
  }
  return with_parameters(model, parameters(model, names), numbers);
}

// " tau: N m or N; ..." of the blocks that have a unit.
std::string units_of(const Signature& blocks) {
  std::string out;
  const auto add = [&](const ProgramBlock& block) {
    const std::string unit = unit_of(block.name);
    if (!unit.empty() && out.find("\n" + block.name + ": ") == std::string::npos)
      out += "\n" + block.name + ": " + unit;
  };
  std::ranges::for_each(blocks.inputs, add);
  std::ranges::for_each(blocks.outputs, add);
  return out.empty() ? out : "\n" + out;
}

std::string help_for(Function function) {
  std::string arguments, results;
  const Signature blocks = signature(example_model(), function);
  for (const ProgramBlock& block : blocks.inputs) arguments += block.name + ", ";
  for (const ProgramBlock& block : blocks.outputs) results += (results.empty() ? "" : ", ") + block.name;
  const bool by_method = function == Function::linearize_forward;
  return std::string(function_name(function)) + "(" + arguments + (by_method ? "*, method='auto', " : "*, ") +
         (takes_loads(function) ? "wrenches=None, base=None, " : "") + "out=None) -> " + results + "\n\n" +
         entry(function).meaning + units_of(blocks) +
         (by_method
              ? "\n\nmethod: the algorithm of Jain and Rodriguez, '3', '4', '5', '6' or '6T'; each state by itself."
              : "") +
         (takes_loads(function)
              ? "\n\nwrenches: a dict, or a list of them, with frame, force, moment (N, N m), point and axes ('body' "
                "or "
                "'aligned');\nbase: a dict with angular_velocity, velocity, angular_acceleration, acceleration of the "
                "ground. They hold for all states."
              : "") +
         "\n\nOne state: arrays of shape (n,), by the plain library. B states: (B, n), by a batch made on first use;\n"
         "results then have a leading axis B. A one-dimensional argument among two-dimensional ones holds for all.";
}

std::string text(const Model& model) {
  return "<catena.Model " + model.name() + ": " + std::to_string(model.coordinates().size()) + " joints, nq " +
         std::to_string(model.nq()) + ", nv " + std::to_string(model.nv()) + ">";
}

// Rows k of a result drawn from seed + k; without a count the one from the seed.
template <class Draw>
Array draw(std::uint64_t seed, const std::optional<py::ssize_t>& count, const Draw& draw_one) {
  if (!count) return array_from(draw_one(seed));
  if (*count < 0) throw std::invalid_argument("count is negative");
  const int size = static_cast<int>(draw_one(seed).size());
  Array out({*count, static_cast<py::ssize_t>(size)});
  for (py::ssize_t k = 0; k < *count; ++k) {
    vector(out.mutable_data(k, 0), size) = draw_one(seed + static_cast<std::uint64_t>(k));
  }
  return out;
}

void define_properties(py::class_<Robot>& robot) {
  robot.def_property_readonly("name", [](const Robot& self) { return self.model.name(); })
      .def_property_readonly(
          "nq", [](const Robot& self) { return self.model.nq(); }, "Numbers in q.")
      .def_property_readonly(
          "nv", [](const Robot& self) { return self.model.nv(); }, "Numbers in v, a and tau.")
      .def_property_readonly(
          "joints",
          [](const Robot& self) {
            std::vector<std::string> out;
            for (const Coordinate& c : self.model.coordinates()) out.push_back(c.joint);
            return out;
          },
          "Names of the joints that carry coordinates, in the order of q and v.")
      .def_property_readonly(
          "all_joints",
          [](const Robot& self) {
            std::vector<std::string> out;
            for (const Joint& joint : self.model.description().joints) out.push_back(joint.name);
            return out;
          },
          "Names of all joints, fixed and mimic joints included, in the order of the file.")
      .def_property_readonly(
          "position_names", [](const Robot& self) { return self.model.position_names(); },
          "A name for each number of q.")
      .def_property_readonly(
          "velocity_names", [](const Robot& self) { return self.model.velocity_names(); },
          "A name for each number of v, a and tau.")
      .def_property_readonly(
          "frames",
          [](const Robot& self) {
            std::vector<std::string> out;
            for (int k = 0; k < self.model.frame_count(); ++k) out.push_back(self.model.frame_name(k));
            return out;
          },
          "Names of all frames: every body's own, then the named ones.")
      .def_property_readonly(
          "tip_frame", [](const Robot& self) { return self.model.frame_name(self.model.tip_frame()); },
          "The tip of the tree: the frame with the most moving joints to the ground; of several the last.")
      .def_property_readonly(
          "parameters",
          [](const Robot& self) {
            py::dict out;
            for (const Parameter& p : parameters(self.model)) out[py::str(p.name)] = p.value;
            return out;
          },
          "The robot's numbers by name: 'link7.mass', 'elbow.damping', 'gravity.z', ...; see with_parameters, batch,\n"
          "compile and rollout.")
      .def(
          "with_parameters",
          [](const Robot& self, const py::dict& values) { return Robot(changed(self.model, values)); },
          py::arg("values"),
          "with_parameters(values) -> Model\n\nThe robot with other numbers, as in arm.with_parameters({'link7.mass': "
          "2.5,"
          "\n'gravity': [0, 0, -1.62]}).")
      .def_property_readonly(
          "functions",
          [](const Robot& self) {
            std::vector<std::string> out;
            for (const Function function : functions(self.model)) out.emplace_back(function_name(function));
            return out;
          },
          "Names that compile() takes for this robot.")
      .def_property_readonly(
          "gravity_vector", [](const Robot& self) { return array_from(self.model.gravity()); },
          "Acceleration of gravity in the world (m/s^2). Another one: with_gravity().")
      .def_property_readonly(
          "mass", [](const Robot& self) { return self.model.total_mass(); }, "Of all bodies (kg).")
      .def_property_readonly(
          "findings",
          [](const Robot& self) {
            std::vector<std::string> out;
            for (const Finding& finding : self.model.findings()) out.push_back(finding.text());
            return out;
          },
          "Warnings and notes on the robot's file, a line each.")
      .def("__repr__", [](const Robot& self) { return text(self.model); });
}

void define_configurations(py::class_<Robot>& robot) {
  robot
      .def(
          "integrate",
          [](Robot& self, py::handle q, py::handle v) {
            const int nq = self.model.nq(), nv = self.model.nv();
            const Call call("integrate", self.model.name(), {{{"q", nq}, {"v", nv}}, {{"q_next", nq}}});
            return call.each({q, v}, {}, [&](Pointers in, OutPointers out) {
              integrate(self.model, vector(in[0], nq), vector(in[1], nv), vector(out[0], nq));
            });
          },
          py::arg("q"), py::arg("v"),
          "integrate(q, v) -> q\n\nq moved for unit time with the velocity v: q + v where there are no quaternions.")
      .def(
          "difference",
          [](Robot& self, py::handle q_from, py::handle q_to) {
            const int nq = self.model.nq(), nv = self.model.nv();
            const Call call("difference", self.model.name(), {{{"q_from", nq}, {"q_to", nq}}, {{"v", nv}}});
            return call.each({q_from, q_to}, {}, [&](Pointers in, OutPointers out) {
              difference(self.model, vector(in[0], nq), vector(in[1], nq), vector(out[0], nv));
            });
          },
          py::arg("q_from"), py::arg("q_to"),
          "difference(q_from, q_to) -> v\n\nThe v with integrate(q_from, v) = q_to, the shorter way round.")
      .def(
          "neutral_configuration", [](const Robot& self) { return array_from(neutral_configuration(self.model)); },
          "neutral_configuration() -> q\n\nAll joints at zero, or at the nearer limit.")
      .def(
          "random_configuration",
          [](const Robot& self, std::uint64_t seed, std::optional<py::ssize_t> count) {
            return draw(seed, count, [&](std::uint64_t s) { return random_configuration(self.model, s); });
          },
          py::arg("seed"), py::arg("count") = py::none(),
          "random_configuration(seed, count=None) -> q\n\nUniform within limits (rad, m); with a count (count, nq), "
          "row "
          "k drawn from seed + k.")
      .def(
          "random_vector",
          [](const Robot& self, std::uint64_t seed, std::optional<py::ssize_t> count, double scale) {
            return draw(seed, count, [&](std::uint64_t s) { return random_vector(self.model, s, scale); });
          },
          py::arg("seed"), py::arg("count") = py::none(), py::arg("scale") = 1.0,
          "random_vector(seed, count=None, scale=1) -> v\n\nnv numbers, uniform in [-scale, scale]; with a count "
          "(count, nv), row k drawn from seed + k.");
}

// What is written in Python, on top of this module.
void define_conveniences(py::class_<Robot>& robot) {
  const auto add = [&](const char* name, const char* module, const char* help) {
    robot.def(
        name,
        [name, module](const py::object& self, const py::args& args, const py::kwargs& kwargs) {
          if (!py::isinstance<Robot>(self)) throw py::type_error(std::string(name) + " is a method of a catena.Model");
          return py::module_::import(module).attr(name)(self, *args, **kwargs);
        },
        help);
  };
  add("simulate", "catena._simulation",
      "simulate(q=None, v=None, *, duration=1, every=None, tau=None, controller=None, progress=None, **scenario) -> "
      "Run\n\nLets the robot move. controller: a function of (t, q, v) that returns joint forces, or the [input] table "
      "of a\nscenario as a dict; tau: constant forces. Further tables of a scenario as dicts: integrator, limits, "
      "stop, "
      "motion,\nwrench, input (period, delay, limit_effort). See catena.simulate().");
  add("to_dict", "catena._robots", "to_dict() -> dict\n\nThe robot as the tables of its TOML file.");
  add("show", "catena._tool",
      "show(path, *, q=None, force=False)\n\nWrites a page with the robot in 3-D, to open in any browser.");
  add("_repr_html_", "catena._tool", "The robot in 3-D, for notebooks.");
}

}  // namespace

void define_model(py::module_& module) {
  py::class_<Robot> robot(module, "Model",
                          "A robot. q holds nq numbers (rad, m; quaternions x, y, z, w), v, a and tau hold nv.\n\n"
                          "Made by catena.load(). Its functions take one state, (n,), or many, (B, n).");
  define_properties(robot);
  define_kinematics(robot);
  define_configurations(robot);
  define_diagonal(robot);
  define_linear(module, robot);
  define_regressors(robot);
  define_sensitivity(robot);
  define_curvature(robot);
  robot.def(
      "with_gravity",
      [](const Robot& self, const std::array<double, 3>& gravity) {
        Description description = self.model.description();
        description.gravity = {gravity[0], gravity[1], gravity[2]};
        return Robot(Model(description, self.model.reader_findings()));
      },
      py::arg("gravity"),
      "with_gravity(gravity) -> Model\n\nThe same robot under another gravity, (x, y, z) in m/s^2.");
  // Every function of the library by its name, unless there is a method for it already.
  for (const Function function : functions()) {
    if (py::hasattr(robot, function_name(function))) continue;
    robot.def(
        function_name(function),
        [function](Robot& self, const py::args& args, const py::kwargs& kwargs) {
          return self.compute(function, args, kwargs);
        },
        help_for(function).c_str());
  }
  define_compile(module, robot);
  define_batch(module, robot);
  define_rollout(module, robot);
  define_operators(module, robot);
  define_explanations(robot);
  define_files(module, robot);
  define_conveniences(robot);

  module.def(
      "functions",
      [] {
        std::vector<std::string> out;
        for (const Function function : functions()) out.emplace_back(function_name(function));
        return out;
      },
      "functions() -> list of str\n\nThe names that Model.compile() and Model.batch() take.");
}

}  // namespace catena::python
