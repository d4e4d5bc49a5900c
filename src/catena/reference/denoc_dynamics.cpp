// The recursions of the decoupled complement: inverse dynamics, elimination, forward dynamics in three steps.
// Source: [001] sec. 5.1, (33)-(37), appendix B; formula sheet 2.3, 2.4.
#include "catena/dynamics/inverse.hpp"
#include "catena/reference/denoc.hpp"
#include "catena/reference/dense.hpp"

namespace catena {

using namespace kernel;

// outward:  xi = p a + Omega p v + B xi_parent + B_dot t_parent     (the ground's xi carries -g and the base's motion)
// inward:   gamma = M xi + M_dot t - w + sum B' gamma     tau = p' gamma
Vector Denoc::inverse_dynamics(ConstVector a) const {
  require_velocity(model_, a, "a");
  std::vector<Vector6> xi(count()), gamma(count(), Vector6::Zero());
  xi[0] = base_acceleration_;
  for (int i = 1; i < count(); ++i) {
    const CentredBody& body = bodies_[i];
    const CentredBody& parent = bodies_[body.parent];
    const Matrix6 link = B(i, body.parent);
    const Vector6 joint_twist = body.t - link * parent.t;  // p v
    xi[i] = body.p * a.segment(body.v, body.p.cols()) + Omega(i) * joint_twist + link * xi[body.parent] +
            B_dot(i, body.parent) * parent.t;
    gamma[i] = body.M() * xi[i] + M_dot(i) * body.t - body.w;
  }
  return generalized_force(gamma);
}

// inward:  psi^ = M^ p     m^ = p' psi^ + armature     psi = psi^ m^-1     M^_parent += B' (M^ - psi^ psi') B
DenocFactors Denoc::eliminate() const {
  DenocFactors out;
  out.M_hat.assign(count(), Matrix6::Zero());
  out.psi_hat.resize(count());
  out.m_hat.resize(count());
  out.psi.resize(count());
  for (int i = 1; i < count(); ++i) out.M_hat[i] = bodies_[i].M();
  for (int i = count() - 1; i > 0; --i) {
    const CentredBody& body = bodies_[i];
    out.psi_hat[i] = out.M_hat[i] * body.p;
    out.m_hat[i] = body.p.transpose() * out.psi_hat[i];
    for (Eigen::Index c = 0; c < body.p.cols(); ++c) {
      out.m_hat[i](c, c) += model_.tree().terms[body.v + c].armature;
    }
    const Matrix S = factor_joint_inertia(model_, i, out.m_hat[i]);
    const auto L = S.triangularView<Eigen::Lower>();
    const Matrix half = L.solve(out.psi_hat[i].transpose());  // m^ = S S'
    out.psi[i] = L.transpose().solve(half).transpose();
    const Matrix6 link = B(i, body.parent);
    const Matrix6 left = out.M_hat[i] - half.transpose() * half;
    if (body.parent > 0) out.M_hat[body.parent] += link.transpose() * left * link;
  }
  return out;
}

Matrix Denoc::psi(const DenocFactors& factors, int i, int k) const { return B(k, i).transpose() * factors.psi[k]; }
Matrix Denoc::alpha(const DenocFactors& factors, int i, int k) const { return p(i).transpose() * psi(factors, i, k); }

Matrix Denoc::U(const DenocFactors& factors) const {
  Matrix U = Matrix::Identity(model_.nv(), model_.nv());
  for (int k = 1; k < count(); ++k) {
    for (int i = bodies_[k].parent; i > 0; i = bodies_[i].parent) {
      U.block(bodies_[i].v, bodies_[k].v, p(i).cols(), p(k).cols()) = alpha(factors, i, k);
    }
  }
  return U;
}

Matrix Denoc::D(const DenocFactors& factors) const {
  Matrix D = Matrix::Zero(model_.nv(), model_.nv());
  for (int k = 1; k < count(); ++k) {
    D.block(bodies_[k].v, bodies_[k].v, p(k).cols(), p(k).cols()) = factors.m_hat[k];
  }
  return D;
}

Vector Denoc::solve(const DenocFactors& factors, ConstVector phi) const {
  require_velocity(model_, phi, "phi");
  // inward:  tau^ = phi - p' eta     eta_parent += B' (psi tau^ + eta)     and tau~ = m^-1 tau^
  Vector x(model_.nv());
  std::vector<Vector6> eta(count(), Vector6::Zero());
  for (int i = count() - 1; i > 0; --i) {
    const CentredBody& body = bodies_[i];
    const Vector tau_hat = phi.segment(body.v, body.p.cols()) - body.p.transpose() * eta[i];
    x.segment(body.v, body.p.cols()) = factors.m_hat[i].llt().solve(tau_hat);
    eta[body.parent] += B(i, body.parent).transpose() * (factors.psi[i] * tau_hat + eta[i]);
  }
  // outward:  mu = B mu_parent     x = tau~ - psi' mu     mu += p x
  std::vector<Vector6> mu(count(), Vector6::Zero());
  for (int i = 1; i < count(); ++i) {
    const CentredBody& body = bodies_[i];
    mu[i] = B(i, body.parent) * mu[body.parent];
    x.segment(body.v, body.p.cols()) -= factors.psi[i].transpose() * mu[i];
    mu[i] += body.p * x.segment(body.v, body.p.cols());
  }
  return x;
}

Vector inverse_dynamics_denoc(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                              const ExternalLoads& loads) {
  Vector tau = Denoc(model, q, v, loads).inverse_dynamics(a) + joint_forces(model, q, v);
  for (int i = 0; i < model.nv(); ++i) tau[i] += model.tree().terms[i].armature * a[i];
  return tau;
}

Vector forward_dynamics_denoc(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                              const ExternalLoads& loads) {
  require_velocity(model, tau, "tau");
  const Denoc denoc(model, q, v, loads);
  const Vector phi = tau - denoc.inverse_dynamics(Vector::Zero(model.nv())) - joint_forces(model, q, v);
  return denoc.solve(denoc.eliminate(), phi);
}

}  // namespace catena
