#include "robot.hpp"

#include <cmath>

#include "catena/compile/plain.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/read/robot.hpp"
#include "loads.hpp"

namespace catena::python {

const Model& example_model() {
  static const Model model = read::load("planar_3r");
  return model;
}

Workspace& Robot::workspace() { return workspace_ ? *workspace_ : workspace_.emplace(model); }
LinearWorkspace& Robot::linear_workspace() {
  return linear_workspace_ ? *linear_workspace_ : linear_workspace_.emplace(model);
}
DiagonalForm& Robot::diagonal_form() { return diagonal_form_ ? *diagonal_form_ : diagonal_form_.emplace(model); }
Kinematics& Robot::kinematics() { return kinematics_ ? *kinematics_ : kinematics_.emplace(model); }

py::object Robot::compute(Function function, const py::args& args, const py::kwargs& kwargs) {
  auto found = calls_.find(function);
  if (found == calls_.end()) {
    Blocks blocks = blocks_of(model, function, signature(model, function));
    found = calls_.emplace(function, Call(function_name(function), model.name(), std::move(blocks))).first;
  }
  const bool by_method = function == Function::linearize_forward && kwargs.contains("method");
  const bool loaded = takes_loads(function) && (kwargs.contains("wrenches") || kwargs.contains("base"));
  if (by_method || loaded) {
    py::dict rest(kwargs);
    const auto take = [&](const char* key) {
      return rest.contains(key) ? py::object(rest.attr("pop")(key)) : py::object(py::none());
    };
    const py::object name = by_method ? take("method") : py::object(py::str("auto"));
    const LinearMethod method = by_method ? method_for_matrices(model, linear_method(py::str(name))) : LinearMethod{};
    const py::object wrenches = take("wrenches"), base = take("base");
    const ExternalLoads loads = loads_from(model, wrenches, base);
    return found->second.each(args, rest,
                              [&](Pointers in, OutPointers out) { compute_loaded(function, in, out, loads, method); });
  }
  return found->second(
      args, kwargs, [&](Pointers in, OutPointers out) { compute_plain(function, in, out); },
      [&](Views in, OutViews out) {
        std::unique_ptr<SharedBatch>& batch = batches_[function];
        if (!batch) batch = std::make_unique<SharedBatch>(model, function, BatchOptions{});
        (*batch)(in, out);
      });
}

bool takes_loads(Function function) {
  return function == Function::inverse || function == Function::forward || function == Function::bias ||
         function == Function::linearize_inverse || function == Function::linearize_forward;
}

void Robot::compute_loaded(Function function, Pointers in, OutPointers out, const ExternalLoads& loads,
                           LinearMethod method) {
  const int nv = model.nv();
  const auto q = vector(in[0], model.nq()), v = vector(in[1], nv);
  const auto third = [&] { return vector(in[2], nv); };
  const auto numbers = [&] { return vector(out[0], nv); };
  const auto square = [&](std::size_t k) { return matrix(out[k], nv, nv); };
  switch (function) {
    case Function::inverse: return inverse_dynamics(model, workspace(), q, v, third(), numbers(), loads);
    case Function::forward: return forward_dynamics(model, workspace(), q, v, third(), numbers(), loads);
    case Function::bias: return bias_forces(model, workspace(), q, v, numbers(), loads);
    case Function::linearize_inverse:
      return linearize_inverse(model, linear_workspace(), q, v, third(), square(0), square(1), square(2), loads);
    case Function::linearize_forward:
      return linearize_forward(model, linear_workspace(), q, v, third(), numbers(), square(1), square(2), square(3),
                               loads, method);
    default: throw std::invalid_argument("no external loads act on " + std::string(function_name(function)));
  }
}

void Robot::compute_plain(Function function, Pointers in, OutPointers out) {
  const int nq = model.nq(), nv = model.nv();
  const auto q = [&] { return vector(in[0], nq); };
  const auto given = [&](std::size_t k) { return vector(in[k], nv); };
  const auto numbers = [&](std::size_t k) { return vector(out[k], nv); };
  const auto square = [&](std::size_t k) { return matrix(out[k], nv, nv); };
  switch (function) {  // those that can do without asking for memory
    case Function::inverse: return inverse_dynamics(model, workspace(), q(), given(1), given(2), numbers(0));
    case Function::forward: return forward_dynamics(model, workspace(), q(), given(1), given(2), numbers(0));
    case Function::mass_matrix: return mass_matrix(model, workspace(), q(), square(0));
    case Function::mass_matrix_inverse: return mass_matrix_inverse(model, workspace(), q(), square(0));
    case Function::coriolis_matrix: return coriolis_matrix(model, workspace(), q(), given(1), square(0));
    case Function::linearize_inverse:
      return linearize_inverse(model, linear_workspace(), q(), given(1), given(2), square(0), square(1), square(2));
    case Function::linearize_forward:
      return linearize_forward(model, linear_workspace(), q(), given(1), given(2), numbers(0), square(1), square(2),
                               square(3));
    default: break;
  }
  Program program;
  program.function = function;
  Signature blocks = signature(model, function);
  program.inputs = std::move(blocks.inputs);
  program.outputs = std::move(blocks.outputs);
  Vector inputs(program.input_count());
  for (std::size_t k = 0; k < in.size(); ++k) {
    inputs.segment(program.inputs[k].first, program.inputs[k].size()) = vector(in[k], program.inputs[k].size());
  }
  const Vector outputs = plain_values(model, program, inputs);
  for (std::size_t k = 0; k < out.size(); ++k) {
    vector(out[k], program.outputs[k].size()) = outputs.segment(program.outputs[k].first, program.outputs[k].size());
  }
}

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> out;
  for (const Parameter& parameter : parameters) out.push_back(parameter.name);
  return out;
}

void require_input(const Model& model, const Block& block, const double* numbers) {
  const auto x = vector(numbers, block.size());
  if (block.name == "q") return require_configuration(model, x);
  if (block.name != parameters_block && block.size() == model.nv())
    return require_velocity(model, x, block.name.c_str());
  if (!x.allFinite()) throw std::invalid_argument(block.name + " holds a number that is not finite");
}

}  // namespace catena::python
