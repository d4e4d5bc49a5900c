#include "catena/batch/batch.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "catena/batch/engine.hpp"
#include "catena/batch/workers.hpp"
#include "catena/compile/plain.hpp"
#include "catena/machine/machine_code.hpp"

namespace catena {

using batch::Engine;
using batch::Trouble;

struct Batch::Parts {
  Parts(const Model& robot, Function which, const BatchOptions& given)
      : model(robot), function(which), options(given), workers(given.threads) {
    blocks = signature(model, function, options.outputs, options.parameters);
    batch::require_threads(options.threads, "a batch");
    choose();
    if (options.backend == BatchOptions::plain) return;
    const batch::Job job = batch::make_job(model, function, blocks, code ? code->lanes_entry() : nullptr);
    const int width = code ? code->lanes() : options.width;
    for (int k = 0; k < options.threads; ++k) engines.push_back(batch::make_engine(model, job, width));
  }

  void choose() {
    const bool constants = options.parameters.empty();
    const bool lanes = model.nv() > 0 && constants && batch::runs_in_lanes(model.tree(), function);
    const std::string what = std::string(function_name(function)) + " of " + model.name();
    const BatchOptions::Backend asked = options.backend;
    if (asked == BatchOptions::automatic || asked == BatchOptions::compiled) {
      std::string why_not;
      code = batch::compile_for_lanes(model, function, options.width, options.outputs, options.parameters, why_not);
      if (code) {
        options.backend = BatchOptions::compiled;
        return;
      }
      if (asked == BatchOptions::compiled)
        throw std::invalid_argument(what + " cannot be made into machine code here: " + why_not);
      options.backend = lanes ? BatchOptions::lanes : BatchOptions::plain;
    }
    if (asked == BatchOptions::lanes && !lanes) {
      throw std::invalid_argument(what + (constants ? " does not run in lanes: joints follow others, or none moves"
                                                    : " with parameters runs compiled or plain, not in lanes"));
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
    program.parameters = blocks.parameters;
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
    } catch (const ModelError& error) {  // of the parameters
      throw std::invalid_argument(where + error.what());
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const ProgramBlock& block = blocks.outputs[k];
      if (outputs[k].data == nullptr) continue;
      for (int i = 0; i < block.size(); ++i) outputs[k](i, state) = out[block.first + i];
    }
  }

  static Trouble compute_some(Engine& engine, std::span<const ConstStates> inputs, std::span<const States> outputs,
                              std::ptrdiff_t first, std::ptrdiff_t count) {
    return engine.compute(inputs.data(), outputs.data(), first, static_cast<int>(count));
  }
  // A state whose vector was refused for another's sake is computed in a vector of its own: the same bits.
  void compute_alone(Engine& engine, std::span<const ConstStates> inputs, std::span<const States> outputs,
                     std::ptrdiff_t state) const {
    if (compute_some(engine, inputs, outputs, state, 1) != Trouble::none) compute_plain(inputs, outputs, state);
  }
  void compute(Engine& engine, std::span<const ConstStates> inputs, std::span<const States> outputs,
               std::ptrdiff_t begin, std::ptrdiff_t end) const {
    for (std::ptrdiff_t first = begin; first < end; first += engine.tile()) {
      const std::ptrdiff_t last = std::min(first + engine.tile(), end);
      if (compute_some(engine, inputs, outputs, first, last - first) != Trouble::none)
        compute_by_vectors(engine, inputs, outputs, first, last);
    }
  }
  // A tile that was refused: only the vector with the trouble in it has to be taken apart.
  void compute_by_vectors(Engine& engine, std::span<const ConstStates> inputs, std::span<const States> outputs,
                          std::ptrdiff_t begin, std::ptrdiff_t end) const {
    for (std::ptrdiff_t first = begin; first < end; first += engine.width()) {
      const std::ptrdiff_t last = std::min(first + engine.width(), end);
      if (compute_some(engine, inputs, outputs, first, last - first) == Trouble::none) continue;
      for (std::ptrdiff_t state = first; state < last; ++state) compute_alone(engine, inputs, outputs, state);
    }
  }

  Model model;
  Function function;
  BatchOptions options;
  Signature blocks;  // outputs: those wanted
  std::optional<CompiledFunction> code;
  std::vector<std::unique_ptr<Engine>> engines;  // one per thread
  batch::Workers workers;
};

Batch::Batch(const Model& model, Function function, const BatchOptions& options)
    : parts_(std::make_unique<Parts>(model, function, options)) {}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

const Signature& Batch::blocks() const { return parts_->blocks; }
BatchOptions::Backend Batch::backend() const { return parts_->options.backend; }
int Batch::width() const { return parts_->engines.empty() ? 1 : parts_->engines[0]->width(); }
int Batch::threads() const { return parts_->options.threads; }

void Batch::operator()(std::span<const ConstStates> inputs, std::span<const States> outputs) {
  Parts& x = *parts_;
  const std::ptrdiff_t states = x.require_shapes(x.blocks.inputs, inputs, -1, "inputs");
  x.require_shapes(x.blocks.outputs, outputs, states, "outputs");
  x.workers.share(states, width(), [&](int thread, std::ptrdiff_t begin, std::ptrdiff_t end) {
    if (!x.engines.empty()) {
      x.compute(*x.engines[static_cast<std::size_t>(thread)], inputs, outputs, begin, end);
    } else {
      for (std::ptrdiff_t state = begin; state < end; ++state) x.compute_plain(inputs, outputs, state);
    }
  });
}

}  // namespace catena
