// Angeles' recursive Newton-Euler algorithm over a scalar; see dh_newton_euler.hpp. Written with Eigen's vectors on
// purpose: a check of the other inverse dynamics should not share its algebra.
#pragma once

#include "catena/reference/columns.hpp"
#include "catena/reference/dh_newton_euler.hpp"

namespace catena::kernel {

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
  Square3<S> entries() const {
    Square3<S> Q;
    Q << cosine, -lambda * sine, mu * sine, sine, lambda * cosine, -mu * cosine, S(0), S(mu), S(lambda);
    return Q;
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

// What Tables 7.1 and 7.2 count as a row is marked with the quantity, inward with the number of its line in
// Algorithm 7.4.2.
template <class S>
void dh_sweeps(const std::vector<DhLink>& links, const DhGround<S>& base, const S* q, const S* v, const S* a,
               const Column3<S>& tip_force, const Column3<S>& tip_moment, DhState<S>& out, S* tau) {
  using spatial::sincos;
  const int n = static_cast<int>(links.size());
  const auto along_z = [](const S& x) { return Column3<S>(S(0), S(0), x); };

  // Outward, Algorithm 7.4.1: quantities of link i in F_{i+1} from those of link i - 1 in F_i.
  Column3<S> w = base.angular_velocity, w_dot = base.angular_acceleration;
  Column3<S> c_dot = base.velocity, c_ddot = base.acceleration, arm = base.delta.template cast<S>();
  for (int i = 0; i < n; ++i) {
    const DhLink& link = links[i];
    const Column3<S> rho = link.rho.template cast<S>();
    DhTurn<S>& Q = out.Q[i];
    Q.lambda = std::cos(link.alpha), Q.mu = std::sin(link.alpha);
    begin_sweep(v, "sines and cosines");
    const S theta = link.prismatic ? S(link.theta) : S(q[i] + link.theta);
    sincos(theta, Q.sine, Q.cosine);
    if (link.prismatic) {
      begin_sweep(v, "u");
      out.slide[i] = q[i] + link.b;
      const Column3<S> u = Q.transposed_times(arm + along_z(out.slide[i])) + rho;
      begin_sweep(v, "c̈");
      const S twice = v[i] * 2.0;
      const Column3<S> coriolis(twice * w.y(), -(twice * w.x()), S(0));  // 2 b_dot w x e
      const Column3<S> ascent = Q.transposed_times(c_ddot + along_z(a[i]) + coriolis);
      begin_sweep(v, "ċ");
      const Column3<S> speed = Q.transposed_times(c_dot + along_z(v[i]));
      begin_sweep(v, "ω");
      w = Q.transposed_times(w);
      begin_sweep(v, "ω̇");
      w_dot = Q.transposed_times(w_dot);
      begin_sweep(v, "ċ");
      const Column3<S> swing = w.cross(u);
      c_dot = speed + swing;
      begin_sweep(v, "c̈");
      c_ddot = ascent + w_dot.cross(u) + w.cross(swing);
    } else {
      begin_sweep(v, "ċ");
      const Column3<S> u = w.cross(arm);
      const Column3<S> speed = Q.transposed_times(c_dot + u);
      begin_sweep(v, "c̈");
      const Column3<S> ascent = Q.transposed_times(c_ddot + w_dot.cross(arm) + w.cross(u));
      begin_sweep(v, "ω̇");
      w_dot = Q.transposed_times(w_dot + Column3<S>(w.y() * v[i], -(w.x() * v[i]), a[i]));
      begin_sweep(v, "ω");
      w = Q.transposed_times(w + along_z(v[i]));
      begin_sweep(v, "ċ");
      const Column3<S> swing = w.cross(rho);
      c_dot = speed + swing;
      begin_sweep(v, "c̈");
      c_ddot = ascent + w_dot.cross(rho) + w.cross(swing);
    }
    out.delta[i] = link.delta();
    arm = out.delta[i].template cast<S>();
    out.omega[i] = w, out.omega_dot[i] = w_dot, out.c_dot[i] = c_dot, out.c_ddot[i] = c_ddot;
  }

  // Inward, Algorithm 7.4.2: sum in F_{i+1}, then rotate to F_i.
  Column3<S> phi = -tip_force, nu = -tip_moment;
  for (int i = n - 1; i >= 0; --i) {
    const DhLink& link = links[i];
    const bool last = i + 1 == n;
    const Column3<S> rho = link.rho.template cast<S>();
    const Eigen::Matrix<S, 3, 3> inertia = link.inertia.template cast<S>();
    begin_sweep(v, last ? "1: f of the last link" : "6: f");
    const Column3<S> F = out.c_ddot[i] * S(link.mass) + phi;
    begin_sweep(v, last ? "2: n of the last link" : "7: n");
    Column3<S> lever(S(0), S(0), S(0));
    if (!last) lever = out.delta[i].template cast<S>() + along_z(out.slide[i + 1]);
    const Column3<S>& wi = out.omega[i];
    const Column3<S> momentum = inertia * wi;
    const Column3<S> N = inertia * out.omega_dot[i] + wi.cross(momentum) + nu + lever.cross(phi) + rho.cross(F);
    begin_sweep(v, i == 0 ? "wrench on the base" : "5: Q f");
    phi = out.force[i] = out.Q[i].times(F);
    begin_sweep(v, i == 0 ? "wrench on the base" : "7: n");
    nu = out.moment[i] = out.Q[i].times(N);
    tau[i] = link.prismatic ? phi.z() : nu.z();
  }
}

// The rows of Algorithm 7.4.1 that tau does not need: Q_i itself and the mass centres c_i, in F_{i+1} from c_0 in F_1.
template <class S>
std::vector<Column3<S>> dh_positions(const std::vector<DhLink>& links, const Vector3& delta_0, const Column3<S>& c_0,
                                     const S* q) {
  using spatial::sincos;
  std::vector<Column3<S>> out;
  Column3<S> c = c_0, arm = delta_0.template cast<S>();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const DhLink& link = links[i];
    begin_sweep(q, "Q");
    DhTurn<S> Q{S(0), S(0), std::cos(link.alpha), std::sin(link.alpha)};
    sincos(link.prismatic ? S(link.theta) : S(q[i] + link.theta), Q.sine, Q.cosine);
    (void)Q.entries();
    begin_sweep(q, "c");
    const Column3<S> rho = link.rho.template cast<S>();
    if (link.prismatic) {
      const Column3<S> u = Q.transposed_times(arm + Column3<S>(S(0), S(0), q[i] + link.b)) + rho;
      c = Q.transposed_times(c) + u;
    } else {
      c = Q.transposed_times(c + arm) + rho;
    }
    out.push_back(c);
    arm = link.delta().template cast<S>();
  }
  return out;
}

}  // namespace catena::kernel
