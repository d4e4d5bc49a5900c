// The functions that every backend computes: one table of names, inputs, outputs and meanings, and one list of what an
// evaluator computes them by. Tracing, lanes, the plain calls, counts, generated source, the command line and Python
// read both: a new function is an entry here, an entry in the table (function.cpp) and a member of each evaluator.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace catena {

enum class Function {
  inverse,
  gravity,
  coriolis,
  bias,
  mass_matrix,
  mass_matrix_inverse,
  coriolis_matrix,
  forward,
  linearize_inverse,
  linearize_forward,
  nu,
  epsilon,
  forward_nu,
  xi,
  kappa,
  forward_xi,
  velocity_from_nu,
  velocity_from_xi,
  force_from_epsilon,
  force_from_kappa,
  jacobian,
  pose,
};

struct FunctionEntry {
  Function function;
  const char* name;
  std::vector<const char*> inputs;
  std::vector<const char*> outputs;  // none: a block for each frame of the model, with its name
  const char* meaning;               // one sentence; forces in N m or N, velocities in rad/s or m/s
  // Joint terms: damping, friction and springs take part. Inverse mass: of the mass matrix, so that its condition
  // number magnifies rounding. Quasi-velocities: nu, xi, the forces that belong to them, and the inverse transforms.
  bool joint_terms = false, inverse_mass = false, quasi_velocities = false, linearization = false;
};
const FunctionEntry& entry(Function function);
// "rad or m" of q, "N m or N" of tau ...; empty where numbers of a block have several, or none.
const char* unit_of(const std::string& block);

const std::vector<Function>& functions();
const char* function_name(Function function);
Function function_from_name(const std::string& name);  // throws std::invalid_argument with the names there are

inline bool of_frames(Function function) { return entry(function).outputs.empty(); }
inline bool in_quasi_velocities(Function function) { return entry(function).quasi_velocities; }
inline bool uses_inverse_mass_matrix(Function function) { return entry(function).inverse_mass; }

// The evaluator's member that computes the function, of q, v and a or tau as the evaluator has them.
template <class Evaluator>
decltype(auto) evaluate_by(Evaluator& x, Function function) {
  constexpr bool normalised = true;  // nu and epsilon; otherwise xi and kappa
  switch (function) {
    case Function::inverse: return x.inverse();
    case Function::gravity: return x.gravity();
    case Function::coriolis: return x.coriolis();
    case Function::bias: return x.bias();
    case Function::mass_matrix: return x.mass_matrix();
    case Function::mass_matrix_inverse: return x.mass_matrix_inverse();
    case Function::coriolis_matrix: return x.coriolis_matrix();
    case Function::forward: return x.forward();
    case Function::linearize_inverse: return x.linearize_inverse();
    case Function::linearize_forward: return x.linearize_forward();
    case Function::nu: return x.quasi_velocity(normalised);
    case Function::epsilon: return x.quasi_force(normalised);
    case Function::forward_nu: return x.forward_quasi(normalised);
    case Function::xi: return x.quasi_velocity(!normalised);
    case Function::kappa: return x.quasi_force(!normalised);
    case Function::forward_xi: return x.forward_quasi(!normalised);
    case Function::velocity_from_nu: return x.velocity_back(normalised);
    case Function::velocity_from_xi: return x.velocity_back(!normalised);
    case Function::force_from_epsilon: return x.force_back(normalised);
    case Function::force_from_kappa: return x.force_back(!normalised);
    case Function::jacobian: return x.jacobians();
    case Function::pose: return x.poses();
  }
  throw std::invalid_argument("no such function");
}

}  // namespace catena
#pragma GCC visibility pop
