// The backends in which Catena computes a function.
#include "cli/backends.hpp"

#include <fmt/format.h>

#include "catena/batch/batch.hpp"
#include "catena/compile/plain.hpp"
#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/linear/linearize.hpp"

namespace catena::cli {
namespace {

std::vector<double> joined(const std::vector<Matrix>& blocks) {
  std::vector<double> all;
  for (const Matrix& block : blocks) all.insert(all.end(), block.data(), block.data() + block.size());
  return all;
}

// The plain library as its users call it in a loop: with a workspace, results in place.
class Plain {
 public:
  Plain(const Model& model, Function function, const States& states, const std::vector<std::string>& outputs)
      : model_(model), function_(function), states_(states), workspace_(model), x_(model.nv()) {
    if (gives_forces(function) || function == Function::forward) return;  // long chains have no room for matrices
    if (in_quasi_velocities(function)) {
      form_.emplace(model);
    } else if (of_frames(function)) {
      kinematics_.emplace(model);
      for (const ProgramBlock& block : signature(model, function, outputs).outputs) {
        frames_.push_back({model.frame(block.name), Matrix(block.rows, block.columns)});
      }
    } else {
      A_ = B_ = C_ = Matrix(model.nv(), model.nv());
      linear_.emplace(model);
    }
  }

  void work() {
    for (int b = 0; b < states_.count; ++b) call(b);
  }

  std::vector<double> answer(int state) {
    call(state);
    switch (function_) {
      case Function::forward: return joined({x_});
      case Function::linearize_inverse: return joined({A_, B_, C_});
      case Function::linearize_forward: return joined({x_, A_, B_, C_});
      case Function::forward_nu:
      case Function::forward_xi: return joined({quasi_.v, quasi_.rate});
      default: break;
    }
    if (in_quasi_velocities(function_) || gives_forces(function_)) return joined({x_});
    if (!of_frames(function_)) return joined({A_});
    std::vector<Matrix> blocks;
    for (const auto& [frame, matrix] : frames_) blocks.push_back(matrix);
    return joined(blocks);
  }

 private:
  static bool gives_forces(Function function) {
    return function == Function::inverse || function == Function::gravity || function == Function::coriolis ||
           function == Function::bias;
  }
  void call(int state) {
    const int nq = model_.nq(), nv = model_.nv();
    const auto column = states_.by_state.col(state);
    const ConstVector q = column.head(nq), v = column.segment(nq, nv), x = column.tail(nv);
    switch (function_) {
      case Function::inverse: return inverse_dynamics(model_, workspace_, q, v, x, x_);
      case Function::gravity: return gravity_forces(model_, workspace_, q, x_);
      case Function::coriolis: return coriolis_forces(model_, workspace_, q, v, x_);
      case Function::bias: return bias_forces(model_, workspace_, q, v, x_);
      case Function::forward: return forward_dynamics(model_, workspace_, q, v, x, x_);
      case Function::mass_matrix: return mass_matrix(model_, workspace_, q, A_);
      case Function::mass_matrix_inverse: return mass_matrix_inverse(model_, workspace_, q, A_);
      case Function::coriolis_matrix: return coriolis_matrix(model_, workspace_, q, v, A_);
      case Function::linearize_inverse: return linearize_inverse(model_, *linear_, q, v, x, A_, B_, C_);
      case Function::linearize_forward: return linearize_forward(model_, *linear_, q, v, x, x_, A_, B_, C_);
      case Function::forward_nu: quasi_ = forward_dynamics_nu(*form_, q, v, x); return;
      case Function::forward_xi: quasi_ = forward_dynamics_xi(*form_, q, v, x); return;
      case Function::jacobian:
      case Function::pose: return call_frames(q);
      default: break;
    }
    if (!form_) throw std::invalid_argument(std::string("no plain backend for ") + function_name(function_));
    form_->update(q);
    x_ = transformed(v);
  }
  void call_frames(ConstVector q) {
    kinematics_->update(q);
    for (auto& [frame, matrix] : frames_) {
      if (function_ == Function::jacobian) {
        kinematics_->jacobian(frame, Axes::aligned, matrix);
      } else {
        const Pose pose = kinematics_->pose(frame);
        matrix << pose.R, pose.p;
      }
    }
  }
  Vector transformed(ConstVector x) const {
    switch (function_) {
      case Function::nu: return form_->nu(x);
      case Function::xi: return form_->xi(x);
      case Function::epsilon: return form_->epsilon(x);
      case Function::kappa: return form_->kappa(x);
      case Function::velocity_from_nu: return form_->velocity_from_nu(x);
      case Function::velocity_from_xi: return form_->velocity_from_xi(x);
      case Function::force_from_epsilon: return form_->force_from_epsilon(x);
      default: return form_->force_from_kappa(x);
    }
  }

  const Model& model_;
  Function function_;
  const States& states_;
  Workspace workspace_;
  std::optional<LinearWorkspace> linear_;
  std::optional<DiagonalForm> form_;
  std::optional<Kinematics> kinematics_;
  Vector x_;
  Matrix A_, B_, C_;
  QuasiAcceleration quasi_;
  std::vector<std::pair<int, Matrix>> frames_;
};

Backend plain_backend(const Model& model, Function function, const States& states,
                      const std::vector<std::string>& outputs) {
  const auto plain = std::make_shared<Plain>(model, function, states, outputs);
  return {"plain", [plain] { plain->work(); }, [plain](int state) { return plain->answer(state); }};
}

Backend compiled_backend(const CompiledFunction& compiled, const States& states) {
  const auto inputs = static_cast<std::size_t>(compiled.program().input_count());
  const auto out = std::make_shared<std::vector<double>>(compiled.program().output_count());
  const auto call = [&compiled, &states, inputs, out](int state) {
    compiled({states.by_state.col(state).data(), inputs}, *out);
  };
  return {"compiled",
          [call, &states] {
            for (int b = 0; b < states.count; ++b) call(b);
          },
          [call, out](int state) { return call(state), *out; }};
}

// All states in one call. Vectors and small matrices number by number, large matrices state by state: rows of a large
// batch lie on different pages of memory, and there are only so many pages a processor keeps in view.
Backend batch_backend(std::string name, const Model& model, Function function, const States& states,
                      const BatchOptions& options) {
  constexpr int most_rows = 100;
  struct Place {
    Batch batch;
    std::vector<std::vector<double>> out;
    std::vector<ConstStates> inputs;
    std::vector<catena::States> outputs;

    std::vector<double> answer(int state) const {
      std::vector<double> one;
      for (const catena::States& view : outputs) {
        for (std::ptrdiff_t i = 0; i < view.numbers; ++i) one.push_back(view(i, state));
      }
      return one;
    }
  };
  const auto place = std::make_shared<Place>(Place{Batch(model, function, options), {}, {}, {}});
  const Signature& blocks = place->batch.blocks();
  for (const ProgramBlock& block : blocks.inputs) {
    place->inputs.push_back(
        numbers_in_rows(states.by_number.data() + block.first * states.count, block.size(), states.count));
  }
  for (const ProgramBlock& block : blocks.outputs) {
    place->out.emplace_back(static_cast<std::size_t>(block.size()) * static_cast<std::size_t>(states.count));
    double* const data = place->out.back().data();
    place->outputs.push_back(block.size() <= most_rows ? numbers_in_rows(data, block.size(), states.count)
                                                       : states_in_rows(data, block.size(), states.count));
  }
  const auto work = [place] { place->batch(place->inputs, place->outputs); };
  return {std::move(name), work, [work, place](int state) { return work(), place->answer(state); }};
}

// The call alone.
double first_returned(const Model& model, Function function, ConstVector q, ConstVector v, ConstVector x) {
  switch (function) {
    case Function::inverse: return inverse_dynamics(model, q, v, x)[0];
    case Function::gravity: return gravity_forces(model, q)[0];
    case Function::coriolis: return coriolis_forces(model, q, v)[0];
    case Function::bias: return bias_forces(model, q, v)[0];
    case Function::forward: return forward_dynamics(model, q, v, x)[0];
    case Function::mass_matrix: return mass_matrix(model, q)(0, 0);
    case Function::mass_matrix_inverse: return mass_matrix_inverse(model, q)(0, 0);
    case Function::linearize_inverse: return linearize_inverse(model, q, v, x).M(0, 0);
    case Function::linearize_forward: return linearize_forward(model, q, v, x).a[0];
    default: return coriolis_matrix(model, q, v)(0, 0);
  }
}

}  // namespace

States::States(const Model& model, int how_many)
    : count(how_many),
      by_state(model.nq() + 2 * model.nv(), count),
      by_number(static_cast<std::size_t>(by_state.size())) {
  for (int b = 0; b < count; ++b) {
    const auto seed = static_cast<std::uint64_t>(b) + 1;
    by_state.col(b) << random_configuration(model, seed), random_vector(model, seed + 1000),
        random_vector(model, seed + 2000);
  }
  Eigen::Map<Matrix>(by_number.data(), count, by_state.rows()) = by_state.transpose();
}

std::optional<Backend> returning_backend(const Model& model, Function function, const States& states) {
  switch (function) {
    case Function::inverse:
    case Function::gravity:
    case Function::coriolis:
    case Function::bias:
    case Function::forward:
    case Function::mass_matrix:
    case Function::mass_matrix_inverse:
    case Function::coriolis_matrix:
    case Function::linearize_inverse:
    case Function::linearize_forward: break;
    default: return std::nullopt;
  }
  const auto with_state = [&model, &states, function](int state, auto call) {
    const int nq = model.nq(), nv = model.nv();
    const auto column = states.by_state.col(state);
    return call(model, function, column.head(nq), column.segment(nq, nv), column.tail(nv));
  };
  Program whole;
  const Signature blocks = signature(model, function);
  whole.function = function, whole.inputs = blocks.inputs, whole.outputs = blocks.outputs;
  const auto answer = [&model, &states, whole](int state) {  // by the same calls
    return joined({plain_values(model, whole, states.by_state.col(state).head(whole.input_count()))});
  };
  return Backend{"returning",
                 [with_state, &states] {
                   for (int b = 0; b < states.count; ++b) with_state(b, first_returned);
                 },
                 answer};
}

Backend threaded_backend(const Model& model, Function function, const States& states, int threads,
                         const std::vector<std::string>& outputs) {
  return batch_backend(fmt::format("{} thread{}", threads, threads == 1 ? "" : "s"), model, function, states,
                       {.threads = threads, .outputs = outputs});
}

std::vector<Backend> catena_backends(const Model& model, Function function, const States& states,
                                     const CompiledFunction* compiled, const std::vector<std::string>& outputs,
                                     std::vector<LeftOut>* left_out) {
  const auto leave_out = [&](const char* backend, const std::string& why) {
    if (left_out != nullptr) left_out->push_back({backend, why});
  };
  std::vector<Backend> backends = {plain_backend(model, function, states, outputs)};
  const auto add_batch = [&](const char* name, BatchOptions::Backend how) {
    try {
      backends.push_back(batch_backend(name, model, function, states, {.backend = how, .outputs = outputs}));
    } catch (const std::invalid_argument& error) {
      leave_out(name, error.what());
    }
  };
  if (compiled != nullptr) {
    backends.push_back(compiled_backend(*compiled, states));
    if (!compiled->is_machine_code()) leave_out("compiled", compiled->why_plain());
    // a long program may have code for one state a call and none for lanes
    if (compiled->lanes_entry() == nullptr)
      leave_out("batch", compiled->why_no_lanes());
    else
      add_batch("batch", BatchOptions::compiled);
  }
  add_batch("lanes", BatchOptions::lanes);
  return backends;
}

std::unique_ptr<CompiledFunction> compile_or_leave_out(const Model& model, Function function,
                                                       const std::vector<std::string>& outputs,
                                                       std::vector<LeftOut>& left_out) {
  try {
    return std::make_unique<CompiledFunction>(model, function, outputs);
  } catch (const std::invalid_argument& error) {
    for (const char* const backend : {"compiled", "batch"}) left_out.push_back({backend, error.what()});
    return nullptr;
  }
}

}  // namespace catena::cli
