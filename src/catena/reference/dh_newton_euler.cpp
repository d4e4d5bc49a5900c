#include "catena/reference/dh_newton_euler.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "catena/kinematics/storage.hpp"
#include "catena/reference/dh_kernel.hpp"

namespace catena {

Vector3 DhLink::delta() const {
  return Vector3(a, prismatic ? 0 : b * std::sin(alpha), prismatic ? 0 : b * std::cos(alpha)) - rho;
}

DhResult dh_newton_euler(const std::vector<DhLink>& links, const DhBase& base, ConstVector q, ConstVector v,
                         ConstVector a, const Vector3& tip_force, const Vector3& tip_moment) {
  const int n = static_cast<int>(links.size());
  if (q.size() != n || v.size() != n || a.size() != n) {
    throw std::invalid_argument("q, v and a need one number for each of the " + std::to_string(n) + " links");
  }
  kernel::DhState<double> state(n);
  const kernel::DhGround<double> ground = {base.delta, base.angular_velocity, base.angular_acceleration, base.velocity,
                                           base.acceleration - base.gravity};
  DhResult out;
  out.tau.resize(n);
  kernel::dh_sweeps(links, ground, q.data(), v.data(), a.data(), tip_force, tip_moment, state, out.tau.data());
  out.force = std::move(state.force), out.moment = std::move(state.moment);
  out.omega = std::move(state.omega), out.omega_dot = std::move(state.omega_dot);
  out.c_dot = std::move(state.c_dot), out.c_ddot = std::move(state.c_ddot);
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
  Pose next;  // F_{i+1}
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
    const bool simple = kernel::is<kernel::Revolute>(body) || kernel::is<kernel::Prismatic>(body);
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
  chain.first = frame;
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
    link.prismatic = kernel::is<kernel::Prismatic>(body);
    link.a = next.a, link.b = next.b, link.alpha = next.alpha, link.theta = next.theta;
    const spatial::Inertia<double>& M = tree.inertias[k].M;
    link.mass = M.m;
    // Inertia from the body's origin to the centre of mass, in the axes of F_{i+1}.
    const Pose in_body = body_pose[k].inverse() * next.next;
    const Vector3 h = kernel::eigen(M.h);
    const Vector3 c = link.mass > 0 ? Vector3(h / link.mass) : Vector3::Zero();
    const Matrix3 J = kernel::eigen(spatial::full(M.J));
    const Matrix3 about_c = J - link.mass * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
    link.inertia = in_body.R.transpose() * about_c * in_body.R;
    const Vector3 C = in_body.R.transpose() * (c - in_body.p);
    const double along = link.prismatic ? 0 : link.b;
    link.rho = C + Vector3(link.a, along * std::sin(link.alpha), along * std::cos(link.alpha));
    chain.links.push_back(link);
    frame = next.next;
  }
  const int last = tree.count() - 1;
  const Pose link_in_frame = frame.inverse() * body_pose[last];
  for (int f = 0; f < model.frame_count(); ++f) {
    const TreeFrame& tool = tree.frames[f];
    if (tool.body == last)
      chain.tools.push_back({f, link_in_frame * Pose{kernel::eigen(tool.pose.R), kernel::eigen(tool.pose.p)}});
  }
  return chain;
}

Pose dh_tip(const DhChain& chain, ConstVector q) {
  if (q.size() != static_cast<Eigen::Index>(chain.links.size())) {
    throw std::invalid_argument("q needs one number for each of the " + std::to_string(chain.links.size()) + " links");
  }
  Pose out = chain.first;
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const DhLink& link = chain.links[i];
    const double q_i = q[static_cast<Eigen::Index>(i)];
    Pose turned, shifted;
    turned.R = rotation_about(Vector3::UnitZ(), link.theta + (link.prismatic ? 0 : q_i));
    shifted.R = rotation_about(Vector3::UnitX(), link.alpha);
    shifted.p = Vector3(link.a, 0, link.b + (link.prismatic ? q_i : 0));
    out = out * turned * shifted;
  }
  return out;
}

}  // namespace catena
