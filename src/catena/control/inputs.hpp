// Prescribed inputs: joint forces as functions of time, whatever the robot does. N m or N, nv numbers.
#pragma once

#include <memory>

#include "catena/control/controller.hpp"
#include "catena/dynamics/workspace.hpp"
#include "catena/trajectory/trajectory.hpp"

#pragma GCC visibility push(default)
namespace catena {

std::unique_ptr<Controller> zero_input(const Model& model);
std::unique_ptr<Controller> constant_input(const Model& model, ConstVector tau);

enum class Between { linear, hold };  // rows of a time series: straight lines, or each row until the next

// A row of tau (nv numbers) for each of the times, which increase. The first row holds before the first time; the
// input ends with the last. Throws std::invalid_argument for sizes, NaN and times out of order.
std::unique_ptr<Controller> series_input(const Model& model, ConstVector times, const Matrix& tau,
                                         Between between = Between::linear);

// The forces that the motion asks for: tau = inverse_dynamics(q_d, v_d, a_d). After its end: those that hold the robot.
std::unique_ptr<Controller> feedforward(const Model& model, std::shared_ptr<const Trajectory> motion,
                                        const ExternalLoads& loads = {});

}  // namespace catena
#pragma GCC visibility pop
