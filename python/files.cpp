// A Model and its file: loading, what the file says of joints and bodies, saving, pickling.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>

#include "catena/model/names.hpp"
#include "catena/read/builtin.hpp"
#include "catena/read/robot.hpp"
#include "catena/write/toml.hpp"
#include "catena/write/urdf.hpp"
#include "cli/output.hpp"
#include "cli/robot.hpp"
#include "robot.hpp"

namespace catena::python {

namespace {

py::tuple told(const Finding& f) {
  return py::make_tuple(name_of(f.severity), f.code, f.source.file, f.source.line, f.body, f.message, f.remedy);
}

py::list told(const Findings& findings) {
  py::list out;
  for (const Finding& finding : findings) out.append(told(finding));
  return out;
}

py::dict joint_of(const Model& model, const std::string& name) {
  const int index = model.joint(name);
  const Joint& joint = model.description().joints[static_cast<std::size_t>(index)];
  py::dict limits, terms, out;
  limits["lower"] = joint.limits.lower, limits["upper"] = joint.limits.upper;
  limits["velocity"] = joint.limits.velocity, limits["effort"] = joint.limits.effort;
  const JointTerms& t = joint.terms;
  terms["damping"] = t.damping, terms["friction"] = t.friction, terms["friction_scale"] = t.friction_scale;
  terms["rotor_inertia"] = t.rotor_inertia, terms["gear_ratio"] = t.gear_ratio, terms["stiffness"] = t.stiffness;
  terms["rest"] = t.rest, terms["armature"] = t.armature();
  out["name"] = joint.name, out["type"] = name_of(joint.type);
  out["parent"] = joint.parent, out["child"] = joint.child;
  out["axis"] = array_from(joint.axis);
  out["R"] = array_from(joint.placement.R), out["p"] = array_from(joint.placement.p);
  out["limits"] = limits, out["terms"] = terms, out["mimic"] = py::none();
  if (joint.mimic) {
    py::dict mimic;
    mimic["joint"] = joint.mimic->joint, mimic["ratio"] = joint.mimic->ratio, mimic["offset"] = joint.mimic->offset;
    out["mimic"] = mimic;
  }
  out["q"] = py::none(), out["v"] = py::none();
  for (const Coordinate& c : model.coordinates()) {
    if (c.index != index) continue;
    out["q"] = py::slice(c.q, c.q + c.nq, 1), out["v"] = py::slice(c.v, c.v + c.nv, 1);
  }
  return out;
}

py::dict body_of(const Model& model, const std::string& name) {
  const Body& body = model.description().bodies[static_cast<std::size_t>(model.body(name))];
  const Inertial inertial = body.inertial.value_or(Inertial{});
  py::dict out;
  out["name"] = body.name, out["mass"] = inertial.mass;
  out["com"] = array_from(inertial.com), out["inertia"] = array_from(inertial.inertia);
  return out;
}

Model without(const Model& model, const std::vector<std::string>& terms) {
  static const std::vector<std::string> names = {"damping", "friction", "springs", "armature"};
  Description description = model.description();
  for (const std::string& term : terms) {
    if (std::find(names.begin(), names.end(), term) == names.end())
      throw std::invalid_argument("no joint term is called '" + term + "'" + suggestion(term, names));
    for (Joint& joint : description.joints) {
      if (term == "damping") joint.terms.damping = 0;
      if (term == "friction") joint.terms.friction = 0;
      if (term == "springs") joint.terms.stiffness = 0;
      if (term == "armature") joint.terms.rotor_inertia = 0;
    }
  }
  return Model(description, model.reader_findings());
}

}  // namespace

void define_files(py::module_& module, py::class_<Robot>& robot) {
  robot
      .def_property_readonly(
          "bodies",
          [](const Robot& self) {
            std::vector<std::string> out;
            for (const Body& body : self.model.description().bodies) out.push_back(body.name);
            return out;
          },
          "Names of the bodies, in the order of the file.")
      .def(
          "joint", [](const Robot& self, const std::string& name) { return joint_of(self.model, name); },
          py::arg("name"),
          "joint(name) -> dict\n\nWhat a joint is: type, parent, child, axis, R and p (its frame in the parent body), "
          "limits and terms (SI units),\nmimic, and the slices q and v of its coordinates in a state (None where it "
          "carries none).")
      .def(
          "body", [](const Robot& self, const std::string& name) { return body_of(self.model, name); }, py::arg("name"),
          "body(name) -> dict\n\nmass (kg), com (m, in the body's frame), inertia (kg m^2, about the centre of mass).")
      .def(
          "without_terms",
          [](const Robot& self, const py::args& terms) {
            std::vector<std::string> names;
            for (const py::handle& term : terms) {
              if (!py::isinstance<py::str>(term)) throw py::type_error("names of joint terms are texts: 'damping'");
              names.push_back(term.cast<std::string>());
            }
            return Robot(without(self.model, names));
          },
          "without_terms(*terms) -> Model\n\nThe robot without some of its joints' own forces: 'damping', 'friction', "
          "'springs', 'armature'.")
      .def(
          "to_toml", [](const Robot& self) { return write::toml(self.model.description()); },
          "to_toml() -> str\n\nThe robot as TOML, every digit; catena.loads() reads it back.")
      .def(
          "to_urdf", [](const Robot& self) { return write::urdf(self.model.description()); },
          "to_urdf() -> str\n\nThe robot as URDF; catena.loads() reads it back.")
      .def(
          "save",
          [](const Robot& self, const std::filesystem::path& path, bool force) {
            cli::require_writable_format(path.string());
            cli::write_robot(self.model.description(), cli::claim_file(path.string(), force));
          },
          py::arg("path"), py::kw_only(), py::arg("force") = false,
          "save(path, *, force=False)\n\nWrites the robot: .urdf or .toml by the ending of the name. force: replaces a "
          "file that is there.")
      .def_property_readonly(
          "hash", [](const Robot& self) { return self.model.hash(); },
          "A number of 64 bits that is equal for robots with equal dynamics; recordings carry it.")
      .def("__copy__", [](const Robot& self) { return Robot(self.model); })
      .def("__deepcopy__", [](const Robot& self, const py::dict&) { return Robot(self.model); })
      .def("__reduce_ex__", [](const Robot& self, int) {
        return py::make_tuple(py::module_::import("catena._robots").attr("restored"),
                              py::make_tuple(write::toml(self.model.description())));
      });

  module.def(
      "load",
      [](const std::filesystem::path& robot_file, bool floating, bool strict) {
        return Robot(read::load(robot_file.string(), {.floating = floating, .strict = strict}));
      },
      py::arg("robot"), py::kw_only(), py::arg("floating") = false, py::arg("strict") = false,
      "load(robot, *, floating=False, strict=False) -> Model\n\nA robot from a file (URDF, TOML, JSON) or, if there is "
      "no such file, a built-in one.\n\nfloating: a free joint under the root body; strict: warnings are errors. "
      "Raises ModelError.");
  module.def(
      "loads",
      [](const std::string& text, bool floating, bool strict) {
        const read::Options options = {.floating = floating, .strict = strict};
        return Robot(read::build(read::robot_from_text(text, "text", options), options));
      },
      py::arg("text"), py::kw_only(), py::arg("floating") = false, py::arg("strict") = false,
      "loads(text, *, floating=False, strict=False) -> Model\n\nA robot from a text in URDF, TOML or JSON. Otherwise "
      "as "
      "load().");
  module.def(
      "_examine",
      [](const std::filesystem::path& robot_file, bool floating) {
        return told(read::examine(robot_file.string(), {.floating = floating}).findings);
      },
      py::arg("robot"), py::arg("floating"));
  module.def(
      "_findings", [](const Robot& self) { return told(self.model.findings()); }, py::arg("model"));
  module.def("models", &read::builtin_names,
             "models() -> list of str\n\nThe built-in robots; there are also chain:100 "
             "and the like.");
}

}  // namespace catena::python
