// First steps: load a robot, ask which joint forces make it move, and check that they do.
#include <catena/dynamics/forward.hpp>
#include <catena/dynamics/inverse.hpp>
#include <catena/read/robot.hpp>
#include <iostream>

int main() {
  const catena::Model arm = catena::read::load("stanford_arm");  // or the path of a URDF, TOML or JSON file
  const catena::Vector q = catena::random_configuration(arm, 1);
  const catena::Vector v = catena::random_vector(arm, 2), a = catena::random_vector(arm, 3);

  const catena::Vector tau = catena::inverse_dynamics(arm, q, v, a);
  const catena::Vector back = catena::forward_dynamics(arm, q, v, tau);

  std::cout << "joint forces  " << tau.transpose() << "\nlost on the way back  " << (back - a).norm() << '\n';
  return (back - a).norm() < 1e-9 ? 0 : 1;
}
