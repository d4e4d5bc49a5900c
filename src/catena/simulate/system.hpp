// System: a driven robot as a first-order differential equation x_dot = f(t, x), x = [q; y; work; dissipated].
// y is the velocity v, or the quasi-velocities xi or nu (formula sheet section 4). Quaternions move as q_dot = q (w, 0)
// / 2, which leaves their length alone; only their direction counts, so rounding in the length does no harm.
#pragma once

#include <optional>

#include "catena/control/actuation.hpp"
#include "catena/diagonal/diagonal.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/machine/machine_code.hpp"

#pragma GCC visibility push(default)
namespace catena {

enum class Velocities { v, xi, nu };

// An external wrench over time: linear between the knots, zero before the first and after the last.
struct WrenchTimeSeries {
  Wrench wrench;                // frame, point and axes; its moment and force are replaced
  std::vector<double> times;    // rising; equal neighbours make a jump
  std::vector<Vector6> values;  // [moment; force] at the times

  Vector6 at(double time) const;
};

// Threads: one at a time.
class System {
 public:
  // Throws std::invalid_argument for wrenches that do not fit.
  System(const Model& model, Velocities velocities, Actuation& actuation, std::vector<WrenchTimeSeries> wrenches = {});

  const Model& model() const { return model_; }
  int size() const { return model_.nq() + model_.nv() + 2; }

  void rate(double time, const double* x, double* x_dot);
  // d f / d x, size() squared, by columns. Exact as far as Actuation::derivative is; the row of work leaves wrenches
  // out.
  // Velocities::v only.
  void jacobian(double time, const double* x, MatrixRef J);

  // The same for a change (dq, dv) with dq in the tangent space, quaternions or not; kept until the next call:
  //   d(dq)/dt = dv - ad(v) dq     d(dv)/dt = (M_inv K_q - B_C) dq + (M_inv K_v - A_C) dv + M_inv dtau
  struct Linear {
    Vector q, v, tau, a;
    Matrix M_inv, A_C, B_C;
    Matrix K_q, K_v;  // of the controller
    Matrix A;         // d(dq, dv)/dt = A (dq, dv), 2 nv
  };
  const Linear& linearize(double time, const double* x);
  const Linear& linear() const { return linear_; }  // of the last linearize() or jacobian()

  void pack(ConstVector q, ConstVector v, double work, double dissipated, VectorRef x);
  void unpack(ConstVector x, VectorRef q, VectorRef v);  // quaternions of unit length
  double work(ConstVector x) const { return x[x.size() - 2]; }
  double dissipated(ConstVector x) const { return x[x.size() - 1]; }

  // Forces and acceleration at a state; both as the last rate() left them if `x` is where it was called.
  void forces(double time, ConstVector q, ConstVector v, VectorRef tau) { actuation_.forces(time, q, v, tau); }
  Vector acceleration(double time, ConstVector q, ConstVector v, ConstVector tau);

  const ExternalLoads& loads(double time);  // what acts from outside
  // From this evaluation on, forward dynamics is machine code made for the robot, where it can be: results to rounding.
  void compile_at(long evaluation) { compile_at_ = evaluation; }

  double next_break(double time) const;
  // Inputs that jump at this instant are taken as just before it, until the next call: a step that ends there must not
  // see what comes after.
  void stay_before(double instant);
  Actuation& actuation() { return actuation_; }
  long evaluations() const { return evaluations_; }
  Workspace& workspace() { return workspace_; }

 private:
  void compile();
  void accelerate(double time);
  double wrench_power();
  double dissipated_power(ConstVector v) const;
  void tangent_maps(const double* x);

  Model model_;
  Velocities velocities_;
  Actuation& actuation_;
  std::vector<WrenchTimeSeries> wrenches_;
  Workspace workspace_;
  ExternalLoads loads_;
  Vector q_, v_, tau_, a_;
  Vector q_full_, v_full_, q_dot_full_;              // mimic joints included
  std::optional<DiagonalForm> form_;                 // xi and nu only
  std::optional<Kinematics> kinematics_;             // with wrenches only
  std::optional<LinearWorkspace> linear_workspace_;  // from the first linearize() on
  Linear linear_;                                    // likewise
  Matrix E_, E_q_, P_;  // from the first jacobian() on: q_dot = E v, its derivative by q, tangent = P dq
  double until_ = std::numeric_limits<double>::infinity();
  long evaluations_ = 0, compile_at_ = 4000;  // about what compiling costs
  std::optional<CompiledFunction> compiled_;
};

}  // namespace catena
#pragma GCC visibility pop
