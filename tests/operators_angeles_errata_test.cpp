// Misprints of Angeles' chapter [002]: Algorithms 7.4.1 and 7.4.2 with each correction taken back (sheet 1.2, 1.3).
// The corrected recursion agrees with inverse dynamics in body frames, the printed one does not.
#include <Eigen/Geometry>

#include "catena/dynamics/inverse.hpp"
#include "catena/model/random.hpp"
#include "catena/reference/dh_newton_euler.hpp"
#include "operators_support.hpp"

namespace catena::test {
namespace {

struct Print {
  bool inward_rotates_first = false;  // phi = Q_i f_{i+1} before the sum, in Algorithm 7.4.2
  bool slide_unrotated = false;       // Q' delta + rho + b e, b_dot e and b_ddot e added as they are, in 7.4.1
  bool arm_to_origin = false;         // the moment arm of a prismatic successor stops at O_{i+1}, in (7.38d)
  bool turn_as_printed = false;       // (7.24a): v_2 where v = v_2 lambda - v_3 mu is meant
};

Matrix3 turn(const DhLink& link, double theta) {
  const double c = std::cos(theta), s = std::sin(theta), l = std::cos(link.alpha), m = std::sin(link.alpha);
  Matrix3 Q;
  Q << c, -l * s, m * s, s, l * c, -m * c, 0, m, l;
  return Q;
}

Vector3 turned(const Matrix3& Q, const DhLink& link, double theta, const Vector3& v, const Print& print) {
  if (!print.turn_as_printed) return Q * v;
  const double c = std::cos(theta), s = std::sin(theta);
  return {v.x() * c - v.y() * s, v.x() * s + v.y() * c, v.y() * std::sin(link.alpha) + v.z() * std::cos(link.alpha)};
}

Vector recursion(const DhChain& arm, const Vector& q, const Vector& v, const Vector& a, const Print& print) {
  const int n = static_cast<int>(arm.links.size());
  const Vector3 e = Vector3::UnitZ();
  std::vector<Matrix3> Q(n);
  std::vector<double> angle(n), slide(n, 0);
  std::vector<Vector3> w(n), w_dot(n), c_ddot(n), delta(n);
  Vector3 w0 = Vector3::Zero(), w0_dot = Vector3::Zero(), c0_ddot = -arm.base.gravity, d = arm.base.delta;
  for (int i = 0; i < n; ++i) {
    const DhLink& link = arm.links[i];
    angle[i] = link.prismatic ? link.theta : link.theta + q[i];
    Q[i] = turn(link, angle[i]);
    const Matrix3 Qt = Q[i].transpose();
    if (link.prismatic) {
      slide[i] = link.b + q[i];
      const Vector3 be = slide[i] * e, coriolis = 2 * v[i] * w0.cross(e);
      const bool slip = print.slide_unrotated;
      const Vector3 u = slip ? Vector3(Qt * d + link.rho + be) : Vector3(Qt * (d + be) + link.rho);
      w[i] = Qt * w0;
      w_dot[i] = Qt * w0_dot;
      const Vector3 ascent = slip ? Vector3(Qt * c0_ddot + a[i] * e + 2 * v[i] * w[i].cross(e))
                                  : Vector3(Qt * (c0_ddot + a[i] * e + coriolis));
      c_ddot[i] = ascent + w_dot[i].cross(u) + w[i].cross(w[i].cross(u));
    } else {
      w[i] = Qt * (w0 + v[i] * e);
      w_dot[i] = Qt * (w0_dot + w0.cross(v[i] * e) + a[i] * e);
      c_ddot[i] = Qt * (c0_ddot + w0_dot.cross(d) + w0.cross(w0.cross(d))) + w_dot[i].cross(link.rho) +
                  w[i].cross(w[i].cross(link.rho));
    }
    const double m = std::sin(link.alpha), l = std::cos(link.alpha), b = link.prismatic ? 0 : link.b;
    delta[i] = Vector3(link.a, b * m, b * l) - link.rho;
    w0 = w[i], w0_dot = w_dot[i], c0_ddot = c_ddot[i], d = delta[i];
  }
  Vector tau(n);
  Vector3 f = Vector3::Zero(), moment = Vector3::Zero();
  for (int i = n - 1; i >= 0; --i) {
    const DhLink& link = arm.links[i];
    const auto rotate = [&](const Vector3& x) { return turned(Q[i], link, angle[i], x, print); };
    const bool early = print.inward_rotates_first;
    const Vector3 phi = early && i < n - 1 ? rotate(f) : f, nu = early && i < n - 1 ? rotate(moment) : moment;
    Vector3 lever = i == n - 1 ? Vector3(Vector3::Zero()) : delta[i];
    if (i < n - 1 && !print.arm_to_origin) lever += slide[i + 1] * e;
    const Vector3 F = link.mass * c_ddot[i] + phi;
    const Vector3 N =
        link.inertia * w_dot[i] + w[i].cross(link.inertia * w[i]) + nu + lever.cross(phi) + link.rho.cross(F);
    f = early ? F : rotate(F);
    moment = early ? N : rotate(N);
    tau[i] = link.prismatic ? f.z() : moment.z();
  }
  return tau;
}

class AngelesErrata : public ::testing::TestWithParam<std::string> {
 protected:
  static Model arm(const std::string& joints) {
    Builder builder(joints);
    Random random(5);
    std::string parent;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const std::string name = "link" + std::to_string(i);
      Joint joint = joints[i] == 'R' ? revolute("joint" + std::to_string(i)) : prismatic("joint" + std::to_string(i));
      joint.parent = parent;
      joint.placement.p = random.in_cube(0.5);
      joint.placement.R =
          rotation_from_rpy(random.between(0.3, 1.2), random.between(0.3, 1.2), random.between(0.3, 1.2));
      builder.add_body(name, Inertial{random.between(1, 2), random.in_cube(0.3), box_inertia(1, 0.3, 0.4, 0.5)}, joint);
      parent = name;
    }
    return builder.build();
  }
  Model model = arm(GetParam());
  Vector q = random_vector(model, 1), v = random_vector(model, 2, 2), a = random_vector(model, 3, 3);
  Vector tau = inverse_dynamics(model, q, v, a);
  DhChain dh = dh_chain(model).value();
  bool slides = GetParam().find('P') != std::string::npos;
};

TEST_P(AngelesErrata, CorrectedRecursionHolds) {
  EXPECT_CLOSE(recursion(dh, q, v, a, {}), tau, 1e-11);
  EXPECT_CLOSE(dh_newton_euler(dh.links, dh.base, q, v, a).tau, tau, 1e-11);
}

TEST_P(AngelesErrata, Algorithm742MixesFramesAsPrinted) {
  EXPECT_TRUE(clearly_differ(recursion(dh, q, v, a, {.inward_rotates_first = true}), tau));
}

// With two joints only the last link's Q is used in full, and its alpha is zero by choice of the last frame.
TEST_P(AngelesErrata, Equation724aDropsTheTwistAsPrinted) {
  EXPECT_EQ(clearly_differ(recursion(dh, q, v, a, {.turn_as_printed = true}), tau), GetParam() != "RR");
}

TEST_P(AngelesErrata, PrismaticBranchOfAlgorithm741AddsVectorsOfTwoFramesAsPrinted) {
  EXPECT_EQ(clearly_differ(recursion(dh, q, v, a, {.slide_unrotated = true}), tau), slides);
}

TEST_P(AngelesErrata, Equation738dStopsShortOfTheSlideAsPrinted) {
  EXPECT_EQ(clearly_differ(recursion(dh, q, v, a, {.arm_to_origin = true}), tau), slides);
}

INSTANTIATE_TEST_SUITE_P(Arms, AngelesErrata, ::testing::Values("RR", "RRRR", "RPRP", "RPRPR"),
                         [](const auto& arm) { return arm.param; });

}  // namespace
}  // namespace catena::test
