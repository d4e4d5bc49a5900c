// Integrator: carries a System forward in time, step by step. One class per suite; the choice is by name.
#pragma once

#include <memory>
#include <optional>

#include "catena/simulate/system.hpp"

#pragma GCC visibility push(default)
namespace catena {

enum class Method {
  dopri5,      // Dormand-Prince 5(4), dense output (Boost.odeint)
  fehlberg78,  // Fehlberg 7(8) (Boost.odeint)
  cash_karp,   // Cash-Karp 5(4) (Boost.odeint)
  adams,       // Adams-Moulton of variable order, dense output (CVODES)
  bdf,         // backward differences for stiff systems, with our Jacobian, dense output (CVODES)
  verner65,    // Verner 6(5) (ARKStep): the order of the program in Saha's paper
  rk4,         // classical Runge-Kutta, fixed step
  euler,       // semi-implicit (symplectic) Euler, fixed step
};
const char* name_of(Method method);
std::optional<Method> method_from(const std::string& name);
bool is_fixed_step(Method method);

struct Accuracy {
  double rtol = 1e-10, atol = 1e-10;  // adaptive methods
  double step = 1e-3;                 // fixed step, s
};

// Threads: one at a time.
class Integrator {
 public:
  virtual ~Integrator() = default;

  // Starts afresh: what came before has nothing to do with what follows.
  virtual void restart(double time, ConstVector x) = 0;
  // One step of the method's own choice, never past `limit`. Throws NumericalError when it cannot go on.
  virtual void step(double limit) = 0;
  // With dense output: x at a time within the last step, as accurate as the step itself.
  virtual bool dense() const { return false; }
  virtual void interpolate(double, VectorRef) {}

  double time() const { return time_; }
  double previous_time() const { return previous_time_; }
  const Vector& state() const { return x_; }
  long steps() const { return steps_; }
  long rejected() const { return rejected_; }

 protected:
  // Ends a step: keeps the time it came from.
  void arrive(double time) {
    previous_time_ = time_;
    time_ = time;
    ++steps_;
  }
  void begin(double time, ConstVector x) {
    previous_time_ = time_ = time;
    x_ = x;
  }

  Vector x_;
  double time_ = 0, previous_time_ = 0;
  long steps_ = 0, rejected_ = 0;
};

// The system must outlive the integrator.
std::unique_ptr<Integrator> make_integrator(System& system, Method method, const Accuracy& accuracy);

// One suite each; make_integrator chooses.
std::unique_ptr<Integrator> make_fixed_step(System& system, Method method, const Accuracy& accuracy);
std::unique_ptr<Integrator> make_odeint(System& system, Method method, const Accuracy& accuracy);
std::unique_ptr<Integrator> make_sundials(System& system, Method method, const Accuracy& accuracy);

}  // namespace catena
#pragma GCC visibility pop
