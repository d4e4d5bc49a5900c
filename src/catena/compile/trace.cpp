// Which kernels a function runs, and what it takes and gives. Where two algorithms compute the same, both are traced
// and the one with fewer operations is kept.
#include "catena/compile/products.hpp"
#include "catena/compile/tracer.hpp"

namespace catena {
namespace {

using namespace compile;

constexpr int always_by_factor = 24;  // coordinates

struct Recipe {
  std::vector<const char*> arguments;
  std::vector<std::string> outputs;
  Results (*run)(Tracer&, bool articulated);
  bool choice = false;  // by composite bodies or by articulated ones
};
Recipe recipe(Function function) {
  switch (function) {
    case Function::inverse: return {{"q", "v", "a"}, {"tau"}, [](Tracer& x, bool) { return x.inverse(); }};
    case Function::gravity: return {{"q"}, {"tau"}, [](Tracer& x, bool) { return x.gravity(); }};
    case Function::coriolis: return {{"q", "v"}, {"tau"}, [](Tracer& x, bool) { return x.coriolis(); }};
    case Function::bias: return {{"q", "v"}, {"tau"}, [](Tracer& x, bool) { return x.bias(); }};
    case Function::mass_matrix: return {{"q"}, {"M"}, [](Tracer& x, bool) { return x.mass(); }};
    case Function::mass_matrix_inverse:
      return {{"q"}, {"M_inv"}, [](Tracer& x, bool articulated) { return x.mass_inverse(articulated); }, true};
    case Function::coriolis_matrix: return {{"q", "v"}, {"C"}, [](Tracer& x, bool) { return x.coriolis_matrix(); }};
    case Function::forward:
      return {{"q", "v", "tau"}, {"a"}, [](Tracer& x, bool articulated) { return x.forward(articulated); }, true};
    case Function::linearize_inverse:
      return {{"q", "v", "a"}, {"M", "A_D", "B_D"}, [](Tracer& x, bool) { return x.linearize_inverse(); }};
    case Function::linearize_forward:
      return {{"q", "v", "tau"},
              {"a", "M_inv", "A_C", "B_C"},
              [](Tracer& x, bool articulated) { return x.linearize_forward(articulated); },
              true};
    case Function::nu: return {{"q", "v"}, {"nu"}, [](Tracer& x, bool) { return x.nu(); }};
    case Function::epsilon: return {{"q", "tau"}, {"epsilon"}, [](Tracer& x, bool) { return x.epsilon(); }};
    case Function::forward_nu:
      return {{"q", "nu", "tau"}, {"v", "nu_dot"}, [](Tracer& x, bool) { return x.forward_nu(); }};
  }
  throw std::invalid_argument("no such function");
}

bool in_quasi_velocities(Function function) {
  return function == Function::nu || function == Function::epsilon || function == Function::forward_nu;
}
bool has_joint_terms(Function function) {
  switch (function) {
    case Function::inverse:
    case Function::bias:
    case Function::forward:
    case Function::linearize_inverse:
    case Function::linearize_forward:
    case Function::forward_nu: return true;
    default: return false;
  }
}
bool is_linearization(Function function) {
  return function == Function::linearize_inverse || function == Function::linearize_forward;
}

}  // namespace

std::vector<Function> functions(const Model& model) {
  const Tree& tree = model.tree();
  bool turning = false, planar = false;  // springs
  for (const Spring& spring : tree.springs) {
    const JointKind kind = tree.bodies[spring.body].kind;
    turning = turning || kind == JointKind::spherical || kind == JointKind::free;
    planar = planar || kind == JointKind::planar;
  }
  std::vector<Function> out;
  if (model.nv() == 0) return out;
  for (const Function f : functions()) {
    if (in_quasi_velocities(f) && model.has_couplings()) continue;
    if ((turning && has_joint_terms(f)) || (planar && is_linearization(f))) continue;
    out.push_back(f);
  }
  return out;
}

Signature signature(const Model& model, Function function) {
  const Recipe how = recipe(function);
  const auto append = [](std::vector<ProgramBlock>& blocks, const std::string& name, int rows, int columns) {
    blocks.push_back({name, rows, columns, blocks.empty() ? 0 : blocks.back().first + blocks.back().size()});
  };
  Signature out;
  for (const std::string name : how.arguments) append(out.inputs, name, name == "q" ? model.nq() : model.nv(), 1);
  for (const std::string& name : how.outputs) {
    const bool matrix = name == "C" || name.starts_with("M") || name.starts_with("A_") || name.starts_with("B_");
    append(out.outputs, name, model.nv(), matrix ? model.nv() : 1);
  }
  return out;
}

Program trace(const Model& model, Function function, const std::vector<std::string>& outputs) {
  const Recipe how = recipe(function);
  for (const std::string& name : outputs) {
    if (std::find(how.outputs.begin(), how.outputs.end(), name) != how.outputs.end()) continue;
    std::string known;
    for (const std::string& output : how.outputs) known += (known.empty() ? "" : ", ") + output;
    throw std::invalid_argument(std::string(function_name(function)) + " has no output '" + name + "'; it has " +
                                known);
  }
  if (model.nv() == 0) throw std::invalid_argument(model.name() + " has no joint that moves: nothing to compile");
  if (in_quasi_velocities(function) && model.has_couplings()) {
    throw std::invalid_argument("quasi-velocities of " + model.name() +
                                ", whose joints follow others, are not compiled");
  }
  const Lean lean = make_lean(model.tree());
  const auto run = [&](bool articulated) {
    Tracer tracer(lean, how.arguments);
    const Results results = how.run(tracer, articulated);
    Program program = tracer.finish(function, results, how.outputs, outputs);
    if (how.choice) program.method = articulated ? "articulated" : "composite";
    return program;
  };
  Program best = run(false);
  // matrices by a factor that keeps the tree's zeros are shorter on every robot that is small enough to compile
  const bool matrices = function != Function::forward;
  if (!how.choice || model.has_couplings() || (matrices && model.nv() <= always_by_factor)) return best;
  Program other = run(true);
  return other.operations().total() < best.operations().total() ? std::move(other) : std::move(best);
}

Program compile::trace_but_products(const Model& model) {
  const Lean lean = make_lean(model.tree());
  const Recipe how = recipe(Function::linearize_forward);
  Tracer tracer(lean, how.arguments);
  const Results results = tracer.linearize_forward_but_products();
  return tracer.finish(Function::linearize_forward, results, how.outputs, {});
}

}  // namespace catena
