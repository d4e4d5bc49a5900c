// Derivatives of a simulated motion by where it starts, by its inputs and by the robot's parameters, through CVODES.
//   forward:  S' = A S + [0; M^-1 G],  S = d(q, v)/dp: every quantity at every time; the cost grows with the parameters.
//   adjoint:  l' = -A' l - dL/d(q, v), dJ/dp = int (M^-1 l_v)' G + dL/dp: one scalar; the cost hardly grows at all.
// Changes of q are in the tangent space, as integrate() moves; equations, names and accuracy: docs/sensitivities.md.
#pragma once

#include <functional>

#include "catena/linear/parameters.hpp"
#include "catena/simulate/integrator.hpp"

#pragma GCC visibility push(default)
namespace catena {

// Parameters of what drives the joints: how the joint forces change with each of them.
struct InputParameters {
  std::vector<std::string> names;
  // d tau / d p at a time and state, nv x names. A function of its arguments alone.
  std::function<void(double time, ConstVector q, ConstVector v, MatrixRef by_p)> forces;
  std::vector<double> breaks = {};  // instants at which it is not smooth in time
};
// A constant force on top of the others, one parameter per component of v: "tau.elbow".
InputParameters constant_force(const Model& model);
// A force that is linear between its values at these times, and zero before and after: "tau.elbow.0", "tau.elbow.1" ...
InputParameters force_time_series(const Model& model, const std::vector<double>& times);

struct SensitivityProblem {
  Model model;
  std::shared_ptr<Controller> controller;  // keeps its own idea of the robot: only the robot's parameters are varied
  Vector q, v;                             // where it starts
  double duration = 1;                     // s
  ActuationOptions actuation = {};         // continuous: no period
  std::vector<WrenchTimeSeries> wrenches = {};
  Accuracy accuracy = {1e-10, 1e-12};
  Method method = Method::adams;  // or bdf, for stiff motions (strong damping of light parts)

  // By what. Names: "q0.elbow" and "v0.elbow" (components as in velocity_names()), then those of the inputs, then those
  // of catena/linear/parameters.hpp, then those asked for by name.
  bool initial_q = true, initial_v = true;
  std::vector<InputParameters> inputs = {};
  std::vector<ParameterKind> robot = {};
  // As catena/model/parameter.hpp has them, groups too: "flange.payload", "forearm.mass". A payload is there with zeros
  // unless with_parameters() has attached one to the model.
  std::vector<std::string> named = {};
  std::vector<std::string> only = {};  // of these names alone; empty: all
};

// By what, in words: "initial" (q0 and v0), "tau" (constant_force), "inertia", "placement", "body_pose", "armature",
// "damping", "friction", "friction_scale", "stiffness", "rest", "gravity" (a ParameterKind), or a name of
// catena/model/parameter.hpp: "flange.payload". Nothing else is differentiated by. Throws std::invalid_argument.
void differentiate_by(SensitivityProblem& problem, const std::vector<std::string>& words);

// The names in the order of the columns, and their number. Throws std::invalid_argument for a problem that does not fit
// together, with the remedy: sizes, sampled control, a duration past the end of the input, names that do not exist.
std::vector<std::string> sensitivity_names(const SensitivityProblem& problem);

// adams, or bdf where the rates at the start are so fast for the duration that adams would crawl.
Method suggested_method(const SensitivityProblem& problem);

struct TrajectorySensitivity {
  std::vector<std::string> rows;        // "q.elbow" ..., "v.elbow" ...
  std::vector<std::string> parameters;  // columns
  std::vector<double> times;
  std::vector<Vector> q, v;  // at the times
  std::vector<Matrix> S;     // d(q, v)/dp at the times: 2 nv rows, a column per parameter
  long steps = 0;
};
// times: rising, within the duration; empty: its end alone. Over the whole run: those of its rows. Throws as sensitivity_names, and NumericalError.
TrajectorySensitivity trajectory_sensitivity(const SensitivityProblem& problem, std::vector<double> times = {});

// J = final(q, v) at the end + the integral of running(t, q, v, tau). Gradients by q in the directions of v.
// Threads: called by the one that asks for a gradient.
class Cost {
 public:
  virtual ~Cost() = default;

  virtual double final(ConstVector /*q*/, ConstVector /*v*/) const { return 0; }
  virtual void final_gradient(ConstVector /*q*/, ConstVector /*v*/, VectorRef by_q, VectorRef by_v) const {
    by_q.setZero(), by_v.setZero();
  }
  // tau: the forces of the controller, limits applied.
  virtual double running(double /*time*/, ConstVector /*q*/, ConstVector /*v*/, ConstVector /*tau*/) const { return 0; }
  virtual void running_gradient(double /*time*/, ConstVector /*q*/, ConstVector /*v*/, ConstVector /*tau*/,
                                VectorRef by_q, VectorRef by_v, VectorRef by_tau) const {
    by_q.setZero(), by_v.setZero(), by_tau.setZero();
  }
};

struct CostGradient {
  double value = 0;
  std::vector<std::string> parameters;
  Vector gradient;  // dJ/dp
  Vector q, v;      // at the end
  long steps = 0;   // forward and backward
};
CostGradient cost_gradient(const SensitivityProblem& problem, const Cost& cost);

}  // namespace catena
#pragma GCC visibility pop
