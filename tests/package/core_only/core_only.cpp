// A robot written in C++: the joint forces of a two-link arm, compared with the textbook's closed form.
#include <catena/dynamics/forward.hpp>
#include <catena/dynamics/inverse.hpp>
#include <catena/model/builder.hpp>
#include <cmath>
#include <cstdio>

int main() {
  // Two rods in a vertical plane, angles from the horizontal, axes along z, gravity along -y.
  const double m1 = 2, m2 = 1.5, l1 = 0.5, l2 = 0.4, g = 9.81;
  const double I1 = m1 * l1 * l1 / 12, I2 = m2 * l2 * l2 / 12;
  const auto rod = [](double mass, double length, double inertia) {
    catena::Inertial rod;
    rod.mass = mass;
    rod.com = {length / 2, 0, 0};
    rod.inertia = catena::Vector3(0, inertia, inertia).asDiagonal();
    return rod;
  };
  const catena::Model arm =
      catena::Builder("two-link arm")
          .add_body("upper", rod(m1, l1, I1), catena::revolute("shoulder").about(0, 0, 1))
          .add_body("lower", rod(m2, l2, I2), catena::revolute("elbow").on("upper").at(l1, 0, 0).about(0, 0, 1))
          .gravity(0, -g, 0)
          .build();

  const catena::Vector q{{0.3, -0.8}}, v{{1.1, -0.4}}, a{{0.7, 2.3}};
  const double h = m2 * l1 * l2 / 2, c = std::cos(q[1]), s = std::sin(q[1]);
  const double M12 = I2 + m2 * l2 * l2 / 4 + h * c;
  const double M11 = I1 + m1 * l1 * l1 / 4 + M12 + m2 * l1 * l1 + h * c, M22 = I2 + m2 * l2 * l2 / 4;
  const double second = m2 * g * l2 / 2 * std::cos(q[0] + q[1]);
  const double first = (m1 * l1 / 2 + m2 * l1) * g * std::cos(q[0]) + second;
  const catena::Vector expected{{M11 * a[0] + M12 * a[1] - h * s * v[1] * (2 * v[0] + v[1]) + first,
                                 M12 * a[0] + M22 * a[1] + h * s * v[0] * v[0] + second}};

  const catena::Vector tau = catena::inverse_dynamics(arm, q, v, a);
  const catena::Vector back = catena::forward_dynamics(arm, q, v, tau);
  std::printf("joint forces %.12f %.12f, by hand %.12f %.12f\n", tau[0], tau[1], expected[0], expected[1]);

  bool refused = false;  // an exception of the library, caught here
  try {
    catena::Builder("no mass").add_body("feather", {}, catena::revolute("hinge").about(0, 0, 1)).build();
  } catch (const catena::ModelError&) {
    refused = true;
  }
  return (tau - expected).norm() < 1e-12 && (back - a).norm() < 1e-12 && refused ? 0 : 1;
}
