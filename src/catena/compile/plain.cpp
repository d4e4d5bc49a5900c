#include "catena/compile/plain.hpp"

#include <Eigen/Eigenvalues>
#include <array>

#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/dynamics/storage.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/model/random.hpp"

namespace catena {

namespace {

// Results in the order of the table of functions; of frames those that the program has.
struct Plain {
  using Blocks = std::vector<Matrix>;
  const Model& model;
  const Program& program;
  ConstVector q, v, x;  // v: what stands second among the inputs

  Blocks inverse() const { return {inverse_dynamics(model, q, v, x)}; }
  Blocks gravity() const { return {gravity_forces(model, q)}; }
  Blocks coriolis() const { return {coriolis_forces(model, q, v)}; }
  Blocks bias() const { return {bias_forces(model, q, v)}; }
  Blocks mass_matrix() const { return {catena::mass_matrix(model, q)}; }
  Blocks mass_matrix_inverse() const { return {catena::mass_matrix_inverse(model, q)}; }
  Blocks coriolis_matrix() const { return {catena::coriolis_matrix(model, q, v)}; }
  Blocks forward() const { return {forward_dynamics(model, q, v, x)}; }
  Blocks linearize_inverse() const {
    const InverseLinearization l = catena::linearize_inverse(model, q, v, x);
    return {l.M, l.A_D, l.B_D};
  }
  Blocks linearize_forward() const {
    const ForwardLinearization l = catena::linearize_forward(model, q, v, x);
    return {l.a, l.M_inv, l.A_C, l.B_C};
  }
  Blocks quasi_velocity(bool normalised) const {
    const DiagonalForm form(model, q);
    return {normalised ? form.nu(v) : form.xi(v)};
  }
  Blocks quasi_force(bool normalised) const {
    const DiagonalForm form(model, q);
    return {normalised ? form.epsilon(v) : form.kappa(v)};
  }
  Blocks velocity_back(bool normalised) const {
    const DiagonalForm form(model, q);
    return {normalised ? form.velocity_from_nu(v) : form.velocity_from_xi(v)};
  }
  Blocks force_back(bool normalised) const {
    const DiagonalForm form(model, q);
    return {normalised ? form.force_from_epsilon(v) : form.force_from_kappa(v)};
  }
  Blocks forward_quasi(bool normalised) const {
    const QuasiAcceleration quasi =
        normalised ? forward_dynamics_nu(model, q, v, x) : forward_dynamics_xi(model, q, v, x);
    return {quasi.v, quasi.rate};
  }
  Blocks jacobians() const {
    const Kinematics kinematics(model, q);
    Blocks out;
    for (const ProgramBlock& block : program.outputs)
      out.emplace_back(kinematics.jacobian(model.frame(block.name), Axes::aligned));
    return out;
  }
  Blocks poses() const {
    const Kinematics kinematics(model, q);
    Blocks out;
    for (const ProgramBlock& block : program.outputs) {
      const Pose pose = kinematics.pose(model.frame(block.name));
      out.emplace_back(3, 4) << pose.R, pose.p;
    }
    return out;
  }
};

// With the parameters that are inputs, if any.
Model robot_of(const Model& model, const Program& program, ConstVector inputs) {
  if (program.parameters.empty()) return model;
  const ProgramBlock& block = program.inputs.back();
  return with_parameters(model, program.parameters,
                         {inputs.data() + block.first, static_cast<std::size_t>(block.size())});
}

}  // namespace

Vector plain_values(const Model& model, const Program& program, ConstVector inputs) {
  if (inputs.size() != program.input_count()) throw std::invalid_argument("wrong number of inputs");
  const std::size_t states = program.inputs.size() - (program.parameters.empty() ? 0 : 1);
  const auto argument = [&](std::size_t k, int size) -> Vector {
    if (k >= states) return Vector::Zero(size);
    return inputs.segment(program.inputs[k].first, program.inputs[k].size());
  };
  const Model robot = robot_of(model, program, inputs);
  const Vector q = argument(0, model.nq()), v = argument(1, model.nv()), x = argument(2, model.nv());
  const Plain plain{robot, program, q, v, x};
  const std::vector<Matrix> all = evaluate_by(plain, program.function);
  const std::vector<const char*>& names = entry(program.function).outputs;
  Vector out(program.output_count());
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (std::size_t b = 0; b < program.outputs.size(); ++b) {
      const ProgramBlock& block = program.outputs[b];
      const bool same = names.empty() ? k == b : block.name == names[k];
      if (same) out.segment(block.first, block.size()) = all[k].reshaped();
    }
  }
  return out;
}

namespace {

// A workspace, and room for results that are not wanted.
struct LinearScratch {
  explicit LinearScratch(const Model& model) : workspace(model), a(model.nv()) {
    matrices.fill(Matrix(model.nv(), model.nv()));
  }

  LinearWorkspace workspace;
  Vector a;
  std::array<Matrix, 4> matrices;
};
using BorrowedLinear = Borrowed<LinearScratch, Scratch::compiled>;

bool is_linearization(Function function) {
  return function == Function::linearize_inverse || function == Function::linearize_forward;
}

}  // namespace

PlainCalls::PlainCalls(const Model& model, const Program& program) : function_(program.function), places_{} {
  const auto place = [&](const char* name) {
    for (std::size_t k = 0; k < program.outputs.size(); ++k) {
      if (program.outputs[k].name == name) return static_cast<int>(k);
    }
    return -1;
  };
  if (function_ == Function::linearize_inverse) places_ = {-1, place("M"), place("A_D"), place("B_D")};
  if (function_ == Function::linearize_forward) places_ = {place("a"), place("M_inv"), place("A_C"), place("B_C")};
  // made now and given back to the model, so that no call allocates
  if (is_linearization(function_)) {
    const BorrowedLinear ready(model);
  } else {
    const BorrowedWorkspace ready(model);
  }
}

bool PlainCalls::can(Function function) {
  switch (function) {
    case Function::inverse:
    case Function::gravity:
    case Function::coriolis:
    case Function::bias:
    case Function::mass_matrix:
    case Function::mass_matrix_inverse:
    case Function::coriolis_matrix:
    case Function::forward:
    case Function::linearize_inverse:
    case Function::linearize_forward: return true;
    default: return false;
  }
}

void PlainCalls::operator()(const Model& model, const double* const* inputs, double* const* outputs) const {
  using Block = Eigen::Map<Matrix>;
  using Numbers = Eigen::Map<const Vector>;
  const int n = model.nv();
  const Numbers q(inputs[0], model.nq());
  const auto in = [&](std::size_t k) { return Numbers(inputs[k], n); };
  if (is_linearization(function_)) {
    BorrowedLinear scratch(model);
    const auto matrix = [&](std::size_t k) {
      return Block(places_[k] < 0 ? scratch->matrices[k].data() : outputs[places_[k]], n, n);
    };
    if (function_ == Function::linearize_inverse)
      return linearize_inverse(model, scratch->workspace, q, in(1), in(2), matrix(1), matrix(2), matrix(3));
    Eigen::Map<Vector> a(places_[0] < 0 ? scratch->a.data() : outputs[places_[0]], n);
    return linearize_forward(model, scratch->workspace, q, in(1), in(2), a, matrix(1), matrix(2), matrix(3));
  }
  BorrowedWorkspace workspace(model);
  Eigen::Map<Vector> x(outputs[0], n);
  switch (function_) {
    case Function::inverse: return inverse_dynamics(model, workspace, q, in(1), in(2), x);
    case Function::gravity: return gravity_forces(model, workspace, q, x);
    case Function::coriolis: return coriolis_forces(model, workspace, q, in(1), x);
    case Function::bias: return bias_forces(model, workspace, q, in(1), x);
    case Function::mass_matrix: return mass_matrix(model, workspace, q, Block(outputs[0], n, n));
    case Function::mass_matrix_inverse: return mass_matrix_inverse(model, workspace, q, Block(outputs[0], n, n));
    case Function::coriolis_matrix: return coriolis_matrix(model, workspace, q, in(1), Block(outputs[0], n, n));
    case Function::forward: return forward_dynamics(model, workspace, q, in(1), in(2), x);
    default: throw std::logic_error("no such plain call");
  }
}

namespace {

// A size for what the robot itself does not have: payloads, joint terms.
double usual(const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::mass: return parameter.payload ? 0.5 : 0;
    case Parameter::Kind::com: return parameter.payload ? 0.05 : 0;
    case Parameter::Kind::inertia: return parameter.payload && parameter.component < 3 ? 0.01 : 0;
    case Parameter::Kind::gravity: return 0;
    default: return 0.1;
  }
}

// Near the robot's own, and as physical: numbers of one kind grow or shrink together.
Vector random_parameters(const std::vector<Parameter>& parameters, std::uint64_t seed) {
  Vector out(parameters.size());
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto kind = static_cast<std::uint64_t>(parameters[k].kind);
    Random random(seed + 7919 * (kind + 1));
    const double own = parameters[k].value != 0 ? parameters[k].value : usual(parameters[k]);
    out[static_cast<Eigen::Index>(k)] = own * random.between(0.8, 1.25);
  }
  return out;
}

}  // namespace

Vector random_inputs(const Model& model, const Program& program, std::uint64_t seed) {
  Vector out(program.input_count());
  for (std::size_t k = 0; k < program.inputs.size(); ++k) {
    const ProgramBlock& block = program.inputs[k];
    auto numbers = out.segment(block.first, block.size());
    if (block.name == parameters_block) {
      numbers = random_parameters(program.parameters, seed);
    } else {
      numbers = k == 0 ? random_configuration(model, seed) : random_vector(model, seed + 1000 * k);
    }
  }
  return out;
}

double rounding_bound(const Model& model, const Program& program, ConstVector inputs) {
  if (!uses_inverse_mass_matrix(program.function)) return 1e-12;
  const Vector values =
      Eigen::SelfAdjointEigenSolver<Matrix>(mass_matrix(robot_of(model, program, inputs), inputs.head(model.nq())))
          .eigenvalues();
  return 1e-12 + 1e-14 * values[values.size() - 1] / values[0];
}

}  // namespace catena
