// Joint limits as hard stops.
#pragma once

#include "catena/kinematics/configuration.hpp"

namespace catena {

// The joint with this velocity component hits its stop: v becomes the velocity after the impact. Gives the energy lost.
double strike(const Model& model, ConstVector q, int component, double restitution, VectorRef v);

}  // namespace catena
