// Both equations of motion term by term, forward dynamics in quasi-velocities: formula sheet 4.6, 4.7, 4.9, 5.
#include <algorithm>

#include "catena/diagonal/storage.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/kinematics/storage.hpp"

namespace catena {

using namespace kernel;

namespace {

// V, s and the rate of P at (q, v); v of the model (no mimic joints here).
void update_rates(DiagonalForm::Storage& x, Vector& v, Vector& xi, bool from_xi, const ExternalLoads& loads) {
  const Tree& tree = x.tree();
  Workspace::Storage& work = x.work();
  if (from_xi) {
    quasi_velocity_sweep<true>(tree, work.links.X, work.articulated, in_reduced_frame(x.model, base_velocity(loads)),
                               v.data(), xi.data(), x.diagonal);
  } else {
    quasi_velocity_sweep<false>(tree, work.links.X, work.articulated, in_reduced_frame(x.model, base_velocity(loads)),
                                v.data(), xi.data(), x.diagonal);
  }
  riccati_rate_sweep(tree, work.links.X, work.articulated, v.data(), x.diagonal);
}

// On the bodies, in reduced frames; null when there are none.
const Force<double>* wrenches(DiagonalForm::Storage& x, const ExternalLoads& loads) {
  if (loads.wrenches.empty()) return nullptr;
  update_positions(x.model.tree(), x.work().q.data(), x.work().positions);
  return in_reduced_frames(x.model, collect_wrenches(x.model, loads, x.work()));
}

QuasiAcceleration forward_quasi(const DiagonalForm& form, ConstVector q, Vector xi, ConstVector tau,
                                const ExternalLoads& loads) {
  DiagonalForm::Storage& x = form.storage();
  const Tree& tree = x.tree();
  Workspace::Storage& work = x.work();
  Vector v(tree.nv), rate(tree.nv);
  update_rates(x, v, xi, true, loads);
  const Vector drive = tau - joint_forces(x.model, q, v);
  Vector unused(tree.nv);
  gravity_xi_sweep(tree, work.links.X, work.articulated, tree.gravity, work.articulated.alpha, unused.data());
  forward_xi_sweep(tree, work.links.X, work.articulated, drive.data(), wrenches(x, loads), work.articulated.alpha,
                   x.diagonal, rate.data());
  return {v, rate};
}

// The form is at q already.
DiagonalTerms terms_at(const DiagonalForm& form, ConstVector q, ConstVector v, ConstVector tau,
                       const ExternalLoads& loads) {
  DiagonalForm::Storage& x = form.storage();
  const Model& model = x.model;
  require_velocity(model, v, "v");
  require_velocity(model, tau, "tau");
  if (model.has_couplings()) return diagonal_terms_dense(form, q, v, tau, loads);

  const Tree& tree = x.tree();
  Workspace::Storage& work = x.work();
  const int n = model.nv();
  DiagonalTerms out;
  out.kappa = form.kappa(tau);
  out.xi.resize(n), out.C_xi.resize(n), out.G_xi.resize(n);
  Vector velocity = v;
  update_rates(x, velocity, out.xi, false, loads);
  constexpr const Force<double>* no_wrenches = nullptr;
  coriolis_xi_sweep(tree, work.links.X, work.articulated, no_wrenches, x.diagonal, out.C_xi.data());
  gravity_xi_sweep(tree, work.links.X, work.articulated, tree.gravity, work.articulated.alpha, out.G_xi.data());
  // Joint forces act like tau; wrenches like tau too, through the bodies: both go through U^-1.
  ExternalLoads at_rest;
  at_rest.wrenches = loads.wrenches;
  const Vector zero = Vector::Zero(n);
  Vector passive = joint_forces(model, q, v);
  if (!at_rest.wrenches.empty()) {
    passive += inverse_dynamics(model, q, zero, zero, at_rest) - inverse_dynamics(model, q, zero, zero);
  }
  out.F_xi = form.kappa(passive);

  const auto normalized = [&](Vector kappa_like) {
    rescale<Scaling::kappa_to_epsilon>(tree, work.articulated, x.diagonal, kappa_like.data());
    return kappa_like;
  };
  out.nu = out.xi;
  rescale<Scaling::xi_to_nu>(tree, work.articulated, x.diagonal, out.nu.data());
  out.epsilon = normalized(out.kappa);
  out.G_nu = normalized(out.G_xi);
  out.F_nu = normalized(out.F_xi);
  out.C_nu = out.C_xi;
  coriolis_nu_from_xi(tree, work.articulated, x.diagonal, out.xi.data(), out.C_nu.data());
  out.nu_dot = out.epsilon - out.C_nu - out.G_nu - out.F_nu;
  // D^-1 = S^-T S^-1
  out.xi_dot = normalized(out.kappa - out.C_xi - out.G_xi - out.F_xi);
  rescale<Scaling::nu_to_xi>(tree, work.articulated, x.diagonal, out.xi_dot.data());
  return out;
}

}  // namespace

DiagonalTerms diagonal_terms(DiagonalForm& form, ConstVector q, ConstVector v, ConstVector tau,
                             const ExternalLoads& loads) {
  form.update(q);
  return terms_at(form, q, v, tau, loads);
}
DiagonalTerms diagonal_terms(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                             const ExternalLoads& loads) {
  return terms_at(DiagonalForm(model, q), q, v, tau, loads);
}

QuasiAcceleration forward_dynamics_xi(DiagonalForm& form, ConstVector q, ConstVector xi, ConstVector tau,
                                      const ExternalLoads& loads) {
  const Model& model = form.storage().model;
  require_velocity(model, xi, "xi");
  require_velocity(model, tau, "tau");
  form.update(q);
  if (!model.has_couplings()) return forward_quasi(form, q, xi, tau, loads);
  const Vector v = form.velocity_from_xi(xi);
  return {v, diagonal_terms_dense(form, q, v, tau, loads).xi_dot};
}
QuasiAcceleration forward_dynamics_xi(const Model& model, ConstVector q, ConstVector xi, ConstVector tau,
                                      const ExternalLoads& loads) {
  DiagonalForm form(model);
  return forward_dynamics_xi(form, q, xi, tau, loads);
}

QuasiAcceleration forward_dynamics_nu(DiagonalForm& form, ConstVector q, ConstVector nu, ConstVector tau,
                                      const ExternalLoads& loads) {
  DiagonalForm::Storage& x = form.storage();
  require_velocity(x.model, nu, "nu");
  require_velocity(x.model, tau, "tau");
  form.update(q);
  if (x.dense()) {
    const Vector v = form.velocity_from_nu(nu);
    return {v, diagonal_terms_dense(form, q, v, tau, loads).nu_dot};
  }
  const Tree& tree = x.tree();
  const Articulated<double>& art = x.work().articulated;
  Vector xi = nu;
  rescale<Scaling::nu_to_xi>(tree, art, x.diagonal, xi.data());
  QuasiAcceleration out = forward_quasi(form, q, xi, tau, loads);
  // nu_dot = S' xi_dot + S_dot' xi, and C_nu without C_xi is -S_dot' xi
  rescale<Scaling::xi_to_nu>(tree, art, x.diagonal, out.rate.data());
  Vector turned = Vector::Zero(nu.size());
  coriolis_nu_from_xi(tree, art, x.diagonal, xi.data(), turned.data());
  out.rate -= turned;
  return out;
}
QuasiAcceleration forward_dynamics_nu(const Model& model, ConstVector q, ConstVector nu, ConstVector tau,
                                      const ExternalLoads& loads) {
  DiagonalForm form(model);
  return forward_dynamics_nu(form, q, nu, tau, loads);
}

// xi_dot = v_dot + G_ring' V+ + G' (X alpha_parent + s) with the true acceleration, gravity not subtracted (sheet 4.9):
// outward, the acceleration of each body is known when its joint's turn comes.
Vector forward_dynamics_diagonal(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                 const ExternalLoads& loads) {
  require_velocity(model, v, "v");
  const DiagonalForm form(model, q);
  if (model.has_couplings()) {
    DiagonalForm::Storage& x = form.storage();
    // D U' a = kappa - U^-1 (c + g + f): the dense factors solve directly
    const Vector bias = bias_forces(model, q, v, loads);
    const Vector right = form.kappa(Vector(tau - bias));
    return form.velocity_from_xi(Vector(right.cwiseQuotient(x.pivot)));
  }
  DiagonalForm::Storage& x = form.storage();
  const Tree& tree = x.tree();
  Workspace::Storage& work = x.work();
  Vector velocity = v, xi(model.nv()), a(model.nv());
  update_rates(x, velocity, xi, false, loads);
  const QuasiAcceleration quasi = forward_quasi(form, q, xi, tau, loads);
  const BaseMotion& base = loads.base;
  std::vector<Motion<double>>& alpha = work.articulated.alpha;
  alpha[0] = in_reduced_frame(
      model, ground_acceleration(base.angular_velocity, base.velocity, base.angular_acceleration, base.acceleration));
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    alpha[k] = apply(work.links.X[k], alpha[body.parent]) + x.diagonal.s[k];
    visit(body, [&](auto joint) {
      constexpr int d = decltype(joint)::d;
      double turn[d], turned[d], carried[d];
      riccati_turn(joint, body, work.articulated, x.diagonal, k, turn);  // D G_ring' V+ = H' P_ring tau_bar' V+
      solve_joint<d>(triangle(work.articulated, body), work.articulated.D_inv.data() + body.v, turn, turned);
      gain_times<d>(work.articulated, body, alpha[k], carried);
      for (int i = 0; i < d; ++i) a[body.v + i] = quasi.rate[body.v + i] - turned[i] - carried[i];
      joint.add(body, alpha[k], a.data() + body.v);
    });
  }
  return a;
}

}  // namespace catena
