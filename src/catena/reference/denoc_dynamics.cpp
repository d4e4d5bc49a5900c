// The recursions of the decoupled complement: inverse dynamics, elimination, forward dynamics in three steps.
// Source: [001] sec. 5.1, (33)-(37), appendix B; formula sheet 2.3, 2.4.
#include "catena/dynamics/inverse.hpp"
#include "catena/reference/denoc.hpp"
#include "catena/reference/denoc_kernel.hpp"
#include "catena/reference/dense.hpp"

namespace catena {

using namespace kernel;

namespace {

// The state in the kernel's terms.
struct Recursion {
  const Model& model;
  Workspace workspace;
  DenocLinks<double> links;
  const Force<double>* f_ext;
  Six<double> t_0, xi_0;

  Recursion(const Model& model_in, ConstVector q, const ExternalLoads& loads)
      : model(model_in), workspace(model), links(links_at(q)) {
    f_ext = collect_wrenches(model, loads, workspace.storage());
    t_0 = {loads.base.angular_velocity, loads.base.velocity};
    xi_0 = {loads.base.angular_acceleration, loads.base.acceleration - model.gravity()};
  }

  // a: empty for zero. Mimic joints: tau = K' tau_full at K v, K a.
  Vector forces(ConstVector q, ConstVector v, const Vector& a) const {
    const Tree& tree = model.tree();
    const Vector rates = expanded(tree, v), accelerations = a.size() > 0 ? expanded(tree, a) : a;
    Vector tau(tree.nv_full);
    denoc_inverse(tree, links, rates.data(), a.size() > 0 ? accelerations.data() : nullptr, t_0, xi_0, f_ext,
                  tau.data());
    for (int i = 0; i < accelerations.size(); ++i) tau[i] += tree.terms[i].armature * accelerations[i];
    return reduced(tree, std::move(tau)) + joint_forces(model, q, v);
  }
  DenocElimination<double> eliminate() const {
    require_uncoupled(model, "elimination along the tree and its factors");
    DenocElimination<double> out = denoc_eliminate<double>(model.tree(), links, nullptr);
    if (out.singular_body > 0) throw_singular(model, out.singular_body);
    return out;
  }

 private:
  DenocLinks<double> links_at(ConstVector q) {
    load_positions(model, workspace.storage(), q);
    return {model.tree(), workspace.storage().positions.X, nullptr};
  }
};

// I x = phi with I = U D U' by elimination from the last row to the first, (33), of a matrix as a whole.
Vector solve_reversed(const Model& model, Matrix I, Vector x) {
  const Vector scale = I.diagonal();
  for (Eigen::Index k = I.rows() - 1; k >= 0; --k) {
    if (!(I(k, k) > pivot_tolerance * scale[k])) throw_singular_component(model, static_cast<int>(k));
    // columns of U above the pivot, and what is left of I without row and column k
    const Vector u = I.col(k).head(k) / I(k, k);
    I.topLeftCorner(k, k) -= u * I.row(k).head(k);
    I.col(k).head(k) = u;
    x.head(k) -= u * x[k];  // U^-1 phi
  }
  for (Eigen::Index k = 0; k < I.rows(); ++k) x[k] = x[k] / I(k, k) - I.col(k).head(k).dot(x.head(k));  // U'^-1 D^-1
  return x;
}

}  // namespace

// The inertias in world components; psi^ = M^ p, m^ = p' psi^ + armature, psi = psi^ m^-1 of whole joints.
DenocFactors Denoc::eliminate() const {
  const DenocElimination<double> factors = Recursion(model_, q_, {}).eliminate();
  DenocFactors out;
  out.M_hat.assign(count(), Matrix6::Zero());
  out.psi_hat.resize(count());
  out.m_hat.resize(count());
  out.psi.resize(count());
  for (int i = 1; i < count(); ++i) {
    const CentredBody& body = bodies_[i];
    const CentredInertia<double>& M = factors.M_hat[i];
    const Matrix6 R = twice(body.R);
    out.M_hat[i] = R * blocks(M.J, M.C, M.C.transpose(), M.M) * R.transpose();
    out.psi_hat[i] = out.M_hat[i] * body.p;
    out.m_hat[i] = body.p.transpose() * out.psi_hat[i];
    for (Eigen::Index c = 0; c < body.p.cols(); ++c) {
      out.m_hat[i](c, c) += model_.tree().terms[body.v + c].armature;
    }
    out.psi[i] = out.m_hat[i].llt().solve(out.psi_hat[i].transpose()).transpose();
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

Vector inverse_dynamics_denoc(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                              const ExternalLoads& loads) {
  require_velocity(model, v, "v");
  require_velocity(model, a, "a");
  return Recursion(model, q, loads).forces(q, v, a);
}

Vector forward_dynamics_denoc(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                              const ExternalLoads& loads) {
  require_velocity(model, v, "v");
  require_velocity(model, tau, "tau");
  const Recursion recursion(model, q, loads);
  Vector x = tau - recursion.forces(q, v, {});
  if (model.has_couplings()) return solve_reversed(model, Denoc(model, q, v).generalized_inertia(), std::move(x));
  denoc_solve(model.tree(), recursion.links, recursion.eliminate(), x.data(), x.data());
  return x;
}

}  // namespace catena
