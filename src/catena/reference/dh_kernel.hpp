// Angeles' recursive Newton-Euler algorithm over a scalar; see dh_newton_euler.hpp. Written with Eigen's vectors on
// purpose: a check of the other inverse dynamics should not share its algebra.
#pragma once

#include <Eigen/Geometry>

#include "catena/reference/dh_newton_euler.hpp"
#include "catena/spatial/scalar.hpp"

namespace catena::kernel {

template <class S>
using Column3 = Eigen::Matrix<S, 3, 1>;

// Q_i: components F_{i+1} -> F_i (sheet 1.1), applied with 8 multiplications instead of 9.
template <class S>
struct DhTurn {
  S cosine, sine;
  double lambda, mu;

  Column3<S> transposed_times(const Column3<S>& r) const {
    const S t = r.x() * sine - r.y() * cosine;
    return {r.x() * cosine + r.y() * sine, -lambda * t + mu * r.z(), mu * t + lambda * r.z()};
  }
  Column3<S> times(const Column3<S>& v) const {
    const S t = v.y() * lambda - v.z() * mu;
    return {v.x() * cosine - t * sine, v.x() * sine + t * cosine, v.y() * mu + v.z() * lambda};
  }
};

// Of the base point C_0, in F_1; gravity subtracted from the acceleration.
template <class S>
struct DhGround {
  Vector3 delta;  // C_0 -> O_1
  Column3<S> angular_velocity, angular_acceleration, velocity, acceleration;
};

template <class S>
struct DhState {
  std::vector<DhTurn<S>> Q;
  std::vector<Vector3> delta;  // C_i -> O_{i+1} in F_{i+1}
  std::vector<S> slide;        // b_i of prismatic joints
  std::vector<Column3<S>> omega, omega_dot, c_dot, c_ddot, force, moment;

  explicit DhState(int n)
      : Q(n), delta(n), slide(n, S(0)), omega(n), omega_dot(n), c_dot(n), c_ddot(n), force(n), moment(n) {}
};

template <class S>
void dh_sweeps(const std::vector<DhLink>& links, const DhGround<S>& base, const S* q, const S* v, const S* a,
               const Column3<S>& tip_force, const Column3<S>& tip_moment, DhState<S>& out, S* tau) {
  using spatial::begin_sweep;
  using spatial::sincos;
  const int n = static_cast<int>(links.size());
  const auto along_z = [](const S& x) { return Column3<S>(S(0), S(0), x); };

  // Outward, Algorithm 7.4.1: quantities of link i in F_{i+1} from those of link i - 1 in F_i.
  begin_sweep(v, "outward");
  Column3<S> w = base.angular_velocity, w_dot = base.angular_acceleration;
  Column3<S> c_dot = base.velocity, c_ddot = base.acceleration, arm = base.delta.template cast<S>();
  for (int i = 0; i < n; ++i) {
    const DhLink& link = links[i];
    const Column3<S> rho = link.rho.template cast<S>();
    DhTurn<S>& Q = out.Q[i];
    Q.lambda = std::cos(link.alpha), Q.mu = std::sin(link.alpha);
    const S theta = link.prismatic ? S(link.theta) : S(q[i] + link.theta);
    sincos(theta, Q.sine, Q.cosine);
    if (link.prismatic) {
      out.slide[i] = q[i] + link.b;
      const Column3<S> u = Q.transposed_times(arm + along_z(out.slide[i])) + rho;
      const S twice = v[i] * 2.0;
      const Column3<S> coriolis(twice * w.y(), -(twice * w.x()), S(0));  // 2 b_dot w x e
      const Column3<S> ascent = Q.transposed_times(c_ddot + along_z(a[i]) + coriolis);
      const Column3<S> speed = Q.transposed_times(c_dot + along_z(v[i]));
      w = Q.transposed_times(w);
      w_dot = Q.transposed_times(w_dot);
      const Column3<S> swing = w.cross(u);
      c_dot = speed + swing;
      c_ddot = ascent + w_dot.cross(u) + w.cross(swing);
    } else {
      const Column3<S> u = w.cross(arm);
      const Column3<S> ascent = Q.transposed_times(c_ddot + w_dot.cross(arm) + w.cross(u));
      const Column3<S> speed = Q.transposed_times(c_dot + u);
      w_dot = Q.transposed_times(w_dot + Column3<S>(w.y() * v[i], -(w.x() * v[i]), a[i]));
      w = Q.transposed_times(w + along_z(v[i]));
      const Column3<S> swing = w.cross(rho);
      c_dot = speed + swing;
      c_ddot = ascent + w_dot.cross(rho) + w.cross(swing);
    }
    const Vector3 O_to_next =
        link.prismatic ? Vector3(link.a, 0, 0) : Vector3(link.a, link.b * Q.mu, link.b * Q.lambda);
    out.delta[i] = O_to_next - link.rho;
    arm = out.delta[i].template cast<S>();
    out.omega[i] = w, out.omega_dot[i] = w_dot, out.c_dot[i] = c_dot, out.c_ddot[i] = c_ddot;
  }

  // Inward, Algorithm 7.4.2: sum in F_{i+1}, then rotate to F_i.
  begin_sweep(v, "inward");
  Column3<S> phi = -tip_force, nu = -tip_moment;
  for (int i = n - 1; i >= 0; --i) {
    const DhLink& link = links[i];
    const Column3<S> rho = link.rho.template cast<S>();
    const Eigen::Matrix<S, 3, 3> inertia = link.inertia.template cast<S>();
    Column3<S> lever(S(0), S(0), S(0));
    if (i + 1 < n) lever = out.delta[i].template cast<S>() + along_z(out.slide[i + 1]);
    const Column3<S>& wi = out.omega[i];
    const Column3<S> momentum = inertia * wi, F = out.c_ddot[i] * S(link.mass) + phi;
    const Column3<S> N = inertia * out.omega_dot[i] + wi.cross(momentum) + nu + lever.cross(phi) + rho.cross(F);
    phi = out.force[i] = out.Q[i].times(F);
    nu = out.moment[i] = out.Q[i].times(N);
    tau[i] = link.prismatic ? phi.z() : nu.z();
  }
}

}  // namespace catena::kernel
