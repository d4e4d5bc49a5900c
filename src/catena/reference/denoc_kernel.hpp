// Saha's O(n) recursions over a scalar: inverse dynamics, reverse Gaussian elimination, accelerations in three steps.
// Source: [001] sec. 5.1, (33)-(37), (40)-(55); formula sheet 2.3, 2.4. Twists [w; c_dot] and wrenches [moment; force]
// at the mass centres, as in the paper in the axes of their link, where p and M are constant. A joint of several degrees
// of freedom is what the paper makes of it: several of one, between bodies without extent; its columns are eliminated
// one by one, the last first.
#pragma once

#include "catena/model/tree.hpp"
#include "catena/reference/columns.hpp"

namespace catena::kernel {

// B of each link: to its axes, from the parent's mass centre to its own; and what is constant there.
template <class S>
struct DenocLinks {
  std::vector<Square3<S>> R;    // link -> parent
  std::vector<Column3<S>> arm;  // c - c_parent, in the link's axes
  std::vector<Six<S>> p;        // one per velocity component
  std::vector<Column3<S>> c;    // mass centres in the links' frames
  std::vector<Square3<S>> inertia;
  std::vector<S> mass;

  // any_state: for the tally of a counting scalar.
  DenocLinks(const Tree& tree, const std::vector<Transform<S>>& X, const S* any_state)
      : R(tree.count()),
        arm(tree.count()),
        p(tree.nv_full, Six<S>::zero()),
        c(tree.count(), Six<S>::zero().a),
        inertia(tree.count()),
        mass(tree.count(), S(0)) {
    begin_sweep(any_state, "arms");
    for (int k = 1; k < tree.count(); ++k) {
      const TreeBody& body = tree.bodies[k];
      const CentralInertia own = central(tree.inertias[k].M);
      mass[k] = S(own.mass), c[k] = own.c.template cast<S>(), inertia[k] = own.inertia.template cast<S>();
      R[k] = square(X[k].R);
      arm[k] = R[k].transpose() * (column(X[k].p) - c[body.parent]) + c[k];
      visit(body, [&](auto joint) {
        for (int i = 0; i < joint.d; ++i) {
          const Motion<double> H = joint.template unit<double>(body, i);
          const Eigen::Vector3d w = column(H.w), v = column(H.v) - own.c.cross(w);
          p[body.v + i] = {w.template cast<S>(), v.template cast<S>()};
        }
      });
    }
  }

  // B' f: to the parent's axes, moments about its mass centre
  Six<S> inward(int k, const Six<S>& f) const { return {R[k] * (f.a + arm[k].cross(f.b)), R[k] * f.b}; }
  // B t
  Six<S> outward(int k, const Six<S>& t) const {
    const Column3<S> w = R[k].transpose() * t.a;
    return {w, R[k].transpose() * t.b + w.cross(arm[k])};
  }
};

// tau of the bodies, sec. 5.1. t_0, xi_0: twist and twist rate of the ground at its origin, gravity subtracted; a may be
// null for zero, so may f_ext: wrenches on the bodies at their frames' origins.
template <class S>
void denoc_inverse(const Tree& tree, const DenocLinks<S>& links, const S* v, const S* a, const Six<S>& t_0,
                   const Six<S>& xi_0, const Force<S>* f_ext, S* tau) {
  const int count = tree.count();
  std::vector<Six<S>> t(count), xi(count), gamma(count, Six<S>::zero());
  t[0] = t_0, xi[0] = xi_0;

  // outward:  t = p v + B t_parent     xi = p a + Omega p v + B xi_parent + B_dot t_parent
  begin_sweep(v, "outward: twists and their rates");
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    Six<S> joint = Six<S>::zero(), joint_rate = Six<S>::zero();  // p v, p a
    for (int i = body.v; i < body.v + velocity_count(body); ++i) {
      joint.add(links.p[i], v[i]);
      if (a != nullptr) joint_rate.add(links.p[i], a[i]);
    }
    const Six<S>& before = t[body.parent];
    const Six<S> carried_rate = links.outward(k, xi[body.parent]);
    const Column3<S> w = links.R[k].transpose() * before.a;
    const Column3<S> c_dot = w.cross(links.arm[k]) + joint.b;  // less the parent's
    t[k] = {w + joint.a, links.R[k].transpose() * before.b + c_dot};
    xi[k] = {carried_rate.a + t[k].a.cross(joint.a) + joint_rate.a,
             carried_rate.b + w.cross(c_dot) + t[k].a.cross(joint.b) + joint_rate.b};
  }

  // inward:  gamma = M xi + M_dot t - w + sum B' gamma     tau = p' gamma
  begin_sweep(v, "inward: wrenches");
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    const Column3<S> momentum = links.inertia[k] * t[k].a;
    gamma[k].a += links.inertia[k] * xi[k].a + t[k].a.cross(momentum);
    gamma[k].b += xi[k].b * links.mass[k];
    if (f_ext != nullptr) {
      const Column3<S> force = column(f_ext[k].f);
      gamma[k].a -= column(f_ext[k].n) - links.c[k].cross(force);
      gamma[k].b -= force;
    }
    for (int i = body.v; i < body.v + velocity_count(body); ++i) tau[i] = dot(links.p[i], gamma[k]);
    if (body.parent > 0) gamma[body.parent] += links.inward(k, gamma[k]);
  }
}

// [J C; C' M]
template <class S>
struct CentredInertia {
  Square3<S> J, C, M;

  Six<S> operator*(const Six<S>& x) const { return {J * x.a + C * x.b, C.transpose() * x.a + M * x.b}; }
  void subtract(const Six<S>& x, const Six<S>& y) {  // x y', known to be symmetric
    J = symmetric<S>([&](int r, int c) { return S(J(r, c) - x.a[r] * y.a[c]); });
    C -= x.a * y.b.transpose();
    M = symmetric<S>([&](int r, int c) { return S(M(r, c) - x.b[r] * y.b[c]); });
  }
};
// B' M B
template <class S>
CentredInertia<S> carried(const DenocLinks<S>& links, int k, const CentredInertia<S>& x) {
  const Column3<S>& arm = links.arm[k];
  Square3<S> C;
  for (int c = 0; c < 3; ++c) C.col(c) = x.C.col(c) + arm.cross(Column3<S>(x.M.col(c)));
  const Square3<S> J = symmetric<S>([&](int r, int c) {  // J + [arm]x C' - (C + [arm]x M) [arm]x
    return S(x.J(r, c) + cross_component<S>(arm, x.C.row(c).transpose(), r) +
             cross_component<S>(arm, C.row(r).transpose(), c));
  });
  return {turned_symmetric(links.R[k], J), turned(links.R[k], C), turned_symmetric(links.R[k], x.M)};
}

template <class S>
struct DenocElimination {
  std::vector<CentredInertia<S>> M_hat;  // all columns beyond the body eliminated
  std::vector<Six<S>> psi;               // by velocity component
  std::vector<S> m_inverse;
  int singular_body = 0;  // whose pivot is not safe, 0 if none
};
// inward:  psi^ = M^ p     m^ = p' psi^ + armature     psi = psi^ / m^     M^_parent += B' (M^ - psi^ psi') B
template <class S>
DenocElimination<S> denoc_eliminate(const Tree& tree, const DenocLinks<S>& links, const S* any_state) {
  const Square3<S> zero = Square3<S>::Constant(S(0));
  DenocElimination<S> out{{}, std::vector<Six<S>>(tree.nv_full), std::vector<S>(tree.nv_full, S(0))};
  for (int k = 0; k < tree.count(); ++k) {
    out.M_hat.push_back({zero, zero, zero});
    if (k == 0) continue;
    out.M_hat[k].J = links.inertia[k];
    for (int i = 0; i < 3; ++i) out.M_hat[k].M(i, i) = links.mass[k];
  }
  begin_sweep(any_state, "inward: elimination");
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    CentredInertia<S> left = out.M_hat[k];
    for (int i = body.v + velocity_count(body) - 1; i >= body.v; --i) {
      const Six<S> psi_hat = left * links.p[i];
      const S m_hat = dot(links.p[i], psi_hat) + tree.terms[i].armature;
      if constexpr (spatial::is_number<S>) {
        if (!(m_hat > tree.pivot_floor[i]) && out.singular_body == 0) out.singular_body = k;
      }
      out.m_inverse[i] = S(1) / m_hat;
      out.psi[i] = {psi_hat.a * out.m_inverse[i], psi_hat.b * out.m_inverse[i]};
      if (i > body.v || body.parent > 0) left.subtract(psi_hat, out.psi[i]);
    }
    if (body.parent == 0) continue;
    const CentredInertia<S> to_parent = carried(links, k, left);
    CentredInertia<S>& parent = out.M_hat[body.parent];
    parent.J = symmetric<S>([&](int r, int c) { return S(parent.J(r, c) + to_parent.J(r, c)); });
    parent.C += to_parent.C;
    parent.M = symmetric<S>([&](int r, int c) { return S(parent.M(r, c) + to_parent.M(r, c)); });
  }
  return out;
}

// U D U' x = phi; x may be phi.
template <class S>
void denoc_solve(const Tree& tree, const DenocLinks<S>& links, const DenocElimination<S>& factors, const S* phi, S* x) {
  std::vector<Six<S>> eta(tree.count(), Six<S>::zero()), mu = eta;
  // inward:  tau^ = phi - p' eta     eta_parent += B' (psi tau^ + eta)     tau~ = tau^ / m^
  begin_sweep(phi, "inward: tau^ and tau~");
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    for (int i = body.v + velocity_count(body) - 1; i >= body.v; --i) {
      const S tau_hat = phi[i] - dot(links.p[i], eta[k]);
      if (i > body.v || body.parent > 0) eta[k].add(factors.psi[i], tau_hat);
      x[i] = tau_hat * factors.m_inverse[i];
    }
    if (body.parent > 0) eta[body.parent] += links.inward(k, eta[k]);
  }
  // outward:  mu = B mu_parent     x = tau~ - psi' mu     mu += p x
  begin_sweep(phi, "outward: accelerations");
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    if (body.parent > 0) mu[k] = links.outward(k, mu[body.parent]);
    for (int i = body.v; i < body.v + velocity_count(body); ++i) {
      x[i] -= dot(factors.psi[i], mu[k]);
      mu[k].add(links.p[i], x[i]);
    }
  }
}

}  // namespace catena::kernel
