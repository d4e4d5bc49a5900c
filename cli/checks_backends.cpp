#include "cli/checks_backends.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "catena/batch/engine.hpp"
#include "catena/compile/plain.hpp"
#include "catena/linear/linearize.hpp"
#include "cli/generated_c.hpp"
#include "cli/sizes.hpp"

namespace catena::cli {

namespace {

// The inputs of a function at the sample's state: the plain library's a belongs to its tau, so that every size is one
// that the state has.
Vector inputs_at(const Sample& s, const Program& signature) {
  Vector in(signature.input_count());
  for (const ProgramBlock& block : signature.inputs) {
    auto numbers = in.segment(block.first, block.size());
    if (block.name == "q")
      numbers = s.q;
    else if (block.name == "a")
      numbers = s.a;
    else if (block.name == "tau" || block.name == "epsilon" || block.name == "kappa")
      numbers = s.tau;
    else  // v, nu, xi
      numbers = s.v;
  }
  return in;
}

BlockSizes block_sizes(const Sample& s) {
  const Matrix inertia = s.world_root * s.world_root.transpose();
  const InverseLinearization inverse = linearize_inverse(s.model, s.q, s.v, s.a);
  const ChangeSizes changes = inverse_change_sizes(s);
  const ChangeSizes forward = forward_change_sizes(s, changes, inverse.A_D, inverse.B_D);
  return {{"tau", s.scale},           {"M", inertia},     {"C", changes.A},   {"A_D", changes.A},
          {"B_D", changes.B},         {"A_C", forward.A}, {"B_C", forward.B}, {"a", acceleration_sizes(s)},
          {"M_inv", inverse_sizes(s)}};
}

// Of poses, Jacobians and quasi-velocities: what a result is measured against at the least; forces may cancel where
// nothing is wrong.
double least_size(const Sample& s, const std::string& block) {
  const double forces = largest(s.scale), inverse = largest(s.M_inv);
  if (block == "tau") return forces;
  if (block == "xi_dot") return inverse * forces;
  if (block == "nu_dot") return std::sqrt(inverse) * forces;
  return 0;
}

// A batch of one state.
void compute_one(Batch& batch, const Vector& in, Vector& out) {
  std::vector<ConstStates> inputs;
  std::vector<States> outputs;
  for (const ProgramBlock& block : batch.blocks().inputs)
    inputs.push_back(states_in_rows(in.data() + block.first, block.size(), 1));
  for (const ProgramBlock& block : batch.blocks().outputs)
    outputs.push_back(states_in_rows(out.data() + block.first, block.size(), 1));
  batch(inputs, outputs);
}

}  // namespace

BackendChecks::BackendChecks(const Model& model) : model_(model), frame_{model.frame_name(model.tip_frame())} {
  for (const Function function : functions()) {
    const std::vector<std::string> outputs = of_frames(function) ? frame_ : std::vector<std::string>();
    if (in_quasi_velocities(function) && model.has_couplings()) continue;
    add_compiled(function, outputs);
    if (function == Function::inverse || function == Function::forward) add_parametric(function);
    if (!batch::runs_in_lanes(model.tree(), function)) continue;
    for (const int width : batch::widths()) {
      add_batch(fmt::format("backend_lanes_{}", width),
                fmt::format("the kernels in lanes of {} = the plain calls", width), function,
                {.backend = BatchOptions::lanes, .width = width, .outputs = outputs});
    }
  }
  add_generated();
}

// What `catena generate` writes for every function, in one library.
void BackendChecks::add_generated() {
  std::vector<Program> programs;
  std::string longer;
  for (const auto& [function, operations] : traced_) {
    if (operations <= generated_operations_limit) {
      programs.push_back(trace(model_, function, of_frames(function) ? frame_ : std::vector<std::string>()));
    } else {
      longer += (longer.empty() ? "" : ", ") + std::string(function_name(function));
    }
  }
  if (!longer.empty()) without_c_ = fmt::format("{} (more than {} operations)", longer, generated_operations_limit);
  if (programs.empty()) return;
  std::string why;
  const std::shared_ptr<GeneratedC> code = GeneratedC::make(model_, programs, why);
  if (code == nullptr) {
    without_c_ = why;
    return;
  }
  for (std::size_t k = 0; k < programs.size(); ++k) {
    add("backend_c", "generated C, compiled here = the plain calls", programs[k].function,
        [code, k](const Vector& in, Vector& out) { code->call(k, in.data(), out.data()); });
  }
}

void BackendChecks::add_compiled(Function function, const std::vector<std::string>& outputs) {
  std::shared_ptr<CompiledFunction> code;
  try {
    code = std::make_shared<CompiledFunction>(model_, function, outputs);
  } catch (const std::invalid_argument& error) {  // cannot be traced
    return add_plain(function, error.what());
  }
  traced_.emplace_back(function, code->program().operations().total());
  if (code->is_machine_code()) {
    add("backend_compiled", "machine code, one state a call = the plain calls", function,
        [code](const Vector& in, Vector& out) {
          (*code)({in.data(), static_cast<std::size_t>(in.size())}, {out.data(), static_cast<std::size_t>(out.size())});
        });
  } else {
    add_plain(function, code->why_plain());
  }
  if (code->lanes_entry() != nullptr) {
    add_batch("backend_batch", "machine code for batches = the plain calls", function,
              {.backend = BatchOptions::compiled, .outputs = outputs});
  }
}

// Every mass, the damping of every joint and gravity as inputs, with the robot's own values.
void BackendChecks::add_parametric(Function function) {
  std::vector<std::string> names = {"gravity"};
  for (const Body& body : model_.description().bodies) {
    if (body.inertial) names.push_back(body.name + ".inertial");
  }
  for (const Coordinate& c : model_.coordinates()) names.push_back(c.joint + ".damping");
  std::shared_ptr<Batch> batch;
  try {
    batch = std::make_shared<Batch>(
        model_, function, BatchOptions{.backend = BatchOptions::compiled, .outputs = {}, .parameters = names});
  } catch (const std::invalid_argument&) {  // too long with so many inputs, or not compiled at all
    return;
  }
  Vector own(batch->blocks().parameters.size());
  for (Eigen::Index k = 0; k < own.size(); ++k) own[k] = batch->blocks().parameters[static_cast<std::size_t>(k)].value;
  add("backend_parameters", "machine code that is told masses, damping and gravity = the plain calls", function,
      [batch, own](const Vector& in, Vector& out) {
        Vector all(in.size() + own.size());
        all << in, own;
        compute_one(*batch, all, out);
      });
}

void BackendChecks::add_plain(Function function, const std::string& why) {
  for (Plain& plain : plain_) {
    if (plain.why != why) continue;
    plain.functions += std::string(", ") + function_name(function);
    return;
  }
  plain_.push_back({why, function_name(function)});
}

void BackendChecks::add(const std::string& name, const std::string& meaning, Function function,
                        std::function<void(const Vector& in, Vector& out)> compute) {
  std::size_t k = 0;
  while (k < verdicts_.size() && verdicts_[k].name != name) ++k;
  if (k == verdicts_.size()) verdicts_.push_back({.name = name, .meaning = meaning});
  ++verdicts_[k].functions;
  const Signature blocks = signature(model_, function, of_frames(function) ? frame_ : std::vector<std::string>());
  Program program;
  program.function = function;
  program.inputs = blocks.inputs, program.outputs = blocks.outputs;
  tasks_.push_back({k, std::move(program), std::move(compute)});
}

void BackendChecks::add_batch(const std::string& name, const std::string& meaning, Function function,
                              const BatchOptions& options) {
  const auto batch = std::make_shared<Batch>(model_, function, options);
  add(name, meaning, function, [batch](const Vector& in, Vector& out) { compute_one(*batch, in, out); });
}

void BackendChecks::run(const Sample& sample, std::uint64_t seed) {
  const Task* before = nullptr;
  const BlockSizes sizes = block_sizes(sample);
  Vector in, expected;
  for (Task& task : tasks_) {  // those of one function stand side by side
    if (before == nullptr || before->signature.function != task.signature.function) {
      in = inputs_at(sample, task.signature);
      expected = plain_values(model_, task.signature, in);
    }
    compare(task, sample, sizes, in, expected, seed);
    before = &task;
  }
}

void BackendChecks::compare(Task& task, const Sample& sample, const BlockSizes& sizes, const Vector& in,
                            const Vector& expected, std::uint64_t seed) {
  Vector found = Vector::Constant(expected.size(), std::nan(""));
  task.compute(in, found);
  Verdict& verdict = verdicts_[task.verdict];
  const Function function = task.signature.function;
  const bool by_number = !in_quasi_velocities(function) && !of_frames(function);
  for (const ProgramBlock& block : task.signature.outputs) {
    const Vector x = found.segment(block.first, block.size()), e = expected.segment(block.first, block.size());
    double error = 0, bound = sample.operations() * epsilon;
    if (by_number) {
      const Vector size = sizes.at(block.name).reshaped().cwiseMax(std::numeric_limits<double>::min());
      error = largest((x - e).cwiseQuotient(size));
    } else {
      const double size = std::max({largest(e), least_size(sample, block.name), std::numeric_limits<double>::min()});
      error = largest(x - e) / size;
      bound = rounding_bound(model_, task.signature, in);
    }
    if (!std::isfinite(error)) {
      throw NumericalError(
          fmt::format("check {} at seed {}: {} is not a finite number", verdict.name, seed, function_name(function)),
          "");
    }
    verdict.passed &= error <= bound;
    if (verdict.bound == 0 || error * verdict.bound > verdict.error * bound) {
      verdict.error = error, verdict.bound = bound, verdict.seed = seed, verdict.worst = function;
    }
  }
}

}  // namespace catena::cli
