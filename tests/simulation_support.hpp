// What the tests of simulations share: a run with all its rows, and robots without losses.
#pragma once

#include "catena/control/inputs.hpp"
#include "catena/read/robot.hpp"
#include "catena/simulate/simulation.hpp"
#include "support.hpp"

namespace catena::test {

struct SimulationResult {
  Outcome outcome;
  std::vector<Vector> rows;
};

inline SimulationResult simulate(const Model& model, std::shared_ptr<Controller> controller,
                                 const SimulationOptions& options, const Vector& q, const Vector& v,
                                 const ActuationOptions& actuation = {},
                                 const std::vector<WrenchTimeSeries>& wrenches = {}) {
  SimulationResult result;
  Simulation simulation(model, std::move(controller), options, actuation, wrenches);
  simulation.start(q, v);
  result.outcome = simulation.run([&](ConstVector row) { result.rows.push_back(row); });
  return result;
}

inline Vector q_of(const Model& model, const Vector& row) { return row.segment(1, model.nq()); }
inline Vector v_of(const Model& model, const Vector& row) { return row.segment(1 + model.nq(), model.nv()); }

// A conservative robot: nothing rubs.
inline Model without_losses(const char* name) {
  Description robot = read::robot(name).description;
  for (Joint& joint : robot.joints) joint.terms.damping = joint.terms.friction = 0;
  return Model(robot);
}

}  // namespace catena::test
