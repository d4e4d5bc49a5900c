// A robot for MuJoCo: without contacts and constraints, joint terms included. Helical and planar joints it does not have.
#pragma once

#include <mujoco/mujoco.h>

#include "catena/model/description.hpp"

namespace catena::peers {

mjModel* mujoco_model(const Description& robot);  // to be freed by mj_deleteModel; throws std::runtime_error

}  // namespace catena::peers
