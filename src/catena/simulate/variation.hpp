// Variation: what forward and adjoint sensitivities share: the parameters in order, and at a state the linear dynamics
// and the forces that a unit of each parameter amounts to.
#pragma once

#include "catena/simulate/sensitivity.hpp"

namespace catena {

class Variation {
 public:
  explicit Variation(const SensitivityProblem& problem);  // throws std::invalid_argument

  // Columns: first those of the initial state, then those that force the motion, inputs before the robot's parameters.
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Eigen::Index>& starts() const { return starts_; }  // which component of (q, v) each moves
  Eigen::Index inputs() const { return inputs_; }
  Eigen::Index forced() const { return G_.cols(); }

  // x = [q; v] as System has it, without the energy balance.
  Eigen::Index size() const { return model().nq() + model().nv(); }
  const Model& model() const { return problem_.model; }
  Vector start() const;                      // x at t = 0
  Matrix tangents(const double* x) const;    // T: dx = T (dq, dv)
  Matrix cotangents(const double* x) const;  // ... and back
  void unpack(const Vector& x, VectorRef q, VectorRef v) { system_.unpack(x, q, v); }
  std::vector<double> pauses() const;  // 0, ... duration: between them everything is smooth
  void enter(double end);              // begins the stretch that ends there

  void rate(double time, const double* x, double* x_dot);
  const System::Linear& at(double time, const double* x);
  auto jacobian() const { return J_.topLeftCorner(size(), size()); }  // d x_dot / dx at the last at()
  const Matrix& forces();  // G at the last at(), nv rows, one column per forcing parameter: M da/dp
  void actuate(double time, ConstVector q, ConstVector v, VectorRef tau) { system_.forces(held(time), q, v, tau); }

 private:
  struct Source {
    std::size_t index;                  // of problem.inputs or problem.robot
    std::vector<Eigen::Index> columns;  // of those, the ones asked for
  };
  double held(double time) const { return std::min(time, until_); }

  SensitivityProblem problem_;
  Actuation actuation_;
  System system_;
  std::vector<std::string> names_;
  std::vector<Eigen::Index> starts_;
  std::vector<Source> input_sources_, robot_sources_;
  std::vector<Parameter> named_;  // those asked for, of problem.named
  Eigen::Index inputs_ = 0;
  Matrix G_, J_;
  Vector rate_;
  Vector x_;                                // of linear_
  double time_ = 0, until_ = 0;             // likewise; the end of the stretch
  const System::Linear* linear_ = nullptr;  // null: not known
  bool forces_known_ = false;
};

}  // namespace catena
