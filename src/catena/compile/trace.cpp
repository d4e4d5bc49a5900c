// Which kernels a function runs, and what it takes and gives. Where two algorithms compute the same, both are traced
// and the one with fewer operations is kept.
#include "catena/compile/products.hpp"
#include "catena/compile/tracer.hpp"
#include "catena/joints/joints.hpp"
#include "catena/model/names.hpp"

namespace catena {
namespace {

using namespace compile;

constexpr int always_by_factor = 24;  // coordinates

// By composite bodies or by articulated ones.
bool has_choice(Function function) { return uses_inverse_mass_matrix(function) && !in_quasi_velocities(function); }

}  // namespace

std::vector<Function> functions(const Model& model) {
  const Tree& tree = model.tree();
  bool springs = true, slopes = true;  // can be traced
  for (const Spring& spring : tree.springs) {
    kernel::visit(tree.bodies[spring.body], [&](auto joint) {
      springs = springs && joint.traces_spring;
      slopes = slopes && joint.traces_spring_slope;
    });
  }
  std::vector<Function> out;
  if (model.nv() == 0) return out;
  for (const Function f : functions()) {
    if (in_quasi_velocities(f) && model.has_couplings()) continue;
    if ((!springs && entry(f).joint_terms) || (!slopes && entry(f).linearization)) continue;
    out.push_back(f);
  }
  return out;
}

Signature signature(const Model& model, Function function, const std::vector<std::string>& outputs,
                    const std::vector<std::string>& parameters) {
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
  for (const std::string name : entry(function).inputs) append(out.inputs, name, name == "q" ? model.nq() : nv, 1);
  if (!parameters.empty()) {
    out.parameters = catena::parameters(model, parameters);
    append(out.inputs, parameters_block, static_cast<int>(out.parameters.size()), 1);
  }
  for (const std::string name : entry(function).outputs) {
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
  if (model.nv() == 0) throw std::invalid_argument(model.name() + " has no joint that moves: nothing to compile");
  if (in_quasi_velocities(function) && model.has_couplings()) {
    throw std::invalid_argument("quasi-velocities of " + model.name() +
                                ", whose joints follow others, are not compiled");
  }
  const auto run = [&](bool articulated) {
    Tracer tracer(model, blocks, articulated);
    const Results results = evaluate_by(tracer, function);
    Program program = tracer.finish(function, results, blocks.outputs, guarded);
    if (has_choice(function)) program.method = articulated ? "articulated" : "composite";
    return program;
  };
  Program best = run(false);
  // matrices by a factor that keeps the tree's zeros are shorter on every robot that is small enough to compile
  const bool matrices = function != Function::forward;
  if (!has_choice(function) || model.has_couplings() || (matrices && model.nv() <= always_by_factor)) return best;
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
