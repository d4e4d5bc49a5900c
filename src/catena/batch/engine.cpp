#include "catena/batch/engine.hpp"

#include <algorithm>
#include <string>

#include "catena/compile/machine_code.hpp"
#include "catena/model/tree.hpp"
#include "catena/spatial/lanes.hpp"

namespace catena::batch {

Engine::~Engine() = default;

std::vector<int> widths() {
  std::vector<int> out;
  for (const int width : {2, 4, 8}) {
    if (spatial::processor_has_lanes(width)) out.push_back(width);
  }
  return out;
}

bool runs_in_lanes(const Tree& tree, Function function) {
  const bool quasi = function == Function::nu || function == Function::epsilon || function == Function::forward_nu;
  return tree.couplings.empty() || !quasi;
}

std::unique_ptr<Engine> make_engine(const Tree& tree, Function function, int width, const LaneProgram& program) {
  const std::vector<int> possible = widths();
  if (width == 0) width = possible.back();
  if (std::find(possible.begin(), possible.end(), width) == possible.end()) {
    std::string known;
    for (const int w : possible) known += (known.empty() ? "" : ", ") + std::to_string(w);
    throw std::invalid_argument("no lanes of width " + std::to_string(width) + " on this processor; it has " + known);
  }
#ifdef __x86_64__
  if (width == 8) return make_engine_8(tree, function, program);
  if (width == 4) return make_engine_4(tree, function, program);
#endif
  return make_engine_2(tree, function, program);
}

std::optional<CompiledFunction> compile_for_lanes(const Model& model, Function function, int width,
                                                  const std::vector<std::string>& outputs) {
  const std::vector<Function> traced = functions(model);
  if (std::find(traced.begin(), traced.end(), function) == traced.end()) return {};
  std::optional<CompiledFunction> code;
  try {
    code.emplace(model, function, outputs);
  } catch (const std::invalid_argument&) {  // too long to trace
    return {};
  }
  const std::vector<int> possible = widths();
  const bool has_engine = std::find(possible.begin(), possible.end(), code->lanes()) != possible.end();
  if (!code->is_machine_code() || !has_engine || (width != 0 && width != code->lanes())) return {};
  return code;
}

LaneProgram lane_program(const CompiledFunction& code) {
  LaneProgram out;
  out.call = code.lanes_entry();
  for (const ProgramBlock& block : code.program().outputs) out.numbers[out.outputs++] = block.size();
  return out;
}

}  // namespace catena::batch
