// Which kernels a function runs, and what it takes and gives. Where two algorithms compute the same, both are traced
// and the one with fewer operations is kept.
#include "catena/compile/products.hpp"
#include "catena/compile/tracer.hpp"
#include "catena/model/names.hpp"

namespace catena {
namespace {

using namespace compile;

constexpr int always_by_factor = 24;  // coordinates

struct Recipe {
  std::vector<const char*> arguments;
  std::vector<std::string> outputs;  // none: a block for each frame
  Results (*run)(Tracer&, bool articulated);
  bool choice = false;  // by composite bodies or by articulated ones
};
Recipe recipe(Function function) {
  constexpr bool normalised = true;
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
    case Function::nu: return {{"q", "v"}, {"nu"}, [](Tracer& x, bool) { return x.quasi_velocity(normalised); }};
    case Function::epsilon:
      return {{"q", "tau"}, {"epsilon"}, [](Tracer& x, bool) { return x.quasi_force(normalised); }};
    case Function::forward_nu:
      return {{"q", "nu", "tau"}, {"v", "nu_dot"}, [](Tracer& x, bool) { return x.forward_quasi(normalised); }};
    case Function::xi: return {{"q", "v"}, {"xi"}, [](Tracer& x, bool) { return x.quasi_velocity(!normalised); }};
    case Function::kappa: return {{"q", "tau"}, {"kappa"}, [](Tracer& x, bool) { return x.quasi_force(!normalised); }};
    case Function::forward_xi:
      return {{"q", "xi", "tau"}, {"v", "xi_dot"}, [](Tracer& x, bool) { return x.forward_quasi(!normalised); }};
    case Function::velocity_from_nu:
      return {{"q", "nu"}, {"v"}, [](Tracer& x, bool) { return x.velocity_back(normalised); }};
    case Function::velocity_from_xi:
      return {{"q", "xi"}, {"v"}, [](Tracer& x, bool) { return x.velocity_back(!normalised); }};
    case Function::force_from_epsilon:
      return {{"q", "epsilon"}, {"tau"}, [](Tracer& x, bool) { return x.force_back(normalised); }};
    case Function::force_from_kappa:
      return {{"q", "kappa"}, {"tau"}, [](Tracer& x, bool) { return x.force_back(!normalised); }};
    case Function::jacobian: return {{"q"}, {}, [](Tracer& x, bool) { return x.jacobians(); }};
    case Function::pose: return {{"q"}, {}, [](Tracer& x, bool) { return x.poses(); }};
  }
  throw std::invalid_argument("no such function");
}

bool has_joint_terms(Function function) {
  switch (function) {
    case Function::inverse:
    case Function::bias:
    case Function::forward:
    case Function::linearize_inverse:
    case Function::linearize_forward:
    case Function::forward_nu:
    case Function::forward_xi: return true;
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

Signature signature(const Model& model, Function function, const std::vector<std::string>& outputs,
                    const std::vector<std::string>& parameters) {
  const Recipe how = recipe(function);
  const auto append = [](std::vector<ProgramBlock>& blocks, const std::string& name, int rows, int columns) {
    blocks.push_back({name, rows, columns, blocks.empty() ? 0 : blocks.back().first + blocks.back().size()});
  };
  Signature out;
  std::string known;
  std::vector<std::string> all;
  const auto append_wanted = [&](const std::string& name, int rows, int columns) {
    known += (known.empty() ? "" : ", ") + name;
    all.push_back(name);
    if (!outputs.empty() && std::find(outputs.begin(), outputs.end(), name) == outputs.end()) return;
    append(out.outputs, name, rows, columns);
  };
  const int nv = model.nv();
  for (const std::string name : how.arguments) append(out.inputs, name, name == "q" ? model.nq() : nv, 1);
  if (!parameters.empty()) {
    out.parameters = catena::parameters(model, parameters);
    append(out.inputs, parameters_block, static_cast<int>(out.parameters.size()), 1);
  }
  for (const std::string& name : how.outputs) {
    const bool matrix = name == "C" || name.starts_with("M") || name.starts_with("A_") || name.starts_with("B_");
    append_wanted(name, nv, matrix ? nv : 1);
  }
  if (of_frames(function)) {
    for (const std::string& name : outputs) model.frame(name);  // throws with near names
    const bool poses = function == Function::pose;
    for (int f = 0; f < model.frame_count(); ++f) append_wanted(model.frame_name(f), poses ? 3 : 6, poses ? 4 : nv);
  }
  if (!outputs.empty() && out.outputs.size() != outputs.size()) {
    std::string unknown;  // the first
    for (const std::string& name : outputs) {
      if (!unknown.empty() || std::find(all.begin(), all.end(), name) != all.end()) continue;
      unknown = ", not '" + name + "'" + did_you_mean(name, all);
    }
    throw std::invalid_argument(std::string(function_name(function)) + " has the outputs " + known + unknown +
                                "; each may be asked for once");
  }
  return out;
}

namespace {

Program trace(const Model& model, Function function, const Signature& blocks, bool guarded) {
  const Recipe how = recipe(function);
  if (model.nv() == 0) throw std::invalid_argument(model.name() + " has no joint that moves: nothing to compile");
  if (in_quasi_velocities(function) && model.has_couplings()) {
    throw std::invalid_argument("quasi-velocities of " + model.name() +
                                ", whose joints follow others, are not compiled");
  }
  const auto run = [&](bool articulated) {
    Tracer tracer(model, blocks);
    const Results results = how.run(tracer, articulated);
    Program program = tracer.finish(function, results, blocks.outputs, guarded);
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

}  // namespace

Program trace(const Model& model, Function function, const std::vector<std::string>& outputs,
              const std::vector<std::string>& parameters) {
  return trace(model, function, signature(model, function, outputs, parameters), false);
}
Program trace_guarded(const Model& model, Function function, const std::vector<std::string>& outputs,
                      const std::vector<std::string>& parameters) {
  return trace(model, function, signature(model, function, outputs, parameters), uses_inverse_mass_matrix(function));
}

Program compile::trace_but_products(const Model& model) {
  const Signature blocks = signature(model, Function::linearize_forward);
  Tracer tracer(model, blocks);
  const Results results = tracer.linearize_forward_but_products();
  return tracer.finish(Function::linearize_forward, results, blocks.outputs, true);
}

}  // namespace catena
