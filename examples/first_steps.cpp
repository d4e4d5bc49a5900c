// First steps: load a robot, ask which joint forces make it move, and check that they do.
#include <catena/dynamics/forward.hpp>
#include <catena/dynamics/inverse.hpp>
#include <catena/read/robot.hpp>
#include <iostream>

int main() {
  const catena::Model arm = catena::read::load("stanford_arm");  // or the path of a URDF, TOML or JSON file
  const catena::Vector q = catena::random_configuration(arm, 1);
  const catena::Vector v = catena::random_vector(arm, 2), a = catena::random_vector(arm, 3);

  catena::Workspace workspace(arm);  // scratch memory, made once: the calls allocate nothing
  catena::Vector tau(arm.nv()), back(arm.nv());
  catena::inverse_dynamics(arm, workspace, q, v, a, tau);
  catena::forward_dynamics(arm, workspace, q, v, tau, back);

  std::cout << "joint forces  " << tau.transpose() << "\nforward of inverse, off by  " << (back - a).norm() << '\n';
  return (back - a).norm() < 1e-9 ? 0 : 1;
}
