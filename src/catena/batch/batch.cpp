#include "catena/batch/batch.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "catena/batch/engine.hpp"
#include "catena/batch/workers.hpp"
#include "catena/compile/machine_code.hpp"
#include "catena/compile/plain.hpp"

namespace catena {

using batch::Engine;
using batch::Trouble;

namespace {

constexpr std::size_t most_blocks = 4;

}  // namespace

struct Batch::Parts {
  Parts(const Model& robot, Function which, const BatchOptions& given) : model(robot), function(which), options(given) {
    blocks = signature(model, function);
    keep_wanted();
    if (options.threads < 1) throw std::invalid_argument("a batch needs at least one thread");
    choose();
    if (options.way == BatchOptions::plain) return;
    batch::LaneProgram program;
    if (code) program = batch::lane_program(*code);
    const int width = code ? code->lanes() : options.width;
    for (int k = 0; k < options.threads; ++k) {
      engines.push_back(batch::make_engine(model.tree(), function, width, program));
    }
  }

  void keep_wanted() {
    const std::vector<ProgramBlock> all = std::exchange(blocks.outputs, {});
    std::string known;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto found = std::find(options.outputs.begin(), options.outputs.end(), all[k].name);
      known += (k == 0 ? "" : ", ") + all[k].name;
      if (!options.outputs.empty() && found == options.outputs.end()) continue;
      blocks.outputs.push_back(all[k]);
      blocks.outputs.back().first = k == 0 || blocks.outputs.size() == 1 ? 0 : end_of(blocks.outputs.end()[-2]);
      places.push_back(k);
    }
    if (!options.outputs.empty() && blocks.outputs.size() != options.outputs.size()) {
      throw std::invalid_argument(std::string(function_name(function)) + " has the outputs " + known +
                                  "; each may be asked for once");
    }
  }
  static int end_of(const ProgramBlock& block) { return block.first + block.size(); }

  void choose() {
    const bool lanes = model.nv() > 0 && batch::runs_in_lanes(model.tree(), function);
    const std::string what = std::string(function_name(function)) + " of " + model.name();
    const BatchOptions::Way asked = options.way;
    if (asked == BatchOptions::automatic || asked == BatchOptions::compiled) {
      code = batch::compile_for_lanes(model, function, options.width, options.outputs);
      if (code) {
        options.way = BatchOptions::compiled;
        return;
      }
      if (asked == BatchOptions::compiled) throw std::invalid_argument(what + " cannot be made into machine code here");
      options.way = lanes ? BatchOptions::lanes : BatchOptions::plain;
    }
    if (asked == BatchOptions::lanes && !lanes) {
      throw std::invalid_argument(what + " does not run in lanes: joints follow others, or none moves");
    }
  }
  template <class View>
  std::ptrdiff_t require_shapes(const std::vector<ProgramBlock>& expected, std::span<const View> views,
                                std::ptrdiff_t states, const char* kind) const {
    if (views.size() != expected.size()) {
      throw std::invalid_argument(std::string(function_name(function)) + " has " + std::to_string(expected.size()) +
                                  " " + kind + ", not " + std::to_string(views.size()));
    }
    for (std::size_t k = 0; k < views.size(); ++k) {
      const bool skipped = views[k].data == nullptr && !std::is_same_v<View, ConstStates>;
      if (skipped) continue;
      if (states < 0) states = views[k].states;
      if (views[k].numbers == expected[k].size() && views[k].states == states &&
          (views[k].data != nullptr || states == 0)) {
        continue;
      }
      throw std::invalid_argument(expected[k].name + " has " + std::to_string(views[k].numbers) +
                                  " numbers for each of " + std::to_string(views[k].states) + " states; " +
                                  model.name() + " needs " + std::to_string(expected[k].size()) + " for " +
                                  std::to_string(states));
    }
    return states;
  }

  // The plain library for one state, which either knows the answer or says what is wrong.
  void compute_plain(std::span<const ConstStates> inputs, std::span<const States> outputs, std::ptrdiff_t state) const {
    Program program;
    program.function = function;
    program.inputs = blocks.inputs;
    program.outputs = blocks.outputs;
    Vector in(program.input_count());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const ProgramBlock& block = blocks.inputs[k];
      for (int i = 0; i < block.size(); ++i) in[block.first + i] = inputs[k](i, state);
    }
    const std::string where = "state " + std::to_string(state) + ": ";
    Vector out;
    try {
      out = plain_values(model, program, in);
    } catch (const NumericalError& error) {
      throw NumericalError(where + error.what(), error.body());
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(where + error.what());
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const ProgramBlock& block = blocks.outputs[k];
      if (outputs[k].data == nullptr) continue;
      for (int i = 0; i < block.size(); ++i) outputs[k](i, state) = out[block.first + i];
    }
  }

  // A state whose vector was refused for another's sake is computed in a vector of its own: the same bits.
  void compute_alone(Engine& engine, std::span<const ConstStates> inputs, std::span<const States> outputs,
                     std::ptrdiff_t state) const {
    std::array<ConstStates, most_blocks> in;
    std::array<States, most_blocks> out;
    for (std::size_t k = 0; k < inputs.size(); ++k) in[k] = inputs[k].slice(state, 1);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k].data != nullptr) out[k] = outputs[k].slice(state, 1);
    }
    if (compute(engine, in.data(), out, 0, 1) != Trouble::none) compute_plain(inputs, outputs, state);
  }

  // Kernels compute all outputs, machine code those wanted.
  Trouble compute(Engine& engine, const ConstStates* inputs, std::span<const States> outputs, std::ptrdiff_t first,
                  std::ptrdiff_t count) const {
    if (code) return engine.compute(inputs, outputs.data(), first, static_cast<int>(count));
    std::array<States, most_blocks> all;
    for (std::size_t k = 0; k < places.size(); ++k) all[places[k]] = outputs[k];
    return engine.compute(inputs, all.data(), first, static_cast<int>(count));
  }

  void compute(Engine& engine, std::span<const ConstStates> inputs, std::span<const States> outputs,
               std::ptrdiff_t begin, std::ptrdiff_t end) const {
    for (std::ptrdiff_t first = begin; first < end; first += engine.tile()) {
      const std::ptrdiff_t last = std::min(first + engine.tile(), end);
      if (compute(engine, inputs.data(), outputs, first, last - first) != Trouble::none)
        compute_by_vectors(engine, inputs, outputs, first, last);
    }
  }
  // A tile that was refused: only the vector with the trouble in it has to be taken apart.
  void compute_by_vectors(Engine& engine, std::span<const ConstStates> inputs, std::span<const States> outputs,
                          std::ptrdiff_t begin, std::ptrdiff_t end) const {
    for (std::ptrdiff_t first = begin; first < end; first += engine.width()) {
      const std::ptrdiff_t last = std::min(first + engine.width(), end);
      if (compute(engine, inputs.data(), outputs, first, last - first) == Trouble::none) continue;
      for (std::ptrdiff_t state = first; state < last; ++state) compute_alone(engine, inputs, outputs, state);
    }
  }

  Model model;
  Function function;
  BatchOptions options;
  Signature blocks;                 // outputs: those wanted
  std::vector<std::size_t> places;  // of the outputs wanted, among all
  std::optional<CompiledFunction> code;
  std::vector<std::unique_ptr<Engine>> engines;  // one per thread
};

Batch::Batch(const Model& model, Function function, const BatchOptions& options)
    : parts_(std::make_unique<Parts>(model, function, options)) {}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

const Signature& Batch::blocks() const { return parts_->blocks; }
BatchOptions::Way Batch::way() const { return parts_->options.way; }
int Batch::width() const { return parts_->engines.empty() ? 1 : parts_->engines[0]->width(); }
int Batch::threads() const { return parts_->options.threads; }

void Batch::operator()(std::span<const ConstStates> inputs, std::span<const States> outputs) {
  const Parts& x = *parts_;
  const std::ptrdiff_t states = x.require_shapes(x.blocks.inputs, inputs, -1, "inputs");
  x.require_shapes(x.blocks.outputs, outputs, states, "outputs");
  batch::share(x.options.threads, states, width(), [&](int thread, std::ptrdiff_t begin, std::ptrdiff_t end) {
    if (!x.engines.empty()) {
      x.compute(*x.engines[static_cast<std::size_t>(thread)], inputs, outputs, begin, end);
    } else {
      for (std::ptrdiff_t state = begin; state < end; ++state) x.compute_plain(inputs, outputs, state);
    }
  });
}

}  // namespace catena
