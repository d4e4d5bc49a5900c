#include "catena/batch/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "catena/machine/machine_code.hpp"
#include "catena/model/tree.hpp"
#include "catena/spatial/lanes.hpp"

namespace catena::batch {

Engine::Engine(const Job& job) : job_(job), results_(job.outputs.size() + 1) {}
Engine::~Engine() = default;

Job make_job(const Model& model, Function function, const Signature& wanted, Job::Program program) {
  const std::vector<ProgramBlock> all = signature(model, function).outputs;
  Job out;
  out.function = function;
  out.program = program;
  out.tests_pivots = uses_inverse_mass_matrix(function);
  out.tests_results =
      out.tests_pivots || function == Function::inverse || function == Function::bias || function == Function::coriolis;
  for (const Parameter& parameter : wanted.parameters) {
    out.least.push_back(std::nextafter(parameter.least, -std::numeric_limits<double>::infinity()));
    out.tests_results = true;
  }
  for (const ProgramBlock& block : wanted.inputs) out.inputs.push_back(block.size());
  for (const ProgramBlock& block : wanted.outputs) {
    out.outputs.push_back(block.size());
    const auto same = [&](const ProgramBlock& x) { return x.name == block.name; };
    out.places.push_back(static_cast<int>(std::find_if(all.begin(), all.end(), same) - all.begin()));
  }
  if (!of_frames(function)) return out;
  const Tree& tree = model.tree();
  std::vector<bool> needed(tree.bodies.size(), false);
  for (const int frame : out.places) {
    for (int k = tree.frames[frame].body; k > 0; k = tree.bodies[k].parent) needed[k] = true;
  }
  for (int k = 1; k < tree.count(); ++k) {
    if (needed[k]) out.bodies.push_back(k);
  }
  return out;
}

std::vector<int> widths() {
  std::vector<int> out;
  for (const int width : {2, 4, 8}) {
    if (spatial::processor_has_lanes(width)) out.push_back(width);
  }
  return out;
}

bool runs_in_lanes(const Tree& tree, Function function) {
  return tree.couplings.empty() || !in_quasi_velocities(function);
}

std::unique_ptr<Engine> make_engine(const Model& model, const Job& job, int width) {
  const Tree& tree = model.tree();
  const ReducedTree& reduced = model.reduced();
  const std::vector<int> possible = widths();
  if (width == 0) width = possible.back();
  if (std::find(possible.begin(), possible.end(), width) == possible.end()) {
    std::string known;
    for (const int w : possible) known += (known.empty() ? "" : ", ") + std::to_string(w);
    throw std::invalid_argument("no lanes of width " + std::to_string(width) + " on this processor; it has " + known);
  }
#ifdef __x86_64__
  if (width == 8) return make_engine_8(tree, reduced, job);
  if (width == 4) return make_engine_4(tree, reduced, job);
#endif
  return make_engine_2(tree, reduced, job);
}

std::optional<CompiledFunction> compile_for_lanes(const Model& model, Function function, int width,
                                                  const std::vector<std::string>& outputs,
                                                  const std::vector<std::string>& parameters, std::string& why_not) {
  std::optional<CompiledFunction> code;
  try {
    code.emplace(model, function, outputs, parameters);
  } catch (const std::invalid_argument& error) {  // not traced: too long, or of a kind that is not compiled
    why_not = error.what();
    return {};
  }
  const std::vector<int> possible = widths();
  const int lanes = code->lanes();
  if (code->lanes_entry() == nullptr) {
    why_not = code->why_no_lanes();
    return {};
  }
  if (std::find(possible.begin(), possible.end(), lanes) == possible.end() || (width != 0 && width != lanes)) {
    why_not = "its code is for " + std::to_string(lanes) + " lanes";
    return {};
  }
  return code;
}

}  // namespace catena::batch
