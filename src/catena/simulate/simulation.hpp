// Simulation: a robot, what drives it, and how time is stepped; rows of numbers come out, with an energy balance.
#pragma once

#include <functional>

#include "catena/record/recording.hpp"
#include "catena/simulate/integrator.hpp"

#pragma GCC visibility push(default)
namespace catena {

enum class AtLimit { ignore, stop, bounce };

// Name and unit of every component of a quantity: "q", "v", "a", "tau", "nu", "xi", "epsilon" or "kappa".
std::vector<Column> columns_of(const Model& model, const std::string& prefix);

// The run ends when the quantity passes the value: "q.elbow", "v.ball.0", "tau.elbow", "energy.kinetic", ...
struct Threshold {
  std::string quantity;
  bool above = true;  // ends when it rises above the value, or else falls below it
  double value = 0;
};

struct SimulationOptions {
  double duration = 1;  // s
  double every = 0.01;  // s between recorded rows
  Method method = Method::dopri5;
  Accuracy accuracy;
  Velocities velocities = Velocities::v;
  AtLimit at_limit = AtLimit::ignore;
  double restitution = 0.5;  // of AtLimit::bounce: speed after over speed before
  std::vector<Threshold> stops;
  std::vector<std::string> extra;  // recorded besides q, v, tau and the energies: "a", "nu", "xi"
};

// The columns of a run, and why there is none of this name, with what to name instead (empty if there is one).
std::vector<Column> columns_of(const Model& model, const SimulationOptions& options);
std::string why_no_column(const Model& model, const SimulationOptions& options, const std::string& name);

// kinetic + potential - (their sum at the start) - work + dissipated = balance: zero but for the integrator's error.
struct Energies {
  double kinetic = 0, potential = 0, work = 0, dissipated = 0, balance = 0;
};

struct SimulationEvent {
  double time;
  std::string what;
};

struct Outcome {
  std::string reason;    // why it ended, a sentence
  bool finished = true;  // false: interrupted by the caller
  double time = 0;
  long rows = 0, steps = 0, rejected = 0, evaluations = 0;
  Energies energies;                    // at the end
  double drift = 0;                     // largest |balance| over the energy that moved
  std::vector<SimulationEvent> events;  // bounces, in order (the first 1000)
  std::vector<std::string> warnings;
};

// Threads: one at a time; several simulations run side by side if each has its own controller.
class Simulation {
 public:
  // Throws std::invalid_argument naming the option and the remedy.
  Simulation(const Model& model, std::shared_ptr<Controller> controller, const SimulationOptions& options = {},
             const ActuationOptions& actuation = {}, std::vector<WrenchTimeSeries> wrenches = {});

  void start(ConstVector q, ConstVector v);
  // Goes on from a recorded row; initial_energy: kinetic + potential at the start of the whole run.
  void resume(ConstVector row, double initial_energy);
  double initial_energy() const { return initial_energy_; }
  double time() const { return time_; }

  std::vector<Column> columns() const;        // of the rows
  int column(const std::string& name) const;  // where "q.elbow" stands in a row; throws std::invalid_argument

  using Record = std::function<void(ConstVector row)>;
  using GoOn = std::function<bool(double time)>;  // asked after every step and row; false ends the run
  Outcome run(const Record& record, const GoOn& go_on = {});
  Outcome run(Recording& rows, const GoOn& go_on = {});  // all of them: rows.column("q.elbow"), rows.columns("tau")

 private:
  struct Crossing {
    std::size_t event;
    double time;
  };
  // g <= 0 inside, > 0 beyond.
  struct Event {
    int q = -1, v = -1;  // a joint limit, or
    int column = -1;     // a threshold on a column of the row
    bool above = true;
    double value = 0;
    std::string what;
  };

  void collect_events();
  double event_value(const Event& event, double time, ConstVector x);
  void fill_row(double time, ConstVector x);
  std::optional<Crossing> first_crossing(const Vector& from);
  double locate(const Event& event, double from, const Vector& x_from, double to, const Vector& x_to);
  void state_at(double time, double from, const Vector& x_from, VectorRef x);
  void bounce(const Event& event, Outcome& outcome);
  void conclude(Outcome& outcome);
  void warn_of_clipping(Outcome& outcome) const;
  void emit(double time, ConstVector x, const Record& record, Outcome& outcome);

  Model model_;
  SimulationOptions options_;
  Actuation actuation_;
  System system_;
  std::unique_ptr<Integrator> integrator_;
  Kinematics kinematics_;
  std::optional<DiagonalForm> form_;
  std::vector<Event> events_;
  Vector q_, v_, tau_, x_, trial_, row_, inside_, beyond_;
  double time_ = 0, initial_energy_ = 0, moved_energy_ = 0, last_recorded_ = 0;
  bool started_ = false, resumed_ = false;
};

}  // namespace catena
#pragma GCC visibility pop
