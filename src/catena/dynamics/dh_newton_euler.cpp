#include "catena/dynamics/dh_newton_euler.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "catena/kinematics/storage.hpp"

namespace catena {
namespace {

// Q_i: components F_{i+1} -> F_i (sheet 1.1), applied with 8 multiplications instead of 9.
struct Turn {
  double cosine, sine, lambda, mu;

  Vector3 transposed_times(const Vector3& r) const {
    const double t = r.x() * sine - r.y() * cosine;
    return {r.x() * cosine + r.y() * sine, -lambda * t + mu * r.z(), mu * t + lambda * r.z()};
  }
  Vector3 times(const Vector3& v) const {
    const double t = v.y() * lambda - v.z() * mu;
    return {v.x() * cosine - t * sine, v.x() * sine + t * cosine, v.y() * mu + v.z() * lambda};
  }
};

}  // namespace

DhResult dh_newton_euler(const std::vector<DhLink>& links, const DhBase& base, ConstVector q, ConstVector v,
                         ConstVector a, const Vector3& tip_force, const Vector3& tip_moment) {
  const int n = static_cast<int>(links.size());
  if (q.size() != n || v.size() != n || a.size() != n) {
    throw std::invalid_argument("q, v and a need one number for each of the " + std::to_string(n) + " links");
  }
  DhResult out;
  out.tau.resize(n);
  for (auto* list : {&out.force, &out.moment, &out.omega, &out.omega_dot, &out.c_dot, &out.c_ddot}) list->resize(n);
  std::vector<Turn> Q(n);
  std::vector<Vector3> delta(n);      // C_i -> O_{i+1} in F_{i+1}
  std::vector<double> slide(n, 0.0);  // b_i of prismatic joints
  const Vector3 e = Vector3::UnitZ();

  // Outward, Algorithm 7.4.1: quantities of link i in F_{i+1} from those of link i - 1 in F_i.
  Vector3 w = base.angular_velocity, w_dot = base.angular_acceleration;
  Vector3 c_dot = base.velocity, c_ddot = base.acceleration - base.gravity, arm = base.delta;
  for (int i = 0; i < n; ++i) {
    const DhLink& link = links[i];
    const double theta = link.prismatic ? link.theta : link.theta + q[i];
    Q[i] = {std::cos(theta), std::sin(theta), std::cos(link.alpha), std::sin(link.alpha)};
    if (link.prismatic) {
      slide[i] = link.b + q[i];
      const Vector3 u = Q[i].transposed_times(arm + slide[i] * e) + link.rho;
      const Vector3 coriolis(2 * v[i] * w.y(), -2 * v[i] * w.x(), 0);  // 2 b_dot w x e
      const Vector3 ascent = Q[i].transposed_times(c_ddot + a[i] * e + coriolis);
      const Vector3 speed = Q[i].transposed_times(c_dot + v[i] * e);
      w = Q[i].transposed_times(w);
      w_dot = Q[i].transposed_times(w_dot);
      const Vector3 swing = w.cross(u);
      c_dot = speed + swing;
      c_ddot = ascent + w_dot.cross(u) + w.cross(swing);
    } else {
      const Vector3 u = w.cross(arm);
      const Vector3 ascent = Q[i].transposed_times(c_ddot + w_dot.cross(arm) + w.cross(u));
      const Vector3 speed = Q[i].transposed_times(c_dot + u);
      w_dot = Q[i].transposed_times(w_dot + Vector3(w.y() * v[i], -w.x() * v[i], 0) + a[i] * e);
      w = Q[i].transposed_times(w + v[i] * e);
      const Vector3 swing = w.cross(link.rho);
      c_dot = speed + swing;
      c_ddot = ascent + w_dot.cross(link.rho) + w.cross(swing);
    }
    const Vector3 O_to_next = link.prismatic ? Vector3(link.a, 0, 0)
                                             : Vector3(link.a, link.b * Q[i].mu, link.b * Q[i].lambda);
    arm = delta[i] = O_to_next - link.rho;
    out.omega[i] = w, out.omega_dot[i] = w_dot, out.c_dot[i] = c_dot, out.c_ddot[i] = c_ddot;
  }

  // Inward, Algorithm 7.4.2: sum in F_{i+1}, then rotate to F_i.
  Vector3 phi = -tip_force, nu = -tip_moment;
  for (int i = n - 1; i >= 0; --i) {
    const DhLink& link = links[i];
    Vector3 lever = Vector3::Zero();
    if (i + 1 < n) lever = delta[i] + slide[i + 1] * e;
    const Vector3& wi = out.omega[i];
    const Vector3 F = link.mass * out.c_ddot[i] + phi;
    const Vector3 N = link.inertia * out.omega_dot[i] + wi.cross(link.inertia * wi) + nu + lever.cross(phi) +
                      link.rho.cross(F);
    phi = out.force[i] = Q[i].times(F);
    nu = out.moment[i] = Q[i].times(N);
    out.tau[i] = link.prismatic ? phi.z() : nu.z();
  }
  return out;
}

namespace {

// A frame F_i at q = 0, in the world.
Pose frame_with(const Vector3& x, const Vector3& z, const Vector3& origin) {
  Pose pose;
  pose.R << x, z.cross(x), z;
  pose.p = origin;
  return pose;
}

struct Axis {
  Vector3 point, direction;
};

struct Neighbour {
  Pose next;            // F_{i+1}
  double a, b, alpha, theta;
};

// The frame on the next axis by the common normal. Nothing when the axes are so nearly parallel that the normal's foot
// runs away and digits with it.
std::optional<Neighbour> next_frame(const Pose& frame, const Axis& next) {
  const Vector3 x = frame.R.col(0), y = frame.R.col(1), z = frame.R.col(2), d = next.point - frame.p;
  const Vector3 normal = z.cross(next.direction);
  const double sine = normal.norm(), cosine = z.dot(next.direction);
  Vector3 direction = x, foot_here = frame.p, foot_there = frame.p;
  if (sine > 1e-4) {
    direction = normal / sine;
    foot_here = frame.p + z * (d.cross(next.direction).dot(normal) / (sine * sine));
    foot_there = next.point + next.direction * (d.cross(z).dot(normal) / (sine * sine));
  } else if (sine < 1e-12) {
    const Vector3 across = d - z * z.dot(d);
    if (across.norm() > 1e-12) direction = across.normalized();
    foot_there = frame.p + across;
  } else {
    return std::nullopt;
  }
  return Neighbour{frame_with(direction, next.direction, foot_there), (foot_there - foot_here).dot(direction),
                   (foot_here - frame.p).dot(z), std::atan2(z.cross(next.direction).dot(direction), cosine),
                   std::atan2(direction.dot(y), direction.dot(x))};
}

}  // namespace

std::optional<DhChain> dh_chain(const Model& model) {
  const Tree& tree = model.tree();
  if (!tree.couplings.empty() || tree.count() < 2) return std::nullopt;
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    const bool simple = body.kind == JointKind::revolute || body.kind == JointKind::prismatic;
    if (!simple || body.parent != k - 1 || body.v != k - 1) return std::nullopt;
  }

  // Joint axes and link frames at q = 0.
  std::vector<Pose> body_pose(tree.count());
  for (int k = 1; k < tree.count(); ++k) {
    const auto& T = tree.bodies[k].placement;
    body_pose[k] = body_pose[k - 1] * Pose{kernel::eigen(T.R), kernel::eigen(T.p)};
  }
  const auto axis_of = [&](int k) { return Axis{body_pose[k].p, body_pose[k].R.col(2)}; };

  DhChain chain;
  Pose frame = frame_with(body_pose[1].R.col(0), axis_of(1).direction, axis_of(1).point);
  chain.base.gravity = frame.R.transpose() * model.gravity();
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    Neighbour next{frame, 0, 0, 0, 0};  // past the tip: the same frame
    if (k + 1 < tree.count()) {
      const auto found = next_frame(frame, axis_of(k + 1));
      if (!found) return std::nullopt;
      next = *found;
    }
    DhLink link;
    link.prismatic = body.kind == JointKind::prismatic;
    link.a = next.a, link.b = next.b, link.alpha = next.alpha, link.theta = next.theta;
    link.mass = body.M.m;
    // Inertia from the body's origin to the centre of mass, in the axes of F_{i+1}.
    const Pose in_body = body_pose[k].inverse() * next.next;
    const Vector3 h = kernel::eigen(body.M.h);
    const Vector3 c = link.mass > 0 ? Vector3(h / link.mass) : Vector3::Zero();
    const Matrix3 J = kernel::eigen(full(body.M.J));
    const Matrix3 about_c = J - link.mass * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
    link.inertia = in_body.R.transpose() * about_c * in_body.R;
    const Vector3 C = in_body.R.transpose() * (c - in_body.p);
    const double along = link.prismatic ? 0 : link.b;
    link.rho = C + Vector3(link.a, along * std::sin(link.alpha), along * std::cos(link.alpha));
    chain.links.push_back(link);
    frame = next.next;
  }
  return chain;
}

}  // namespace catena
