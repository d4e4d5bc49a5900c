// The factors U, D, S and the transforms between (v, tau) and (xi, kappa), (nu, epsilon): formula sheet 4.1-4.3.
#include <algorithm>

#include "catena/diagonal/storage.hpp"
#include "catena/dynamics/mass_matrix.hpp"

namespace catena {

using namespace kernel;

DiagonalForm::Storage::Storage(const Model& model_in)
    : model(model_in), workspace(model_in), diagonal(model_in.tree()) {}

DiagonalForm::DiagonalForm(const Model& model) : storage_(std::make_unique<Storage>(model)) {}
DiagonalForm::DiagonalForm(DiagonalForm&&) noexcept = default;
DiagonalForm& DiagonalForm::operator=(DiagonalForm&&) noexcept = default;
DiagonalForm::~DiagonalForm() = default;

void DiagonalForm::update(ConstVector q) {
  Storage& x = *storage_;
  if (x.dense()) {
    factor_dense(x.model, mass_matrix(x.model, q), x.U, x.pivot);
    return;
  }
  load_coordinates(x.model, x.work(), q);
  Articulated<double>& art = x.work().articulated;
  update_links(x.model.reduced(), x.work().q.data(), x.work().links);
  riccati_sweep(x.tree(), x.work().links.X, art);
  if (art.singular_body != 0) throw_singular(x.model, art.singular_body);
  update_roots(x.tree(), art, x.diagonal);
}

namespace {

template <bool from_xi>
Vector convert_velocity(DiagonalForm::Storage& x, ConstVector in) {
  require_velocity(x.model, in, from_xi ? "xi" : "v");
  if (x.dense()) {
    if (!from_xi) return x.U.transpose() * in;
    return x.U.transpose().triangularView<Eigen::UnitLower>().solve(in);
  }
  Vector given = in, out(in.size());
  quasi_velocity_sweep<from_xi>(x.tree(), x.work().links.X, x.work().articulated, Motion<double>::zero(),
                                from_xi ? out.data() : given.data(), from_xi ? given.data() : out.data(), x.diagonal);
  return out;
}

template <bool from_kappa>
Vector convert_force(DiagonalForm::Storage& x, ConstVector in) {
  require_velocity(x.model, in, from_kappa ? "kappa" : "tau");
  if (x.dense()) {
    if (from_kappa) return x.U * in;
    return x.U.triangularView<Eigen::UnitUpper>().solve(in);
  }
  Vector given = in, out(in.size());
  quasi_force_sweep<from_kappa>(x.tree(), x.work().links.X, x.work().articulated,
                                from_kappa ? out.data() : given.data(), from_kappa ? given.data() : out.data(),
                                x.diagonal);
  return out;
}

template <Scaling scaling>
Vector rescaled(DiagonalForm::Storage& x, Vector y) {
  if (x.dense()) {
    const bool divide = scaling == Scaling::nu_to_xi || scaling == Scaling::kappa_to_epsilon;
    const Vector root = x.pivot.cwiseSqrt();
    return divide ? Vector(y.cwiseQuotient(root)) : Vector(y.cwiseProduct(root));
  }
  rescale<scaling>(x.tree(), x.work().articulated, x.diagonal, y.data());
  return y;
}

// Column by column.
template <class Map>
Matrix matrix_of(int n, const Map& map) {
  Matrix out(n, n);
  for (int j = 0; j < n; ++j) out.col(j) = map(Vector(Vector::Unit(n, j)));
  return out;
}

}  // namespace

Vector DiagonalForm::xi(ConstVector v) const { return convert_velocity<false>(*storage_, v); }
Vector DiagonalForm::nu(ConstVector v) const { return rescaled<Scaling::xi_to_nu>(*storage_, xi(v)); }
Vector DiagonalForm::velocity_from_xi(ConstVector xi) const { return convert_velocity<true>(*storage_, xi); }
Vector DiagonalForm::velocity_from_nu(ConstVector nu) const {
  require_velocity(storage_->model, nu, "nu");
  return velocity_from_xi(rescaled<Scaling::nu_to_xi>(*storage_, nu));
}
Vector DiagonalForm::kappa(ConstVector tau) const { return convert_force<false>(*storage_, tau); }
Vector DiagonalForm::epsilon(ConstVector tau) const {
  return rescaled<Scaling::kappa_to_epsilon>(*storage_, kappa(tau));
}
Vector DiagonalForm::force_from_kappa(ConstVector kappa) const { return convert_force<true>(*storage_, kappa); }
Vector DiagonalForm::force_from_epsilon(ConstVector epsilon) const {
  require_velocity(storage_->model, epsilon, "epsilon");
  return force_from_kappa(rescaled<Scaling::epsilon_to_kappa>(*storage_, epsilon));
}

Matrix DiagonalForm::U() const {
  return matrix_of(storage_->model.nv(), [&](const Vector& e) { return force_from_kappa(e); });
}
Matrix DiagonalForm::D() const {
  return matrix_of(storage_->model.nv(), [&](const Vector& e) {
    return rescaled<Scaling::epsilon_to_kappa>(*storage_, rescaled<Scaling::xi_to_nu>(*storage_, e));
  });
}
Matrix DiagonalForm::m() const {
  return matrix_of(storage_->model.nv(), [&](const Vector& e) { return force_from_epsilon(e); });
}
Matrix DiagonalForm::l() const {
  return matrix_of(storage_->model.nv(), [&](const Vector& e) { return epsilon(e); });
}

}  // namespace catena
