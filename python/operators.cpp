// The papers' operators as arrays, and expressions of them (reference/workbench.hpp).
#include "catena/reference/workbench.hpp"

#include <pybind11/stl.h>

#include <set>

#include "catena/reference/dh_newton_euler.hpp"
#include "robot.hpp"

namespace catena::python {
namespace {

class Operators {
 public:
  Operators(Workbench bench, std::string family) : bench_(std::move(bench)), family_(std::move(family)) {}

  // "K" of this family, or any by its whole name.
  std::string whole(const std::string& name) const {
    if (family_.empty() || name.find('.') != std::string::npos) return Workbench::resolved(name);
    return Workbench::resolved(family_ + "." + name);
  }
  // What can be asked for as an attribute.
  std::vector<std::string> attributes() const {
    std::set<std::string> out;
    for (const std::string& name : names()) out.insert(name.substr(name.find('.') + 1));
    return {out.begin(), out.end()};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const WorkbenchName& known : Workbench::names()) {
      const std::size_t dot = known.name.find('.');
      if (family_.empty())
        out.push_back(known.name);
      else if (known.name.substr(0, dot) == family_)
        out.push_back(known.name.substr(dot + 1));
    }
    return out;
  }
  const Workbench& bench() const { return bench_; }
  const std::string& family() const { return family_; }

 private:
  Workbench bench_;
  std::string family_;
};

py::object result_from(const WorkbenchValue& x) {
  if (x.is_number()) return py::float_(x.values(0, 0));
  if (x.columns == Space::one) return array_from(Vector(x.values.col(0)));
  return array_from(x.values);
}

Operators make(const Robot& robot, py::handle q, py::handle v, py::handle a, const char* name, const char* family) {
  const auto numbers = [&](py::handle from, const char* block, int size) -> Vector {
    return vector(one_state(from, {block, size}, robot.model, name).data(), size);
  };
  const int nv = robot.model.nv();
  const auto or_zero = [&](py::handle from, const char* block) {
    return from.is_none() ? Vector(Vector::Zero(nv)) : numbers(from, block, nv);
  };
  return {Workbench(robot.model, numbers(q, "q", robot.model.nq()), or_zero(v, "v"), {}, or_zero(a, "a")), family};
}

Array homogeneous(const Pose& pose) {
  Matrix T = Matrix::Identity(4, 4);
  T.topLeftCorner<3, 3>() = pose.R, T.topRightCorner<3, 1>() = pose.p;
  return array_from(T);
}

py::object dh_of(const Robot& robot) {
  const std::optional<DhChain> chain = dh_chain(robot.model);
  if (!chain)
    throw std::invalid_argument("dh() is for one serial chain of revolute and prismatic joints, which " +
                                robot.model.name() + " is not");
  Matrix standard(static_cast<Eigen::Index>(chain->links.size()), 4), modified = standard;
  std::vector<std::string> types;
  DhLink before;
  for (std::size_t i = 0; i < chain->links.size(); ++i) {
    const DhLink& link = chain->links[i];
    const auto row = static_cast<Eigen::Index>(i);
    standard.row(row) << link.a, link.alpha, link.b, link.theta;
    modified.row(row) << before.a, before.alpha, link.b, link.theta;
    types.emplace_back(link.prismatic ? "prismatic" : "revolute");
    before = link;
  }
  py::dict tools;
  for (const DhChain::Tool& tool : chain->tools)
    tools[py::str(robot.model.frame_name(tool.frame))] = homogeneous(tool.pose);
  return result_type("DenavitHartenberg", {"joints", "types", "standard", "modified", "base", "tools"})(
      robot.model.velocity_names(), types, array_from(standard), array_from(modified), homogeneous(chain->first),
      tools);
}

}  // namespace

void define_operators(py::module_& module, py::class_<Robot>& robot) {
  py::class_<Operators>(
      module, "Operators",
      "The papers' operators at one state: an attribute for each, made when it is first asked for.\n\n"
      "Made by Model.operators(), noc() and denoc(). names lists them; [\"noc.K\"] takes whole names.")
      .def_property_readonly("names", &Operators::names, "Names of the operators.")
      .def("__dir__", &Operators::attributes)
      .def("__getattr__",
           [](const Operators& self, const std::string& name) {
             try {
               return result_from(self.bench().value(self.whole(name)));
             } catch (const std::invalid_argument& error) {
               throw py::attribute_error(error.what());
             }
           })
      .def(
          "__getitem__",
          [](const Operators& self, const std::string& name) {
            std::string whole;
            try {
              whole = self.whole(name);
            } catch (const std::invalid_argument& error) {
              throw py::key_error(error.what());
            }
            return result_from(self.bench().value(whole));
          },
          py::arg("name"))
      .def(
          "evaluate",
          [](const Operators& self, const std::string& expression) {
            return result_from(self.bench().evaluate(expression, self.family()).value);
          },
          py::arg("expression"),
          "evaluate(expression) -> array or float\n\nAn expression in the papers' notation, as catena operators takes "
          "it:\n"
          "\"(1+H*Phi*K)*D*(1+H*Phi*K)^T - M\". Names as there, those of noc() and denoc() first of\n"
          "their own family: K is soa.K, of noc() Angeles'.")
      .def("__repr__", [](const Operators& self) {
        return "<catena.Operators of " + self.bench().model().name() +
               (self.family().empty() ? "" : ", " + self.family()) + ">";
      });
  robot.def("dh", &dh_of,
            "dh() -> (joints, types, standard, modified, base, tools)\n\nThe Denavit-Hartenberg tables of a serial "
            "chain of revolute and prismatic joints: a row (a, alpha, d, theta) for each\njoint (m, rad); q adds to "
            "theta of a revolute joint and to d of a prismatic one. base: the table's first frame in the\nground, "
            "tools: frames of the last link by name in the table's last frame, 4 x 4 each, so that the pose of a tool "
            "is\nbase @ links @ tools[name].");
  struct Kind {
    const char *name, *family, *help;
  };
  for (const Kind& kind :
       {Kind{"operators", "",
             "operators(q, v=None, a=None) -> Operators\n\nThe spatial operators of Jain and Rodriguez "
             "(Phi, H, P, D, G, K, Psi, "
             "...), and the others by whole name, at one state.\nThe linearized dynamics (A_C, B_C, "
             "Y_B, E_B, ...) depends on a too."},
        Kind{"denoc", "denoc",
             "denoc(q, v=None, a=None) -> Operators\n\nSaha's decoupled natural orthogonal complements at "
             "one state: N_l, N_d, I, "
             "C, U, D, ..."},
        Kind{"noc", "noc",
             "noc(q, v=None, a=None) -> Operators\n\nAngeles' natural orthogonal complement at one state: "
             "K, T, T_dot, M, W, ..."}}) {
    robot.def(
        kind.name,
        [kind](const Robot& self, py::handle q, py::handle v, py::handle a) {
          return make(self, q, v, a, kind.name, kind.family);
        },
        py::arg("q"), py::arg("v") = py::none(), py::arg("a") = py::none(), kind.help);
  }
}

}  // namespace catena::python
